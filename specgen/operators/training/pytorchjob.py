"""PyTorchJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/pytorch_types.go, pkg/webhooks/pytorch/pytorchjob_webhook.go,
pkg/controller.v1/pytorch/{envvar,master,elastic,initcontainer}.go; differences of 1.7.0 and 1.8.1 from their tags.
What the operator creates is in ``pytorch_pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Terms, mapping
from specgen.operators.reader import Reader
from specgen.operators.training.facts import MANAGERS, OPERATOR, UNBUFFERED, Framework
from specgen.operators.training.life import life
from specgen.operators.training.refusals import refusals
from specgen.operators.training.roles import counted, sent, told
from specgen.operators.training.roles import workload as workload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion

PORT = ("pytorchjob-port", 23456)
FRAMEWORK = Framework(
    "PyTorchJob",
    Terms(
        "pytorchReplicaSpecs",
        ("Master", "Worker"),
        single=("Master",),
        peopled=("Worker",),
        managers=MANAGERS,
        restart={"": "OnFailure"},
        port=PORT,
        hooked=True,
    ),
    container="pytorch",
    controller="pytorchjob-controller",
    # in every container (facts/operators.md, 2.2)
    injected=frozenset(
        (
            *UNBUFFERED,
            "MASTER_PORT",
            "PET_MASTER_PORT",
            "MASTER_ADDR",
            "PET_MASTER_ADDR",
            "WORLD_SIZE",
            "RANK",
            "PET_NODE_RANK",
            "PET_NPROC_PER_NODE",
            "PET_NNODES",
            "PET_RDZV_ENDPOINT",
            "PET_RDZV_BACKEND",
        )
    ),
)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: roles in its own order, processes by ``nprocPerNode``. Never raises."""
    workload = workload_of(FRAMEWORK, manifest, version)
    spec = mapping(manifest.tree.get("spec"))
    procs = spec.get("nprocPerNode")
    workload.procs_told = told(spec)
    if isinstance(procs, str) and len(procs) < 7 and procs.isascii() and procs.isdigit():
        workload.procs_per_pod = int(procs)
        workload.procs_path = ("spec", "nprocPerNode")
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``pytorch_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.operators.training.pytorch_pods import expand as objects

    return objects(workload, FRAMEWORK)


READER = Reader(
    "kubeflow.org/v1",
    "PyTorchJob",
    schema="pytorchjob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life(FRAMEWORK),
    refusals=refusals,
    sent=sent,
    counted=counted,
    insists=True,
)
