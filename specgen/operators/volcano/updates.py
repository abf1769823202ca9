"""What an update does to a Job of Volcano: numbers of pods and of retries change, and nothing else of the spec.

Read from volcano-sh/volcano v1.15.1: pkg/webhooks/admission/jobs/validate/admit_job.go (validateJobUpdate) and
pkg/controllers/job/job_controller_actions.go (syncJob: pods that are missing are created, those beyond ``replicas``
deleted; the PodGroup is updated).
"""

from __future__ import annotations

from specgen.operators.updates import IN_PLACE, REFUSED, Effect, scaled
from specgen.operators.volcano.facts import WEBHOOK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.changes import Change
    from specgen.operators.updates import Update

_OPEN = ("minAvailable", "maxRetry", "priorityClassName")
_OPEN_OF_TASKS = ("minAvailable", "maxRetry")


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    field = change.path[1]
    if field in _OPEN and len(change.path) == 2:
        return Effect(IN_PLACE, "the controller updates the PodGroup" if field != "maxRetry" else "it counts on")
    if field == "tasks":
        if len(change.path) <= 3:
            return Effect(REFUSED, "tasks cannot be added, taken away, or renamed", WEBHOOK)
        if change.path[3] == "replicas":
            return scaled(change, unsaid=0)
        if change.path[3] in _OPEN_OF_TASKS:
            return Effect(IN_PLACE, "the controller updates the PodGroup")
    return Effect(REFUSED, f"`spec.{field}` is immutable", WEBHOOK)
