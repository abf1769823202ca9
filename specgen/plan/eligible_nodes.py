"""Where words of a role lead its pods that takes none of them: hosts that are not there, and pools by their labels.

Whether pods with devices find room, and where, ``schedulers`` say of the manifest (SG601, ``rules.does_not_fit``).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed
from specgen.plan.affinity import effect_of
from specgen.plan.codes import DOES_NOT_FIT
from specgen.profile import codes
from specgen.profile.pools import labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.profile.cluster import Pool, Taint

_WAIT = "the pods stay Pending for ever"


def misled(roles: Sequence[RoleDraft]) -> list[Finding]:
    """SG203 for hosts that a pool does not have, SG601 for pods that the pool they are led to keeps off."""
    return [finding for role in roles for finding in _misled(role, alone=len(roles) == 1)]


def _misled(role: RoleDraft, *, alone: bool) -> list[Finding]:
    """Pods without devices may land anywhere, also on nodes that nobody names, unless labels or hosts lead them."""
    if role.devices.among:
        return []
    if role.devices.pool_name is not None and role.devices.pool is not None:
        return _absent(role, role.devices.pool_name, role.devices.pool)
    scheduling = role.profile.words.scheduling
    meant = {
        name: pool
        for name, pool in role.profile.job.cluster.pools.items()
        if (scheduling.hosts and set(scheduling.hosts) <= set(pool.nodes.names))
        or any(_meets(value, labels_of(pool).get(label)) for label, value in scheduling.node_labels.items())
    }
    meant = {name: pool for name, pool in meant.items() if not _elsewhere(role, pool)}
    borne = [name for name, pool in meant.items() if not _unborne(role, pool)]
    if meant and not borne:
        name, pool = next(iter(meant.items()))
        return _closed(role, name, pool, alone=alone) + _absent(role, name, pool)
    return _absent(role, borne[0], meant[borne[0]]) if len(borne) == 1 else []


def _meets(value: str | list[str], label: str | list[str] | None) -> bool:
    """Whether nodes with this label are among those that the role selects."""
    if label is None:
        return False
    wanted = [value] if isinstance(value, str) else value
    return value == "*" or any(one in wanted for one in ([label] if isinstance(label, str) else label))


def _elsewhere(role: RoleDraft, pool: Pool) -> list[str]:
    """Labels that the role wants otherwise than the pool has them."""
    wanted = role.profile.words.scheduling.node_labels
    own = labels_of(pool)
    return [label for label, value in wanted.items() if label in own and not _meets(value, own[label])]


def _unborne(role: RoleDraft, pool: Pool) -> list[tuple[int, Taint]]:
    """Taints that keep the role's pods off, with their number. Those of the role's own pool are borne by themselves."""
    profile = role.profile
    own = profile.words.scheduling.tolerations
    found = []
    for index, taint in enumerate(pool.taints):
        if taint.effect == "PreferNoSchedule":
            continue
        added = role.devices.pool is pool and not profile.removed(("scheduling", "tolerations", taint.key))
        if added and taint.key not in own and "*" not in own:
            continue
        borne = [own[key] for key in (taint.key, "*") if key in own]
        if not any(one.value in (None, taint.value) and effect_of(one) in (None, taint.effect) for one in borne):
            found.append((index, taint))
    return found


def _closed(role: RoleDraft, name: str, pool: Pool, *, alone: bool) -> list[Finding]:
    """Why no node of the pool takes the role's pods: its taints.

    ``alone``: the job has no pods of another sort, so that nobody has to be told the role.
    """
    pods = "the pods" if alone else f"the pods of the role `{role.word}`"
    profile, job = role.profile, role.profile.job
    scheduling = profile.words.scheduling
    findings: list[Finding] = []
    for index, taint in _unborne(role, pool):
        own = "tolerations" if taint.key in scheduling.tolerations else None
        place = profile.place(("scheduling", own, taint.key) if own else ("scheduling",), KEY)
        message = f"{pods} do not tolerate `{taint.key}`, a taint of the pool `{name}`"
        related = [(job.cluster_place(("pools", name, "taints", index)), f"`{taint.effect}`")]
        findings.append(DOES_NOT_FIT.at(place, message, related=related, notes=[_WAIT]))
    return findings


def _absent(role: RoleDraft, name: str, pool: Pool) -> list[Finding]:
    """Hosts that the role names and its pool does not have."""
    profile, job = role.profile, role.profile.job
    scheduling = profile.words.scheduling
    named, whose = name, "its nodes"
    missing = [host for host in scheduling.hosts if host not in pool.nodes.names] if pool.nodes.names else []
    for other, one in () if pool.nodes.names else job.cluster.pools.items():
        # a pool that names no nodes may have any, but not those of another one
        theirs = [host for host in scheduling.hosts if host in one.nodes.names]
        if theirs and not missing:
            missing, named, whose = theirs, other, f"nodes of the pool `{other}`"
    if not missing:
        return []
    place = profile.place(("scheduling", "hosts"), KEY)
    message = f"the pool `{name}` has no node {listed(missing)}"
    related = [(job.cluster_place(("pools", named, "nodes", "names"), KEY), whose)]
    return [codes.UNKNOWN_NAME.at(place, message, related=related)]
