"""What the ms-operator creates for an MSJob: pods, Services before its Schedulers, the PodGroup of a gang.

Read from mindspore-ai/ms-operator v1.0.0 (e361e2b): pkg/apis/v1/defaults.go, pkg/controllers/v1/{msjob_controller,
utils}.go, and from kubeflow/common v0.4.3, on which it stands; held against recordings by
``tests/operators/test_conformance_ms_operator.py``. Its validation only writes to the log.
"""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators import gang as _gang
from specgen.operators.expansion import MOST_PODS, Expansion, Instance, Refusal
from specgen.operators.kubernetes.admission import pod_refusal, service_refusal
from specgen.operators.kubernetes.command import command, devices, environment
from specgen.operators.kubernetes.names import is_label, is_subdomain, known
from specgen.operators.kubernetes.objects import SERVER, name_of
from specgen.operators.mindspore.facts import COUNT, FRAMEWORK, OPERATOR
from specgen.operators.mindspore.lifecycle import lifecycle
from specgen.operators.mindspore.refusals import refusals, roles_of
from specgen.operators.training import common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload

_MS_ROLES = {"Scheduler": "MS_SCHED", "PS": "MS_PSERVER", "Worker": "MS_WORKER"}


class _Job:
    """An MSJob after the operator's defaults; ``roles``: its own first, unknown ones by name after them."""

    __slots__ = ("gang", "name", "ref", "roles", "spec")

    def __init__(self, ref: ObjectRef, spec: dict[str, Any], gang: str | None) -> None:
        self.ref = ref
        self.name = ref.name
        self.spec = spec
        self.gang = gang
        given = roles_of(mapping(spec.get(FRAMEWORK.field)))
        self.roles = {role: _prepared(part) for role, (_, part) in given.items()}

    def count(self, role: str) -> str:
        """Replicas of a role as a variable's text, 0 without it."""
        return str(common.replicas(self.roles[role])) if role in self.roles else "0"

    def pod_spec(self, role: str) -> dict[str, Any]:
        return mapping(mapping(self.roles[role].get("template")).get("spec"))


def _prepared(role: Any) -> dict[str, Any]:
    """A replica spec with the framework's port in its template."""
    tree, template = mapping(role), mapping(mapping(role).get("template"))
    return {**tree, "template": {**template, "spec": common.with_port(FRAMEWORK, mapping(template.get("spec")))}}


def expand(workload: Workload) -> Expansion:
    """The objects of an MSJob. Never raises."""
    tree, ref = mapping(without_nulls(workload.manifest.tree)), workload.manifest.ref
    job_ref = ObjectRef(ref.api_version, ref.kind, name_of(tree), ref.namespace)
    expansion = Expansion(OPERATOR.name, workload.version, job_ref)
    job = _Job(job_ref, mapping(tree.get("spec")), workload.gang or None)
    objections = list(refusals(workload))
    for objection in objections:
        if not objection.of:
            expansion.refusals.append(Refusal(ref.kind, job.name, objection.by, objection.reason))
            return expansion
    expansion.idle = _idle(job)
    if expansion.idle or not job.roles:
        return expansion
    expansion.lifecycle = lifecycle(job.spec, job.roles)
    if job.gang is not None:
        _pod_group(expansion, job, mapping(tree.get("metadata")).get("annotations"))
    # without a Scheduler's Service nothing else is created, and each role waits for the Schedulers' pods
    if "Scheduler" in job.roles:
        for one in objections:
            name = common.general_name(job.name, "Scheduler", 0)
            expansion.refusals.append(Refusal(one.of, name, one.by, one.reason))
            return expansion
        if not _services(expansion, job) or not _pods(expansion, job, "Scheduler"):
            return expansion
        if expansion.pods and not _has_variables(job.pod_spec("Scheduler")):
            expansion.notes.append(
                f"Pod {expansion.pods[0]['metadata']['name']} may lack its MS_ variables: it is created in the same "
                "moment as the Service whose address they hold"
            )
    for role in job.roles:
        if role != "Scheduler":
            _pods(expansion, job, role)
    return expansion


def _has_variables(pod: dict[str, Any]) -> bool:
    """Whether a template sets all that the operator sets too."""
    named = [one for one in sequence(pod.get("containers")) if mapping(one).get("name") == FRAMEWORK.container]
    env = sequence(mapping(named[0]).get("env")) if named else []
    names = [mapping(entry).get("name") for entry in env]
    return all(name in names for name in FRAMEWORK.injected)


def _idle(job: _Job) -> str:
    policy = mapping(job.spec.get("runPolicy"))
    limit = policy.get("backoffLimit")
    if isinstance(limit, int) and limit < 0:
        # no restarts at all are already too many (PastBackoffLimit of kubeflow/common)
        return f"`spec.runPolicy.backoffLimit` is {limit}: the job fails before it has pods"
    if job.count("Worker") == "0" and "Worker" in job.roles and policy.get("cleanPodPolicy") != "None":
        return f"`spec.{FRAMEWORK.field}.Worker.replicas` is 0: the job has succeeded before a pod starts"
    return ""


def _pod_group(expansion: Expansion, job: _Job, annotations: Any) -> None:
    """Adds the gang's PodGroup: always Volcano's, whatever the flag --gang-scheduler-name says."""
    policy = mapping(mapping(job.spec.get("runPolicy")).get("schedulingPolicy"))
    asked = [(common.replicas(part), job.pod_spec(role)) for role, part in job.roles.items()]
    total = sum(count for count, _ in asked)
    expansion.others.append(_gang.pod_group(_gang.VOLCANO, job.ref, annotations, policy, total, asked))


def _labels(job: _Job, role: str, index: int) -> dict[str, str]:
    """The labels of the training operator, and the older ones beside them."""
    own = common.labels(FRAMEWORK, job.name, role, index, master=False)
    group = {"group-name": job.ref.api_version.partition("/")[0], "job-name": job.name}
    return {**group, "replica-index": str(index), "replica-type": role.lower(), **own}


def _services(expansion: Expansion, job: _Job) -> bool:
    """Adds a Service for each Scheduler. False: one is refused, and then nothing follows."""
    role, pod = "Scheduler", job.pod_spec("Scheduler")
    numbers = common.ports(FRAMEWORK, pod)
    count = max(1, common.replicas(job.roles[role]))
    for index in range(min(count, MOST_PODS)):
        name = common.general_name(job.name, role, index)
        own = _labels(job, role, index)
        tree = common.service(job.ref, name, own, numbers)
        # not headless: the variables hold its address
        tree["spec"]["clusterIP"] = _address(name)
        reason = service_refusal(known(name), tree["spec"]["ports"])
        if reason:
            expansion.refusals.append(Refusal("Service", name, SERVER, f"{reason}; no pod follows"))
            return False
        expansion.services.append(tree)
    return True


def _address(service: str) -> str:
    return f"<clusterIP of {service}>"


def _pods(expansion: Expansion, job: _Job, role: str) -> bool:
    """Adds a role's pods. False: they are refused. A role with 0 replicas gets number 0, which is deleted again."""
    count = max(1, common.replicas(job.roles[role]))
    room = expansion.room(count, job.roles[role])
    expansion.left_out += count - room
    spec = _spec(job, role)
    for index in range(room):
        name = common.general_name(job.name, role, index)
        tree = common.pod(FRAMEWORK, job.ref, name, job.roles[role], _labels(job, role, index), spec)
        reason = ""
        if index == 0:
            named = is_subdomain(known(name)) and is_label(role.lower())
            reason = pod_refusal(tree) if named else "its name is no name of an object, or its role no label"
        if reason:
            expansion.refusals.append(Refusal("Pod", name, SERVER, reason))
            return False
        expansion.pods.append(_joined(job, role, tree))
        expansion.starts(_instance, expansion.pods[-1], role)
    return True


def _spec(job: _Job, role: str) -> dict[str, Any]:
    """A pod spec with the variables of the job in every container of the framework's name; none without Schedulers."""
    base = job.pod_spec(role)
    if "Scheduler" not in job.roles:
        return base
    port = str(common.port_number(FRAMEWORK, job.roles["Scheduler"]))
    host: dict[str, Any] = {"name": "MS_SCHED_HOST"}
    if role == "Scheduler":
        host["valueFrom"] = {"fieldRef": {"fieldPath": "status.podIP"}}
    else:
        host["value"] = _address(common.general_name(job.name, "Scheduler", 0))
    own = [
        host,
        {"name": "MS_NODE_ID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "MS_SCHED_PORT", "value": port},
        {"name": "MS_SERVER_NUM", "value": job.count("PS")},
        {"name": COUNT, "value": job.count("Worker")},
        # an unknown role has none: Go's JSON leaves the empty value out
        {"name": "MS_ROLE"} | ({"value": _MS_ROLES[role]} if role in _MS_ROLES else {}),
    ]
    containers = []
    for container in (mapping(one) for one in sequence(base.get("containers"))):
        if container.get("name") == FRAMEWORK.container:
            container = {**container, "env": [*sequence(container.get("env")), *own]}
        containers.append(container)
    return {**base, "containers": containers}


def _joined(job: _Job, role: str, pod: dict[str, Any]) -> dict[str, Any]:
    """A pod as a member of the gang. Where any role names a scheduler, no pod gets Volcano's name."""
    if job.gang is None:
        return pod
    tree = _gang.joined(_gang.VOLCANO, job.name, role, pod)
    named = any(job.pod_spec(one).get("schedulerName") for one in job.roles)
    if named and not pod["spec"].get("schedulerName"):
        del tree["spec"]["schedulerName"]
    return tree


def _instance(pod: dict[str, Any], role: str) -> Instance:
    named = [one for one in pod["spec"]["containers"] if one.get("name") == FRAMEWORK.container]
    main: dict[str, Any] = named[0] if named else {}
    env = environment(main, pod)
    meeting = f"{env['MS_SCHED_HOST']}:{env.get('MS_SCHED_PORT', '')}" if "MS_SCHED_HOST" in env else ""
    words, asked = command(main, env), devices(pod)
    return Instance(pod["metadata"]["name"], role, ranks=None, devices=asked, rendezvous=meeting, command=words)
