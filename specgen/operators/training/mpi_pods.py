"""What the training operator creates for an MPIJob: a Launcher and Workers that it reaches by ``kubectl exec``.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/mpi/mpijob_controller.go; the images of the two older
versions and the service account of 1.7.0 are recorded. This kind has no Services.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Expansion, Refusal
from specgen.operators.kubernetes.admission import pod_refusal
from specgen.operators.kubernetes.names import is_subdomain, known
from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.mpi.mpirun import of_host_file
from specgen.operators.training import common
from specgen.operators.training.facts import DELIVERY, LAUNCHER_ACCOUNT, OPERATOR, PREFIX
from specgen.operators.training.mpi_objects import auxiliary
from specgen.operators.training.pods import Started, begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Instance
    from specgen.operators.training.facts import Framework
    from specgen.operators.training.job import Job

_KUBECTL = {"name": "mpi-job-kubectl", "mountPath": "/opt/kube"}
_CONFIG = {"name": "mpi-job-config", "mountPath": "/etc/mpi"}
_SCRIPT = {"key": "kubexec.sh", "mode": 0o555, "path": "kubexec.sh"}
_HOSTS = {"key": "hostfile", "mode": 0o444, "path": "hostfile"}
_DISCOVERY = {"key": "discover_hosts.sh", "mode": 0o555, "path": "discover_hosts.sh"}
_SHARES = {"cpu": "100m", "ephemeral-storage": "5Gi", "memory": "512Mi"}


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of an MPIJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, framework)
    if job is None:
        return expansion
    label = known(job.name)
    if len(label) > 63:
        # the first object that the operator creates, before the ConfigMap and the pods
        reason = f"its label `app` has {len(label)} characters, at most 63 are allowed"
        expansion.refusals.append(Refusal("ServiceAccount", job.name + "-launcher", SERVER, reason))
        return expansion
    on_gpu = _is_gpu_launcher(job)
    account = _account(job)
    expansion.others += auxiliary(job, account, on_gpu=on_gpu)
    if _workers(job):
        _launcher(job, account, on_gpu=on_gpu)
        of_host_file(expansion)
    return expansion


def _is_gpu_launcher(job: Job) -> bool:
    """Whether a container of the Launcher has a limit of GPUs, known by the word in its name."""
    for container in sequence(job.pod_spec("Launcher").get("containers")):
        limits = mapping(mapping(mapping(container).get("resources")).get("limits"))
        if any("gpu" in str(name) for name in limits):
            return True
    return False


def _account(job: Job) -> str:
    """The Launcher's service account: the template's, which older ones did not read, else one of its own."""
    given = job.pod_spec("Launcher").get("serviceAccountName")
    return given if isinstance(given, str) and given and job.release >= LAUNCHER_ACCOUNT else f"{job.name}-launcher"


def _workers(job: Job) -> bool:
    """Adds the Workers in the order of indices. False: one was refused, and the Launcher waits for it for ever."""
    expansion, count = job.expansion, job.replicas("Worker")
    room = expansion.room(count + 1, job.roles.get("Worker")) - 1  # one is the Launcher
    expansion.left_out += count - room
    spec = _worker_spec(job) if room else {}
    if room and _is_refused(job, f"{job.name}-worker-0", "Worker", spec):
        return False
    for index in range(room):
        _add(job, "Worker", f"{job.name}-worker-{index}", spec, {"replica-index": str(index)})
    return True


def _launcher(job: Job, account: str, *, on_gpu: bool) -> None:
    name, spec = f"{job.name}-launcher", _launcher_spec(job, account, on_gpu=on_gpu)
    if not _is_refused(job, name, "Launcher", spec):
        _add(job, "Launcher", name, spec, {"job-role": "master"})


def _is_refused(job: Job, name: str, role: str, spec: dict[str, Any]) -> bool:
    restart = common.restart_policy(job.framework, job.roles[role])
    reason = "" if is_subdomain(known(name)) else "its name is no name of an object"
    given = mapping(mapping(job.roles[role].get("template")).get("metadata"))
    # no more of it comes with the pods
    taken = {key: given[key] for key in ("labels", "annotations") if key in given}
    reason = reason or pod_refusal({"metadata": taken, "spec": {**spec, "restartPolicy": restart}})
    if reason:
        job.expansion.refusals.append(Refusal("Pod", name, SERVER, reason))
    return bool(reason)


def _add(job: Job, role: str, name: str, spec: dict[str, Any], more: dict[str, str]) -> None:
    expansion = job.expansion
    all_of_role = {
        "job-name": job.name,
        "operator-name": job.framework.controller,
        "replica-type": role.lower(),
        **more,
    }
    own = {PREFIX + key: value for key, value in sorted(all_of_role.items())}
    tree = common.pod(job.framework, expansion.job, name, job.roles[role], own, spec)
    # the operator takes labels and annotations from the template, and nothing else of its metadata
    tree["metadata"].pop("finalizers", None)
    expansion.pods.append(job.joined(role, tree))
    # which ranks a pod gets is up to mpirun and its options (``mpirun``)
    expansion.starts(_instance, expansion.pods[-1], role, job.framework.container)


def _instance(pod: dict[str, Any], role: str, container: str | None) -> Instance:
    return Started(pod, role, container).instance(None, "")


def _worker_spec(job: Job) -> dict[str, Any]:
    base = job.pod_spec("Worker")
    first, *rest = [mapping(one) for one in sequence(base.get("containers"))]
    idle = {} if first.get("command") else {"command": ["sleep"], "args": ["365d"]}
    first = {**first, **idle, "volumeMounts": [*sequence(first.get("volumeMounts")), _CONFIG]}
    volumes = [*sequence(base.get("volumes")), _config_volume(job, [_SCRIPT])]
    return {**base, "containers": [first, *rest], "volumes": volumes}


def _launcher_spec(job: Job, account: str, *, on_gpu: bool) -> dict[str, Any]:
    base = job.pod_spec("Launcher")
    first, *rest = [mapping(one) for one in sequence(base.get("containers"))]
    mounts = [_KUBECTL, _CONFIG]
    given = sequence(first.get("env"))
    first = {
        **first,
        "env": [*given, *_env([mapping(entry).get("name") for entry in given], on_gpu=on_gpu)],
        "volumeMounts": [*sequence(first.get("volumeMounts")), *mounts],
    }
    delivery = {
        "env": [{"name": "TARGET_DIR", "value": "/opt/kube"}, {"name": "NAMESPACE", "value": job.namespace}],
        "image": OPERATOR.image(DELIVERY, job.expansion.version),
        "imagePullPolicy": "IfNotPresent",
        "name": DELIVERY,
        "resources": {"limits": dict(_SHARES), "requests": dict(_SHARES)},
        "volumeMounts": mounts,
    }
    volumes = [{"emptyDir": {}, "name": _KUBECTL["name"]}, _config_volume(job, [_SCRIPT, _HOSTS, _DISCOVERY])]
    return {
        **base,
        "containers": [first, *rest],
        "initContainers": [*sequence(base.get("initContainers")), delivery],
        "serviceAccountName": account,
        "volumes": [*sequence(base.get("volumes")), *volumes],
    }


def _env(given: list[Any], *, on_gpu: bool) -> list[dict[str, str]]:
    """What the Launcher's first container gets besides what is given."""
    agent = "/etc/mpi/kubexec.sh"
    env = [
        {"name": "OMPI_MCA_plm_rsh_agent", "value": agent},
        {"name": "OMPI_MCA_orte_default_hostfile", "value": "/etc/mpi/hostfile"},
    ]
    if not on_gpu:
        env += [{"name": "NVIDIA_VISIBLE_DEVICES"}, {"name": "NVIDIA_DRIVER_CAPABILITIES"}]
    for name, value in (("I_MPI_HYDRA_BOOTSTRAP", "rsh"), ("I_MPI_HYDRA_BOOTSTRAP_EXEC", agent)):
        if name not in given:
            env.append({"name": name, "value": value})
    return env


def _config_volume(job: Job, items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"configMap": {"items": items, "name": f"{job.name}-config"}, "name": _CONFIG["name"]}
