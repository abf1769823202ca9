"""MPIJob, ``kubeflow.org/v2beta1``: what the mpi-operator (kubeflow/mpi-operator) takes.

Read from release-0.8 (b10758d): pkg/apis/kubeflow/v2beta1/{types,default}.go, pkg/apis/kubeflow/validation/
validation.go, pkg/controller/{mpi_job_controller,podgroup}.go; differences of 0.6.0 and 0.4.0 from their tags; held
against the recorded jobs of the three. What the operator creates is in ``pods``, what it refuses in ``refusals``.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping
from specgen.operators.mpi.facts import INJECTED, OPERATOR, SSH_PATH, TERMS
from specgen.operators.mpi.refusals import refusals
from specgen.operators.reader import Reader
from specgen.operators.template import mount, pod, restart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Counted, Lifecycle


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``pods``)."""
    # loaded here: linting does not ask for it
    from specgen.operators.mpi.pods import expand as objects

    return objects(workload)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: the first container of each role trains, slots are processes. Never raises."""
    workload = Workload(manifest, container=None, operator=OPERATOR.name, version=version or OPERATOR.newest)
    workload.added_volumes = ("ssh-auth", "mpi-job-config")
    workload.rules_env = INJECTED
    workload.terms = TERMS
    spec = mapping(manifest.tree.get("spec"))
    slots = spec.get("slotsPerWorker")
    if isinstance(slots, int) and not isinstance(slots, bool):
        workload.procs_per_pod = slots
        workload.procs_path = ("spec", "slotsPerWorker")
    roles = mapping(spec.get(TERMS.field))
    for name, default_replicas in (("Launcher", 1), ("Worker", 0)):
        if isinstance(roles.get(name), dict):
            path = ("spec", TERMS.field, name)
            workload.roles.append(Role(workload, name, path, roles[name], default_replicas=default_replicas))
    return workload


def sent(role: Role) -> dict[str, Any]:
    """A pod of a role as the operator sends it: with its policy, the keys of ssh, and names of the operator's own."""
    spec = {**role.pod, "restartPolicy": restart(role)}
    for key in ("hostname", "subdomain"):
        spec.pop(key, None)
    if spec.get("hostNetwork") is True:
        spec["dnsPolicy"] = "ClusterFirstWithHostNet"
    keys = mapping(role.workload.manifest.tree.get("spec")).get("sshAuthMountPath")
    mounts = [{"name": "ssh-auth", "mountPath": keys or SSH_PATH}]
    if role.name == "Launcher":
        mounts.append({"name": "mpi-job-config", "mountPath": "/etc/mpi"})
    mount(spec, mounts)
    return pod(role, spec, "labels", "annotations")


def life(workload: Workload) -> Lifecycle | None:
    """What becomes of the job once it runs, without its pods (``pods``)."""
    from specgen.operators.mpi.pods import begin

    return begin(workload)[0].lifecycle


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What a limit on restarts counts of an incident (``lifecycle``)."""
    # loaded here: few jobs have a limit
    from specgen.operators.mpi.lifecycle import counted as count

    return count(roles, most)


# Workers run ``/usr/sbin/sshd -De`` where they have no command, and mpirun reaches them by ssh
# (pkg/controller/mpi_job_controller.go, newWorker and newLauncherPodTemplate).
PROGRAMS = ("sshd", "ssh", "mpirun")

READER = Reader(
    "kubeflow.org/v2beta1",
    "MPIJob",
    schema="mpijob_v2beta1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life,
    refusals=refusals,
    sent=sent,
    counted=counted,
    programs=PROGRAMS,
)
