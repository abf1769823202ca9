"""A role's plan → its pod template, the same for every kind; containers beside the program: ``other_containers``."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.plan.gang import is_of_workloads
from specgen.plan.placing import affinity, node_selector, tolerations
from specgen.quantity import seconds
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.build import Build
    from specgen.plan.model import MountPoint, Plan, RolePlan
    from specgen.profile.pod import Security


def template(plan: Plan, role: RolePlan, build: Build, container: str) -> list[Finding]:
    """Writes the pod template of a role; ``container`` is the name that the operator looks for."""
    findings: list[Finding] = []
    _metadata(plan, role, build)
    spec = build.within("spec")
    _placing(plan, role, spec)
    _pod_fields(role, spec)
    _pull_secrets(role, spec)
    words = role.words.words
    if words.init or words.sidecars or role.init_words or role.sidecar_words:
        from specgen.lower.other_containers import containers  # most pods have one container

        containers(plan, role, spec, container, findings)
    else:
        main(role, spec.item("containers"), container)
    for volume in role.volumes:
        item = spec.item("volumes")
        item.put("name", volume.name, volume.said.place, volume.said.reason)
        for key, value in volume.source.items():
            item.put(key, value, volume.said.place, volume.said.reason)
    for name, said in role.devices.claims.items():
        item = spec.item("resourceClaims")
        item.put("name", name, said.place, said.reason)
        for key, value in said.value.items():
            item.put(key, value, said.place, said.reason)
    return findings


def _metadata(plan: Plan, role: RolePlan, build: Build) -> None:
    words, job = role.words, plan.job
    metadata = build.within("metadata")
    labels, annotations = metadata.within("labels"), metadata.within("annotations")
    for name, value in (job.layers.data["metadata"].get("labels") or {}).items():
        labels.put(name, value, job.place(("metadata", "labels", name)), "`metadata.labels` go on the job and its pods")
    for name, value in words.data.get("labels", {}).items():
        labels.put(name, value, words.place(("labels", name)), "`labels`")
    for name, said in role.labels.items():
        if name not in labels.tree:
            labels.say(name, said)
    for name, value in words.data.get("annotations", {}).items():
        annotations.put(name, value, words.place(("annotations", name)), "`annotations`")
    for name, said in role.annotations.items():
        if name not in annotations.tree:
            annotations.say(name, said)
    mesh = job.cluster.mesh
    if mesh is not None:
        by = mesh if isinstance(mesh, str) else mesh.by
        target = annotations if by == "annotation" else labels
        key = "sidecar.istio.io/inject"
        removed = words.removed(("annotations" if by == "annotation" else "labels", key))
        if key not in labels.tree and key not in annotations.tree and not removed:
            reason = "the cluster has a mesh, whose sidecar would outlive the program and break the rendezvous"
            target.put(key, "false", job.cluster_place(("mesh",)), reason)
    for key in ("labels", "annotations"):
        if not metadata.tree[key]:
            del metadata.tree[key]
    if not metadata.tree:
        del build.tree["metadata"]


def _placing(plan: Plan, role: RolePlan, spec: Build) -> None:
    words = role.words
    for key, said in (
        ("nodeSelector", node_selector(role)),
        ("affinity", affinity(plan, role)),
        ("tolerations", tolerations(role)),
    ):
        if said is not None:
            spec.say(key, said)
    scheduler = words.words.scheduling.scheduler
    if scheduler is not None:
        spec.put("schedulerName", scheduler, words.place(("scheduling", "scheduler")), "`scheduling.scheduler`")
    elif plan.job.cluster.scheduling.scheduler is not None and not words.removed(("scheduling", "scheduler")):
        place = plan.job.cluster_place(("scheduling", "scheduler"))
        spec.put("schedulerName", plan.job.cluster.scheduling.scheduler, place, "the cluster's scheduler")
    elif plan.scheduler is not None:
        spec.say("schedulerName", plan.scheduler)
    priority = words.words.scheduling.priority
    if priority is not None and not is_of_workloads(plan.job):
        spec.put("priorityClassName", priority, words.place(("scheduling", "priority")), "`scheduling.priority`")
    pool = role.devices.pool
    runtime = words.words.pod.runtime_class_name
    offered = pool.runtime_class if pool is not None and runtime is None else None
    if offered is not None and not words.removed(("pod", "runtimeClassName")):
        place = plan.job.cluster_place(("pools", role.devices.pool_name or "", "runtimeClass"))
        spec.put("runtimeClassName", offered, place, "the pool's runtime class")


def _pod_fields(role: RolePlan, spec: Build) -> None:
    words = role.words
    for name, value in words.data.get("pod", {}).items():
        spec.put(name, value, words.place(("pod", name)), f"`pod.{name}`")
    for name, said in role.pod.items():
        if name not in spec.tree:
            spec.say(name, said)
    if spec.tree.get("hostNetwork") and "dnsPolicy" not in spec.tree:
        reason = "on the host's network, cluster names resolve only so"
        follows = role.pod.get("hostNetwork")
        place = follows.place if follows is not None else words.place(("pod", "hostNetwork"))
        spec.put("dnsPolicy", "ClusterFirstWithHostNet", place, reason)
    demands = demanded(role)
    if demands is not None:
        context, reason = spec.within("securityContext"), "the level `restricted` demands it of every container"
        if not words.removed(("security", "nonRoot")):
            context.put("runAsNonRoot", True, demands, reason)
        if not words.removed(("security", "seccomp")):
            context.put("seccompProfile", {"type": "RuntimeDefault"}, demands, reason)
    group = words.words.security.fs_group
    if group is not None:
        spec.within("securityContext").put("fsGroup", group, words.place(("security", "fsGroup")), "`security.fsGroup`")
    grace = words.words.lifecycle.grace
    if grace is not None:
        place = words.place(("lifecycle", "grace"))
        spec.put("terminationGracePeriodSeconds", seconds(grace), place, "`lifecycle.grace`")


def _pull_secrets(role: RolePlan, spec: Build) -> None:
    pull = role.words.words.pull
    for index, name in enumerate(pull.secrets if pull is not None else ()):
        spec.item("imagePullSecrets").put("name", name, role.words.place(("pull", "secrets", index)), "`pull.secrets`")


def demanded(role: RolePlan) -> Place | None:
    """Where the cluster demands the Pod Security level `restricted`, if it does."""
    job = role.words.job
    return job.cluster_place(("podSecurity",)) if job.cluster.pod_security == "restricted" else None


def main(role: RolePlan, build: Build, name: str) -> None:
    """The training container."""
    words = role.words
    build.put("name", name, None, "the operator knows the training container by this name, or by its place")
    if role.image is not None:
        build.say("image", role.image)
    pull_policy(build, words.words.pull, words.place(("pull", "policy")) if words.words.pull else None)
    if role.command is not None:
        build.say("command", role.command)
    if role.args is not None:
        build.say("args", role.args)
    if words.words.workdir is not None:
        build.put("workingDir", words.words.workdir, words.place(("workdir",)), "`workdir`")
    for port, number in words.words.ports.items():
        item = build.item("ports")
        item.put("name", port, words.place(("ports", port), KEY), "`ports`")
        item.put("containerPort", number, words.place(("ports", port)), "`ports`")
    for port, added in role.ports.items():
        item = build.item("ports")
        item.put("name", port, added.place, added.reason)
        item.say("containerPort", added)
    for index, source in enumerate(words.words.env_from):
        place = words.place(("envFrom", index))
        item = build.item("envFrom")
        if source.prefix is not None:
            item.put("prefix", source.prefix, place, "`envFrom`")
        optional = {} if source.optional is None else {"optional": source.optional}
        if source.secret is not None:
            item.put("secretRef", {"name": source.secret, **optional}, place, "`envFrom`")
        if source.config_map is not None:
            item.put("configMapRef", {"name": source.config_map, **optional}, place, "`envFrom`")
    for variable, said in role.env.items():
        item = build.item("env")
        item.put("name", variable, said.place, said.reason)
        for key, value in said.value.items():
            item.put(key, value, said.place, said.reason)
    _amounts(role, build)
    security(build, words.words.security, lambda *path: words.place(("security", *path)), role, demanded(role))
    volume_mounts(build, role.mounts)
    for key, said in role.container.items():
        build.say(key, said)


def pull_policy(build: Build, pull: Any, place: Place | None) -> None:
    """When the node pulls the image, if that is said."""
    if pull is not None and pull.policy is not None:
        build.put("imagePullPolicy", pull.policy, place, "`pull.policy`")


def _amounts(role: RolePlan, build: Build) -> None:
    resources = build.within("resources")
    for side, amounts in (("limits", role.devices.limits), ("requests", role.devices.requests)):
        for name, said in amounts.items():
            resources.within(side).say(name, said)
    for name, said in role.devices.claims.items():
        resources.item("claims").put("name", name, said.place, said.reason)
    if not resources.tree:
        del build.tree["resources"]


def volume_mounts(build: Build, mounts: list[MountPoint]) -> None:
    """The mounts of one container."""
    for mount in mounts:
        item = build.item("volumeMounts")
        said = mount.said
        item.put("name", mount.volume, said.place, said.reason)
        item.put("mountPath", mount.path, said.place, said.reason)
        if mount.sub_path is not None:
            item.put("subPath", mount.sub_path, said.place, said.reason)
        if mount.read_only:
            item.put("readOnly", True, said.place, said.reason)


def security(build: Build, words: Security, at: Any, role: RolePlan | None, demands: Place | None) -> None:
    """The security context of a container: the author's words, what the cluster's level demands, the fabric's rights.

    ``role``: for the program alone, which gets the rights. ``demands``: where `restricted` is said, if it is.
    """
    rights = role is not None and (role.privileged is not None or bool(role.capabilities))
    if demands is None and not rights and not plain(words):
        return  # most containers have no context
    context = build.within("securityContext")
    for key, value, path in (
        ("runAsUser", words.user, "user"),
        ("runAsGroup", words.group, "group"),
        ("runAsNonRoot", words.non_root, "nonRoot"),
        ("privileged", words.privileged, "privileged"),
        ("allowPrivilegeEscalation", words.escalation, "escalation"),
        ("readOnlyRootFilesystem", words.read_only_root, "readOnlyRoot"),
    ):
        if value is not None:
            context.put(key, value, at(path), f"`security.{path}`")
        elif demands is not None and path == "escalation":
            context.put(key, False, demands, "the level `restricted` demands it of every container")
    if role is not None and role.privileged is not None and words.privileged is None:
        context.say("privileged", role.privileged)
    wanted = words.capabilities
    add, drop = ([], []) if wanted is None else (wanted, []) if isinstance(wanted, list) else (wanted.add, wanted.drop)
    place = at("capabilities") if wanted is not None else None
    granted = [(name, place, "`security.capabilities`") for name in add]
    if role is not None:
        granted += [(said.value, said.place, said.reason) for said in role.capabilities if said.value not in add]
    if granted:
        capabilities = context.within("capabilities")
        capabilities.put("add", [name for name, _, _ in granted], granted[-1][1], granted[-1][2])
    if demands is not None and "ALL" not in drop:
        reason = "the level `restricted` demands it of every container"
        context.within("capabilities").put("drop", [*drop, "ALL"], demands, reason)
    elif drop:
        context.within("capabilities").put("drop", list(drop), place, "`security.capabilities`")
    if words.seccomp is not None:
        named = words.seccomp in ("RuntimeDefault", "Unconfined")
        profile = {"type": words.seccomp} if named else {"type": "Localhost", "localhostProfile": words.seccomp}
        context.put("seccompProfile", profile, at("seccomp"), "`security.seccomp`")
    if not context.tree:
        del build.tree["securityContext"]
