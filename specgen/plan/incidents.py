"""How many incidents a job goes on after: the limit on restarts that says so. Loaded for jobs that say ``restarts``,
and for those that say ``restart: Never`` and no limit.

What one incident counts is the operator's business (``Reader.counted``): the restart of each pod that it ends, the
launcher's alone, or one new beginning of all pods.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, plural
from specgen.manifest.origins import Sourced
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.operators.lifecycle import Counted
    from specgen.plan.draft import JobDraft, RoleDraft

# Policies with which containers are started again in place, and those restarts are counted.
_IN_PLACE = ("OnFailure", "Always")


def plan_incidents(draft: JobDraft) -> list[Finding]:
    """Fills ``lifecycle.backoff_limit``, and policies of roles that say none. SG207 where nothing would be counted."""
    lifecycle = draft.lifecycle
    said = lifecycle.restarts
    if said is None or draft.runtime is not None:
        # what is the runtime's alone is refused with its other words
        return []
    if lifecycle.restart_all is not None:
        related = [(lifecycle.restart_all.at, "how often all pods start again together")]
        message = f"`restarts: {said.value}` contradicts `restartAll: {lifecycle.restart_all.value}`"
        helps = ["keep `restartAll` where one pod that fails is to end all, `restarts` where it alone begins again"]
        return [codes.CONTRADICTION.at(said.at, message, related=related, helps=helps)]
    if lifecycle.backoff_limit is not None:
        related = [(lifecycle.backoff_limit.at, "the restarts that are counted")]
        helps = ["`restarts` counts incidents, and the limit follows from it: keep one of the two"]
        message = f"`restarts: {said.value}` contradicts `backoffLimit: {lifecycle.backoff_limit.value}`"
        return [codes.CONTRADICTION.at(said.at, message, related=related, helps=helps)]
    if draft.kind.together:
        return _together(draft, said)
    counting = [role for role in draft.roles if role.word == draft.kind.launcher] or draft.roles
    findings = _policies(draft, counting, said)
    if findings:
        return findings
    most = draft.world.most if draft.world.elastic else None
    roles = {role.name: (int(role.replicas.value), _policy(draft, role)) for role in counting}
    counted = draft.target.READER.counted(roles, most)
    if counted is not None:
        limit = counted.limit(int(said.value))
        lifecycle.backoff_limit = Sourced(limit, said.place, _reason(draft, counted, int(said.value)))
    return []


# Fields by which a patch says itself how often a Job makes pods.
_LIMITS = ("backoffLimit", "podFailurePolicy", "failurePolicy")


def check_never(draft: JobDraft) -> list[Finding]:
    """SG208, a warning: ``restart: Never`` where a Job makes another pod, as often as Kubernetes lets it by default."""
    lifecycle = draft.lifecycle
    if draft.runtime is not None or not (
        lifecycle.backoff_limit is lifecycle.restarts is lifecycle.restart_all is None
    ):
        return []
    patched = repr(draft.job.layers.data.get("patch"))
    if any(f"'{field}" in patched for field in _LIMITS):
        return []
    findings: list[Finding] = []
    for role in [role for role in draft.roles if role.word == draft.kind.launcher] or draft.roles:
        said = role.restart
        counted = draft.target.READER.counted({role.name: (1, "Never")}, None)
        if said is None or said.value != "Never" or counted is None or counted.usual is None:
            continue
        message = f"`restart: Never` starts no container again, but the Job of {draft.kind.one} makes another pod"
        notes = [f"a Job that says no limit puts a pod in the place of each that fails, up to {counted.usual} times"]
        helps = [
            "`lifecycle: {restarts: 0}` has the first failure end the job; another number says how many incidents it "
            "goes on after"
        ]
        if all(one.place.path != said.at.path for one in findings):
            findings.append(codes.NOT_FOR_TARGET.at(said.at, message, notes=notes, helps=helps, severity=WARNING))
    return findings


def _together(draft: JobDraft, said: Sourced) -> list[Finding]:
    """Where an incident is one new beginning of all pods: the limit, and policies by which pods fail at all."""
    findings: list[Finding] = []
    for role in draft.roles:
        if role.restart is None:
            reason = "`lifecycle.restarts`: a pod that fails has all of them begin again, which is counted"
            role.restart = Sourced("Never", said.place, reason)
        elif role.restart.value in _IN_PLACE:
            message = f"`restarts: {said.value}` contradicts `restart: {role.restart.value}`"
            related = [(role.restart.at, "starts a container again in place, which nobody counts")]
            if all(one.related != related for one in findings):
                helps = ["`restart: Never` lets the pod fail, and all pods begin again"]
                findings.append(codes.CONTRADICTION.at(said.at, message, related=related, helps=helps))
    counted = draft.target.READER.counted(
        {role.name: (int(role.replicas.value), "Never") for role in draft.roles}, None
    )
    if counted is not None and not findings:
        incidents = int(said.value)
        reason = f"`lifecycle.restarts`: {plural(incidents, 'incident')}, and the one that fails the job"
        draft.lifecycle.backoff_limit = Sourced(incidents + counted.reached, said.place, reason)
    return findings


def _policy(draft: JobDraft, role: RoleDraft) -> str:
    kind = draft.kind
    return str(role.restart.value) if role.restart is not None else kind.restarts.get(role.word, kind.restart)


def _policies(draft: JobDraft, counting: list[RoleDraft], said: Sourced) -> list[Finding]:
    """Roles that say no policy get one by which they begin again; those that say another contradict it."""
    findings: list[Finding] = []
    # a Job replaces pods that are not restarted in place, and counts them
    replaced = draft.target.READER.counted({role.name: (1, "Never") for role in counting}, None) is not None
    for role in counting:
        if role.restart is None and _policy(draft, role) == "Never" and not replaced:
            role.restart = Sourced("OnFailure", said.place, "`lifecycle.restarts`: a container that fails begins again")
        policy = _policy(draft, role)
        if policy in _IN_PLACE or role.restart is None:
            continue
        if policy == "Never" and (replaced or not said.value):  # no restart is what `restarts: 0` asks for
            continue
        note = "a pod with `Never` that fails is not started again"
        if policy == "ExitCode":
            note = "with `ExitCode` a pod is created again, and counts from 0: nothing limits how often"
        message = f"`restarts: {said.value}` contradicts `restart: {policy}`"
        related = [(role.restart.at, "says when a pod begins again")]
        if all(one.related != related for one in findings):
            helps = ["`restart: OnFailure` starts containers again in place, which is counted"]
            findings.append(codes.CONTRADICTION.at(said.at, message, related=related, notes=[note], helps=helps))
    return findings


def _reason(draft: JobDraft, counted: Counted, incidents: int) -> str:
    if counted.most < 2:
        last = ", and the restart that fails the job" if counted.reached else ""
        return f"`lifecycle.restarts`: {plural(incidents, 'incident')}, one restart each{last}"
    said = (
        f"`lifecycle.restarts`: {plural(incidents, 'incident')}, each of which restarts the containers of "
        f"{counted.most} pods, and 1: the job fails at this many restarts"
    )
    workers = next((int(role.replicas.value) for role in draft.roles if role.word == draft.kind.worker), 0)
    if draft.kind.unled and draft.world.led and workers:
        said += (
            f"; those of `init-pytorch` count too, {workers} for each 200 s that the Master is not there, as while its "
            "image is pulled"
        )
    return said
