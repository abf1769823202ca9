"""The pools of a cluster profile as a pod meets them: what a node offers, its labels and its taints.

Amounts are billionths of cores, bytes, or devices, as in ``operators.kubernetes.room``.
"""

from __future__ import annotations

from specgen.diagnostics.model import plural, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.resources import is_extended
from specgen.operators.kubernetes.room import selects, tolerates
from specgen.profile.pools import labels_of as labels_of
from specgen.quantity import NANO, canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from specgen.profile.cluster import ClusterProfile, Pool, Taint
    from specgen.source import Path

_HOSTNAME = "kubernetes.io/hostname"
_SYSTEM = "kubernetes.io/os"
# What GPUs are called where a profile does not say it.
_GPU = "nvidia.com/gpu"


def amount(pool: Pool) -> int:
    """The number of nodes; 0: it is not said."""
    return pool.nodes.count or len(pool.nodes.names)


def resources(pool: Pool) -> list[str]:
    """The devices that its nodes have, by the name of the resource."""
    return [*accelerators(pool), *adapters(pool)]


def accelerators(pool: Pool) -> list[str]:
    """GPUs and NPUs by the name of the resource."""
    found = [_gpu(pool), pool.npu.resource if pool.npu is not None else None]
    return [name for name in found if name]


def adapters(pool: Pool) -> list[str]:
    """HCAs, NICs and EFAs by the name of the resource."""
    return [pool.hca.resource] if pool.hca is not None and pool.hca.resource else []


def _gpu(pool: Pool) -> str | None:
    """The resource of the GPUs; None: there are none, or pods get them by a claim."""
    if pool.gpu is None or pool.gpu.claim is not None:
        return None
    return pool.gpu.resource or _GPU


def claimed(pool: Pool) -> list[str]:
    """The templates through which a pod gets all GPUs, and all HCAs, of a node."""
    found = [pool.gpu.claim if pool.gpu is not None else None]
    if pool.hca is not None and pool.fabric.rdma == "claim":
        found.append(pool.hca.claim)
    return [str(name) for name in found if name is not None]


def classed(pool: Pool) -> bool:
    """Whether claims by templates of their own may find devices of a node."""
    return any(one is not None and one.device_class is not None for one in (pool.gpu, pool.hca))


def bare(pool: Pool) -> bool:
    """Whether a pool says something of nodes that have no devices: those that pods without devices are meant for."""
    nodes = pool.nodes
    said = nodes.count or nodes.names or nodes.cpu or nodes.memory or nodes.disk or nodes.allocatable
    if not said or pool.gpu is not None or pool.npu is not None or adapters(pool) or claimed(pool) or classed(pool):
        return False
    return not any([is_extended(what) for what in nodes.allocatable])


def devices_of(asks: dict[str, int], cluster: ClusterProfile) -> dict[str, list[str]]:
    """Of the devices that a pod asks for those that some pool has → the names of these pools."""
    having = {name: resources(pool) for name, pool in cluster.pools.items()}
    asked = [what for what in asks if is_extended(what) and any([what in own for own in having.values()])]
    return {what: [name for name, own in having.items() if what in own] for what in asked}


def offers(pool: Pool) -> dict[str, int]:
    """What one node offers, as far as the profile says it. A device that is shared is for any number of pods."""
    found: dict[str, int] = {}
    shared = pool.fabric.rdma in ("shared-device", "host")
    gpu = _gpu(pool)
    if pool.gpu is not None and gpu and pool.gpu.per_node:
        found[gpu] = pool.gpu.per_node * NANO
    for part in (pool.npu, None if shared else pool.hca):
        if part is not None and part.resource and part.per_node:
            found[part.resource] = part.per_node * NANO
    nodes = pool.nodes
    for name, said in (("cpu", nodes.cpu), ("memory", nodes.memory), ("ephemeral-storage", nodes.disk)):
        value = nano(said) if said else None
        if value:
            found[name] = value
    return found | {str(name): nano(said) or 0 for name, said in nodes.allocatable.items()}


def counted_at(name: str, pool: Pool) -> tuple[Path, str]:
    """Where the cluster profile says how many nodes a pool has, and what it says."""
    return ("pools", name, "nodes", "count" if pool.nodes.count else "names"), plural(amount(pool), "node")


def offered_at(name: str, pool: Pool, what: str) -> tuple[Path, str]:
    """Where the cluster profile says how much of a resource a node of a pool offers, and what it says."""
    return ("pools", name, *said_at(pool, what)), f"one node has {spelled(what, offers(pool)[what])}"


def marked_at(name: str, kind: str) -> tuple[Path, str]:
    """Where the cluster profile says what keeps pods off the nodes of a pool; ``kind`` as ``bars`` gives it."""
    return ("pools", name, "taints" if kind == "taint" else "labels"), f"the nodes of `{name}`"


def said_at(pool: Pool, what: str) -> Path:
    """Where a pool says how much of a resource a node offers."""
    words = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "disk"}
    if what in pool.nodes.allocatable or what in words:
        return ("nodes", "allocatable", what) if what in pool.nodes.allocatable else ("nodes", words[what])
    word = "gpu" if what == _gpu(pool) else "npu" if pool.npu is not None and what == pool.npu.resource else "hca"
    return word, "perNode"


def untolerated(pod: dict[str, Any], pool: Pool) -> Iterator[Taint]:
    """The taints of a pool that keep a pod off its nodes."""
    for taint in pool.taints:
        hard = taint.effect != "PreferNoSchedule"
        if hard and not tolerates(pod.get("tolerations"), taint.key, taint.value, taint.effect):
            yield taint


def unlabelled(pod: dict[str, Any], pools: Mapping[str, Pool]) -> str:
    """A label by which a pod selects nodes and of which no pool says who has it; empty: there is none."""
    node = mapping(mapping(pod.get("affinity")).get("nodeAffinity"))
    terms = sequence(mapping(node.get("requiredDuringSchedulingIgnoredDuringExecution")).get("nodeSelectorTerms"))
    asked = [one.get("key") for term in terms for one in map(mapping, sequence(mapping(term).get("matchExpressions")))]
    known = {_SYSTEM, *(key for pool in pools.values() for key in labels_of(pool))}
    if all(pool.nodes.names for pool in pools.values()):
        known.add(_HOSTNAME)
    return next((str(key) for key in (*mapping(pod.get("nodeSelector")), *asked) if key not in known), "")


def bars(pod: dict[str, Any], pool: Pool) -> tuple[str, str]:
    """(what keeps a pod off the nodes of a pool, ``taint`` or ``label``); empty where nothing does."""
    for taint in untolerated(pod, pool):
        return taint.key, "taint"
    label = unselected(pod, pool)
    return (label, "label") if label else ("", "")


def unselected(pod: dict[str, Any], pool: Pool) -> str:
    """A label by which pods select other nodes than those of a pool; empty: they do not."""
    labels = {key: [value] if isinstance(value, str) else list(value) for key, value in labels_of(pool).items()}
    if pool.nodes.names:
        labels.setdefault(_HOSTNAME, list(pool.nodes.names))
    return selects(pod, labels)


def shared(pod: dict[str, Any], pool: Pool) -> int:
    """How many of the labels by which a pod selects nodes those of a pool have."""
    wanted = mapping(pod.get("nodeSelector")).items()
    return sum(
        value in ([said] if isinstance(said := labels_of(pool).get(key), str) else said or ()) for key, value in wanted
    )


def barred(pod: dict[str, Any], pool: Pool) -> bool:
    """Whether something keeps a pod off the nodes of a pool."""
    return bool(bars(pod, pool)[0])


def spelled(what: str, value: int) -> str:
    """An amount with its resource: ``8 `nvidia.com/gpu` ``, ``512Gi of memory``, ``1.5 CPU cores``."""
    if what == "cpu":
        return f"{value // NANO if value % NANO == 0 else value / NANO} CPU cores"
    if what in ("memory", "ephemeral-storage"):
        return f"{canonical(value, '1Gi')} of {'memory' if what == 'memory' else 'disk'}"
    if what.startswith("hugepages-"):
        return f"{canonical(value, '1Mi')} of {what}"
    count = value // NANO
    return f"{count} `{shown(what)}`" if is_extended(what) else plural(count, what)
