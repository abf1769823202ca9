"""Kueue: the job waits, suspended, until its queue has room for all of its pods; then any scheduler places them.

The queue and the priority of a workload are labels of the job object (kueue.x-k8s.io, LocalQueue and
WorkloadPriorityClass). ``within`` and ``near`` become topology annotations of the pod templates, of which a template
may have one; two templates land in one domain together as a group, which Kueue makes of exactly two sets of pods, one
of them with a single pod (pkg/controller/jobframework, validation of ``podset-group-name``).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, listed
from specgen.gangs import _marks
from specgen.plan.gang import is_of_workloads
from specgen.plan.model import Said
from specgen.plan.placing import label_of
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Gang, Plan, RolePlan

SCHEDULER = None
QUEUES = True

_QUEUE = "kueue.x-k8s.io/queue-name"
_PRIORITY = "kueue.x-k8s.io/priority-class"
_TOPOLOGY = {"within": "kueue.x-k8s.io/podset-required-topology", "near": "kueue.x-k8s.io/podset-preferred-topology"}
_GROUP = "kueue.x-k8s.io/podset-group-name"


def prepare(plan: Plan) -> list[Finding]:
    """The labels of the job, its suspension, and the topology of its pods."""
    gang = plan.gang
    assert gang is not None
    findings = _queue(plan, gang) + _suspend(plan, gang)
    if is_of_workloads(plan.job):
        name = plan.job.job.scheduling.priority
        said = Said(name, plan.job.place(("scheduling", "priority")), "`scheduling.priority`, which is of workloads")
        findings += _marks.on_job(plan, _PRIORITY, said)
    for role in plan.roles:
        found = _topology(plan, role)
        findings += [one for one in found if one.place.path not in [other.place.path for other in findings]]
    return findings + _together(plan)


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """Nothing: Kueue makes its own object of the job."""


def _queue(plan: Plan, gang: Gang) -> list[Finding]:
    job = plan.job
    said, known = gang.queue, job.cluster.scheduling.queues
    if said is None and len(known) == 1:
        said = Said(known[0], job.cluster_place(("scheduling", "queues", 0)), "the only queue of the cluster profile")
    if said is not None:
        return _marks.on_job(plan, _QUEUE, said)
    if _QUEUE in (job.layers.data["metadata"].get("labels") or {}):
        return []
    message = "a job of Kueue needs a `queue`: without one nobody would let the suspended job begin"
    helps = ["`scheduling: {queue: …}` names it, `scheduling: {gang: false}` builds the job without Kueue"]
    related = [(job.cluster_place(("scheduling", "queues")), "the cluster has these")] if known else []
    place = gang.said.place or job.place(("metadata", "name"))
    return [codes.MISSING.at(place, message, related=related, helps=helps)]


def _suspend(plan: Plan, gang: Gang) -> list[Finding]:
    written = plan.job.job.lifecycle.suspend
    if written is None:
        reason = "Kueue lets the job begin once its queue has room for all pods"
        plan.run_policy["suspend",] = Said(True, gang.said.place, reason)
    elif not written:
        related = [(gang.said.place, "`gang: kueue`")] if gang.said.place is not None else []
        message = "`suspend: false` contradicts Kueue, which begins the job itself"
        return [codes.CONTRADICTION.at(plan.job.place(("lifecycle", "suspend")), message, related=related)]
    return []


def _topology(plan: Plan, role: RolePlan) -> list[Finding]:
    words, scheduling = role.words, role.words.words.scheduling
    asked = [
        (key, word) for key, word in (("within", scheduling.within), ("near", scheduling.near)) if word is not None
    ]
    if len(asked) == 2:
        related = [(words.place(("scheduling", "within")), "`within`")]
        message = "`near` contradicts `within`: Kueue takes one topology for a set of pods"
        return [codes.CONTRADICTION.at(words.place(("scheduling", "near")), message, related=related)]
    findings: list[Finding] = []
    for key, word in asked:
        label = label_of(word, plan.job.cluster.topology)
        said = Said(label, words.place(("scheduling", key)), f"`scheduling.{key}`, in Kueue's way")
        findings += _marks.on_role(plan, role, "annotations", _TOPOLOGY[key], said)
    return findings


def _together(plan: Plan) -> list[Finding]:
    """Two roles that ask for one domain, one of them a single pod, ask for it together; others cannot: a warning."""
    if len(plan.roles) != 2 or all(role.replicas.value != 1 for role in plan.roles):
        return _apart(plan)
    first, second = ({key: role.annotations.get(name) for key, name in _TOPOLOGY.items()} for role in plan.roles)
    for key, one in first.items():
        other = second[key]
        if one is not None and other is not None and one.value == other.value:
            reason = f"`scheduling.{key}` is of the whole job: both roles land in one domain"
            for role in plan.roles:
                role.annotations.setdefault(_GROUP, Said(plan.job.name, one.place, reason))
    return []


def _apart(plan: Plan) -> list[Finding]:
    """SG207, a warning: ``within`` of several roles that Kueue makes no group of."""
    roles = [role for role in plan.roles if _TOPOLOGY["within"] in role.annotations]
    if len(roles) < 2:
        return []
    names = listed([role.name for role in roles])
    word = roles[0].words.words.scheduling.within
    message = (
        f"`within: {word}` holds for each of {names} by itself: Kueue keeps no more than two sets of pods together"
    )
    notes = ["they are together where there are two roles, and one of them is a single pod"]
    place = roles[0].words.place(("scheduling", "within"))
    return [codes.CONTRADICTION.at(place, message, label="not all in one", notes=notes, severity=WARNING)]
