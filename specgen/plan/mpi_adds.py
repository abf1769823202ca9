"""What the fabric of a pool adds to one role of a job with a launcher: ``fabric.adds.roles``.

What it adds to all goes to the pods that ask for an HCA, and mpirun carries its variables to every process. A variable
of one role is its containers' alone, as those of ``start.keep`` are.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.manifest.origins import Sourced
from specgen.plan.mounts import mount_point
from specgen.plan.network import entry, one_source
from specgen.profile import codes
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.profile.cluster import RoleAdds

_ADDED = "`fabric.adds.roles` of the pool"


def add_by_role(launcher: RoleDraft, worker: RoleDraft | None) -> tuple[list[str], list[Finding]]:
    """Gives either role its own variables and mounts; (names of the workers' variables that stay there, findings).

    The job's own win, and its nulls keep them off. Findings: SG207.
    """
    training = worker or launcher
    pool = training.devices.pool
    if pool is None or not training.devices.hca or training.profile.job.job.communication.rdma is False:
        return [], []
    wanted = pool.fabric.adds.roles
    findings: list[Finding] = []
    staying: list[str] = []
    for role, word, adds in ((launcher, "launcher", wanted.launcher), (worker, "worker", wanted.worker)):
        if role is not None and plain(adds):
            staying += _add(role, training, word, adds, findings)
            # a launcher that trains may have followed the workers in all: now each has volumes of its own
            role.twin = None
    return staying, findings


def _add(role: RoleDraft, training: RoleDraft, word: str, adds: RoleAdds, findings: list[Finding]) -> list[str]:
    profile, job = role.profile, role.profile.job
    below = ("pools", training.devices.pool_name or "", "fabric", "adds")
    own = (*below, "roles", word)
    pool = training.devices.pool
    assert pool is not None
    added = []
    for name, written in adds.env.items():
        place = job.cluster_place((*own, "env", name))
        if name in pool.fabric.adds.env:
            message = f"`{name}` of one role contradicts that of all, which mpirun carries to every process"
            related = [(job.cluster_place((*below, "env", name), KEY), "for all")]
            helps = ["say it for either role, and not for all"]
            key = job.cluster_place((*own, "env", name), KEY)
            findings.append(codes.CONTRADICTION.at(key, message, related=related, helps=helps))
            continue
        raw = written if isinstance(written, str) else plain(written)
        if "prepend" in raw:
            message = "`prepend` needs the shell in front of the program, which has what all processes get"
            findings.append(codes.CONTRADICTION.at(place, message, helps=["`adds.env` has it for all"]))
            continue
        if isinstance(raw, dict):
            findings += one_source(job.cluster_place, (*own, "env", name), raw)
        if name not in role.env and name not in training.env and not profile.removed(("env", name)):
            role.env[name] = Sourced(entry(raw), place, _ADDED)
            added.append(name)
    for path, mount in adds.mounts.items():
        place = job.cluster_place((*own, "mounts", path))
        if path in profile.words.mounts or profile.removed(("mounts", path)):
            continue
        if any(point.path.rstrip("/") == path.rstrip("/") for point in role.mounts):
            message = f"`{path}` of one role contradicts what is mounted there for all"
            findings.append(codes.CONTRADICTION.at(job.cluster_place((*own, "mounts", path), KEY), message))
            continue
        point = mount_point(role, path, mount, place, None, findings)
        if point is not None:
            role.mounts.append(point)
    return added
