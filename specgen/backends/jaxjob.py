"""JAXJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/jax_types.go, pkg/webhooks/jax/
jaxjob_webhook.go, pkg/controller.v1/jax/envvar.go.
What the operator creates is in ``_jax_pods``.
"""

from __future__ import annotations

from specgen.backends._roles import NEWEST, OPERATOR, absent_fields, add_roles, unique_lists
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
KIND = "JAXJob"
SCHEMA = "jaxjob_v1"
CONTAINER = "jax"
FIELD = "jaxReplicaSpecs"
ROLES = ("Worker",)
# The kind is new in 1.9.
RELEASES: tuple[str, ...] = ("1.9",)

# Appended by the operator to every container.
INJECTED = frozenset(("PYTHONUNBUFFERED", "COORDINATOR_PORT", "COORDINATOR_ADDRESS", "NUM_PROCESSES", "PROCESS_ID"))

# Of all kinds with a webhook the only one whose webhook does not look at ``managedBy`` (recorded).
TERMS = Terms(FIELD, ROLES, port=("jaxjob-port", 6666), hooked=True)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    workload.terms = TERMS
    add_roles(workload, FIELD, ROLES)
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_jax_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._jax_pods import expand as pods

    return pods(workload)
