"""Which role lacks what where: pods of several sorts against the nodes they may run on.

What is refused cannot fit; what passes may still not. The bounds are those of ``operators.kubernetes.room``, for each
set of nodes. Loaded where a job is not plainly all right.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, listed, plural
from specgen.operators.kubernetes.room import EACH, HALF, SUM, Nodes, shortage
from specgen.plan.capacity import SPREAD, demands, node_ports, one_a_node, shared_memory
from specgen.plan.codes import DOES_NOT_FIT
from specgen.plan.eligible_nodes import allowed_nodes, closed, target
from specgen.quantity import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.capacity import Demand
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.profile.cluster import Pool

_WAIT = "the pods stay Pending for ever"
_HOLD = "those that are placed hold their devices and wait"


class Sort:
    """Pods that are alike: their roles, how many, what one asks for, and the nodes that may take them (None: any)."""

    __slots__ = ("alone", "demands", "hosts", "pods", "ports", "roles")

    def __init__(self, plan: JobDraft, role: RoleDraft, pool: Pool, hosts: tuple[str, ...] | None) -> None:
        self.roles = [role]
        self.pods = int(role.replicas.value)
        self.demands = demands(role, pool)
        self.hosts = hosts
        self.alone = one_a_node(plan, role)
        self.ports = node_ports(plan, role)

    @property
    def first(self) -> RoleDraft:
        return self.roles[0]

    @property
    def single(self) -> bool:
        """Whether no two pods of the role share a node, and pods of others may."""
        return self.first.profile.words.scheduling.spread == "host" and not self.spread

    @property
    def spread(self) -> bool:
        """Whether none of the pods shares a node with another of the job."""
        return self.alone == SPREAD

    @property
    def asks(self) -> dict[str, int]:
        return {demand.what: demand.asked for demand in self.demands}

    def why(self, what: str) -> str:
        """Why a node takes no more of the pods: the amount that decides, or what keeps them apart."""
        for demand in self.demands:
            if demand.what == what:
                return f"{spelled(what, demand.offered)} a node, {spelled(what, demand.asked)} a pod"
        return self.alone or "one pod of the role a node, as `spread` says"


class Ground:
    """Nodes of a pool that some pods may run on, how many, and where that is said."""

    __slots__ = ("count", "name", "pool", "said", "words")

    def __init__(self, name: str, pool: Pool, count: int, said: Place, words: str) -> None:
        self.name = name
        self.pool = pool
        self.count = count
        self.said = said
        self.words = words


def pack(plan: JobDraft) -> list[Finding]:
    """SG601, and SG203 for hosts that the pool does not have."""
    findings: list[Finding] = []
    pools: dict[str, list[RoleDraft]] = {}
    alone = len(_unlike(plan.roles)) == 1
    for role in plan.roles:
        name, wrong = target(role, alone=alone)
        findings += wrong
        if name is not None:
            pools.setdefault(name, []).append(role)
    for name, roles in pools.items():
        pool = plan.job.cluster.pools[name]
        found = []
        for role in _unlike(roles):
            found += closed(role, name, pool, alone=alone) + _one_pod(role, name, pool)
        findings += found or _all_pods(plan, name, pool, roles)
    return findings


def _unlike(roles: list[RoleDraft]) -> list[RoleDraft]:
    """One role for each set of words."""
    return [role for at, role in enumerate(roles) if all(role.profile is not other.profile for other in roles[:at])]


def _one_pod(role: RoleDraft, name: str, pool: Pool) -> list[Finding]:
    findings = []
    for demand in demands(role, pool):
        if demand.asked <= demand.offered:
            continue
        asked = spelled(demand.what, demand.asked)
        findings.append(
            DOES_NOT_FIT.at(
                role.profile.place(demand.path, KEY if demand.path[-1] not in _written(role) else "value"),
                f"a pod with {asked} fits no node of the pool `{name}`",
                label=f"one pod asks for {asked}",
                related=[(_in_pool(role, name, demand), f"one node has {spelled(demand.what, demand.offered)}")],
                notes=[_WAIT],
            )
        )
    shm = shared_memory(role, pool)
    if shm is not None:
        offered = spelled("memory", shm.offered)
        findings.append(
            DOES_NOT_FIT.at(
                role.profile.place(shm.path),
                f"`/dev/shm` with {readable(shm.asked)} is more than the {offered} of a node in the pool `{name}`",
                related=[(_in_pool(role, name, shm), f"one node has {offered}")],
                notes=["what stands in `/dev/shm` is memory of the pod, and the kubelet gives no more than there is"],
            )
        )
    return findings


def _written(role: RoleDraft) -> dict[str, Any]:
    amounts: dict[str, Any] = role.profile.data.get("resources", {})
    return amounts


def _in_pool(role: RoleDraft, name: str, demand: Demand) -> Place:
    return role.profile.job.cluster_place(("pools", name, *demand.where))


def _all_pods(plan: JobDraft, name: str, pool: Pool, roles: list[RoleDraft]) -> list[Finding]:
    sorts: list[Sort] = []
    for role in roles:
        twin = next((one for one in sorts if one.first.profile is role.profile and not one.single), None)
        if twin is not None:
            twin.roles.append(role)
            twin.pods += int(role.replicas.value)
        else:
            sorts.append(Sort(plan, role, pool, allowed_nodes(role, pool)))
    findings: list[Finding] = []
    for ground, there in _grounds(plan, name, pool, sorts):
        findings += _bounds(plan, ground, there, alone=len(sorts) == 1)
    return findings


def _grounds(plan: JobDraft, name: str, pool: Pool, sorts: list[Sort]) -> list[tuple[Ground, list[Sort]]]:
    """Sets of nodes with the pods that can run nowhere else: named hosts first, then the whole pool."""
    found: list[tuple[Ground, list[Sort]]] = []
    done: list[tuple[str, ...]] = []
    for sort in sorts:
        hosts = sort.hosts
        if hosts is None or hosts in done:
            continue
        done.append(hosts)
        scheduling = sort.first.profile.words.scheduling
        key = "hosts" if scheduling.hosts else "avoidHosts"
        said = sort.first.profile.place(("scheduling", key), KEY)
        words = f"`hosts` names {plural(len(hosts), 'node')}"
        if key == "avoidHosts":
            words = f"`avoidHosts` leaves {plural(len(hosts), 'node')} of the pool `{name}`"
        there = [one for one in sorts if one.hosts is not None and set(one.hosts) <= set(hosts)]
        found.append((Ground(name, pool, len(hosts), said, words), there))
    for sort in sorts:
        if sort.first.profile.words.scheduling.within == "host":
            said = sort.first.profile.place(("scheduling", "within"))
            found.append((Ground(name, pool, 1, said, "`within: host` is one node"), sorts))
            break
    nodes = pool.nodes.count or len(pool.nodes.names)
    if nodes:
        said = plan.job.cluster_place(("pools", name, "nodes", "count" if pool.nodes.count else "names"))
        found.append((Ground(name, pool, nodes, said, f"the pool `{name}` has {plural(nodes, 'node')}"), sorts))
    return found


def _bounds(plan: JobDraft, ground: Ground, sorts: list[Sort], *, alone: bool) -> list[Finding]:
    """The first bound that the pods break."""
    offers = {demand.what: demand.offered for sort in sorts for demand in sort.demands}
    short = shortage(sorts, [Nodes(ground.count, offers)])
    if short is None:
        return []
    found: list[Sort] = short.sorts
    if short.bound == SUM:
        rows = [(sort, next(one for one in sort.demands if one.what == short.what)) for sort in found]
        return [_too_much(plan, ground, short.what, rows, short.total)]
    if short.bound == EACH:
        why = f"{found[0].why(short.what)}: room for {plural(short.room, 'pod')}"
    elif short.bound == HALF:
        why = f"each asks for more than half of the {spelled(short.what, offers[short.what])} of a node"
    else:
        why = found[0].alone
    return [_too_many(plan, ground, found, [why, _HOLD], alone=alone and short.bound == EACH)]


def _too_many(plan: JobDraft, ground: Ground, sorts: list[Sort], notes: list[str], *, alone: bool) -> Finding:
    last = sorts[-1].first
    pods = sum(sort.pods for sort in sorts)
    who = plural(pods, "pod")
    if len(sorts) == 1 and last.devices.gpu:
        who += f" of {plural(last.devices.gpu, 'GPU')}"
    if not alone:
        who += f" of {_roles(sorts)}"
    return DOES_NOT_FIT.at(
        last.replicas.place or plan.job.place(("pods",), KEY),
        f"{who} {'do' if pods > 1 else 'does'} not fit: {ground.words}",
        label=plural(pods, "pod"),
        related=[(ground.said, plural(ground.count, "node"))],
        notes=notes,
    )


def _too_much(plan: JobDraft, ground: Ground, what: str, rows: list[tuple[Sort, Demand]], total: int) -> Finding:
    last, demand = rows[-1][0].first, rows[-1][1]
    room = ground.count * demand.offered
    sums = [f"{_roles([sort])}: {plural(sort.pods, 'pod')} with {spelled(what, one.asked)} each" for sort, one in rows]
    return DOES_NOT_FIT.at(
        last.replicas.place or plan.job.place(("pods",), KEY),
        f"{_roles([sort for sort, _ in rows])} lack {spelled(what, total - room)}: {ground.words}",
        label=f"{spelled(what, total)} with this role",
        related=[(_in_pool(last, ground.name, demand), f"one node has {spelled(what, demand.offered)}")],
        notes=[*sums, f"{plural(ground.count, 'node')}: {spelled(what, room)}"],
    )


def _roles(sorts: list[Sort]) -> str:
    names = [role.word for sort in sorts for role in sort.roles]
    return f"the role {listed(names)}" if len(names) == 1 else f"the roles {listed(names)}"


def spelled(what: str, amount: int) -> str:
    """An amount with its noun: ``8 GPUs``, ``512Gi of memory``, ``1.5 CPU cores``."""
    if what in ("memory", "disk"):
        return f"{readable(amount)} of {what}"
    if what == "CPU":
        return f"{amount // 1000 if amount % 1000 == 0 else amount / 1000} CPU cores"
    return plural(amount, what)
