"""What several rules say of operators: their release, the roles as written, and who refuses a job.

Facts: training-operator, pkg/webhooks/*/*_webhook.go (since 1.8) and, before them and for MPIJobs in all versions, the
validation in pkg/apis/kubeflow.org/v1/*_validation.go; mpi-operator, pkg/apis/kubeflow/validation/validation.go;
ms-operator 1.0.0, which validates nothing. All recorded.
"""

from __future__ import annotations

from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.objection import Objection

SERVER = "the API server rejects the object"


def spec(workload: Workload) -> dict[str, Any]:
    """The job's spec."""
    return mapping(workload.manifest.tree.get("spec"))


def roles(workload: Workload) -> dict[str, Any]:
    """The roles as written, also those that the operator does not know; none where they are another object's."""
    return {} if workload.terms is None else mapping(spec(workload).get(workload.terms.field))


def release(workload: Workload) -> tuple[int, int]:
    """Major and minor number of the operator's version; a version in another form counts as the newest."""
    parts = workload.version.split(".")
    if len(parts) < 2 or not parts[0].isdigit() or not parts[1].isdigit():
        return (99, 0)
    return int(parts[0]), int(parts[1])


def refuses(workload: Workload) -> str:
    """The note that says who refuses a job: the webhook, or without one the operator by an event."""
    if workload.hooked:
        return "the admission webhook of the training operator refuses the job"
    return f"{workload.operator} {workload.version} accepts the job, says so in an event, and creates no pods"


def by_server(one: Objection) -> bool:
    """Whether the API server itself refuses, before a webhook or an operator sees the job."""
    return one.by == "the API server"


def article(kind: str) -> str:
    """``a PyTorchJob``, ``an MPIJob``."""
    return f"an {kind}" if kind.startswith(("MPI", "MS", "XGB")) else f"a {kind}"
