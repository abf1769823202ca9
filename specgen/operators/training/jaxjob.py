"""JAXJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/jax_types.go, pkg/webhooks/jax/
jaxjob_webhook.go, pkg/controller.v1/jax/envvar.go.
What the operator creates is in ``jax_pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Terms
from specgen.operators.reader import Reader
from specgen.operators.training.facts import OPERATOR, Framework
from specgen.operators.training.life import life
from specgen.operators.training.refusals import refusals
from specgen.operators.training.roles import counted, sent
from specgen.operators.training.roles import workload as workload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion

FRAMEWORK = Framework(
    "JAXJob",
    # of all kinds with a webhook the only one whose webhook does not look at ``managedBy`` (recorded)
    Terms("jaxReplicaSpecs", ("Worker",), port=("jaxjob-port", 6666), hooked=True),
    container="jax",
    controller="jaxjob-controller",
    # in every container
    injected=frozenset(("PYTHONUNBUFFERED", "COORDINATOR_PORT", "COORDINATOR_ADDRESS", "NUM_PROCESSES", "PROCESS_ID")),
)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it. Never raises."""
    return workload_of(FRAMEWORK, manifest, version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``jax_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.operators.training.jax_pods import expand as objects

    return objects(workload, FRAMEWORK)


READER = Reader(
    "kubeflow.org/v1",
    "JAXJob",
    schema="jaxjob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life(FRAMEWORK),
    refusals=refusals,
    sent=sent,
    counted=counted,
    insists=True,
)
