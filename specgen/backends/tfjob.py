"""TFJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/tensorflow_types.go, pkg/webhooks/tensorflow/
tfjob_webhook.go, pkg/controller.v1/tensorflow/{tensorflow,tfjob_controller}.go.
What the operator creates is in ``_tf_pods``.
"""

from __future__ import annotations

from specgen.backends._roles import NEWEST, OPERATOR, RELEASES, absent_fields, add_roles, unique_lists
from specgen.manifest.views import Workload

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
    "absent_fields",
    "expand",
    "read",
    "unique_lists",
)

API_VERSION = "kubeflow.org/v1"
KIND = "TFJob"
SCHEMA = "tfjob_v1"
CONTAINER = "tensorflow"
FIELD = "tfReplicaSpecs"
ROLES = ("Chief", "Master", "Worker", "PS", "Evaluator")

# Appended by the operator to the first container of its name.
INJECTED = frozenset(("TF_CONFIG",))


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it, with roles that it does not know. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    add_roles(workload, FIELD, ROLES, any_name=True)
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_tf_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._tf_pods import expand as pods

    return pods(workload)
