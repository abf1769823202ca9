"""The smallest change that makes a job fit an empty cluster: each one is tried before it is said."""

from __future__ import annotations

from functools import partial

from specgen.diagnostics.model import listed
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import tolerates
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.smaller import smaller
from specgen.schedulers.stages import through
from specgen.schedulers.world import Nodes, Numbered, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.pods import Pod

# Jobs of more pods are not tried over and over.
MOST = 500
_MORE = "more-"


def helps(tree: dict[str, Any], world: World, pods: int) -> list[str]:
    """Sentences about changes, the smallest first; none where nothing simple helps."""
    if pods > MOST:
        return []
    alone = _played(tree, world)
    bound = [(pod, node) for pod, node in alone if node is not None]
    waiting = [pod for pod, node in alone if node is None]
    found = []
    bad = dict.fromkeys(
        taint.words
        for pod in waiting
        for nodes in world.nodes
        for taint in nodes.taints
        if taint.effect != "PreferNoSchedule" and not tolerates(pod.sort.tolerations, *taint.words)
    )
    for key, value, effect in bad:
        toleration = {"key": key, "operator": "Exists", "effect": effect}
        if _fits(tree, world, pods, partial(_tolerating, toleration)):
            found.append(f"a toleration of {key}{'=' + value if value else ''}:{effect}")
    selected = dict.fromkeys(
        (str(name), str(value)) for pod in waiting for name, value in mapping(pod.spec.get("nodeSelector")).items()
    )
    for name, value in selected:
        if _fits(tree, world, pods, partial(_without, name)):
            found.append(f"no selector {name}={value}")
    if bound:
        roles = {pod.role for pod in waiting}
        groups = [node.kind.nodes for pod, node in bound if pod.role in roles]
        more = more_nodes(world, groups, waiting, lambda grown: _fits(tree, grown, pods))
        if more:
            found.append(more)
        found.append(f"fewer pods: {len(bound)} of {pods} find room")
    return [*found, *smaller(alone, world, pods, lambda change: _played(tree, world, change))]


def naming(unnamed: dict[str, dict[str, list[str]]]) -> list[str]:
    """Sentences about what containers do not say and a quota counts, as ``Job.unnamed``: fewer pods do not help."""
    found = []
    for role, missing in unnamed.items():
        sides: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for name, containers in missing.items():
            side, _, what = name.rpartition(".")
            # without a word before it, requests are meant
            sides.setdefault((side or "requests", tuple(containers)), []).append(what)
        for (side, which), names in sides.items():
            called = f"container{'s' if len(which) > 1 else ''} {listed(which)}"
            found.append(f"{side} of {listed(names)} in the {called} of {role}, or a LimitRange that gives them")
    return found


def _played(
    tree: dict[str, Any], world: World, change: Callable[[dict[str, Any]], dict[str, Any]] | None = None
) -> list[tuple[Pod, Node | None]]:
    simulation = Simulation(world, change=change)
    job = simulation.submit(tree)
    return [] if job.refused else through(job, simulation)


def _fits(
    tree: dict[str, Any], world: World, pods: int, change: Callable[[dict[str, Any]], dict[str, Any]] | None = None
) -> bool:
    return sum(node is not None for _, node in _played(tree, world, change)) >= pods


def _tolerating(toleration: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "tolerations": [*sequence(spec.get("tolerations")), toleration]}


def _without(label: str, spec: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in mapping(spec.get("nodeSelector")).items() if key != label}
    return {**spec, "nodeSelector": own}


def more_nodes(world: World, groups: Iterable[Nodes], waiting: Iterable[Pod], fits: Callable[[World], bool]) -> str:
    """How many more nodes of a group that takes some of the pods would do; ``fits``: whether all find room then."""
    near = {term.key for pod in waiting for term in pod.sort.affinity}
    near |= {one.key for pod in waiting for one in pod.sort.constraints}
    for nodes in dict.fromkeys(groups):
        low, high = 0, 1
        while high <= MOST and not fits(_grown(world, nodes, high)):
            low, high = high, high * 2
        if high > MOST:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if fits(_grown(world, nodes, middle)):
                high = middle
            else:
                low = middle
        return f"{high} more node{'s' if high > 1 else ''} like those of {nodes.group}{_domain(nodes, near)}"
    return ""


def _domain(nodes: Nodes, near: set[str]) -> str:
    """The labels of nodes by which pods ask to be near each other."""
    own = [f"{key}={value}" for key, value in nodes.labels.items() if key in near]
    return f" with {', '.join(own)}" if own else ""


def _grown(world: World, nodes: Nodes, count: int) -> World:
    further = Nodes(
        nodes.group,
        Numbered(f"{_MORE}{nodes.group}-", count),
        nodes.allocatable,
        labels=nodes.labels,
        taints=nodes.taints,
        unknown=nodes.unknown,
        devices=nodes.devices,
    )
    made = World([*world.nodes, further], world.pods, world.objects)
    made.operators, made.domains, made.supposed = world.operators, world.domains, world.supposed
    return made
