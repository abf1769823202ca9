"""What Kueue's webhooks refuse of a job that names a queue.

Kueue 0.19, pkg/controller/jobframework/tas_validation.go, pkg/controller/jobs/job/job_webhook.go. Recorded in worlds
``refuse-topology-annotations`` and ``refuse-partial``.
"""

from __future__ import annotations

from json import loads

from specgen.manifest.views import mapping
from specgen.operators.jobset.facts import number as number_of
from specgen.operators.jobset.facts import pods_each
from specgen.operators.kubernetes.objects import marks
from specgen.operators.queues import GROUP, KUEUE, PREFERRED, REQUIRED, SLICE, SLICE_SIZE, UNCONSTRAINED
from specgen.schedulers.kueue.podsets import COMPLETIONS_FOLLOW, CONSTRAINTS, MIN_PARALLELISM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.schedulers.kueue.podsets import PodSet

ELASTIC = KUEUE + "elastic-job"
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")
_MOST_SECONDS = KUEUE + "max-exec-time-seconds"
_LAYERS = 3
_WHOLE = "must be a numeric value"


def refusal(tree: dict[str, Any], sets: Sequence[PodSet]) -> str:
    """Why a job is refused; empty: it is not."""
    found = [*_of_job(tree), *(f"pods `{pods.name}`: {one}" for pods in sets for one in _of_pods(pods))]
    # recorded: a PyTorchJob may have any groups
    found += _of_groups(sets) if tree.get("kind") in ("JobSet", "MPIJob") else ()
    return "; ".join(found)


def _of_groups(sets: Sequence[PodSet]) -> Iterator[str]:
    """Pods that go together (ValidatePodSetGroupingTopology)."""
    groups: dict[str, list[PodSet]] = {}
    for pods in sets:
        if pods.wish.group:
            groups.setdefault(pods.wish.group, []).append(pods)
    for name, members in groups.items():
        if len(members) != 2:
            yield f"{GROUP}: `{name}`: can only define groups of exactly 2 pod sets, got: {len(members)} pod set(s)"
            continue
        one, other = members
        if one.count != 1 and other.count != 1:
            said = f"got: {one.count} replica(s) and {other.count} replica(s) in the group"
            yield f"{GROUP}: `{name}`: can only define groups where at least one pod set has only 1 replica, {said}"
        if (one.wish.required, one.wish.level) != (other.wish.required, other.wish.level):
            yield f"{GROUP}: `{name}`: both must have the same `{REQUIRED}` or `{PREFERRED}`"


def _of_job(tree: dict[str, Any]) -> Iterator[str]:
    metadata, spec = mapping(tree.get("metadata")), mapping(tree.get("spec"))
    annotations, labels = mapping(metadata.get("annotations")), mapping(metadata.get("labels"))
    seconds = labels.get(_MOST_SECONDS)
    if seconds is not None and (not str(seconds).isdecimal() or int(str(seconds)) < 1):
        yield f"{_MOST_SECONDS}: `{seconds}` should be greater than 0"
    if tree.get("kind") != "Job":
        return
    least = annotations.get(MIN_PARALLELISM)
    count = pods_each(spec)
    if least is not None:
        number = _number(str(least))
        if number is None:
            yield f"{MIN_PARALLELISM}: `{least}` is no number"
        elif not 0 < number < count:
            yield f"{MIN_PARALLELISM}: {number} should be between 0 and {count - 1}"
        elif is_elastic(tree):
            yield f"{MIN_PARALLELISM}: partial admission and elastic job cannot be used together"
    follow = str(annotations.get(COMPLETIONS_FOLLOW, "false"))
    if follow not in (*_TRUE, *_FALSE):
        yield f"{COMPLETIONS_FOLLOW}: `{follow}` must be a boolean value"
    if follow in _TRUE and spec.get("completionMode") != "Indexed":
        yield f"{COMPLETIONS_FOLLOW}: should not be enabled for NonIndexed jobs"
    if follow in _TRUE and number_of(spec.get("parallelism"), 1) != number_of(spec.get("completions"), 1):
        yield f"spec.completions: should be equal to parallelism when {COMPLETIONS_FOLLOW} is true"


def longest(tree: dict[str, Any]) -> int:
    """For how many seconds a job may run once it is admitted; 0: for ever."""
    return _number(str(mapping(mapping(tree.get("metadata")).get("labels")).get(_MOST_SECONDS, 0))) or 0


def is_elastic(tree: dict[str, Any]) -> bool:
    """Whether a job may have more pods, or fewer, while it runs (pkg/workloadslicing, Enabled)."""
    if tree.get("kind") != "Job":
        return False
    return str(mapping(mapping(tree.get("metadata")).get("annotations")).get(ELASTIC)) == "true"


def unchangeable(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Why a change of a job that has begun is refused; empty: it is not."""
    own = [mapping(mapping(tree.get("metadata")).get("annotations")) for tree in (before, after)]
    if own[0].get(ELASTIC) != own[1].get(ELASTIC):
        return f"metadata.annotations[{ELASTIC}]: field is immutable"
    counts = [number_of(mapping(tree.get("spec")).get("parallelism"), 1) for tree in (before, after)]
    if before.get("kind") == "Job" and MIN_PARALLELISM in own[0] and counts[0] != counts[1]:
        return "spec.parallelism: cannot change when partial admission is enabled and the job is not suspended"
    return ""


def _of_pods(pods: PodSet) -> Iterator[str]:
    given = mapping(mapping(pods.template.get("metadata")).get("annotations"))
    said = {str(key): str(value) for key, value in given.items() if str(key).startswith(KUEUE)}
    if sum(name in said for name in (REQUIRED, PREFERRED, UNCONSTRAINED)) > 1:
        yield f"must not contain more than one topology annotation: {REQUIRED}, {PREFERRED}, {UNCONSTRAINED}"
    if said.get(UNCONSTRAINED, "true") not in (*_TRUE, *_FALSE):
        yield f"{UNCONSTRAINED}: `{said[UNCONSTRAINED]}` must be a boolean value"
    for name in (REQUIRED, PREFERRED, SLICE):
        if name in said and any(marks({"labels": {said[name]: ""}})):
            yield f"{name}: `{said[name]}` is no name of a label"
    yield from _group(said)
    yield from _slices(said, pods.count)
    if CONSTRAINTS in said:
        if SLICE in said or SLICE_SIZE in said:
            yield f"{CONSTRAINTS}: may not be set when `{SLICE}` or `{SLICE_SIZE}` is specified"
        yield from _layers(said[CONSTRAINTS], pods.count)


def _group(said: dict[str, str]) -> Iterator[str]:
    if GROUP not in said:
        return
    if _number(said[GROUP]) is not None:
        yield f"{GROUP}: `{said[GROUP]}` must not be a number"
    for other in (SLICE, SLICE_SIZE):
        if other in said:
            yield f"{GROUP}: may not be set when `{other}` is specified"
    if REQUIRED not in said and PREFERRED not in said:
        yield f"{GROUP}: may not be set when neither `{REQUIRED}` nor `{PREFERRED}` is specified"


def _slices(said: dict[str, str], count: int) -> Iterator[str]:
    size = said.get(SLICE_SIZE)
    if size is None:
        if SLICE in said:
            yield f"{SLICE_SIZE}: must be set when `{SLICE}` is specified"
        return
    if SLICE not in said:
        yield f"{SLICE_SIZE}: may not be set when `{SLICE}` is not specified"
        return
    number = _number(size)
    if number is None:
        yield f"{SLICE_SIZE}: `{size}` {_WHOLE}"
    elif number < 1:
        yield f"{SLICE_SIZE}: `{size}` must be greater than or equal to 1"
    elif number > count:
        yield f"{SLICE_SIZE}: `{size}` must not be greater than pod set count {count}"


def _layers(text: str, count: int) -> Iterator[str]:
    try:
        layers = loads(text)
    except ValueError:
        layers = None
    if not isinstance(layers, list):
        yield f"{CONSTRAINTS}: must be a valid JSON array"
        return
    sizes = [mapping(one).get("size") for one in layers]
    if not sizes or len(sizes) > _LAYERS:
        yield f"{CONSTRAINTS}: must have 1 to {_LAYERS} layers"
    for at, own in enumerate(sizes):
        if type(own) is not int or own < 1:
            yield f"{CONSTRAINTS}[{at}].size: must be greater than or equal to 1"
    if sizes and type(sizes[0]) is int and sizes[0] > count:
        yield f"{CONSTRAINTS}: {sizes[0]} must not be greater than pod set count {count}"
    for at in range(1, len(sizes)):
        above, own = sizes[at - 1], sizes[at]
        if isinstance(above, int) and isinstance(own, int) and own > 0 and above % own:
            yield f"{CONSTRAINTS}[{at}].size: {own} must evenly divide the parent layer size {above}"


def _number(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None
