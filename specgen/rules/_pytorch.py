"""What several rules about PyTorchJobs need: the roles as written, who refuses, and where absent things are shown.

Facts: training-operator, pkg/webhooks/pytorch/pytorchjob_webhook.go (since 1.8) and, before it, the validation in
pkg/controller.v1/pytorch/pytorchjob_controller.go; both recorded with 1.7.0, 1.8.1, and 1.9.4.
"""

from __future__ import annotations

from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.source import Path

ROLES_PATH: Path = ("spec", "pytorchReplicaSpecs")
NAMES = ("Master", "Worker")


def is_pytorch(workload: Workload) -> bool:
    """Whether the training operator reconciles this job as a PyTorchJob."""
    return workload.kind == "PyTorchJob" and workload.operator == "training-operator"


def spec(workload: Workload) -> dict[str, Any]:
    """The job's spec."""
    return mapping(workload.manifest.tree.get("spec"))


def roles(workload: Workload) -> dict[str, Any]:
    """The roles as written, also those that the operator does not know."""
    return mapping(spec(workload).get("pytorchReplicaSpecs"))


def release(workload: Workload) -> tuple[int, int]:
    """Major and minor number of the operator's version; a version in another form counts as the newest."""
    parts = workload.version.split(".")
    if len(parts) < 2 or not parts[0].isdigit() or not parts[1].isdigit():
        return (99, 0)
    return int(parts[0]), int(parts[1])


def refuses(workload: Workload) -> str:
    """The note that says who refuses a job: the webhook, or before it the operator by an event."""
    if release(workload) >= (1, 8):
        return "the admission webhook of the training operator refuses the job"
    return f"training-operator {workload.version} accepts the job, says so in an event, and creates no pods"
