"""The job → its plan: every sum in order, every finding kept."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, has_errors
from specgen.manifest.origins import Sourced, located
from specgen.operators.release import spelled
from specgen.plan.affinity import tier_of
from specgen.plan.capacity import shared_memory
from specgen.plan.checks import job_checks, role_checks
from specgen.plan.codes import NAME_TOO_LONG
from specgen.plan.devices import plan_devices
from specgen.plan.draft import JobDraft
from specgen.plan.facts import fill_facts
from specgen.plan.images import image_checks, pulled
from specgen.plan.mounts import plan_mounts
from specgen.plan.network import may_run_trainer, plan_network
from specgen.plan.pods import Domain
from specgen.plan.world import commands, roles, through_entrypoint, world
from specgen.profile import codes
from specgen.profile.levels import label_of

# The name of the port at which pods meet, where no operator gives them one.
_MEETING = "rendezvous"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.plan.target import Target
    from specgen.profile.resolve import ResolvedJob

# Words of which none says how many pods there are, what each asks for, or where it may go.
_APART = frozenset(
    [(word,) for word in ("args", "command", "env", "files", "image", "mounts")]
    + [("communication", "version"), ("scheduling", "priority"), ("scheduling", "queue")]
)


def make(job: ResolvedJob, target: Target, version: str) -> tuple[JobDraft | None, list[Finding]]:
    """The plan up to its gang, which ``complete`` goes on with. ``version``: of the operator that the plan is for.

    Beside errors the plan is none to build from, but the pods are as they will be.
    """
    kind = target.PLAN
    count = world(job, kind)
    plans, findings = roles(job, target, count)
    findings += job_checks(job, kind, count)
    if count.elastic:
        from specgen.plan.elastic import elastic_checks

        findings += elastic_checks(job, kind, count)
    if job.job.guard:
        from specgen.plan.guard import checks as guard_checks  # most jobs have none

        findings += guard_checks(job, kind, count, plans)
    if has_errors(findings):
        return None, findings
    draft = JobDraft(job, target, version, count, plans)
    fill_facts(draft)
    carrier = None
    if any(role.profile.data.get("files") for role in plans):
        # loaded here, as the objects below: most jobs have none
        from specgen.plan.carried import carry, mount_files

        carrier, found = carry(job, plans)
        findings += found
    launched = any(role.word == kind.launcher for role in plans)
    # whether it is known of each role what a pod of it asks for, and where
    placed = True
    unlike: list[RoleDraft] = []
    for index, role in enumerate(plans):
        twin = next((other for other in plans[:index] if other.profile is role.profile), None)
        if twin is not None:
            role.follow(twin)
            continue
        unlike.append(role)
        _written(draft, role)
        found = plan_devices(role, count)
        findings += found
        if has_errors(found):
            placed = False
            if role.devices.pool is None:
                # as of a job without a pool: which one was meant changes nothing in what is refused of the rest
                rest = plan_network(role, kind, count) + plan_mounts(role, count, fetched=kind.fetches)
                findings += [one for one in rest if one.severity == ERROR]
            continue
        findings += plan_network(role, kind, count)
        findings += plan_mounts(role, count, fetched=kind.fetches)
        if carrier is not None:
            findings += mount_files(role, carrier)
        findings += _told(draft, role)
        if not launched:
            if may_run_trainer(role):
                from specgen.plan.node_name import name_node  # most jobs run programs of their own

                name_node(role)
            untold = target.untold(job.called, count, version)
            findings += commands(role, kind, count, untold) + through_entrypoint(role)
        findings += _image(draft, role)
        findings += role_checks(role, count, kind)
    if launched and has_errors(findings):
        placed = False
    elif launched:
        from specgen.plan.mpi import launch  # most kinds have no launcher

        findings += launch(draft)
    draft.waiting = tuple(role.word for role in plans if role.late)
    if carrier is not None or _has_extra_objects(job, plans):
        from specgen.plan.extra_objects import plan_extra_objects

        draft.objects, found = plan_extra_objects(draft, carrier.carried if carrier is not None else None)
        findings += found
    findings += _names(draft)
    if _may_be_gang(draft):
        from specgen.plan.gang import plan_gang  # most jobs of one pod, or on a plain cluster, are none

        findings += plan_gang(draft)
    findings += _unsliced(draft)
    if draft.lifecycle.managed_by is not None:
        findings += _unmanaged(draft, draft.lifecycle.managed_by)
    if draft.generated is not None:
        from specgen.plan.generated import unnamed  # most jobs have a name

        findings += unnamed(draft)
    if placed:
        findings += [finding for role in unlike for finding in shared_memory(role)]
        if any("scheduling" in role.profile.data for role in plans):
            from specgen.plan.eligible_nodes import misled  # most jobs are not led anywhere

            findings += misled(unlike)
    return (draft if placed and all(_apart(one) for one in findings) else None), findings


def _apart(finding: Finding) -> bool:
    """Whether a finding leaves it as it is how many pods there are, what each asks for, and where it may go."""
    if finding.severity != ERROR:
        return True
    path = finding.place.path
    path = path[2:] if path[:1] == ("roles",) else path
    return path[:1] in _APART or path[:2] in _APART


def _written(draft: JobDraft, role: RoleDraft) -> None:
    """What the author says of the pods of a role and others add to: labels, annotations, fields, ports, scheduler."""
    profile, data = role.profile, role.profile.data
    for name, said in draft.labels.items():
        role.labels[name] = Sourced(said.value, said.place, "`metadata.labels` go on the job and its pods")
    for group, target in (
        ("labels", role.labels),
        ("annotations", role.annotations),
        ("ports", role.ports),
        ("pod", role.pod),
    ):
        for name, value in data.get(group, {}).items():
            target[name] = Sourced(
                value, profile.place((group, name)), f"`pod.{name}`" if group == "pod" else f"`{group}`"
            )
    scheduling = data.get("scheduling")
    if not scheduling:
        return
    words, job = profile.words.scheduling, draft.job
    if words.scheduler is not None:
        place = profile.place(("scheduling", "scheduler"))
        role.scheduler = Sourced(words.scheduler, place, "`scheduling.scheduler`")
    if words.priority is not None and not job.of_workloads:
        role.priority = Sourced(words.priority, profile.place(("scheduling", "priority")), "`scheduling.priority`")
    for key, word in (("within", words.within), ("near", words.near)):
        if word is not None:
            label = label_of(word, job.cluster.topology)
            role.domains[key] = Domain(word, label, profile.place(("scheduling", key)))
            role.domains[key].tier = tier_of(word, job.cluster.topology)
    for word, size in words.slices.items():
        place = profile.place(("scheduling", "slices", word))
        role.slices = (Domain(word, label_of(word, job.cluster.topology), place), size)


def _told(draft: JobDraft, role: RoleDraft) -> list[Finding]:
    """Adds the variables by which the pods meet, before the author's own, and the port, where no operator does.

    What the author sets or takes away stays so. SG207, a warning: one number for all pods.
    """
    told, port = draft.target.tells(draft.name, draft.world)
    if not told:
        return []
    place, reason = draft.world.target, f"{draft.kind.one} tells its pods nothing: here they learn how to meet"
    own = {name: one for name, one in told.items() if name not in role.env and not role.profile.removed(("env", name))}
    role.env = {**{name: Sourced(one, place, reason) for name, one in own.items()}, **role.env}
    listened = port is not None and {"value": str(port)} in own.values()
    if listened and _MEETING not in role.ports and all(said.value != port for said in role.ports.values()):
        role.ports[_MEETING] = Sourced(port, place, "the first pod listens here, and the others call it")
    findings = []
    for name in told:
        said = role.env.get(name)
        value = said.value.get("value", "$(") if said is not None and "valueFrom" in told[name] else "$("
        if said is not None and "$(" not in value and draft.world.pods > 1:
            message = f"`{name}: {value}` is the number of all {draft.world.pods} pods"
            helps = ["without it each pod gets a number of its own"]
            findings.append(codes.CONTRADICTION.at(said.key, message, helps=helps, severity=WARNING))
    return findings


def _unsliced(draft: JobDraft) -> list[Finding]:
    """SG208: pods that lie in slices, and no scheduler that knows them."""
    sliced = next((role.slices for role in draft.roles if role.slices is not None), None)
    if sliced is None or (draft.gang is not None and draft.gang.word == "kueue"):
        return []
    domain, size = sliced
    message = f"only Kueue places {size} pods at a time in one {domain.word}"
    related = []
    if draft.gang is not None and draft.gang.said.place is not None:
        related = [(draft.gang.said.place, f"the gang is {draft.gang.word}'s")]
    helps = [
        "`gang: kueue` lets Kueue place the pods",
        f"`spread: {{over: {domain.word}, domains: …}}` spreads them evenly with any scheduler",
    ]
    return [codes.NOT_FOR_TARGET.at(located(domain.place), message, related=related, helps=helps)]


def _unmanaged(draft: JobDraft, said: Sourced) -> list[Finding]:
    """SG208: a job that its operator leaves to nobody, in this version or ever."""
    operator = draft.target.READER.operator
    since = operator.since(("runPolicy", "managedBy"))
    if draft.kind.leaves or (since and not operator.lacks(("runPolicy", "managedBy"), draft.version)):
        return []
    message = f"{operator.name} {draft.version} leaves no job to another controller"
    notes = [f"`managedBy` came with {spelled(since)}"] if since else []
    return [codes.NOT_FOR_TARGET.at(said.key, message, notes=notes)]


def _may_be_gang(draft: JobDraft) -> bool:
    """Whether anybody says a word about gangs: the job, its cluster, or the operator's flag."""
    job = draft.job
    said = any(word in job.layers.data.get("scheduling", {}) for word in ("gang", "queue", "priority"))
    return said or job.cluster.scheduling.gang is not None or draft.flag is not None or bool(draft.kind.gang)


def _has_extra_objects(job: ResolvedJob, roles: list[RoleDraft]) -> bool:
    """Whether a mount may make a claim, objects are named, or NVLink spans pods: asked of plain words: mostly not."""
    data = job.layers.data
    if data.get("objects") or (data.get("communication") or {}).get("nvlink"):
        return True
    return any("create" in mount for role in roles for mount in _written_mounts(role))


def _written_mounts(role: RoleDraft) -> list[Any]:
    data = role.profile.data
    beside = [*(data.get("init") or {}).values(), *(data.get("sidecars") or {}).values()]
    return [mount for one in (data, *beside) for mount in (one.get("mounts") or {}).values()]


def _image(draft: JobDraft, role: RoleDraft) -> list[Finding]:
    image = role.profile.words.image
    if image is None and draft.runtime is not None:
        return []
    if image is None:
        place = role.profile.job.place(("metadata",), KEY)
        return [codes.MISSING.at(place, f"the role `{role.word}` has no `image`")]
    place = role.profile.place(("image",))
    if not image:
        return [codes.MISSING.at(place, "`image` is empty", helps=["name the image of the program"])]
    found = pulled(draft, image)
    reason = "`image`" if found == image else "`image`, from the mirror that the cluster profile names"
    role.image = Sourced(found, place, reason)
    return image_checks(image, place, role.profile.job)


def _names(plan: JobDraft) -> list[Finding]:
    """SG211: the longest name that the operator derives."""
    derived, outcome = plan.target.names(plan)
    worst = max(derived, key=len, default="")
    findings = []
    place = plan.job.named
    if len(worst) > 63:
        message = f"the operator makes `{worst}` of this name, which is longer than 63 characters"
        findings.append(NAME_TOO_LONG.at(place, message, notes=[f"it has {len(worst)}; {outcome}"]))
    if plan.kind.letter and not plan.job.name[:1].isalpha():
        message = f"{plan.kind.one} cannot be called `{plan.job.name}`: {plan.kind.letter}"
        findings.append(NAME_TOO_LONG.at(place, message))
    return findings
