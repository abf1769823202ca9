"""Pods that no node has room for: the largest that would do, and the same work in more of them; each is tried.

What a pod asks is taken from its largest container, and of devices and huge pages from requests and limits alike, as
the API server has them equal.
"""

from __future__ import annotations

from functools import partial

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import asked
from specgen.quantity import NANO, canonical, nano
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.pods import Pod

    # resource → billionths
    Amounts: TypeAlias = dict[str, int]
    # the pods of the job after a change of each one's spec, and their nodes
    Try: TypeAlias = Callable[[Callable[[dict[str, Any]], dict[str, Any]]], list[tuple[Pod, Node | None]]]

_MIB, _GIB = NANO << 20, NANO << 30
# Parts that a pod is split into at most.
_PARTS = 64


def smaller(played: list[tuple[Pod, Node | None]], world: World, pods: int, tried: Try) -> list[str]:
    """Sentences about pods that ask for less, the smallest change first; none where each finds a node that is empty.

    ``played``: the pods on empty nodes; ``pods``: how many there are in all.
    """
    bound = {pod.role for pod, node in played if node is not None}
    sorts = dict.fromkeys(pod.sort for pod, node in played if node is None and pod.role not in bound)
    if not sorts:
        return []
    found = []
    whole = {name: max(sort.asks.get(name, 0) for sort in sorts) for sort in sorts for name in sort.asks}
    for most in _bounds(whole, world):
        room = sum(node is not None for _, node in tried(partial(_at_most, most)))
        if not room:
            continue
        said = " and ".join(_less(name, amount, whole[name]) for name, amount in most.items())
        found.append(said if room >= pods else f"{said}, and fewer pods: {room} of {pods} find room")
        if room < pods and len(most) == 1:
            ((name, amount),) = most.items()
            least = _fitting(name, amount, lambda one: _all(tried(partial(_at_most, one)), pods))
            found += [_less(name, least, whole[name])] if least else []
        break
    return [*found, *_split(played, set(sorts), world, pods)]


def _all(played: list[tuple[Pod, Node | None]], pods: int) -> bool:
    return sum(node is not None for _, node in played) >= pods


def _bounds(whole: Amounts, world: World) -> list[Amounts]:
    """What a node of each group has of what it has too little of, the smallest changes first."""
    found: list[Amounts] = []
    for nodes in world.nodes:
        short = {
            name: nodes.allocatable.get(name, 0)
            for name, amount in whole.items()
            if name not in nodes.unknown and amount > nodes.allocatable.get(name, 0)
        }
        short = {name: amount // _unit(name, amount) * _unit(name, amount) for name, amount in short.items()}
        if short and all(short.values()) and short not in found:
            found.append(short)
    return sorted(found, key=lambda short: (len(short), -min(short[name] / whole[name] for name in short)))


def _unit(name: str, amount: int) -> int:
    """What an amount is counted in: whole devices and cores, memory in large units."""
    if name == "cpu":
        return NANO if amount >= NANO else NANO // 10
    if "/" in name or name == "pods":
        return NANO
    return _GIB if amount >= _GIB else _MIB if amount >= _MIB else NANO


def _fitting(name: str, most: int, fits: Callable[[Amounts], bool]) -> int:
    """The largest amount below the most with which all pods find room; 0: none."""
    unit = _unit(name, most)
    low, high = 0, most // unit
    while high - low > 1:
        middle = (low + high) // 2
        if fits({name: middle * unit}):
            low = middle
        else:
            high = middle
    return low * unit


def _less(name: str, amount: int, instead: int) -> str:
    return (
        f"{'fewer' if '/' in name else 'less'} {name} a pod: {_shown(name, amount)} instead of {_shown(name, instead)}"
    )


def _shown(name: str, amount: int) -> str:
    return canonical(amount, "" if "/" in name or name == "cpu" else "1Ki")


def _at_most(most: Amounts, spec: dict[str, Any]) -> dict[str, Any]:
    """A pod's spec with no more of each resource than this."""
    for name, amount in most.items():
        over = asked(spec).get(name, 0) - amount
        if over > 0:
            spec = _without(spec, name, over)
    return spec


def _without(spec: dict[str, Any], name: str, over: int) -> dict[str, Any]:
    """So much less of a resource in the container that has most of it."""
    listed = [
        (asked({"containers": [one]}).get(name, 0), word, at)
        for word in ("containers", "initContainers")
        for at, one in enumerate(sequence(spec.get(word)))
    ]
    amount, word, at = max(listed, key=lambda one: one[0], default=(0, "", 0))
    if amount <= over:
        return spec
    own = list(sequence(spec[word]))
    own[at] = _given(mapping(own[at]), name, amount - over)
    return {**spec, word: own}


def _given(container: dict[str, Any], name: str, amount: int) -> dict[str, Any]:
    """A container that asks for an amount."""
    resources = {**mapping(container.get("resources"))}
    both = [word for word in ("requests", "limits") if name in mapping(resources.get(word))]
    for word in both if "/" in name or name.startswith("hugepages-") else both[:1]:
        resources[word] = {**mapping(resources[word]), name: canonical(amount)}
    return {**container, "resources": resources}


def _split(played: list[tuple[Pod, Node | None]], sorts: set[Any], world: World, pods: int) -> list[str]:
    """The same devices in more pods, each an equal part of what it was."""
    large = [pod for pod, _ in played if pod.sort in sorts]
    devices = {name: amount // NANO for pod in large for name, amount in pod.sort.asks.items() if "/" in name}
    most = {name: max((nodes.allocatable.get(name, 0) for nodes in world.nodes), default=0) // NANO for name in devices}
    # part of a quota, of a claim or of a stage is nothing that is tried here
    if len(played) < pods or next(world.objects.of("ResourceQuota"), None) or any(pod.sort.claims for pod in large):
        return []
    if not any(devices[name] > most[name] for name in devices):
        return []
    parts = next(
        (
            parts
            for parts in range(2, _PARTS + 1)
            # an adapter, of which each pod has one, each part has as well
            if all(
                amount == 1 or (amount % parts == 0 and amount // parts <= most[name])
                for name, amount in devices.items()
            )
        ),
        0,
    )
    if not parts:
        return []
    trees = [
        _part(pod, parts if pod.sort in sorts else 1, at)
        for pod, _ in played
        for at in range(parts if pod.sort in sorts else 1)
    ]
    simulation = Simulation(World(world.nodes, trees, world.objects))
    simulation.rest()
    if any(pod.node is None for pod in simulation.pods):
        return []
    each = " and ".join(f"{max(amount // parts, 1)} {name}" for name, amount in devices.items())
    return [f"each pod split in {parts}: {len(large) * parts} pods of {each}"]


def _part(pod: Pod, parts: int, at: int) -> dict[str, Any]:
    """One of so many parts of a pod, as a pod that waits."""
    metadata = {**mapping(pod.tree.get("metadata")), "name": f"{pod.name}-part-{at}"}
    spec = {**pod.spec}
    for word in ("containers", "initContainers"):
        spec[word] = [_share(mapping(one), parts) for one in sequence(spec.get(word))]
    return {"kind": "Pod", "metadata": metadata, "spec": spec}


def _share(container: dict[str, Any], parts: int) -> dict[str, Any]:
    resources = {**mapping(container.get("resources"))}
    for word in ("requests", "limits"):
        own = mapping(resources.get(word))
        resources[word] = {name: canonical(-(-(nano(amount) or 0) // parts)) for name, amount in own.items()}
    return {**container, "resources": resources}
