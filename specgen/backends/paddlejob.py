"""PaddleJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/paddlepaddle_types.go, pkg/webhooks/
paddlepaddle/paddlepaddle_webhook.go, pkg/controller.v1/paddlepaddle/envvar.go.
What the operator creates is in ``_paddle_pods``.
"""

from __future__ import annotations

from specgen.backends._roles import MANAGERS, NEWEST, OPERATOR, RELEASES, absent_fields, add_roles, unique_lists
from specgen.manifest.views import Terms, Workload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.manifest.model import Manifest

__all__ = (
    "API_VERSION",
    "CONTAINER",
    "FIELD",
    "INJECTED",
    "KIND",
    "NEWEST",
    "OPERATOR",
    "RELEASES",
    "ROLES",
    "SCHEMA",
    "TERMS",
    "absent_fields",
    "expand",
    "read",
    "unique_lists",
)

API_VERSION = "kubeflow.org/v1"
KIND = "PaddleJob"
SCHEMA = "paddlejob_v1"
CONTAINER = "paddle"
FIELD = "paddleReplicaSpecs"
ROLES = ("Master", "Worker")

# Appended by the operator to every container.
INJECTED = frozenset(
    (
        "PYTHONUNBUFFERED",
        "PADDLE_JOB_ID",
        "PADDLE_NNODES",
        "POD_IP_DUMMY",
        "PADDLE_MASTER",
        "PADDLE_SERVER_NUM",
        "PADDLE_TRAINER_NUM",
    )
)

TERMS = Terms(FIELD, ROLES, managers=MANAGERS, restart={"": "OnFailure"}, port=("master", 36543), hooked=True)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    workload.terms = TERMS
    add_roles(workload, FIELD, ROLES)
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_paddle_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._paddle_pods import expand as pods

    return pods(workload)
