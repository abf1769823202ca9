"""PaddleJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/paddlepaddle_types.go, pkg/webhooks/
paddlepaddle/paddlepaddle_webhook.go, pkg/controller.v1/paddlepaddle/envvar.go.
What the operator creates is in ``paddle_pods``.
"""

from __future__ import annotations

from specgen.manifest.views import Terms
from specgen.operators.reader import Reader
from specgen.operators.training.facts import MANAGERS, OPERATOR, Framework
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
    "PaddleJob",
    Terms(
        "paddleReplicaSpecs",
        ("Master", "Worker"),
        managers=MANAGERS,
        restart={"": "OnFailure"},
        port=("master", 36543),
        hooked=True,
    ),
    container="paddle",
    controller="paddlejob-controller",
    # in every container
    injected=frozenset(
        (
            "PYTHONUNBUFFERED",
            "PADDLE_JOB_ID",
            "PADDLE_NNODES",
            "POD_IP_DUMMY",
            "PADDLE_MASTER",
            "PADDLE_SERVER_NUM",
            "PADDLE_TRAINER_NUM",
        )
    ),
)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it. Never raises."""
    return workload_of(FRAMEWORK, manifest, version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``paddle_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.operators.training.paddle_pods import expand as objects

    return objects(workload, FRAMEWORK)


READER = Reader(
    "kubeflow.org/v1",
    "PaddleJob",
    schema="paddlejob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life(FRAMEWORK),
    refusals=refusals,
    sent=sent,
    counted=counted,
    insists=True,
)
