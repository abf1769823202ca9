"""TrainJob, ``trainer.kubeflow.org/v1alpha1``: a plan as Kubeflow Trainer takes it (``operators.trainer.trainjob``).

The runtime is another object: a profile's own one stands beside the TrainJob (``own``), one of the cluster is named
(``over``, and what must agree with it ``agree``, what its pods have already ``had``, what is refused of them
``admitted``).
``answers`` is what the planner must know, ``fetch`` initialisers of dataset and model, ``ssh`` how mpirun reaches the
nodes.
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower.trainjob import answers
from specgen.operators.trainer.facts import INJECTED, PORT
from specgen.operators.trainer.trainjob import READER as READER
from specgen.plan.kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan

PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={"worker": "node", "launcher": "launcher"},
    first=None,
    worker="worker",
    launcher="launcher",
    starters=("none", "self", "torchrun", "accelerate", "mpirun", "horovodrun", "runtime"),
    starter="torchrun",
    restart="OnFailure",
    port=("", PORT),
    reserved_env=INJECTED,
    labels=("jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name"),
    letter="its API server wants a letter first",
    fetches=True,
    names_scheduler=False,
    leaves=True,
    meets=("PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"),
)
counts, groups, mpi, names = answers.counts, answers.groups, answers.mpi, answers.names
tells, untold = job_parts.tells, job_parts.untold


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a TrainJob, with a runtime of its own beside it or over one of the cluster."""
    if plan.runtime is not None:
        from specgen.lower.trainjob.over import over  # most jobs bring their runtime

        return over(plan, plan.runtime)
    from specgen.lower.trainjob.own import own

    return own(plan)
