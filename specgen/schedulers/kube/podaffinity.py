"""InterPodAffinity: which pods may, must and would rather be near which (Kubernetes 1.36, interpodaffinity)."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.selectors import meets
from specgen.schedulers.kube.state import UNRESOLVABLE, UNSCHEDULABLE, Shelf, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.kube.state import State
    from specgen.schedulers.pods import Sort, Term
    from specgen.schedulers.world import Objects


def meant(term: Term, other: Sort, objects: Objects) -> bool:
    """Whether a term speaks of a pod."""
    if not meets(other.labels, term.asked):
        return False
    if other.namespace in term.namespaces:
        return True
    if term.selector is None:
        return False
    tree = objects.named("Namespace", other.namespace)
    if tree is None:
        tree = next(
            (one for one in objects.of("Namespace") if mapping(one.get("metadata")).get("name") == other.namespace), {}
        )
    own = mapping(mapping(tree.get("metadata")).get("labels"))
    return meets({**own, "kubernetes.io/metadata.name": other.namespace}, term.selector)


class Near:
    """Who stands where, for one try of a pod. Keys are (label, its value): of the hostname, the shelf of the node."""

    __slots__ = ("_against", "_far", "_near", "_objects", "_self", "_sort")

    def __init__(self, sort: Sort, state: State, objects: Objects) -> None:
        self._sort = sort
        self._objects = objects
        self._self = bool(sort.affinity) and all(meant(term, sort, objects) for term in sort.affinity)
        self._near: dict[Any, int] = {}
        self._far: dict[Any, int] = {}
        self._against: dict[Any, int] = {}
        for shelf, other, pods in state.held():
            for term in other.anti:
                if meant(term, sort, objects):
                    self._add(self._against, term, shelf, pods)
            if sort.affinity and all(meant(term, other, objects) for term in sort.affinity):
                for term in sort.affinity:
                    self._add(self._near, term, shelf, pods)
            for term in sort.anti:
                if meant(term, other, objects):
                    self._add(self._far, term, shelf, pods)

    @staticmethod
    def _add(counts: dict[Any, int], term: Term, shelf: Shelf, pods: int) -> None:
        value = shelf.domain(term.key)
        if value is not None:
            counts[(term.key, value)] = counts.get((term.key, value), 0) + pods * (1 if value is shelf else shelf.count)

    def check(self, shelf: Shelf) -> Status | None:
        """A node that is not near enough, or too near."""
        if not self._is_near(shelf):
            return Status("InterPodAffinity", UNRESOLVABLE, "node(s) didn't match pod affinity rules")
        for term in self._sort.anti:
            if self._far.get((term.key, shelf.domain(term.key)), 0):
                return Status("InterPodAffinity", UNSCHEDULABLE, "node(s) didn't match pod anti-affinity rules")
        for (key, value), pods in self._against.items():
            if pods and shelf.domain(key) == value:
                return Status(
                    "InterPodAffinity", UNSCHEDULABLE, "node(s) didn't satisfy existing pods anti-affinity rules"
                )
        return None

    def _is_near(self, shelf: Shelf) -> bool:
        exist = True
        for term in self._sort.affinity:
            value = shelf.domain(term.key)
            if value is None:
                return False
            if not self._near.get((term.key, value), 0):
                exist = False
        return exist or (not self._near and self._self)


def scores(sort: Sort, fitting: list[Shelf], state: State, objects: Objects) -> list[int]:
    """What preferences of the pod and of those that stand say for each shelf; a required affinity of theirs says 1."""
    counts: dict[Any, int] = {}
    for shelf, other, pods in state.held():
        weighted = [(term, term.weight) for term in sort.preferred_pods if meant(term, other, objects)]
        weighted += [(term, term.weight) for term in other.preferred_pods if meant(term, sort, objects)]
        weighted += [(term, 1) for term in other.affinity if meant(term, sort, objects)]
        for term, weight in weighted:
            value = shelf.domain(term.key)
            if value is not None:
                times = pods * (1 if value is shelf else shelf.count)
                counts[(term.key, value)] = counts.get((term.key, value), 0) + weight * times
    return [sum(score for (key, value), score in counts.items() if shelf.domain(key) == value) for shelf in fitting]
