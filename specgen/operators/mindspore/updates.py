"""What an update does to an MSJob: as in the training operator, of which the ms-operator is a copy.

Read from mindspore-ai/ms-operator v1.0.0 (e361e2b), pkg/controllers/v1/msjob_controller.go (ReconcilePods,
ReconcileJobs with SyncPodGroup) and kubeflow/common v0.4.3. No webhook, and no rule with ``oldSelf`` in the CRD.
"""

from __future__ import annotations

from specgen.operators.updates import IN_PLACE, LATER, UNKNOWN, Effect, scaled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.changes import Change
    from specgen.operators.updates import Update

_READ = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    field, steps = str(change.path[1]), change.path[2:]
    if field == "msReplicaSpecs":
        if steps[1:2] == ("replicas",):
            return scaled(change)
        return Effect(LATER, "the operator compares none with its template")
    if field in ("successPolicy", "enableDynamicWorker") or (field == "runPolicy" and steps[:1] and steps[0] in _READ):
        return Effect(IN_PLACE, "the operator reads it whenever it looks at the job")
    return Effect(UNKNOWN, "")
