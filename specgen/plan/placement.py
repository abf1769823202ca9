"""Does the job fit the nodes of its pools? Pods of all roles in a pool share its nodes; all pods run at once."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, plural
from specgen.plan.codes import DOES_NOT_FIT
from specgen.profile.quantity import bytes_of, millis, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.model import Plan, RolePlan


def placement(plan: Plan) -> list[Finding]:
    """SG601 for each pool that cannot hold its pods."""
    pools: dict[str, list[RolePlan]] = {}
    for role in plan.roles:
        if role.devices.pool_name is not None:
            pools.setdefault(role.devices.pool_name, []).append(role)
    findings: list[Finding] = []
    for name, roles in pools.items():
        findings += _one_pod(name, roles) or _all_pods(plan, name, roles)
    return findings


def _offers(role: RolePlan) -> list[tuple[str, int, int, tuple[str, ...], tuple[str, ...]]]:
    """(what, asked by one pod, offered by one node, path in the words, path in the pool) for everything known."""
    pool, devices = role.devices.pool, role.devices
    assert pool is not None
    rows: list[tuple[str, int, int, tuple[str, ...], tuple[str, ...]]] = []
    if devices.gpu and pool.gpu is not None and pool.gpu.per_node:
        rows.append(("GPU", devices.gpu, pool.gpu.per_node, ("resources", "gpu"), ("gpu", "perNode")))
    if devices.npu and pool.npu is not None and pool.npu.per_node:
        rows.append(("NPU", devices.npu, pool.npu.per_node, ("resources", "npu"), ("npu", "perNode")))
    if devices.hca and pool.hca is not None and pool.hca.per_node and pool.fabric.rdma != "shared-device":
        rows.append(("HCA", devices.hca, pool.hca.per_node, ("resources", "hca"), ("hca", "perNode")))
    asked = devices.requests or devices.limits
    if "cpu" in asked and pool.nodes.cpu:
        rows.append(("CPU", millis(asked["cpu"].value), pool.nodes.cpu * 1000, ("resources", "cpu"), ("nodes", "cpu")))
    if "memory" in asked and pool.nodes.memory:
        memory = bytes_of(asked["memory"].value)
        rows.append(("memory", memory, bytes_of(pool.nodes.memory), ("resources", "memory"), ("nodes", "memory")))
    return rows


def _spelled(what: str, amount: int) -> str:
    if what == "memory":
        return f"{readable(amount)} of memory"
    if what == "CPU":
        return f"{amount // 1000 if amount % 1000 == 0 else amount / 1000} CPU cores"
    return plural(amount, what)


def _pool_place(role: RolePlan, *path: str) -> Place:
    return role.words.job.cluster_place(("pools", role.devices.pool_name or "", *path))


def _one_pod(name: str, roles: list[RolePlan]) -> list[Finding]:
    findings = []
    for role in roles:
        for what, asked, offered, path, where in _offers(role):
            if asked > offered:
                findings.append(
                    DOES_NOT_FIT.at(
                        role.words.place(path),
                        f"a pod with {_spelled(what, asked)} fits no node of the pool `{name}`",
                        label=f"one pod asks for {_spelled(what, asked)}",
                        related=[(_pool_place(role, *where), f"one node has {_spelled(what, offered)}")],
                        notes=["the pods stay Pending for ever"],
                    )
                )
    return findings


def _all_pods(plan: Plan, name: str, roles: list[RolePlan]) -> list[Finding]:
    pool = roles[0].devices.pool
    assert pool is not None
    nodes = pool.nodes.count or len(pool.nodes.names) or None
    if nodes is None:
        return []
    where = ("nodes", "count") if pool.nodes.count else ("nodes", "names")
    alone = roles[0].words.words.scheduling.spread is not None
    per_node: int | None = 1 if alone else None
    tightest = "one pod a node, as `spread` says" if alone else ""
    for role in roles:
        for what, asked, offered, _, _ in _offers(role):
            fits = offered // asked if asked else None
            if fits is not None and (per_node is None or fits < per_node):
                per_node, tightest = fits, f"{_spelled(what, offered)} a node, {_spelled(what, asked)} a pod"
    if per_node is None:
        return []
    pods = sum(int(role.replicas.value) for role in roles)
    room = nodes * per_node
    if pods <= room:
        return []
    first = roles[0]
    gpus = f" of {plural(first.devices.gpu, 'GPU')}" if first.devices.gpu else ""
    place = first.replicas.place or plan.job.place(("pods",), KEY)
    return [
        DOES_NOT_FIT.at(
            place,
            f"{plural(pods, 'pod')}{gpus} do not fit: the pool `{name}` has {plural(nodes, 'node')}",
            label=plural(pods, "pod"),
            related=[(_pool_place(first, *where), plural(nodes, "node"))],
            notes=[f"{tightest}: room for {plural(room, 'pod')}", "those that are placed hold their devices and wait"],
        )
    ]
