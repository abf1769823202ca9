"""Who may stay where a job would fit an empty cluster: of those who stand there only some must go.

Jobs go whole: of a pod that is deleted alone the controller makes another. What is left out was tried, and of several
who would do the ones with fewest pods are named. Trials are counted out, so that many jobs that wait cost no more.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import namespace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import World

    # a job that was asked before, by its id, and its tree
    Before = tuple[str, dict[str, Any]]
    # whether the last of some jobs has a node for all of its pods
    Placed = Callable[[World, Sequence[dict[str, Any]]], bool]

# Pods that trials of one call may place, and what each costs besides.
PODS = 6_000
_TRIAL = 50
# By these labels operators find the pods of a job, also those of the Jobs of batch that they make.
_LABELS = ("training.kubeflow.org/job-name", "jobset.sigs.k8s.io/jobset-name")


class Spare:
    """Trials for the jobs of one call. ``left``: pods that may be placed yet."""

    __slots__ = ("_placed", "left")

    def __init__(self, placed: Placed, left: int = PODS) -> None:
        self._placed = placed
        self.left = left

    def gone(self, world: World, before: Sequence[Before], tree: dict[str, Any], pods: Sequence[Pod]) -> list[Pod]:
        """Of pods that have a node those without which the job fits."""
        groups: dict[tuple[str, ...], list[Pod]] = {}
        for pod in pods:
            groups.setdefault(_group(pod), []).append(pod)
        order = sorted(groups, key=lambda key: len(groups[key]))

        def fits(gone: Collection[tuple[str, ...]]) -> bool:
            away = {(pod.namespace, pod.name) for key in gone for pod in groups[key] if not pod.job}
            jobs = {pod.job for key in gone for pod in groups[key] if pod.job}
            self.left -= len(pods) + _TRIAL
            there = world.with_pods([one for one in world.pods if _key(one) not in away])
            return self._placed(there, [*(one for name, one in before if name not in jobs), tree])

        def payable() -> bool:
            return self.left > len(pods) + _TRIAL

        # the smallest ones, twice as many each time; then those of them that may stay, the largest first
        count, must = 1, dict.fromkeys(order)
        while count < len(order) and payable():
            if fits(order[:count]):
                must = dict.fromkeys(order[:count])
                break
            count *= 2
        rest = [list(must)[::-1]] if len(must) > 1 else []
        while rest and payable():
            own = rest.pop(0)
            half = len(own) // 2
            for stay in (own[:half], own[half:]):
                if not payable():
                    break
                if fits([key for key in must if key not in stay]):
                    for key in stay:
                        del must[key]
                elif len(stay) > 1:
                    rest.append(stay)
        return [pod for pod in pods if _group(pod) in must]


def _key(tree: dict[str, Any]) -> tuple[str, str]:
    return namespace_of(tree), str(mapping(tree.get("metadata")).get("name"))


def _group(pod: Pod) -> tuple[str, ...]:
    """Whom a pod goes with."""
    if pod.job:
        return ("job", pod.job)
    metadata = mapping(pod.tree.get("metadata"))
    labels = mapping(metadata.get("labels"))
    for label in _LABELS:
        if label in labels:
            return ("label", pod.namespace, label, str(labels[label]))
    for one in map(mapping, sequence(metadata.get("ownerReferences"))):
        if one.get("controller") is True:
            return ("owner", pod.namespace, str(one.get("kind")), str(one.get("name")))
    return ("pod", pod.namespace, pod.name)
