"""A role's plan → its pod template, the same for every kind."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.plan.gang import is_of_workloads
from specgen.plan.images import mirrored
from specgen.plan.mounts import mount_point
from specgen.plan.placing import affinity, node_selector, tolerations
from specgen.profile.quantity import cores, seconds
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.build import Build
    from specgen.plan.model import MountPoint, Plan, RolePlan
    from specgen.profile.pod import Container, Security

# Native sidecars (init containers that restart) are on by default since this minor version of Kubernetes.
_NATIVE_SIDECARS = 29


def template(plan: Plan, role: RolePlan, build: Build, container: str) -> list[Finding]:
    """Writes the pod template of a role; ``container`` is the name that the operator looks for."""
    findings: list[Finding] = []
    _metadata(plan, role, build)
    spec = build.within("spec")
    _placing(plan, role, spec)
    _pod_fields(role, spec)
    _pull_secrets(role, spec)
    before = [
        (name, words, role.words.place(("init", name), KEY), False) for name, words in role.words.words.init.items()
    ]
    beside = [
        (name, words, role.words.place(("sidecars", name), KEY)) for name, words in role.words.words.sidecars.items()
    ]
    beside += [(name, words, place) for name, (words, place) in role.sidecar_words.items()]
    native = _native(plan)
    if native:
        before = [(name, words, place, True) for name, words, place in beside] + before
    for name, words, place, restarts in before:
        item = spec.item("initContainers")
        _extra(role, item, name, words, place, findings)
        if restarts:
            item.put(
                "restartPolicy", "Always", place, "a sidecar of Kubernetes 1.29 and later: it ends with the program"
            )
    _main(role, spec.item("containers"), container)
    if not native:
        for name, words, place in beside:
            _extra(role, spec.item("containers"), name, words, place, findings)
    for volume in role.volumes:
        item = spec.item("volumes")
        item.put("name", volume.name, volume.said.place, volume.said.reason)
        for key, value in volume.source.items():
            item.put(key, value, volume.said.place, volume.said.reason)
    return findings


def _native(plan: Plan) -> bool:
    version = plan.job.cluster.kubernetes
    return version is not None and int(version.partition(".")[2]) >= _NATIVE_SIDECARS


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
    if spec.tree.get("hostNetwork") and "dnsPolicy" not in spec.tree:
        reason = "on the host's network, cluster names resolve only so"
        spec.put("dnsPolicy", "ClusterFirstWithHostNet", words.place(("pod", "hostNetwork")), reason)
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


def _main(role: RolePlan, build: Build, name: str) -> None:
    words = role.words
    build.put("name", name, None, "the operator looks the training container up by this name")
    if role.image is not None:
        build.say("image", role.image)
    _pull_policy(build, words.words.pull, words.place(("pull", "policy")) if words.words.pull else None)
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
    security(build, words.words.security, lambda *path: words.place(("security", *path)), role)
    _mounts(build, role.mounts)


def _pull_policy(build: Build, pull: Any, place: Place | None) -> None:
    if pull is not None and pull.policy is not None:
        build.put("imagePullPolicy", pull.policy, place, "`pull.policy`")


def _amounts(role: RolePlan, build: Build) -> None:
    resources = build.within("resources")
    for side, amounts in (("limits", role.devices.limits), ("requests", role.devices.requests)):
        for name, said in amounts.items():
            resources.within(side).say(name, said)
    if not resources.tree:
        del build.tree["resources"]


def _mounts(build: Build, mounts: list[MountPoint]) -> None:
    for mount in mounts:
        item = build.item("volumeMounts")
        said = mount.said
        item.put("name", mount.volume, said.place, said.reason)
        item.put("mountPath", mount.path, said.place, said.reason)
        if mount.sub_path is not None:
            item.put("subPath", mount.sub_path, said.place, said.reason)
        if mount.read_only:
            item.put("readOnly", True, said.place, said.reason)


def security(build: Build, words: Security, at: Any, role: RolePlan | None) -> None:
    """The security context of a container: the author's words, and for the program what the fabric needs."""
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
    if drop:
        context.within("capabilities").put("drop", list(drop), place, "`security.capabilities`")
    if words.seccomp is not None:
        named = words.seccomp in ("RuntimeDefault", "Unconfined")
        profile = {"type": words.seccomp} if named else {"type": "Localhost", "localhostProfile": words.seccomp}
        context.put("seccompProfile", profile, at("seccomp"), "`security.seccomp`")
    if not context.tree:
        del build.tree["securityContext"]


def _extra(role: RolePlan, build: Build, name: str, words: Container, place: Place, findings: list[Finding]) -> None:
    """An init container or sidecar: the pod's image, pull policy and mounts unless it says otherwise, no environment."""
    reason = f"the container `{name}`"
    build.put("name", name, place, reason)
    image = words.image
    if image is not None:
        build.put("image", mirrored(image, role.words.job.cluster), place, reason)
    elif role.image is not None:
        build.put("image", role.image.value, role.image.place, "the job's image, as the container names none")
    _pull_policy(build, words.pull or role.words.words.pull, place)
    for key, value in (("command", words.command), ("args", words.args), ("workingDir", words.workdir)):
        if value is not None:
            build.put(key, list(value) if isinstance(value, list) else value, place, reason)
    for variable, written in words.env.items():
        item = build.item("env")
        item.put("name", variable, place, reason)
        if isinstance(written, str):
            item.put("value", written, place, reason)
        else:
            from specgen.plan.network import entry

            for key, source in entry(plain(written)).items():
                item.put(key, source, place, reason)
    resources = words.resources
    if resources is not None:
        _extra_amounts(build, resources, place, reason)
    if words.security is not None:
        security(build, words.security, lambda *path: place, None)
    if words.mounts is None:
        _mounts(build, [mount for mount in role.mounts if mount.path != "/dev/shm"])
        return
    mounts = []
    for path, mount in words.mounts.items():
        point = mount_point(role, path, mount, place, None, findings)
        if point is not None:
            mounts.append(point)
    _mounts(build, mounts)


def _extra_amounts(build: Build, words: Any, place: Place, reason: str) -> None:
    resources = build.within("resources")
    for key, amount, convert in (
        ("cpu", words.cpu, cores),
        ("memory", words.memory, str),
        ("ephemeral-storage", words.disk, str),
    ):
        if isinstance(amount, (int, float, str)):
            resources.within("limits").put(key, convert(amount), place, reason)
        elif amount is not None:
            for side, value in (("limits", amount.limit), ("requests", amount.request)):
                if value is not None:
                    resources.within(side).put(key, convert(value), place, reason)
    for key, count in words.other.items():
        resources.within("limits").put(key, count, place, reason)
    if not resources.tree:
        del build.tree["resources"]
