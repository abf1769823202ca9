"""What an MPIJob of the training operator has beside its pods: host file, scripts, and the right to ``kubectl exec``.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/mpi/mpijob_controller.go.
"""

from __future__ import annotations

from specgen.operators.kubernetes.objects import owned
from specgen.operators.training.pods import listed_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.training.job import Job

_RIGHTS = "rbac.authorization.k8s.io"


def auxiliary(job: Job, account: str, *, on_gpu: bool) -> list[dict[str, Any]]:
    """The objects in the operator's order. account: the Launcher's; on_gpu: whether the Launcher is a host as well."""
    name = f"{job.name}-launcher"
    workers = listed_hosts(job.replicas("Worker"), lambda index: f"{job.name}-worker-{index}")
    rules: list[dict[str, Any]] = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resourceNames": workers, "resources": ["pods/exec"], "verbs": ["create"]},
    ]
    if not workers:
        # then the right is one to all pods: an empty list names none
        del rules[1]["resourceNames"]
    reference = {"apiGroup": _RIGHTS, "kind": "Role", "name": name}
    subject = {"kind": "ServiceAccount", "name": account, "namespace": job.namespace}
    return [
        _object(job, "v1", "ServiceAccount", account, {}),
        _object(job, "v1", "ConfigMap", f"{job.name}-config", {"data": _data(job, name, workers, on_gpu=on_gpu)}),
        _object(job, f"{_RIGHTS}/v1", "Role", name, {"rules": rules}),
        _object(job, f"{_RIGHTS}/v1", "RoleBinding", name, {"roleRef": reference, "subjects": [subject]}),
    ]


def _object(job: Job, version: str, kind: str, name: str, content: dict[str, Any]) -> dict[str, Any]:
    metadata = owned(job.expansion.job, name, {"app": job.name})
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **content}


def _data(job: Job, launcher: str, workers: list[str], *, on_gpu: bool) -> dict[str, str]:
    """The files: hosts, the way to reach them, and the hosts that run, which are none at the beginning."""
    slots = job.spec.get("slotsPerWorker", 1)
    main = job.spec.get("mainContainer")
    container = f" --container {main}" if isinstance(main, str) and main else ""
    hosts = [launcher, *workers] if on_gpu else workers
    return {
        # the Launcher's line ends, those of running Workers begin with a line break (recorded)
        "discover_hosts.sh": f"#!/bin/sh\necho {launcher}:{slots}\n" if on_gpu else "#!/bin/sh",
        "hostfile": "".join(f"{host} slots={slots}\n" if host[:1] != "<" else f"{host}\n" for host in hosts),
        "kubexec.sh": "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n"
        f'/opt/kube/kubectl exec ${{POD_NAME}}{container} -- /bin/sh -c "$*"',
    }
