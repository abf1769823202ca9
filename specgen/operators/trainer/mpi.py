"""What Trainer's MPI policy makes: counts, volumes, the launcher's environment, the host file and the keys.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/framework/plugins/mpi/mpi.go.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.jobset import facts as layout
from specgen.operators.trainer.job import LAUNCHER, NODE, gpus, merged_resources, upsert, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.trainer.job import TrainJob

# A host file of more lines than this is cut: a job may ask for 2**31 nodes.
_MOST_HOSTS = 10_000


def enforce(job: TrainJob) -> None:
    """Sets the count of nodes and mounts what ssh and mpirun need; the launcher is a node or is not."""
    as_node = job.policy.get("runLauncherAsNode") is True
    at = job.first(name=NODE)
    if at is not None and job.nodes is not None:
        job.counts[at] = max(job.nodes - 1, 1) if as_node else job.nodes
    slots = _slots(job)
    job.policy["numProcPerNode"] = slots
    for replicated in job.jobs:
        name = replicated.get("name")
        if name not in (NODE, LAUNCHER):
            continue
        upsert(layout.pod_spec(replicated), "volumes", _volumes(job, launcher=name == LAUNCHER))
        for container in layout.containers_of(replicated):
            if container.get("name") == NODE:
                _mount(job, container, slots, launcher=name == LAUNCHER)


def _slots(job: TrainJob) -> int:
    if job.processes is not None:
        return job.processes
    slots = layout.number(job.policy.get("numProcPerNode"), 1)
    if slots == 1:
        return max(1, gpus(merged_resources(job.runtime_resources(), job.given_resources() or {})))
    return slots


def _volumes(job: TrainJob, *, launcher: bool) -> list[dict[str, Any]]:
    keys = [("ssh-privatekey", "id_rsa", 0o640), ("ssh-publickey", "id_rsa.pub", 0o644)]
    keys.append(("ssh-publickey", "authorized_keys", 0o644))
    items = [{"key": key, "path": path, "mode": mode} for key, path, mode in keys]
    secret = {"secretName": f"{job.name}-mpi-ssh-auth", "defaultMode": 0o400, "items": items}
    found: list[dict[str, Any]] = [{"name": "mpi-ssh-auth", "secret": secret}]
    if launcher:
        listed = [{"key": "hostfile", "path": "hostfile", "mode": 0o444}]
        found.append({"name": "mpi-hostfile", "configMap": {"name": f"{job.name}-mpi-hostfile", "items": listed}})
    return found


def _mount(job: TrainJob, container: dict[str, Any], slots: int, *, launcher: bool) -> None:
    mounts = [{"name": "mpi-ssh-auth", "mountPath": job.policy.get("sshAuthMountPath", "/root/.ssh")}]
    if launcher:
        mounts.append({"name": "mpi-hostfile", "mountPath": "/etc/mpi"})
        env = variables(
            OMPI_MCA_orte_default_hostfile="/etc/mpi/hostfile",
            OMPI_MCA_orte_keep_fqdn_hostnames="true",
            OMPI_MCA_orte_set_default_slots=str(slots),
            OMPI_MCA_plm_rsh_args="-o ConnectionAttempts=10",
        )
        upsert(container, "env", env)
    upsert(container, "volumeMounts", mounts)


def failure(job: TrainJob) -> str:
    """Why every reconcile fails; empty: it does not."""
    if job.policy.get("mpiImplementation") != "OpenMPI":
        return f"`mlPolicy.mpi.mpiImplementation` `{job.policy.get('mpiImplementation')}` is not supported"
    return ""


def objects(job: TrainJob) -> list[tuple[str, str, dict[str, Any]]]:
    """(kind, name, fields) of the host file's ConfigMap and of the Secret with the keys."""
    network = mapping(job.spec.get("network"))
    domain = layout.text(network.get("subdomain")) or job.name
    as_node = job.policy.get("runLauncherAsNode") is True
    lines = []
    for replicated, count in zip(job.jobs, job.counts, strict=True):
        name = replicated.get("name")
        if name == NODE or (as_node and name == LAUNCHER):
            for index in range(min(max(0, count), _MOST_HOSTS)):
                lines.append(f"{job.name}-{name}-0-{index}.{domain} slots={job.policy['numProcPerNode']}\n")
    secret = {
        "type": "kubernetes.io/ssh-auth",
        "immutable": True,
        "data": {"ssh-privatekey": "<generated>", "ssh-publickey": "<generated>"},
    }
    return [
        ("ConfigMap", f"{job.name}-mpi-hostfile", {"data": {"hostfile": "".join(lines)}}),
        ("Secret", f"{job.name}-mpi-ssh-auth", secret),
    ]
