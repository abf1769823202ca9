"""DefaultPreemption: which pods of lower priority go, so that one finds a node; or why none would help.

Kubernetes 1.36, defaultpreemption/default_preemption.go (SelectVictimsOnNode), framework/preemption/preemption.go
(pickOneNodeForPreemption), dynamicresources.go (PostFilter).
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.schedulers.kube.messages import NO_VICTIMS, NOT_HELPFUL, counted
from specgen.schedulers.kube.state import UNRESOLVABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.kube.decide import Cluster, Refused
    from specgen.schedulers.kube.devices import Claim
    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.pods import Pod

NEVER = "not eligible due to preemptionPolicy=Never."


class Verdict:
    """The end of the message, or the pods that go from a node."""

    __slots__ = ("message", "node", "victims")

    def __init__(self, message: str, node: Node | None = None, victims: Sequence[Pod] = ()) -> None:
        self.message = message
        self.node = node
        self.victims = list(victims)


def after(pod: Pod, refused: Refused, claims: Sequence[Claim], cluster: Cluster) -> Verdict:
    """What becomes of a pod that found no node."""
    if not refused.nodes:
        return Verdict("")
    if refused.before and not refused.by:
        # no plugin behind the one that refused has looked at the pod (recorded)
        return Verdict(" not found")
    own = bool(claims) or cluster.claims_more(pod.sort)
    devices = "still not schedulable" if own and not refused.before else "no new claims to deallocate"
    if pod.sort.never:
        return Verdict(f" {devices}, preemption: {NEVER}")
    said: list[tuple[str, int]] = []
    candidates: list[tuple[Node, list[Pod], int]] = []
    for shelf, status in refused.by:
        if status.code == UNRESOLVABLE:
            said.append((NOT_HELPFUL, shelf.count))
            continue
        if not any(cluster.state.sorts.listed[number].priority < pod.sort.priority for number, _ in shelf.load):
            said.append((NO_VICTIMS, shelf.count))
            continue
        node = cluster.state.pick(shelf, last=cluster.last)
        found = _victims(pod, node, claims, cluster)
        if isinstance(found, tuple):
            candidates.append((node, found[0], found[1]))
        else:
            said += [(reason, shelf.count) for reason in found]
    if candidates:
        node, victims, _ = min(candidates, key=_cost)
        return Verdict("", node, victims)
    return Verdict(f" {devices}, preemption: {counted(said, refused.nodes)}")


def _victims(pod: Pod, node: Node, claims: Sequence[Claim], cluster: Cluster) -> tuple[list[Pod], int] | list[str]:
    """(pods that must go, those among them that a budget protects), or why it does not help that all lower ones go."""
    state = cluster.state
    lower = sorted([one for one in node.pods if one.sort.priority < pod.sort.priority], key=_importance)
    for one in lower:
        state.free(one)
    fits, reasons = _fits(pod, node, claims, cluster)
    victims: list[Pod] = []
    violated = 0
    if fits:
        protected, free = _by_budget(lower, cluster)
        for group in (protected, free):
            for one in group:
                state.bind(one, node)
                if not _fits(pod, node, claims, cluster)[0]:
                    state.free(one)
                    victims.append(one)
                    violated += group is protected
        lower = victims
    for one in lower:
        state.bind(one, node)
    return (victims, violated) if fits else reasons


def _fits(pod: Pod, node: Node, claims: Sequence[Claim], cluster: Cluster) -> tuple[bool, list[str]]:
    found, refused = cluster.look(pod.sort, claims)
    if any(shelf is node.shelf for shelf, _ in found):
        return True, []
    return False, [reason for shelf, status in refused.by if shelf is node.shelf for reason in status.reasons]


def _importance(pod: Pod) -> tuple[int, int]:
    return -pod.sort.priority, pod.born


def _by_budget(pods: list[Pod], cluster: Cluster) -> tuple[list[Pod], list[Pod]]:
    """Pods whose eviction breaks a budget, and the others."""
    budgets: list[list[Any]] = []
    for tree in cluster.objects.of("PodDisruptionBudget"):
        allowed = mapping(tree.get("status")).get("disruptionsAllowed")
        namespace = namespace_of(tree)
        asked = requirements(mapping(tree.get("spec")).get("selector"))
        budgets.append([namespace, asked, allowed if isinstance(allowed, int) else 0])
    protected: list[Pod] = []
    free: list[Pod] = []
    for pod in pods:
        breaks = False
        for budget in budgets:
            if budget[0] == pod.namespace and budget[1] and meets(pod.labels, budget[1]):
                budget[2] -= 1
                breaks = breaks or budget[2] < 0
        (protected if breaks else free).append(pod)
    return protected, free


def _cost(candidate: tuple[Node, list[Pod], int]) -> tuple[int, int, int, int, int]:
    """What makes a node dear, in the scheduler's order; the youngest of the highest victims goes first."""
    _, victims, violated = candidate
    high = max((one.sort.priority for one in victims), default=-(2**31))
    total = sum(one.sort.priority + 2**31 for one in victims)
    earliest = min((one.born for one in victims if one.sort.priority == high), default=0)
    return violated, high, total, len(victims), -earliest
