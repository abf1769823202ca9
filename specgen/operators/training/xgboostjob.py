"""XGBoostJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/xgboost_types.go, pkg/webhooks/xgboost/
xgboostjob_webhook.go, pkg/controller.v1/xgboost/xgboost.go.
What the operator creates is in ``xgboost_pods``.
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
    "XGBoostJob",
    Terms(
        "xgbReplicaSpecs",
        ("Master", "Worker"),
        needed=("Master",),
        single=("Master",),
        managers=MANAGERS,
        port=("xgboostjob-port", 9999),
        hooked=True,
    ),
    container="xgboost",
    controller="xgboostjob-controller",
    # in every container
    injected=frozenset(
        (
            "MASTER_PORT",
            "MASTER_ADDR",
            "WORLD_SIZE",
            "RANK",
            "PYTHONUNBUFFERED",
            "WORKER_PORT",
            "WORKER_ADDRS",
        )
    ),
)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it. Never raises."""
    return workload_of(FRAMEWORK, manifest, version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``xgboost_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.operators.training.xgboost_pods import expand as objects

    return objects(workload, FRAMEWORK)


READER = Reader(
    "kubeflow.org/v1",
    "XGBoostJob",
    schema="xgboostjob_v1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    life=life(FRAMEWORK),
    refusals=refusals,
    sent=sent,
    counted=counted,
    insists=True,
)
