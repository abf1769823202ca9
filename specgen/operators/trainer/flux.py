"""What Trainer's Flux policy makes: an init container, volumes, a wrapped command, scripts and a certificate.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins/flux. The scripts themselves are
Trainer's: only their lines that vary with the job are written here.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.trainer.facts import RECORDED
from specgen.operators.trainer.job import NODE, gpus, merged_resources, upsert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.trainer.job import TrainJob

INSTALLER = "flux-installer"
_IMAGE = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"


def failure(job: TrainJob) -> str:
    """Why the controller panics, for ever and without a word (recorded); empty: it does not."""
    if job.trainer is None:
        return "it panics over a Flux runtime without `spec.trainer`"
    return "it panics over a Flux runtime without `spec.trainer.numNodes`" if job.nodes is None else ""


def enforce(job: TrainJob) -> None:
    """Wraps the command and adds the installer; needs ``spec.trainer``."""
    if job.trainer is None:
        return
    scripts = f"{job.name}-flux-entrypoint"
    main = mapping(job.main())
    words = job.trainer["command"] if "command" in job.trainer else main.get("command")
    whole = [*sequence(words), *sequence(job.trainer.get("args"))]
    said = " ".join(word for word in whole if isinstance(word, str)).strip()
    trainer = {**job.trainer, "command": ["/bin/bash", "/etc/flux-config/entrypoint.sh", said]}
    trainer.pop("args", None)
    image = _setting(job, main, "FLUX_VIEW_IMAGE", _IMAGE)
    job.trainer = trainer
    for replicated in job.jobs:
        if replicated.get("name") != NODE:
            continue
        pod = layout.pod_spec(replicated)
        upsert(pod, "volumes", _volumes(job, scripts))
        pod["initContainers"] = [*sequence(pod.get("initContainers")), _installer(image, scripts)]
        for container in layout.containers_of(replicated):
            if container.get("name") == NODE:
                upsert(container, "volumeMounts", _mounts(scripts))


def _setting(job: TrainJob, main: dict[str, Any], name: str, usual: str) -> str:
    for entry in [*sequence(main.get("env")), *sequence(mapping(job.trainer).get("env"))]:
        if mapping(entry).get("name") == name:
            usual = layout.text(mapping(entry).get("value")) or usual
    return usual


def _volumes(job: TrainJob, scripts: str) -> list[dict[str, Any]]:
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": scripts, "configMap": {"name": scripts, "defaultMode": 0o755}},
        {"name": "shared-memory", "emptyDir": {"medium": "Memory"}},
        {"name": "flux-curve", "secret": {"secretName": f"{job.name}-flux-curve", "defaultMode": 0o400}},
    ]


def _mounts(scripts: str) -> list[dict[str, Any]]:
    return [
        {"name": "flux-install", "mountPath": "/mnt/flux"},
        {"name": "spack-install", "mountPath": "/opt/software"},
        {"name": scripts, "mountPath": "/etc/flux-config", "readOnly": True},
        {"name": "flux-curve", "mountPath": "/curve", "readOnly": True},
        {"name": "shared-memory", "mountPath": "/dev/shm", "readOnly": True},
    ]


def _installer(image: str, scripts: str) -> dict[str, Any]:
    mounts: list[dict[str, Any]] = [{"name": "flux-install", "mountPath": "/mnt/flux"}]
    mounts.append({"name": scripts, "mountPath": "/etc/flux-config", "readOnly": True})
    command = ["/bin/bash", "/etc/flux-config/init.sh"]
    return {"name": INSTALLER, "image": image, "command": command, "volumeMounts": mounts}


def objects(job: TrainJob) -> list[tuple[str, str, dict[str, Any]]]:
    """(kind, name, fields) of the scripts' ConfigMap and the certificate's Secret."""
    nodes = job.nodes or 0
    tasks = layout.number(job.policy.get("numProcPerNode"), 1) if job.processes is None else job.processes
    devices = gpus(merged_resources(job.runtime_resources(), job.given_resources() or {}))
    cores = f"--cores={_range(tasks)}" + (f" --gpu={_range(devices)}" if devices else "")
    flags = f"-N {nodes} -n {tasks * nodes}" + (f" -g {devices}" if devices else "")
    hosts = f"{job.name}-node-0-[{_range(nodes)}]"
    domain = f"{job.name}.{job.namespace or 'default'}.svc.cluster.local"
    entry = [
        f"flux R encode --hosts=${{hosts}} {cores} > /tmp/R",
        f'mainHost="{job.name}-node-0-0"',
        f'flags="{flags}  "',
    ]
    init = [
        f"mainHost={job.name}-0",
        f'hosts="{hosts}"',
        f'default_connect = "tcp://%h.{domain}:%p"',
        f'{{ host="{hosts}"}},',
    ]
    data = {"entrypoint.sh": _script("entrypoint.sh", entry), "init.sh": _script("init.sh", init)}
    certificate = {"type": "Opaque", "data": {"curve.cert": "<generated>"}}
    return [
        ("ConfigMap", f"{job.name}-flux-entrypoint", {"data": data}),
        ("Secret", f"{job.name}-flux-curve", certificate),
    ]


def _script(name: str, lines: list[str]) -> str:
    return "\n".join([f"<{name} of Trainer {RECORDED}, with these lines of the job>", *lines]) + "\n"


def _range(size: int) -> str:
    return "0" if size == 1 else f"0-{size - 1}"
