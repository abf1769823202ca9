"""MPIJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/{mpi_types,mpi_validation}.go,
pkg/controller.v1/mpi/mpijob_controller.go; held against the recorded jobs of 1.9.4, 1.8.1 and 1.7.0.
What the operator creates is in ``mpi_pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Terms, mapping
from specgen.operators.reader import Reader
from specgen.operators.template import append, mount, pod, restart
from specgen.operators.training.facts import DELIVERY, LAUNCHER_ACCOUNT, MANAGERS, OPERATOR, Framework
from specgen.operators.training.life import life
from specgen.operators.training.refusals import refusals
from specgen.operators.training.roles import counted
from specgen.operators.training.roles import workload as workload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.operators.expansion import Expansion

FRAMEWORK = Framework(
    "MPIJob",
    # there is no webhook and no Service: nobody asks more of a name than that pods and labels can bear it (recorded)
    Terms(
        "mpiReplicaSpecs",
        ("Launcher", "Worker"),
        needed=("Launcher",),
        single=("Launcher",),
        managers=MANAGERS,
        hosts=(),
        letter_first=False,
    ),
    # it takes the first container, whatever its name is
    container=None,
    controller="mpijob-controller",
    # in the Launcher's first container
    injected=frozenset(
        (
            "OMPI_MCA_plm_rsh_agent",
            "OMPI_MCA_orte_default_hostfile",
            "NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_DRIVER_CAPABILITIES",
        )
    ),
)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it, processes by ``slotsPerWorker``. Never raises."""
    workload = workload_of(FRAMEWORK, manifest, version)
    workload.added_volumes = ("mpi-job-kubectl", "mpi-job-config")
    slots = mapping(manifest.tree.get("spec")).get("slotsPerWorker")
    if isinstance(slots, int) and not isinstance(slots, bool) and 0 < slots < 10**6:
        workload.procs_per_pod = slots
        workload.procs_path = ("spec", "slotsPerWorker")
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``mpi_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.operators.training.mpi_pods import expand as objects

    return objects(workload, FRAMEWORK)


def sent(role: Role) -> dict[str, Any]:
    """A pod of a role as the operator sends it: with its policy, the operator's volumes, and who runs the Launcher."""
    spec = {**role.pod, "restartPolicy": restart(role)}
    mounts = [{"name": "mpi-job-config", "mountPath": "/etc/mpi"}]
    if role.name == "Launcher":
        mounts.insert(0, {"name": "mpi-job-kubectl", "mountPath": "/opt/kube"})
        image = OPERATOR.image(DELIVERY, role.workload.version)
        append(spec, "initContainers", [{"name": DELIVERY, "image": image, "volumeMounts": mounts}])
        if OPERATOR.at(role.workload.version) < LAUNCHER_ACCOUNT or not spec.get("serviceAccountName"):
            spec["serviceAccountName"] = "launcher"
    mount(spec, mounts)
    return pod(role, spec, "labels", "annotations")


READER = Reader(
    "kubeflow.org/v1",
    "MPIJob",
    schema="mpijob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life(FRAMEWORK),
    refusals=refusals,
    sent=sent,
    counted=counted,
)
