"""What keeps the pods of a job apart, and what of their size no scheduler counts.

Whether they find room, ``schedulers`` say of the manifest (SG601, ``rules.does_not_fit``).
"""

from __future__ import annotations

from specgen.plan.affinity import apart
from specgen.plan.codes import DOES_NOT_FIT
from specgen.quantity import bytes_of, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import JobDraft, RoleDraft

# Why no two pods of some roles are on one node.
SPREAD = "one pod a node, as `spread` says"


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


def shared_memory(role: RoleDraft) -> list[Finding]:
    """SG601 for shared memory of a size that no node has: it is memory, though no scheduler counts it."""
    shm, pool = role.profile.words.resources.shm, role.devices.pool
    if pool is None or role.devices.among or shm in (None, "auto", "host", "none") or not pool.nodes.memory:
        return []
    assert shm is not None
    assert role.devices.pool_name is not None
    asked, offered = bytes_of(shm), bytes_of(pool.nodes.memory)
    if asked <= offered:
        return []
    name, has = role.devices.pool_name, f"{readable(offered)} of memory"
    return [
        DOES_NOT_FIT.at(
            role.profile.place(("resources", "shm")),
            f"`/dev/shm` with {readable(asked)} is more than the {has} of a node in the pool `{name}`",
            related=[(role.profile.job.cluster_place(("pools", name, "nodes", "memory")), f"one node has {has}")],
            notes=["what stands in `/dev/shm` is memory of the pod, and the kubelet gives no more than there is"],
        )
    ]
