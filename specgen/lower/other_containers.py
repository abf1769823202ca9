"""Containers beside the program: those that run before it, and sidecars. Loaded for pods that have one."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING
from specgen.lower.pod import demanded, main, pull_policy, security, volume_mounts
from specgen.operators.release import at_least, spelled
from specgen.plan.devices import AMOUNTS, pages
from specgen.plan.images import mirrored
from specgen.plan.mounts import mount_point
from specgen.plan.network import entry
from specgen.profile import codes
from specgen.schema.record import plain, record
from specgen.tables import job as job_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.manifest.build import Build
    from specgen.plan.model import Plan, RolePlan
    from specgen.profile.pod import Container, Security
    from specgen.profile.resources import Resources

# Native sidecars (init containers that restart) are on by default since this version of Kubernetes.
_NATIVE_SIDECARS = (1, 29)


def containers(plan: Plan, role: RolePlan, spec: Build, name: str, findings: list[Finding]) -> None:
    """All containers of the pod; ``name`` is the program's. What the fabric adds runs before the job's own."""
    words = role.words
    before = [(key, one, place, False) for key, (one, place) in role.init_words.items()]
    before += [(key, one, words.place(("init", key), KEY), False) for key, one in words.words.init.items()]
    beside = [(key, one, words.place(("sidecars", key), KEY)) for key, one in words.words.sidecars.items()]
    beside += [(key, one, place) for key, (one, place) in role.sidecar_words.items()]
    native = _native(plan)
    if native:
        before = [(key, one, place, True) for key, one, place in beside] + before
    for key, one, place, restarts in before:
        item = spec.item("initContainers")
        _extra(role, item, key, one, place, findings)
        if restarts:
            reason = "a sidecar of Kubernetes 1.29 and later: it ends with the program"
            item.put("restartPolicy", "Always", place, reason)
    main(role, spec.item("containers"), name)
    if not native:
        for key, one, place in beside:
            _extra(role, spec.item("containers"), key, one, place, findings)
        # what the fabric adds is the platform's, which knows how it ends
        findings += [_outlives(plan, key, words.place(("sidecars", key), KEY)) for key in words.words.sidecars]


def _outlives(plan: Plan, name: str, place: Place) -> Finding:
    """SG207: beside the program, an ordinary container keeps the pod, and with it the job and its devices."""
    version, known = plan.job.cluster.kubernetes, plan.kind.pods_of
    message = f"the pod ends only when the sidecar `{name}` ends as well, and keeps its devices until then"
    if version is None:
        why, helps = "the cluster profile says no `kubernetes` version", ["name the version in the cluster profile"]
    else:
        older = not at_least(version, _NATIVE_SIDECARS)
        keeper = f"Kubernetes {version}" if older else f"{plan.kind.operator} {plan.version}"
        if known is not None and not older:
            keeper = f"{plan.kind.operator}'s pods are of Kubernetes {spelled(known)}: it"
        why, helps = f"{keeper} knows no sidecars that end with the program", []
    helps.append("let it end with the program, by a file on a volume that both mount, say")
    notes = [f"it becomes an ordinary container: {why}"]
    return codes.CONTRADICTION.at(place, message, notes=notes, helps=helps, severity=WARNING)


def _native(plan: Plan) -> bool:
    version, known = plan.job.cluster.kubernetes, plan.kind.pods_of
    if version is None or (known is not None and known < _NATIVE_SIDECARS):
        return False
    return at_least(version, _NATIVE_SIDECARS) and _stored(plan)


def _stored(plan: Plan) -> bool:
    """Whether the CRD of the operator's version keeps the field; that of older training operators does not."""
    if plan.kind.operator != "training-operator":
        return True
    from specgen.operators.training.facts import OPERATOR  # most pods have no containers beside the program

    return not OPERATOR.lacks(("initContainers", "restartPolicy"), plan.version)


def _extra(role: RolePlan, build: Build, name: str, words: Container, place: Place, findings: list[Finding]) -> None:
    """An init container or sidecar: the pod's image, pull policy and mounts unless it has its own, no environment."""
    reason = f"the container `{name}`"
    build.put("name", name, place, reason)
    image = words.image
    if image is not None:
        build.put("image", mirrored(image, role.words.job.cluster), place, reason)
    elif role.image is not None:
        build.put("image", role.image.value, role.image.place, "the job's image, as the container names none")
    pull_policy(build, words.pull or role.words.words.pull, place)
    for key, value in (("command", words.command), ("args", words.args), ("workingDir", words.workdir)):
        if value is not None:
            build.put(key, list(value) if isinstance(value, list) else value, place, reason)
    for variable, written in words.env.items():
        item = build.item("env")
        item.put("name", variable, place, reason)
        if isinstance(written, str):
            item.put("value", written, place, reason)
        else:
            for key, source in entry(plain(written)).items():
                item.put(key, source, place, reason)
    if words.resources is not None:
        _amounts(role, build, words.resources, place, reason)
    demands = demanded(role)
    if words.security is not None or demands is not None:
        said: Security = words.security if words.security is not None else record({}, "Security", job_table.RECORDS)
        security(build, said, lambda *path: place, None, demands)
    if words.mounts is None:
        volume_mounts(build, [*(mount for mount in role.mounts if mount.path != "/dev/shm"), *role.lent])
        return
    mounts = []
    for path, mount in words.mounts.items():
        point = mount_point(role, path, mount, place, None, findings)
        if point is not None:
            mounts.append(point)
    volume_mounts(build, mounts)


def _amounts(role: RolePlan, build: Build, words: Resources, place: Place, reason: str) -> None:
    """What one container asks for; its devices have the names that the program's have."""
    resources = build.within("resources")
    for key, name, convert in AMOUNTS:
        amount = getattr(words, key)
        if isinstance(amount, (int, float, str)):
            resources.within("limits").put(name, convert(amount), place, reason)
        elif amount is not None:
            for side, value in (("limits", amount.limit), ("requests", amount.request)):
                if value is not None:
                    resources.within(side).put(name, convert(value), place, reason)
    pool = role.devices.pool
    if words.gpu:
        gpus = pool.gpu.resource if pool is not None and pool.gpu is not None else None
        resources.within("limits").put(gpus or "nvidia.com/gpu", words.gpu, place, reason)
    if words.npu and pool is not None and pool.npu is not None:
        resources.within("limits").put(pool.npu.resource, words.npu, place, reason)
    for name, amount in pages(words.hugepages or {}):
        resources.within("limits").put(name, amount, place, reason)
    for key, count in words.other.items():
        resources.within("limits").put(key, count, place, reason)
    for name in words.claims:
        resources.item("claims").put("name", name, place, reason)
    if not resources.tree:
        del build.tree["resources"]
