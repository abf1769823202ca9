"""Facts about a world that nobody says, and without which no pod can be refused: each is named with its line."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import tolerates
from specgen.operators.kubernetes.selectors import expressions, meets
from specgen.schedulers.pods import SCHEDULER
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import Nodes, World


def unplaced(tree: dict[str, Any], world: World) -> str:
    """The fact that nobody says about nodes that are away, where a job asks for a label by which these may differ."""
    for one in world.missing:
        if one.placed and (_speaks(tree.get("spec"), one.label) or "networkTopology" in str(tree.get("spec"))):
            return f"nobody says {one.what}"
    return ""


def _speaks(tree: Any, label: str) -> bool:
    """Whether a label stands anywhere in a tree, as a key or as a value."""
    if isinstance(tree, dict):
        return label in tree or any(_speaks(one, label) for one in tree.values())
    return any(_speaks(one, label) for one in tree) if isinstance(tree, list) else tree == label


def unread(pods: list[Pod]) -> str:
    """The fact that is missing where nobody looks at pods."""
    for pod in pods:
        if pod.sort.scheduler != SCHEDULER:
            return f"what the scheduler `{pod.sort.scheduler}` decides is not known here"
        if pod.reason is None and sequence(pod.spec.get("resourceClaims")):
            claims = [mapping(one) for one in sequence(pod.spec.get("resourceClaims"))]
            names = [str(one.get("resourceClaimTemplateName") or one.get("resourceClaimName")) for one in claims]
            return f"a device claim is not among the objects: {', '.join(names)}"
    return ""


def unlooked(pods: list[Pod]) -> str:
    """The fact about a node that was missing when pods were tried there."""
    return next((pod.unknown for pod in pods if pod.unknown), "")


def priority_unsaid(pods: list[Pod], world: World) -> str:
    """The fact that is missing of the priority of pods, which may take the place of others, or lose their own."""
    for pod in pods if world.partial else ():
        name = pod.spec.get("priorityClassName")
        if name and "priority" not in pod.spec:
            return f"nobody says what the priority `{name}` is worth: `scheduling.priorities.{name}.value`"
    return ""


def unsaid(pods: list[Pod], world: World) -> str:
    """The fact about the world that is missing to refuse pods."""
    matters = _matters(pods, world)
    if matters:
        return matters
    if not world.partial:
        return ""
    for pod in pods:
        for name in pod.sort.asks:
            if not any(name in nodes.allocatable or name in nodes.unknown for nodes in world.nodes):
                return f"nobody says which nodes have `{name}`, and how much: {_line(name, world)}"
        for key in unlabelled(pod, world):
            return f"nobody says which nodes have the label `{key}`: `pools.NAME.labels`"
        if plain(pod) and not any(map(_bare, world.nodes)):
            return f"nobody says whether there are nodes beside the pools, for a pod without devices ({pod.role})"
    return ""


def unlabelled(pod: Pod, world: World) -> list[str]:
    """Labels that a pod asks for, and of which nobody says which nodes have them."""
    if not world.partial:
        return []
    labelled = {HOSTNAME, *(key for nodes in world.nodes for key in nodes.labels)}
    return [key for key in _labels(pod) if key not in labelled]


def plain(pod: Pod) -> bool:
    """Whether a pod asks for no device."""
    return not any("/" in name for name in pod.sort.asks) and not pod.sort.claims


def _bare(nodes: Nodes) -> bool:
    """Whether nodes have no devices: a profile that names such nodes names those for pods without devices."""
    return not nodes.devices and not any("/" in name for name in (*nodes.allocatable, *nodes.unknown))


def _line(resource: str, world: World) -> str:
    """The word of a pool that says how much of a resource a node has."""
    amount = "64Gi" if resource.startswith("hugepages-") else "8"
    pools = dict.fromkeys(nodes.group for nodes in world.nodes)
    return f"`pools.{next(iter(pools)) if len(pools) == 1 else 'NAME'}.nodes.allocatable: {{{resource}: {amount}}}`"


def _matters(pods: list[Pod], world: World) -> str:
    """The first of facts that nobody says which matters to pods."""
    for one in world.missing:
        if one.placed:
            continue  # each way in which nodes may be away is played
        concerned = [pod for pod in pods if one.nodes is None or not _barred(pod, one.nodes, world)]
        # of a job without a pod it matters whatever they would ask for
        whole = not one.label and (bool(concerned) or not pods)
        if whole or any(one.label in _labels(pod, named=one.named) for pod in concerned if one.label):
            return f"nobody says {one.what}"
    return ""


def _barred(pod: Pod, nodes: Nodes, world: World) -> bool:
    """Whether what is known of nodes keeps a pod off them: a taint, a label of another value, or a device that others
    have and they have not.
    """
    sort = pod.sort
    hard = [taint for taint in nodes.taints if taint.effect != "PreferNoSchedule"]
    if any(not tolerates(sort.tolerations, taint.key, taint.value, taint.effect) for taint in hard):
        return True
    if not meets(nodes.labels, tuple(one for one in sort.selector if one[0] in nodes.labels)):
        return True
    own = (*nodes.allocatable, *nodes.unknown)
    elsewhere = {name for group in world.nodes for name in (*group.allocatable, *group.unknown)}
    return any("/" in name and name in elsewhere and name not in own for name in sort.asks)


def _labels(pod: Pod, *, named: bool = False) -> list[str]:
    """Labels of nodes that a pod asks for; by the hostname every node is a domain, whatever it is called.

    ``named``: of which it asks for a value.
    """
    sort = pod.sort
    terms = [mapping(term) for term in sort.terms or ()]
    domains = [*(term.key for term in sort.affinity), *(one.key for one in sort.constraints if one.hard)]
    domains = [] if named else domains
    return [
        *(key for key, _, _ in sort.selector),
        *(key for term in terms for key, _, _ in expressions(term.get("matchExpressions"))),
        *(key for key in domains if key != HOSTNAME),
    ]
