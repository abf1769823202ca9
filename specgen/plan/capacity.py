"""Does the job fit the nodes of its pools? Pods of all roles in a pool share its nodes; all pods run at once.

Here is the answer for the ordinary job, whose pods are all alike and fit. ``packing`` has all else, and the words.
"""

from __future__ import annotations

from specgen.plan.affinity import apart
from specgen.quantity import bytes_of, millis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.profile.cluster import Pool
    from specgen.source import Path

# Words of `scheduling` that say of nodes what takes more than a division to weigh.
_WHERE = frozenset(("avoidHosts", "hosts", "nodeLabels", "tolerations"))
# Why no two pods of some roles are on one node.
SPREAD = "one pod a node, as `spread` says"


class Demand:
    """What one pod asks of its node: the amount, what a node offers, and where both stand (job's words, pool)."""

    __slots__ = ("asked", "offered", "path", "what", "where")

    def __init__(self, what: str, asked: int, offered: int, path: Path, where: Path) -> None:
        self.what = what
        self.asked = asked
        self.offered = offered
        self.path = path
        self.where = where


def plainly_fits(plan: JobDraft) -> bool:
    """Whether all pods find room; False: they do not, or it takes ``packing`` to tell."""
    pools: dict[str, list[RoleDraft]] = {}
    odd = False
    for role in plan.roles:
        profile = role.profile
        if "scheduling" in profile.data:
            scheduling = profile.data["scheduling"]
            odd = odd or not _WHERE.isdisjoint(scheduling) or scheduling.get("within") == "host"
        if role.devices.pool_name is not None:
            pools.setdefault(role.devices.pool_name, []).append(role)
            for path in profile.layers.removals:
                odd = odd or path[:2] == ("scheduling", "tolerations")
    return not odd and all(_fits(plan, roles) for roles in pools.values())


def _fits(plan: JobDraft, roles: list[RoleDraft]) -> bool:
    """Whether pods that are all alike fit; False: they do not, or it takes more than a division to tell."""
    first = roles[0]
    pool = first.devices.pool
    assert pool is not None
    for role in roles:
        if role.profile is not first.profile:
            return False
    if first.profile.words.scheduling.spread == "host":
        return False
    per_node: int | None = 1 if one_a_node(plan, first) else None
    for demand in demands(first, pool):
        fits = demand.offered // demand.asked if demand.asked else None
        if fits is not None and (per_node is None or fits < per_node):
            per_node = fits
    nodes = pool.nodes.count or len(pool.nodes.names) or None
    if per_node == 0 or shared_memory(first, pool) is not None:
        return False
    return per_node is None or nodes is None or sum(int(role.replicas.value) for role in roles) <= nodes * per_node


def one_a_node(plan: JobDraft, role: RoleDraft) -> str:
    """Why no two pods of the job can be on one node, empty if they can."""
    spread = role.profile.words.scheduling.spread
    if spread == "host":
        # pods of one role are counted by themselves
        if len(apart(plan, role)) > 1:
            return SPREAD
    elif spread is not None and not isinstance(spread, str) and spread.job is not None:
        return SPREAD
    ports = node_ports(plan, role)
    return f"one pod a node, as on the node's network its port {ports[0]} is the node's" if ports else ""


def node_ports(plan: JobDraft, role: RoleDraft) -> list[int]:
    """Ports of its node that a pod takes: on the node's network the API server makes all its ports the node's."""
    if not (role.profile.words.pod.host_network or role.devices.on_host is not None):
        return []
    ports = [int(said.value) for said in role.ports.values()]
    own = plan.kind.port
    led = any(other.word == plan.kind.launcher for other in plan.roles)
    # a role that has a port of this name keeps it; what a runtime of the cluster tells its pods is unknown
    if own is not None and own[0] not in role.ports and not led and plan.runtime is None:
        ports.insert(0, own[1])
    return ports


def demands(role: RoleDraft, pool: Pool) -> list[Demand]:
    """Everything that a pod asks for and of which the pool says how much a node has."""
    devices, nodes = role.devices, pool.nodes
    rows: list[Demand] = []
    if devices.gpu and pool.gpu is not None and pool.gpu.per_node:
        rows.append(Demand("GPU", devices.gpu, pool.gpu.per_node, ("resources", "gpu"), ("gpu", "perNode")))
    if devices.npu and pool.npu is not None and pool.npu.per_node:
        rows.append(Demand("NPU", devices.npu, pool.npu.per_node, ("resources", "npu"), ("npu", "perNode")))
    # a shared device and the node's own network are for any number of pods
    if devices.hca and pool.hca is not None and pool.hca.per_node and pool.fabric.rdma not in ("shared-device", "host"):
        rows.append(Demand("HCA", devices.hca, pool.hca.per_node, ("resources", "hca"), ("hca", "perNode")))
    if nodes.cpu or nodes.memory or nodes.disk:
        rows += _amounts(role, pool)
    return rows


def _amounts(role: RoleDraft, pool: Pool) -> list[Demand]:
    devices, nodes, words = role.devices, pool.nodes, role.profile.words
    beside = words.init or words.sidecars or role.fabric_init or role.fabric_sidecars
    rows = []
    for what, key, resource, offered, convert in (
        ("CPU", "cpu", "cpu", nodes.cpu * 1000 if nodes.cpu else 0, millis),
        ("memory", "memory", "memory", bytes_of(nodes.memory) if nodes.memory else 0, bytes_of),
        ("disk", "disk", "ephemeral-storage", bytes_of(nodes.disk) if nodes.disk else 0, bytes_of),
    ):
        if not offered:
            continue
        said = devices.requests.get(resource) or devices.limits.get(resource)
        asked = convert(said.value) if said is not None else 0
        if beside:
            asked = _with_others(role, key, asked, convert)
        if asked:
            rows.append(Demand(what, asked, offered, ("resources", key), ("nodes", key)))
    return rows


def shared_memory(role: RoleDraft, pool: Pool) -> Demand | None:
    """Shared memory of a size that no node has; what stands there is memory, though the scheduler does not count it."""
    shm = role.profile.words.resources.shm
    if shm in (None, "auto", "host", "none") or not pool.nodes.memory:
        return None
    assert shm is not None
    asked, offered = bytes_of(shm), bytes_of(pool.nodes.memory)
    return (
        Demand("shared memory", asked, offered, ("resources", "shm"), ("nodes", "memory")) if asked > offered else None
    )


def _with_others(role: RoleDraft, key: str, asked: int, convert: Any) -> int:
    """A pod's request of CPU, memory or disk: its program's and sidecars', or an init container's if that is more."""
    words = role.profile.words
    most = 0
    for container in [*words.init.values(), *(one for one, _ in role.fabric_init.values())]:
        most = max(most, _of(container, key, convert))
    for container in [*words.sidecars.values(), *(one for one, _ in role.fabric_sidecars.values())]:
        asked += _of(container, key, convert)
    return max(asked, most)


def _of(container: Any, key: str, convert: Any) -> int:
    amount = getattr(container.resources, key) if container.resources is not None else None
    if amount is not None and not isinstance(amount, (int, float, str)):
        amount = amount.request if amount.request is not None else amount.limit
    return convert(amount) if amount is not None else 0
