"""The pods of a plan in full, once its gang has marked them: placement, rights, fields, containers, patches.

``make`` ends where the gang begins: what a gang's scheduler adds is weighed against what the author wrote, and what is
filled in here comes after both.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, listed
from specgen.manifest.origins import Sourced
from specgen.plan.affinity import affinity, node_selector, spread_over, timeless, tolerations
from specgen.plan.codes import NOTHING_TO_REMOVE
from specgen.quantity import seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.profile.layers import At
    from specgen.source import Path

_MESH = "sidecar.istio.io/inject"
_KEPT_OUT = "the cluster has a mesh, whose sidecar would outlive the program and break the rendezvous"


def complete(draft: JobDraft) -> list[Finding]:
    """Fills what of each role is not filled yet. Findings: containers that end too late, runtimes, nulls of no use."""
    findings: list[Finding] = []
    for role in draft.roles:
        if role.twin is not None:
            _as_twin(draft, role, role.twin)
        else:
            findings += _role(draft, role)
    if draft.lifecycle.restarts is not None:
        from specgen.plan.incidents import plan_incidents  # most jobs leave it to their operator

        findings += plan_incidents(draft)
    elif any(role.restart is not None and role.restart.value == "Never" for role in draft.roles):
        from specgen.plan.incidents import check_never  # most jobs begin again

        findings += check_never(draft)
    data = draft.job.layers.data
    if draft.runtime is not None and draft.kind.fetches:
        from specgen.plan.runtime import find  # most jobs bring their runtime

        findings += find(draft)
    if "patch" in data:
        from specgen.plan.facts import patch  # most jobs have none

        draft.patch = patch(draft, data["patch"].get("job"), "job", draft.job.place)
        draft.runtime_patch = patch(draft, data["patch"].get("runtime"), "runtime", draft.job.place)
    return findings + _removals(draft)


def _role(draft: JobDraft, role: RoleDraft) -> list[Finding]:
    profile, words = role.profile, role.profile.words
    _kept_out(draft, role)
    for key, said in (
        ("nodeSelector", node_selector(role)),
        ("affinity", affinity(draft, role)),
        ("tolerations", tolerations(role)),
        ("topologySpreadConstraints", spread_over(draft, role)),
    ):
        if said is not None:
            role.placing[key] = said
    _scheduler(draft, role)
    _pod(draft, role)
    lifecycle = profile.data.get("lifecycle")
    if lifecycle:
        if words.lifecycle.restart is not None:
            place = profile.place(("lifecycle", "restart"))
            role.restart = Sourced(words.lifecycle.restart, place, "`lifecycle.restart`")
        if words.lifecycle.grace is not None:
            place = profile.place(("lifecycle", "grace"))
            role.grace = Sourced(seconds(words.lifecycle.grace), place, "`lifecycle.grace`")
        if words.lifecycle.pre_stop is not None:
            place = profile.place(("lifecycle", "preStop"))
            hooks = {"preStop": {"exec": {"command": list(words.lifecycle.pre_stop)}}}
            role.container["lifecycle"] = Sourced(hooks, place, "`lifecycle.preStop`")
    _program(role)
    _security(draft, role)
    if "patch" in profile.data:
        from specgen.plan.facts import patch  # most roles have none

        written = profile.data["patch"]
        role.pod_patch = patch(draft, written.get("pod"), "pod", profile.place)
        role.patch = patch(draft, written.get("container"), "container", profile.place, container=True)
    if words.init or words.sidecars or role.fabric_init or role.fabric_sidecars:
        from specgen.plan.containers import plan_containers  # most pods have one container

        return timeless(role) + plan_containers(draft, role)
    return timeless(role)


def _as_twin(draft: JobDraft, role: RoleDraft, twin: RoleDraft) -> None:
    """What was filled for a role with the same words; where its pods lie may depend on its name."""
    _kept_out(draft, role)
    role.placing = twin.placing
    if role.profile.words.scheduling.spread is not None:
        role.placing = dict(twin.placing)
        for key, said in (("affinity", affinity(draft, role)), ("topologySpreadConstraints", spread_over(draft, role))):
            if said is not None:
                role.placing[key] = said
    role.scheduler, role.restart = twin.scheduler, twin.restart
    if "lifecycle" in twin.container:
        role.container["lifecycle"] = twin.container["lifecycle"]
    role.pod, role.pod_security, role.grace = twin.pod, twin.pod_security, twin.grace
    role.pull_secrets, role.pull_policy, role.workdir = twin.pull_secrets, twin.pull_policy, twin.workdir
    role.env_from, role.prepare, role.security = twin.env_from, twin.prepare, twin.security
    role.pod_patch, role.patch = twin.pod_patch, twin.patch
    role.init, role.sidecars, role.native, role.volumes = twin.init, twin.sidecars, twin.native, list(twin.volumes)


def _kept_out(draft: JobDraft, role: RoleDraft) -> None:
    """Keeps the pods out of the cluster's mesh, unless the author says otherwise."""
    mesh = draft.mesh
    if mesh is None or role.profile.removed((mesh.value, _MESH)):
        return
    if _MESH not in role.labels and _MESH not in role.annotations:
        # equal marks of equal roles are one, so that their pods are seen to be alike
        others = (role.twin.labels, role.twin.annotations) if role.twin is not None else ({}, {})
        at = 0 if mesh.value == "labels" else 1
        (role.labels, role.annotations)[at][_MESH] = others[at].get(_MESH) or Sourced("false", mesh.place, _KEPT_OUT)


def _scheduler(draft: JobDraft, role: RoleDraft) -> None:
    """The author's scheduler stands already; else the cluster's, else the gang's."""
    cluster = draft.job.cluster.scheduling.scheduler
    if role.scheduler is not None:
        return
    if cluster is not None and not role.profile.removed(("scheduling", "scheduler")):
        place = draft.job.cluster_place(("scheduling", "scheduler"))
        role.scheduler = Sourced(cluster, place, "the cluster's scheduler")
    else:
        role.scheduler = draft.scheduler


def _pod(draft: JobDraft, role: RoleDraft) -> None:
    """Fields of the pod: the pool's runtime class before the author's own, and what follows from them after."""
    profile, pool = role.profile, role.devices.pool
    offered = pool.runtime_class if pool is not None and profile.words.pod.runtime_class_name is None else None
    if offered is not None and not profile.removed(("pod", "runtimeClassName")):
        of_pool = draft.job.cluster_place(("pools", role.devices.pool_name or "", "runtimeClass"))
        role.pod = {"runtimeClassName": Sourced(offered, of_pool, "the pool's runtime class"), **role.pod}
    network = role.pod.get("hostNetwork")
    if network is not None and network.value and "dnsPolicy" not in role.pod:
        place = (role.devices.on_host or network).place
        reason = "on the host's network, cluster names resolve only so"
        role.pod["dnsPolicy"] = Sourced("ClusterFirstWithHostNet", place, reason)
    deadline = draft.lifecycle.deadline
    # a pod's own is of 32 bits: what is longer is for nobody who waits
    if deadline is not None and not draft.kind.wakes and deadline.value < 2**31:
        reason = (
            f"{deadline.reason}: the {draft.kind.operator} looks at the job's when a pod changes, and this ends one"
        )
        role.pod["activeDeadlineSeconds"] = Sourced(deadline.value, deadline.place, reason)


def _program(role: RoleDraft) -> None:
    """How the program's image is pulled, where it starts, and the variables that it gets as a whole."""
    profile, words = role.profile, role.profile.words
    if words.pull is not None:
        if words.pull.policy is not None:
            role.pull_policy = Sourced(words.pull.policy, profile.place(("pull", "policy")), "`pull.policy`")
        for index, name in enumerate(words.pull.secrets):
            role.pull_secrets.append(Sourced(name, profile.place(("pull", "secrets", index)), "`pull.secrets`"))
    if words.workdir is not None:
        role.workdir = Sourced(words.workdir, profile.place(("workdir",)), "`workdir`")
    if words.prepare:
        role.prepare = Sourced(words.prepare, profile.place(("prepare",)), "`prepare`")
    for index, source in enumerate(words.env_from):
        entry: dict[str, Any] = {} if source.prefix is None else {"prefix": source.prefix}
        optional = {} if source.optional is None else {"optional": source.optional}
        if source.secret is not None:
            entry["secretRef"] = {"name": source.secret, **optional}
        if source.config_map is not None:
            entry["configMapRef"] = {"name": source.config_map, **optional}
        role.env_from.append(Sourced(entry, profile.place(("envFrom", index)), "`envFrom`"))


def _security(draft: JobDraft, role: RoleDraft) -> None:
    """The security contexts of the pod and of the program."""
    profile, written = role.profile, role.profile.data.get("security")
    level = draft.pod_security
    strict = level is not None and level.value == "restricted"
    if not strict and not written and role.privileged is None and not role.capabilities:
        return  # most pods have none
    from specgen.plan.security import DEMANDED, context

    place = level.place if level is not None else None
    if strict and not profile.removed(("security", "nonRoot")):
        role.pod_security["runAsNonRoot"] = Sourced(True, place, DEMANDED)
    if strict and not profile.removed(("security", "seccomp")):
        role.pod_security["seccompProfile"] = Sourced({"type": "RuntimeDefault"}, place, DEMANDED)
    group = profile.words.security.fs_group
    if group is not None:
        role.pod_security["fsGroup"] = Sourced(group, profile.place(("security", "fsGroup")), "`security.fsGroup`")
    role.security = context(
        profile.words.security,
        lambda *path: profile.place(("security", *path)),
        level if strict else None,
        privileged=role.privileged,
        capabilities=role.capabilities,
    )


def _removals(draft: JobDraft) -> list[Finding]:
    """SG206: nulls that neither a weaker layer nor the cluster nor a default had anything for.

    Asked last: pools, mesh and scheduler meet nulls only as pods are filled.
    """
    findings = []
    top = draft.job.layers.removals
    for path, (at, met) in top.items():
        if met or any(path in role.profile.consumed for role in draft.roles) or draft.job.defaulted(path):
            continue
        if path[0] == "roles" and (len(path) > 2 or (draft.kind.unled and path == ("roles", draft.kind.first))):
            continue
        findings.append(_nothing(at, path))
    for role in draft.roles:
        for path, (at, met) in role.profile.layers.removals.items():
            if met or path in role.profile.consumed or path in top or draft.job.defaulted(path):
                continue
            findings.append(_nothing(at, path))
    return findings


def _nothing(at: At, path: Path) -> Finding:
    from specgen.source import dotted

    helps = []
    if len(path) > 1:
        name = listed([str(path[-1])]).strip("`")
        helps = [f"quote the text if `{name}` was to be part of a value"]
        if path[-2] == "env" and name.isupper():  # others are what a comma in braces cut off
            helps = [f'write `{name}: ""` for a variable without text, or remove the line']
    else:
        helps = ["write its value behind the colon, or remove the line"]
    place = Place(at.path, KEY, where=at.document)
    return NOTHING_TO_REMOVE.at(place, f"`{dotted(path)}: null` removes nothing", helps=helps)
