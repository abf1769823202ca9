"""Whether the pods of a job start together, by whose word, and in which queue.

What each gang scheduler makes of it is in ``specgen.gangs``. Operators' flags as in facts of training-operator
1.9.4 (pkg/controller.v1/common/job.go): with its gang flag the operator groups every job, whatever the job says.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed
from specgen.manifest.origins import Sourced
from specgen.plan.model import Gang
from specgen.profile import codes
from specgen.profile.resolve import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import JobDraft
    from specgen.plan.model import Plan
    from specgen.profile.resolve import ResolvedJob

# The operator's flag → the gang's word in profiles.
_WORDS = {"volcano": "volcano", "scheduler-plugins": "coscheduling"}
_GANG = ("scheduling", "gang")
_QUEUE = ("scheduling", "queue")


def plan_gang(plan: JobDraft) -> list[Finding]:
    """Fills ``plan.gang``. Findings: words that contradict each other, the cluster or its operator; unknown queues."""
    job = plan.job
    flag = plan.flag
    if flag is not None and flag not in plan.kind.flags:
        message = f"the {plan.kind.operator} groups jobs for {listed(list(plan.kind.flags))} alone, not for `{flag}`"
        return [codes.CONTRADICTION.at(_flag_place(plan), message)]
    said, findings = _said(plan)
    queue, known = job.job.scheduling.queue, job.cluster.scheduling.queues
    if said is not None:
        findings += _flag(plan, said) or _unable(plan, said)
        flagged = _WORDS.get(plan.flag or "")
        plan.gang = Gang(said, by_operator=plan.target.groups(plan, str(said.value), flagged))
        priority = job.job.scheduling.priority
        if priority is not None:
            plan.gang.priority = Sourced(priority, job.place(("scheduling", "priority")), "`scheduling.priority`")
            plan.gang.of_workloads = job.of_workloads
        scheduler = job.cluster.scheduling.scheduler
        if scheduler is not None:
            place = job.cluster_place(("scheduling", "scheduler"))
            plan.gang.scheduler = Sourced(scheduler, place, "the cluster's scheduler")
        if known:
            plan.gang.queues = Sourced(known, job.cluster_place(("scheduling", "queues")), "the cluster's queues")
        if queue is not None:
            plan.gang.queue = Sourced(queue, job.place(_QUEUE), "`scheduling.queue`")
            named = _names(known)
            if known and queue not in named:
                where = ("scheduling", "queues")
                findings.append(unknown(queue, named, "queue", job.place(_QUEUE), job, where))
    elif queue is not None and not findings:
        findings.append(_queue_alone(plan))
    return findings + _priority(plan)


def _names(queues: Any) -> list[str]:
    """The names of the cluster's queues that a job may give."""
    if not isinstance(queues, dict):
        return list(queues)
    from specgen.profile.queues import names  # most clusters say no more of queues than their names

    return names(queues)


def total(plan: Plan) -> int:
    """The pods of all roles of the gang."""
    return sum(int(role.replicas.value) for role in plan.roles if role.word not in plan.waiting)


def _said(plan: JobDraft) -> tuple[Sourced | None, list[Finding]]:
    """The gang's word with its origin, or None: the job has none."""
    job = plan.job
    written, queue, offered = job.job.scheduling.gang, job.job.scheduling.queue, _offered(plan)
    if written is False or (written is None and _GANG in job.layers.removals):
        return None, _declined(plan)
    if written is None:
        alone = total(plan) < 2 and queue is None and not plan.kind.gang
        if offered is None or (alone and not _ordered_by_group(plan)):
            return None, []
        return offered, []
    place = job.place(_GANG)
    if written is True:
        if offered is not None:
            return Sourced(offered.value, place, "`scheduling.gang`, as the cluster has it"), []
        message = "`gang: true` contradicts the cluster, which has no gang scheduler"
        if job.cluster_document is None:
            message = "`gang: true` leaves the scheduler to the cluster profile, and the job names none"
        return None, [codes.CONTRADICTION.at(place, message, related=_where(job), helps=[_NAMES])]
    of_kind = plan.kind.gang and job.cluster.scheduling.gang is None  # then it is the kind that is unable
    if offered is not None and offered.value != written and not of_kind:
        related = [(offered.place, f"`gang: {offered.value}`")] if offered.place is not None else []
        message = f"`gang: {written}` contradicts the cluster, whose gang scheduler is {offered.value}"
        return None, [codes.CONTRADICTION.at(place, message, related=related)]
    return Sourced(written, place, "`scheduling.gang`"), []


_SCHEDULERS = "`volcano`, `coscheduling`, `kueue`, `kai`, or `yunikorn`"
_NAMES = f"`scheduling.gang` names one: {_SCHEDULERS}"


def _ordered_by_group(plan: JobDraft) -> bool:
    """Whether a priority must be said of the group, also of one pod: Volcano does not order by that of the pods."""
    return plan.flag == "volcano" and plan.job.job.scheduling.priority is not None and not plan.job.of_workloads


def _offered(plan: JobDraft) -> Sourced | None:
    """The gang scheduler that the cluster profile has, by its own word or by the operator's flag."""
    job = plan.job
    word = job.cluster.scheduling.gang
    if word is not None:
        return Sourced(
            word, job.cluster_place(_GANG), "the cluster's gang scheduler: the pods of the job start together"
        )
    if plan.kind.gang:
        reason = f"each {plan.kind.name} is a gang of its own scheduler"
        return Sourced(plan.kind.gang, job.place(("target",)), reason)
    flag = plan.flag
    if flag is None:
        return None
    return Sourced(_WORDS[flag], _flag_place(plan), "the operator's gang scheduler: the pods of the job start together")


def _flag_place(plan: JobDraft) -> Place:
    return plan.job.cluster_place(("operators", plan.kind.operator, "gang"))


def _declined(plan: JobDraft) -> list[Finding]:
    """``gang: false``: no queue then; an operator that groups every job is told that one pod is enough."""
    job = plan.job
    if job.job.scheduling.queue is not None:
        related = [(job.place(_GANG), "no gang")]
        message = "`queue` contradicts `gang: false`: a queue is the gang scheduler's"
        return [codes.CONTRADICTION.at(job.place(_QUEUE), message, related=related)]
    if plan.flag is not None and total(plan) > 1:
        reason = "`scheduling.gang: false`: the operator groups every job, and a group of one holds nothing back"
        plan.run_policy["schedulingPolicy", "minAvailable"] = Sourced(1, job.place(_GANG), reason)
    return []


def _flag(plan: JobDraft, said: Sourced) -> list[Finding]:
    """The operator groups jobs by another scheduler. Kueue goes with any: it only decides when a job may begin."""
    flag = plan.flag
    if flag is None or said.value in (_WORDS[flag], "kueue"):
        return []
    message = f"`gang: {said.value}` contradicts the {plan.kind.operator}, which groups every job for {flag}"
    related = [(_flag_place(plan), f"started with `gang: {flag}`")]
    return [codes.CONTRADICTION.at(said.place or _flag_place(plan), message, related=related)]


def _unable(plan: JobDraft, said: Sourced) -> list[Finding]:
    """SG208: the kind's pods cannot be told of such a gang, and its operator does not make one."""
    why = plan.kind.no_gang.get(said.value)
    if why is None or _WORDS.get(plan.flag or "") == said.value:
        return []
    helps = [] if plan.kind.gang else ["`scheduling: {gang: false}` builds the job without a gang"]
    if plan.kind.other:
        able = f"{plan.kind.one} of the {plan.kind.other} can"
        helps.insert(0, f"{able}: where it is installed, `operators` of the cluster profile names it")
    place = said.place or plan.job.place(("target",))
    return [codes.NOT_FOR_TARGET.at(place, f"{plan.kind.one} cannot be a gang of {said.value}: {why}", helps=helps)]


def _queue_alone(plan: JobDraft) -> Finding:
    from specgen.schema.remedies import flow  # most jobs need none of it

    job = plan.job
    message = "`queue` contradicts the cluster, which has no gang scheduler to hold it"
    helps = [_NAMES]
    if job.cluster_document is None:
        message = "`queue` needs a gang scheduler, and the job names no cluster profile that has one"
        # Kueue first: it holds back jobs of most kinds
        name = next((one for one in ("kueue", "volcano") if one not in plan.kind.no_gang), None)
        if name is not None:
            line = flow({"gang": name, "queue": job.job.scheduling.queue})
            helps = [f"write `scheduling: {line}`, or the one that has the queue: {_SCHEDULERS}"]
    return codes.CONTRADICTION.at(job.place(_QUEUE), message, related=_where(job), helps=helps)


def _where(job: ResolvedJob) -> list[tuple[Place, str]]:
    """The cluster's words about scheduling, or its name where it has none."""
    if job.cluster_document is None:
        return []
    key = "scheduling" if "scheduling" in job.cluster_document.data else "metadata"
    return [(job.cluster_place((key,), KEY), "this cluster")]


def _priority(plan: JobDraft) -> list[Finding]:
    job = plan.job
    name, known = job.job.scheduling.priority, job.cluster.scheduling.priorities
    if name is not None and known and name not in known and not name.startswith("system-"):
        place, where = job.place(("scheduling", "priority")), ("scheduling", "priorities")
        return [unknown(name, list(known), "priority", place, job, where)]
    if not job.of_workloads or (plan.gang is not None and plan.gang.word == "kueue"):
        return []
    related = [(job.cluster_place(("scheduling", "priorities", str(name))), "the cluster says so")]
    message = f"`{name}` is a priority of workloads, which Kueue alone reads, and the job's gang is not Kueue's"
    return [codes.CONTRADICTION.at(job.place(("scheduling", "priority")), message, related=related)]
