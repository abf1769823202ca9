"""What an update does to a job of the training operator: what it reconciles, and what pods keep.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/pod.go (ReconcilePods: pods of missing indices are
created, those beyond ``replicas`` deleted, and no existing one compared with its template), job.go and scheduling.go
(SyncPodGroup), pkg/webhooks (ValidateRunPolicyUpdate), the CRDs (one rule with ``oldSelf``). Recorded:
``pt-scale-not-elastic``, ``pt-elastic-scale``, ``tf-dynamic-scale``, ``pt-update-image``, ``pt-suspend``,
``mpi1-suspend``, ``pt-managedby-changed``.
"""

from __future__ import annotations

from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.training.facts import HOOKED, MANAGED, OPERATOR
from specgen.operators.updates import ASIDE, IN_PLACE, LATER, REFUSED, RESTARTS, UNKNOWN, Effect, scaled, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.changes import Change
    from specgen.operators.updates import Update

_QUEUE = ("spec", "runPolicy", "schedulingPolicy", "queue")
# The webhooks of these compare ``managedBy`` with the old one; that of PyTorchJob compares the old with itself
# (recorded), JAXJob's and MPIJob's look at neither.
_MANAGED = ("TFJob", "XGBoostJob", "PaddleJob")
# Of a job, and read from it whenever the operator looks at it.
_READ = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
_OF_JOB = ("successPolicy", "enableDynamicWorker", "slotsPerWorker")


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    steps = change.path[1:]
    if steps[:1] == ("runPolicy",):
        return _of_policy(change, update, str(steps[1]) if len(steps) > 1 else "")
    terms = update.new.terms
    if terms is not None and steps[:1] == (terms.field,):
        return _of_role(change)
    if steps[0] in _OF_JOB:
        return Effect(IN_PLACE, "the operator reads it whenever it looks at the job")
    # nprocPerNode, elasticPolicy, mainContainer and the like are in the environment of pods
    return Effect(LATER, "pods keep the environment that they were created with")


def _of_policy(change: Change, update: Update, field: str) -> Effect:
    at = OPERATOR.at(update.version)
    if within(change, update, _QUEUE) and at >= HOOKED:
        return Effect(REFUSED, "`spec.runPolicy.schedulingPolicy.queue` is immutable", SERVER)
    if field == "suspend":
        if change.new is True:
            return Effect(RESTARTS, "all of its pods are deleted")
        return Effect(IN_PLACE, "its pods are created")
    if field == "managedBy" and at >= MANAGED and update.reader.kind in _MANAGED:
        by = f"the validating webhook of {OPERATOR.name} {update.version}"
        return Effect(REFUSED, "`spec.runPolicy.managedBy` is immutable", by)
    if field == "managedBy":
        return Effect(ASIDE, "the operator looks at it when it looks at the job, and deletes nothing")
    if field == "schedulingPolicy":
        return Effect(IN_PLACE, "the operator updates the PodGroup")
    if field in _READ:
        return Effect(IN_PLACE, "the operator reads it whenever it looks at the job")
    return Effect(UNKNOWN, "")


def _of_role(change: Change) -> Effect:
    """``spec.<roles>.<role>...``"""
    field = change.path[3] if len(change.path) > 3 else ""
    if field == "replicas":
        return scaled(change)
    return Effect(LATER, "the operator compares none with its template")
