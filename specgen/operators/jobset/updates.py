"""What an update does to a JobSet: little of it may change, and in a suspended one what Kueue needs.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc): pkg/webhooks/jobset_webhook.go (Default, ValidateUpdate) and
the CRD (rules with ``oldSelf``), with the feature gate ElasticJobSet off, as it is by default.
"""

from __future__ import annotations

from specgen.operators.jobset.facts import WEBHOOK
from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.updates import IN_PLACE, REFUSED, RESTARTS, UNKNOWN, Effect, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.changes import Change
    from specgen.operators.updates import Update

# The webhook gives all three a value where nobody writes one, so that the rule of the CRD always has two to compare.
_ALWAYS = ("network", "startupPolicy", "successPolicy")
# Of these it has two where both sides say one: a rule with ``oldSelf`` is not asked without an old value.
_FIXED = ("failurePolicy", "volumeClaimPolicies")
# Of the template of pods, while the JobSet is suspended.
_OPEN = (
    *(("metadata", field) for field in ("labels", "annotations")),
    *(("spec", field) for field in ("nodeSelector", "tolerations", "schedulingGates")),
)


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    field = str(change.path[1])
    if field in _ALWAYS or (field in _FIXED and within(change, update, ("spec", field))):
        return Effect(REFUSED, f"`spec.{field}` is immutable", SERVER)
    if field == "failurePolicy":
        return Effect(IN_PLACE, "the controller reads it when a Job of the set has failed")
    if field == "replicatedJobs":
        # [NAME], template, spec, template, then the pod's own
        if update.held and change.path[3:6] == ("template", "spec", "template") and change.path[6:8] in _OPEN:
            return Effect(IN_PLACE, "pods are created with it when the JobSet is resumed")
        return Effect(REFUSED, "`spec.replicatedJobs` is immutable", WEBHOOK)
    if field == "managedBy":
        return Effect(REFUSED, "`spec.managedBy` is immutable", WEBHOOK)
    if field == "suspend":
        if change.new is True:
            return Effect(RESTARTS, "its Jobs are suspended, and all of its pods deleted")
        return Effect(IN_PLACE, "its pods are created")
    if field == "ttlSecondsAfterFinished":
        return Effect(IN_PLACE, "the controller reads it when the JobSet has ended")
    return Effect(UNKNOWN, "")
