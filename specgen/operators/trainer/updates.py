"""What an update does to a TrainJob: most of it is refused, and a JobSet that is not suspended is left as it is.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): the CRD (rules with ``oldSelf``; those of 2.0 and 2.1 have two of
them), pkg/runtime/framework/plugins/jobset/jobset.go (the webhook on patches; Build: "Do not update the JobSet if it
already exists and is not suspended"). Recorded: ``life-immutable``, ``life-patch-running``, ``life-suspend-patch``,
``life-suspend-patch-forbidden``, ``life-suspend-resume``, ``life-runtime-changed``.
"""

from __future__ import annotations

from specgen.operators.compared import ABSENT
from specgen.operators.kubernetes.objects import SERVER
from specgen.operators.trainer.facts import JOBS, OPERATOR
from specgen.operators.updates import IN_PLACE, NEVER, REFUSED, RESTARTS, UNKNOWN, Effect, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.changes import Change
    from specgen.operators.updates import Update
    from specgen.source import Path

_FIXED = ("runtimeRef", "managedBy")
# Held by the CRD of releases that know ``activeDeadlineSeconds``; those of 2.0 and 2.1 let them change.
_FIXED_SINCE = ("trainer", "initializer", "activeDeadlineSeconds")
_SINCE = OPERATOR.since(("spec", "activeDeadlineSeconds"), JOBS)
_PATCHES = ("runtimePatches", "podTemplateOverrides", "podSpecOverrides")
_LEFT = "the JobSet of a TrainJob that is not suspended is left as it is"
# What the API server lets change in the pods of a Job that is suspended (``life-suspend-patch``).
_OPEN = ("nodeSelector", "tolerations", "schedulingGates", "labels", "annotations")
# Of a patch itself: whose it is, and what it is for.
_NAMES = ("manager", "name", "time")


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    field = str(change.path[1])
    held = field in _FIXED or (field in _FIXED_SINCE and OPERATOR.at(update.version) >= _SINCE)
    if held and within(change, update, ("spec", field)):
        return Effect(REFUSED, f"`spec.{field}` is immutable", SERVER)
    if field == "suspend":
        if change.new is True:
            return Effect(RESTARTS, "all of its pods are deleted")
        return Effect(IN_PLACE, "its pods are created")
    if field in _PATCHES:
        if not update.held:
            by = f"the validating webhook of {OPERATOR.name} {update.version}"
            return Effect(REFUSED, f"`spec.{field}` changes only while the job is suspended", by)
        if _is_open(change):
            return Effect(IN_PLACE, "the suspended JobSet is updated, and pods are created with it")
        return Effect(NEVER, "the JobSet that exists is refused with it: of its pods little may change")
    if field in (*_FIXED, *_FIXED_SINCE):
        return Effect(NEVER, _LEFT)
    return Effect(UNKNOWN, "")


def _is_open(change: Change) -> bool:
    """Whether all that is otherwise in patches of pods is what may change in a Job that is suspended."""
    old, new = (dict(_leaves(value, change.path)) for value in (change.old, change.new))
    other = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    return all(path[-1] in _NAMES or any(step in _OPEN for step in path) for path in other)


def _leaves(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(tree, (dict, list)):
        for step, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _leaves(value, (*path, step))
    elif tree is not ABSENT:
        yield path, tree


def of_runtime() -> Effect:
    """What a change of the runtime does to TrainJobs that are there: each keeps a snapshot of it (since 2.3)."""
    return Effect(NEVER, _LEFT)
