"""Kueue: the job waits, suspended, until its queue has room for all of its pods; then any scheduler places them.

The manifest says nothing of ``suspend``: Kueue's webhook sets it when the job is created, and Kueue changes it from
then on (recorded with Kueue 0.19.2). A manifest that says it would stop the running job whenever it is applied again.

The queue and the priority of a workload are labels of the job object (kueue.x-k8s.io, LocalQueue and
WorkloadPriorityClass). ``within`` and ``near`` become topology annotations of the pod templates, of which a template
may have one; two templates land in one domain together as a group, which Kueue makes of exactly two sets of pods, one
of them with a single pod (pkg/controller/jobframework, validation of ``podset-group-name``).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, VALUE, Place, plural
from specgen.gangs import _marks
from specgen.manifest.origins import Sourced, located
from specgen.operators.queues import GROUP, KUEUE_PRIORITY, KUEUE_QUEUE, PREFERRED, REQUIRED, SLICE, SLICE_SIZE
from specgen.profile import codes
from specgen.profile.queues import local_queues, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Gang, Plan
    from specgen.plan.pods import RolePlan
    from specgen.source import Path

SCHEDULER = None
QUEUES = True

_TOPOLOGY = {"within": REQUIRED, "near": PREFERRED}


def prepare(plan: Plan) -> list[Finding]:
    """The labels of the job, and the topology of its pods."""
    gang = plan.gang
    assert gang is not None
    findings = _queue(plan, gang)
    if gang.priority is not None and gang.of_workloads:
        reason = f"{gang.priority.reason}, which is of workloads"
        said = Sourced(gang.priority.value, gang.priority.place, reason)
        findings += _marks.on_job(plan, KUEUE_PRIORITY, said)
    for role in plan.roles:
        found = _topology(role)
        findings += [one for one in found if one.place.path not in [other.place.path for other in findings]]
    _together(plan)
    return findings


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """Nothing: Kueue makes its own object of the job."""


def _queue(plan: Plan, gang: Gang) -> list[Finding]:
    said, queues = gang.queue, gang.queues
    if said is None and queues is not None and len(set(names(queues.value))) == 1:
        only = names(queues.value)[0]
        # with what it has, or by its name alone
        steps: Path = next((one.path for one in local_queues(queues.value)), (0,))
        part = KEY if isinstance(steps[-1], str) else VALUE
        first = Place((*queues.at.path, *steps), part, where=queues.at.where)
        said = Sourced(only, first, "the only queue of the cluster profile")
    if said is not None:
        return _marks.on_job(plan, KUEUE_QUEUE, said)
    if KUEUE_QUEUE in plan.labels:
        return []
    message = "a job of Kueue needs a `queue`: without one nobody would let the suspended job begin"
    helps = ["`scheduling: {queue: …}` names it, `scheduling: {gang: false}` builds the job without Kueue"]
    related = [(queues.at, "the cluster has these")] if queues is not None else []
    return [codes.MISSING.at(gang.said.place or plan.named.at, message, related=related, helps=helps)]


def _topology(role: RolePlan) -> list[Finding]:
    if len(role.domains) == 2:
        related = [(located(role.domains["within"].place), "`within`")]
        message = "`near` contradicts `within`: Kueue takes one topology for a set of pods"
        return [codes.CONTRADICTION.at(located(role.domains["near"].place), message, related=related)]
    findings: list[Finding] = []
    for key, domain in role.domains.items():
        said = Sourced(domain.label, domain.place, f"`scheduling.{key}`, in Kueue's way")
        findings += _marks.on_role(role, "annotations", _TOPOLOGY[key], said)
    return findings + _slices(role)


def _slices(role: RolePlan) -> list[Finding]:
    """Slices of a set of pods. SG207: of a number that they do not divide, the last pods wait for ever (recorded)."""
    if role.slices is None:
        return []
    domain, size = role.slices
    pods, place = int(role.replicas.value), located(domain.place)
    if pods % size:
        message = f"{plural(pods, 'pod')} of the role `{role.word}` cannot be cut into slices of {size}"
        notes = [f"Kueue admits them and places {pods - pods % size}: the others would wait for ever"]
        helps = []
        if role.word == "master":
            helps = ["`roles: {master: null}` makes workers of all pods"]
        related = [(role.replicas.place, plural(pods, "pod"))] if role.replicas.place is not None else []
        return [codes.CONTRADICTION.at(place, message, related=related, notes=notes, helps=helps)]
    findings: list[Finding] = []
    for name, value in ((SLICE, domain.label), (SLICE_SIZE, str(size))):
        said = Sourced(value, domain.place, "`scheduling.slices`, in Kueue's way")
        findings += _marks.on_role(role, "annotations", name, said)
    return findings


def _together(plan: Plan) -> None:
    """Two roles that ask for one domain, one of them a single pod, ask for it together; others cannot (SG606)."""
    if (
        len(plan.roles) != 2
        or any(role.slices is not None for role in plan.roles)
        or all(role.replicas.value != 1 for role in plan.roles)
    ):
        return
    first, second = ({key: role.annotations.get(name) for key, name in _TOPOLOGY.items()} for role in plan.roles)
    for key, one in first.items():
        other = second[key]
        if one is not None and other is not None and one.value == other.value:
            reason = f"`scheduling.{key}` is of the whole job: both roles land in one domain"
            for role in plan.roles:
                role.annotations.setdefault(GROUP, Sourced(plan.name, one.place, reason))
