"""Pod Security levels against a fabric: what HCAs need and no pod of the level may have. Loaded if there is one."""

from __future__ import annotations

from specgen.plan.codes import POD_SECURITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft

# Kubernetes 1.36, pod-security-admission/policy/check_capabilities_baseline.go: IPC_LOCK is not among those to add.
_REFUSED = {
    "capability": "`memlock: capability` contradicts `podSecurity: {}`, which lets no pod add `IPC_LOCK`",
    "privileged": "`memlock: privileged` contradicts `podSecurity: {}`, which refuses privileged containers",
}


def fabric_against_level(role: RoleDraft) -> list[Finding]:
    """SG325 in the cluster profile: its pool and its level cannot both hold for pods with HCAs."""
    pool, job = role.devices.pool, role.profile.job
    assert pool is not None
    level, where = job.pod_security
    wrong = []
    if pool.fabric.rdma == "host":
        wrong.append(("rdma", f"`rdma: host` contradicts `podSecurity: {level}`, which refuses the node's network"))
    elif pool.fabric.memlock in _REFUSED and (role.capabilities or role.privileged is not None):
        wrong.append(("memlock", _REFUSED[pool.fabric.memlock].format(level)))
    related = [
        (job.cluster_place(where), "the level of the namespace"),
        (role.profile.place(("resources", "hca")), "asks for HCAs"),
    ]
    findings = []
    for word, message in wrong:
        place = job.cluster_place(("pools", role.devices.pool_name or "", "fabric", word))
        notes = ["the API server refuses every pod that asks for an HCA"]
        helps = ["where the container runtime lifts that limit by itself, write `memlock: runtime`"]
        helps = helps if word == "memlock" else []
        findings.append(POD_SECURITY.at(place, message, related=related, notes=notes, helps=helps))
    return findings
