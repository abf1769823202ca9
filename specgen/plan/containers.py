"""Containers beside the program: those that run before it, and sidecars. Loaded for pods that have one."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING
from specgen.manifest.origins import Sourced
from specgen.operators.release import at_least, spelled
from specgen.plan.devices import AMOUNTS, pages
from specgen.plan.images import pulled
from specgen.plan.mounts import mount_point
from specgen.plan.network import entry
from specgen.plan.pods import ContainerPlan
from specgen.plan.security import context
from specgen.profile import codes
from specgen.schema.record import plain, record
from specgen.tables import job as job_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import JobDraft, RoleDraft
    from specgen.profile.pod import Container, Security
    from specgen.profile.resources import Resources

    _Entry: TypeAlias = tuple[str, Container, Place, tuple[str, str] | None]

# Native sidecars (init containers that restart) are on by default since this version of Kubernetes.
_NATIVE_SIDECARS = (1, 29)


def plan_containers(draft: JobDraft, role: RoleDraft) -> list[Finding]:
    """Fills ``role.init`` and ``role.sidecars``. What the fabric adds runs before the job's own."""
    profile, words = role.profile, role.profile.words
    # name, words, where it is said, and its path in the role's words, if it is theirs
    init: list[_Entry] = [(key, one, place, None) for key, (one, place) in role.fabric_init.items()]
    init += [(key, one, profile.place(("init", key), KEY), ("init", key)) for key, one in words.init.items()]
    beside: list[_Entry] = [
        (key, one, profile.place(("sidecars", key), KEY), ("sidecars", key)) for key, one in words.sidecars.items()
    ]
    beside += [(key, one, place, None) for key, (one, place) in role.fabric_sidecars.items()]
    role.native = _native(draft)
    findings: list[Finding] = []
    groups = [(init, role.init), (beside, role.sidecars)]
    # volumes have the order of the containers that bring them, and native sidecars come first
    for group, found in reversed(groups) if role.native else groups:
        for name, one, place, own in group:
            found.append(_container(draft, role, name, one, place, own, findings))
            found[-1].of_fabric = own is None
    if not role.native:
        outliving = [(key, profile.place(("sidecars", key), KEY)) for key in words.sidecars]
        # the platform's own may know how they end: where a shell decides, that is believed
        outliving += [(key, place) for key, (one, place) in role.fabric_sidecars.items() if not _may_end(one)]
        findings += [_outlives(draft, key, place) for key, place in outliving]
    return findings


def _native(draft: JobDraft) -> bool:
    version, known = draft.job.cluster.kubernetes, draft.kind.pods_of
    if version is None or (known is not None and known < _NATIVE_SIDECARS):
        return False
    if not at_least(version, _NATIVE_SIDECARS):
        return False
    # the CRD must store the field; that of older training operators does not
    return not draft.target.READER.operator.lacks(("initContainers", "restartPolicy"), draft.version)


def _may_end(container: Container) -> bool:
    """Whether a shell stands between the kubelet and the container's program, and may end it."""
    first = next(iter(container.command or container.args or ()), "")
    return first.rpartition("/")[2].endswith("sh")


def _outlives(draft: JobDraft, name: str, place: Place) -> Finding:
    """SG207: beside the program, an ordinary container keeps the pod, and with it the job and its devices."""
    version, known = draft.job.cluster.kubernetes, draft.kind.pods_of
    message = f"the pod ends only when the sidecar `{name}` ends as well, and keeps its devices until then"
    if version is None and draft.job.cluster_document is None:
        why = "no cluster profile says which Kubernetes there is"
        helps = ['`cluster: FILE` names one, which says `kubernetes: "1.31"`, for example']
    elif version is None:
        why, helps = "the cluster profile says no `kubernetes` version", ['say it there, such as `kubernetes: "1.31"`']
    else:
        older = not at_least(version, _NATIVE_SIDECARS)
        keeper = f"Kubernetes {version}" if older else f"{draft.kind.operator} {draft.version}"
        if known is not None and not older:
            keeper = f"{draft.kind.operator}'s pods are of Kubernetes {spelled(known)}: it"
        why, helps = f"{keeper} knows no sidecars that end with the program", []
    helps.append("let it end with the program, by a file on a volume that both mount, say")
    notes = [f"it becomes an ordinary container: {why}"]
    return codes.CONTRADICTION.at(place, message, notes=notes, helps=helps, severity=WARNING)


def _container(
    draft: JobDraft,
    role: RoleDraft,
    name: str,
    words: Container,
    place: Place,
    own: tuple[str, str] | None,
    findings: list[Finding],
) -> ContainerPlan:
    """One container: the pod's image, pull policy and mounts unless it says otherwise, no environment."""
    image = role.image
    if words.image is not None:
        image = Sourced(pulled(draft, words.image), place, f"the container `{name}`")
    elif image is not None:
        image = Sourced(image.value, image.place, "the job's image, as the container names none")
    found = ContainerPlan(name, place, image)
    pull = words.pull or role.profile.words.pull
    found.pull_policy = pull.policy if pull is not None else None
    found.command, found.args, found.workdir = words.command, words.args, words.workdir
    for variable, written in words.env.items():
        found.env[variable] = entry(written if isinstance(written, str) else plain(written))
    if any("trainer" in word for word in (*(words.command or ()), words.workdir or "")):
        from specgen.plan.node_name import name_node_beside  # few run the trainer

        name_node_beside(found)
    if words.resources is not None:
        _amounts(role, found, words.resources)
    level = draft.pod_security
    strict = level is not None and level.value == "restricted"
    if words.security is not None or strict:
        said: Security = words.security if words.security is not None else record({}, "Security", job_table.RECORDS)
        found.security = context(said, lambda *path: place, level if strict else None)
        if strict:
            findings += _may_be_root(role, name, said, place)
    if words.mounts is not None:
        found.mounts = []
        for path, one in words.mounts.items():
            mine = (*own, "mounts", path) if own is not None else None
            there = role.profile.place(mine, KEY) if mine is not None else place
            point = mount_point(role, path, one, there, mine, findings)
            if point is not None:
                found.mounts.append(point)
    return found


def _may_be_root(role: RoleDraft, name: str, words: Security, place: Place) -> list[Finding]:
    """SG207: a container that must not be root, of which nobody says who it is, beside a program of which it is said.

    Kubernetes 1.36, pkg/kubelet/kuberuntime/security_context.go (verifyRunAsNonRoot): the image's own user counts then.
    """
    profile = role.profile
    user = profile.words.security.user
    if not user or words.user is not None or words.non_root is False or profile.removed(("security", "nonRoot")):
        return []
    message = f"the container `{name}` must not be root, and nobody says its user"
    related = [(profile.place(("security", "user")), "of the training container alone")]
    notes = ["where the user of its image is root, the pod stays at CreateContainerConfigError"]
    helps = [f"write `security: {{user: {user}}}` in it, or a user that its image has"]
    return [codes.CONTRADICTION.at(place, message, related=related, notes=notes, helps=helps, severity=WARNING)]


def _amounts(role: RoleDraft, found: ContainerPlan, words: Resources) -> None:
    """What one container asks for; its devices have the names that the program's have."""
    for key, name, convert in AMOUNTS:
        amount = getattr(words, key)
        if isinstance(amount, (int, float, str)):
            found.amounts["limits", name] = convert(amount)
        elif amount is not None:
            for side, value in (("limits", amount.limit), ("requests", amount.request)):
                if value is not None:
                    found.amounts[side, name] = convert(value)
    pool = role.devices.pool
    if words.gpu:
        gpus = pool.gpu.resource if pool is not None and pool.gpu is not None else None
        found.amounts["limits", gpus or "nvidia.com/gpu"] = words.gpu
    if words.npu and pool is not None and pool.npu is not None:
        found.amounts["limits", pool.npu.resource] = words.npu
    for name, count in (*pages(words.hugepages or {}), *words.other.items()):
        found.amounts["limits", name] = count
    found.claims = list(words.claims)
