"""The job → its plan: every sum in order, every finding kept."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, has_errors, listed
from specgen.plan.checks import job_checks, role_checks
from specgen.plan.codes import NAME_TOO_LONG, NOTHING_TO_REMOVE
from specgen.plan.devices import plan_devices
from specgen.plan.gang import plan_gang
from specgen.plan.images import image_checks, mirrored
from specgen.plan.model import Plan, Said
from specgen.plan.mounts import plan_mounts
from specgen.plan.network import plan_network
from specgen.plan.placement import placement
from specgen.plan.world import commands, over_runtime, roles, world
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.kind import Kind
    from specgen.plan.model import RolePlan
    from specgen.profile.resolve import ResolvedJob


def make(job: ResolvedJob, kind: Kind, version: str) -> tuple[Plan | None, list[Finding]]:
    """``version``: of the operator that the plan is for."""
    count = world(job, kind)
    plans, findings = roles(job, kind, count)
    findings += job_checks(job, kind, count)
    if count.elastic:
        from specgen.plan.elastic import elastic_checks

        findings += elastic_checks(job, kind, count)
    if has_errors(findings):
        return None, findings
    carried = None
    if any(role.words.data.get("files") for role in plans):
        # loaded here, as the companions below: most jobs have none
        from specgen.plan.carried import carry, mount_files

        carried, found = carry(job, plans)
        findings += found
    launched = any(role.word == kind.launcher for role in plans)
    for index, role in enumerate(plans):
        twin = next((other for other in plans[:index] if other.words is role.words), None)
        if twin is not None:
            role.follow(twin)
            continue
        findings += plan_devices(role, count)
        if has_errors(findings):
            continue
        findings += plan_network(role, kind, count)
        findings += plan_mounts(role, count, fetched=kind.fetches)
        if carried is not None:
            findings += mount_files(role, carried)
        if not launched:
            findings += commands(role, count, kind.untold(job.name, count, version) if kind.untold is not None else [])
        findings += _image(role)
        findings += role_checks(role, count, kind)
    if launched and not has_errors(findings):
        from specgen.plan.mpi import launch  # most kinds have no launcher

        findings += launch(job, kind, version, plans, count)
    plan = Plan(job, kind, version, count, plans)
    plan.waiting = tuple(role.word for role in plans if role.late)
    if carried is not None or _has_companions(job, plans):
        from specgen.plan.companions import plan_companions

        plan.companions, found = plan_companions(job, plans, carried)
        findings += found
    findings += _names(plan) + plan_gang(plan)
    if not has_errors(findings):
        findings += placement(plan)
    return (None if has_errors(findings) else plan), findings


def _has_companions(job: ResolvedJob, roles: list[RolePlan]) -> bool:
    """Whether a mount may make a claim, objects are named, or NVLink spans pods: asked of plain words: mostly not."""
    data = job.layers.data
    if data.get("objects") or (data.get("communication") or {}).get("nvlink"):
        return True
    return any("create" in mount for role in roles for mount in _written_mounts(role))


def _written_mounts(role: RolePlan) -> list[Any]:
    data = role.words.data
    beside = [*(data.get("init") or {}).values(), *(data.get("sidecars") or {}).values()]
    return [mount for words in (data, *beside) for mount in (words.get("mounts") or {}).values()]


def _image(role: RolePlan) -> list[Finding]:
    image = role.words.words.image
    if image is None and over_runtime(role.words.job):
        return []
    if image is None:
        place = role.words.job.place(("metadata",), KEY)
        return [codes.MISSING.at(place, f"the role `{role.word}` has no `image`")]
    place = role.words.place(("image",))
    if not image:
        return [codes.MISSING.at(place, "`image` is empty", helps=["name the image of the program"])]
    cluster = role.words.job.cluster
    pulled = mirrored(image, cluster)
    reason = "`image`" if pulled == image else "`image`, from the mirror that the cluster profile names"
    role.image = Said(pulled, place, reason)
    return image_checks(image, place, role.words.job)


def _names(plan: Plan) -> list[Finding]:
    """SG211: the longest name that the operator derives."""
    derived, outcome = plan.kind.names(plan) if plan.kind.names is not None else _of_pods(plan)
    worst = max(derived, key=len, default="")
    findings = []
    place = plan.job.place(("metadata", "name"))
    if plan.job.variant is not None:
        from specgen.diagnostics.model import Place

        place = Place(("variants", plan.job.variant), KEY, where=plan.job.document)
    if len(worst) > 63:
        message = f"the operator makes `{worst}` of this name, which is longer than 63 characters"
        findings.append(NAME_TOO_LONG.at(place, message, notes=[f"it has {len(worst)}; {outcome}"]))
    if plan.kind.letter and not plan.job.name[:1].isalpha():
        message = f"{plan.kind.one} cannot be called `{plan.job.name}`: {plan.kind.letter}"
        findings.append(NAME_TOO_LONG.at(place, message))
    return findings


def _of_pods(plan: Plan) -> tuple[list[str], str]:
    """The names of the last pods, which are their Services' too."""
    derived = []
    for role in plan.roles:
        most = plan.world.most if plan.world.elastic else int(role.replicas.value)
        derived.append(f"{plan.job.name}-{role.name.lower()}-{most - 1}")
    return derived, "a pod and a Service bear it, and no Service can be created"


def removals(plan: Plan) -> list[Finding]:
    """SG206: nulls that neither a weaker layer nor the cluster nor a default had anything for.

    For a plan that was lowered: pools, mesh and scheduler meet nulls only while pods are written.
    """
    findings = []
    for path, (at, met) in plan.job.layers.removals.items():
        if met or any(path in role.words.consumed for role in plan.roles) or plan.job.defaulted(path):
            continue
        if path[0] == "roles" and (len(path) > 2 or (plan.kind.unled and path == ("roles", plan.kind.first))):
            continue
        findings.append(_nothing(at, path))
    top = plan.job.layers.removals
    for role in plan.roles:
        for path, (at, met) in role.words.layers.removals.items():
            if met or path in role.words.consumed or path in top or plan.job.defaulted(path):
                continue
            findings.append(_nothing(at, path))
    return findings


def _nothing(at, path) -> Finding:  # type: ignore[no-untyped-def]
    from specgen.diagnostics.model import Place
    from specgen.source import dotted

    place = Place(at.path, KEY, where=at.document)
    helps = []
    if "," in str(path[-1]) or len(path) > 1:
        helps = [f"quote the text if `{listed([str(path[-1])]).strip('`')}` was to be part of a value"]
    return NOTHING_TO_REMOVE.at(place, f"`{dotted(path)}: null` removes nothing", helps=helps[: len(path) > 1])
