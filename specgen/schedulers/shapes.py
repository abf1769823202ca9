"""Jobs that differ in their names alone: what has become of two of them holds for all that follow.

A name matters where an operator writes it into what schedulers look at. Two jobs whose names are as long and of the
same signs are refused for the same reasons; where their pods came to be of the same sorts, one by one, the name is in
nothing that tells pods apart, and the pods of a third need not be made to know them.
"""

from __future__ import annotations

from copy import copy
from itertools import accumulate

from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.pods import Pod

_SIGNS = str.maketrans("bcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ123456789", "a" * 25 + "A" * 25 + "0" * 9)


class Shape:
    """Jobs of one content. ``job`` and ``pods``: the first of them; ``proven``: whether a second one was like it."""

    __slots__ = ("job", "pods", "proven")

    def __init__(self, job: Job, pods: Sequence[Pod]) -> None:
        self.job = job
        self.pods = list(pods)
        self.proven = False

    @property
    def firsts(self) -> list[Pod]:
        """The first pod of each unit."""
        ends = list(accumulate(unit.count for unit in self.job.units))
        return [self.pods[end - unit.count] for unit, end in zip(self.job.units, ends, strict=True)]


class Shapes:
    """The shapes that were met since nodes, objects or sorts of pods were others, and of which of them jobs are."""

    __slots__ = ("_held", "_known", "_of")

    def __init__(self) -> None:
        # jobs that a queue holds back, so that they have no pods
        self._held: dict[str, Job] = {}
        self._known: dict[str, Shape] = {}
        self._of: dict[str, Shape] = {}

    def forget(self) -> None:
        """What was known holds no more."""
        self._known.clear()
        self._of.clear()
        self._held.clear()

    def held(self, tree: dict[str, Any]) -> Job | None:
        """A job that is held back, is not refused, and differs from this one in its name and its queue's alone."""
        return self._held.get(_unqueued(tree)) if self._held else None

    def hold(self, job: Job) -> None:
        """Takes in a job that is held back."""
        key = _unqueued(job.tree)
        if key and not job.told and not job.left_out and job.expansion is not None:
            # as it is now: the job itself begins one day
            self._held.setdefault(key, copy(job))

    def proven(self, tree: dict[str, Any]) -> Shape | None:
        """The shape of a job, where its pods are known."""
        shape = self._known.get(content(tree))
        return shape if shape is not None and shape.proven else None

    def join(self, name: str, shape: Shape) -> None:
        """A job of this name is of a shape."""
        self._of[name] = shape

    def leave(self, name: str) -> None:
        """A job is as it was no more."""
        self._of.pop(name, None)

    def of(self, name: str) -> Shape | None:
        """The shape of a job by its name, where its pods are known by that."""
        return self._of.get(name)

    def learn(self, job: Job, pods: Sequence[Pod]) -> None:
        """Takes in which pods were made of a job at once, all that it has."""
        key = content(job.tree)
        if not key or not _bare(job, pods):
            return
        shape = self._known.get(key)
        if shape is None:
            self._known[key] = Shape(job, pods)
        elif shape.job.name != job.name:
            shape.proven = [(pod.key, pod.sort) for pod in shape.pods] == [(pod.key, pod.sort) for pod in pods]


def content(tree: dict[str, Any]) -> str:
    """All of a job but its name, of which the length and the kinds of signs are kept; empty: it has none."""
    from json import dumps

    name = mapping(tree.get("metadata")).get("name")
    if not isinstance(name, str) or not name:
        return ""
    metadata = {**mapping(tree.get("metadata")), "name": name.translate(_SIGNS)}
    return dumps({**tree, "metadata": metadata}, default=str)


def _unqueued(tree: dict[str, Any]) -> str:
    """All of a job but its name and its queue's, of which the length and the kinds of signs are kept."""
    metadata = mapping(tree.get("metadata"))
    labels = mapping(metadata.get("labels"))
    queue = labels.get(KUEUE_QUEUE)
    if isinstance(queue, str):
        labels = {**labels, KUEUE_QUEUE: queue.translate(_SIGNS)}
    return content({**tree, "metadata": {**metadata, "labels": labels}})


def _bare(job: Job, pods: Sequence[Pod]) -> bool:
    """Whether nothing of a job is its own but its pods, and of these all are there."""
    if job.told or job.left_out or any(unit.child is not None for unit in job.units):
        return False
    return len(pods) == sum(unit.count for unit in job.units) and not any(
        pod.sort.claims or pod.sort.volumes for pod in pods
    )
