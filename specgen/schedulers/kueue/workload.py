"""Jobs as Kueue sees them, and what it writes into a job that waits, or begins."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_PRIORITY, KUEUE_QUEUE
from specgen.schedulers.kueue.podsets import COMPLETIONS_FOLLOW
from specgen.schedulers.kueue.quota import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kueue.flavors import Assignment, Share
    from specgen.schedulers.kueue.loose import Loose
    from specgen.schedulers.kueue.podsets import PodSet
    from specgen.schedulers.kueue.quota import Of
    from specgen.schedulers.kueue.standing import Standing
    from specgen.schedulers.kueue.topology import Topology


class Workload:
    """A job as Kueue sees it. ``order``: when it came; ``since``: when it got its quota."""

    def __init__(
        self, job: Job | Loose | Standing, sets: list[PodSet], queue_name: str, priority: int, order: int
    ) -> None:
        self.job = job
        self.sets = sets
        self.queue_name = queue_name
        self.priority = priority
        self.order = order
        self.since = 0
        self.active = True
        self.finished = False
        # does not come again before its time has passed
        self.held = False
        # how often pods were too late
        self.tries = 0
        self.given: Assignment | None = None
        # of an elastic job: the one whose place it takes, and the one that is to take its own
        self.replaces: Workload | None = None
        self.slice: Workload | None = None
        # pod set → its pods that hold quota, where these are fewer than it was given
        self.fewer: dict[str, int] = {}
        # what it had until it ended
        self.ended: Assignment | None = None
        # its ClusterQueue, once it is known
        self.queue = Queue({})
        # type → (status, reason, message)
        self.conditions: dict[str, tuple[str, str, str]] = {}
        # looked at, and not again before something happens
        self.rests = False
        self.tried: list[dict[str, int]] = []
        self.topology_of: Callable[[Share], Topology | None] = lambda share: None
        # why what becomes of it is not known
        self.unknown = ""
        self._used: tuple[Assignment, dict[Of, int]] | None = None
        # (state of the queues, why nobody looks at it)
        self.checked: tuple[int, tuple[str, str] | None] = (-1, None)
        # what stood in its way when it was looked at last
        self.looked: Assignment | None = None

    def usage(self) -> dict[Of, int]:
        """(flavor, resource) → what it holds."""
        if self.given is None:
            return {}
        if self._used is None or self._used[0] is not self.given:
            self._used = (self.given, self.given.usage(self.fewer))
        return self._used[1]

    def lower(self, fewer: dict[str, int]) -> bool:
        """Fewer of its pods hold quota from now on; whether that is news."""
        if fewer == self.fewer:
            return False
        self.count(-1)
        self.fewer, self._used = fewer, None
        self.count(1)
        return True

    def count(self, sign: int) -> None:
        """Adds what it holds to its queue and its domains, or takes it away."""
        for of, amount in self.usage().items():
            if sign > 0:
                self.queue.add(of, amount)
            else:
                self.queue.take(of, amount)
        for share in self.given.shares if self.given is not None else ():
            topology = self.topology_of(share)
            if topology is not None and share.domains is not None:
                topology.use(share.domains, share.pods.asks, sign)

    def say(self, kind: str, status: bool, reason: str, message: str) -> None:
        """Sets a condition."""
        self.conditions[kind] = ("True" if status else "False", reason, message)


def class_of(tree: dict[str, Any]) -> str:
    """The WorkloadPriorityClass that a job names."""
    return str(mapping(mapping(tree.get("metadata")).get("labels")).get(KUEUE_PRIORITY) or "")


def suspended(tree: dict[str, Any], queue: str) -> dict[str, Any]:
    """A job as its queue keeps it waiting."""
    metadata = mapping(tree.get("metadata"))
    labels = {**mapping(metadata.get("labels")), **({KUEUE_QUEUE: queue} if queue else {})}
    return {**tree, "metadata": {**metadata, "labels": labels}, "spec": _switched(tree, on=True)}


def resumed(tree: dict[str, Any], made: Assignment) -> dict[str, Any]:
    """A job as its queue lets it begin."""
    spec = _switched(tree, on=False)
    if tree.get("kind") == "Job" and made.shares and made.shares[0].count < made.shares[0].pods.count:
        spec["parallelism"] = made.shares[0].count
        marks = mapping(mapping(tree.get("metadata")).get("annotations"))
        if str(marks.get(COMPLETIONS_FOLLOW)) == "true":
            spec["completions"] = made.shares[0].count
    return {**tree, "spec": spec}


def _switched(tree: dict[str, Any], *, on: bool) -> dict[str, Any]:
    spec = dict(mapping(tree.get("spec")))
    if tree.get("kind") in ("Job", "JobSet", "TrainJob"):
        spec["suspend"] = on
    else:
        spec["runPolicy"] = {**mapping(spec.get("runPolicy")), "suspend": on}
    return spec


def whole(value: Any) -> int:
    """A whole number; 0 where there is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
