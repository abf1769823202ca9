"""From a job of the training operator to its pods and Services, for the kinds that leave both to its common code.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/{job,pod,service}.go, pkg/core/job.go,
pkg/apis/kubeflow.org/v1/defaulting_utils.go; MPIJob has its own way of making pods (``mpi_pods``).
"""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import MOST_PODS, MOST_TEXT, Expansion, Instance, Refusal
from specgen.operators.gang import pod_group
from specgen.operators.kubernetes.admission import pod_refusal, service_refusal
from specgen.operators.kubernetes.command import command, devices, environment
from specgen.operators.kubernetes.names import is_subdomain, known
from specgen.operators.kubernetes.objects import SERVER, name_of
from specgen.operators.training import common
from specgen.operators.training.facts import ITSELF, MANAGED, OPERATOR
from specgen.operators.training.job import Job
from specgen.operators.training.lifecycle import lifecycle
from specgen.operators.training.refusals import refusals
from specgen.operators.training.roles import roles_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.training.facts import Framework


def begin(workload: Workload, framework: Framework) -> tuple[Expansion, Job | None]:
    """The expansion, with the PodGroup of a gang, and the job that is to get pods; None: it gets nothing."""
    tree = mapping(without_nulls(workload.manifest.tree))
    ref = workload.manifest.ref
    name, spec = name_of(tree), mapping(tree.get("spec"))
    job_ref = ObjectRef(ref.api_version, ref.kind, name, ref.namespace)
    expansion = Expansion(OPERATOR.name, workload.version, job_ref)
    job = Job(expansion, framework, workload, spec)
    objection = next((one for one in refusals(workload) if not one.of), None)
    expansion.idle = _idle(framework, mapping(spec.get("runPolicy")), job.release)
    if objection is not None:
        expansion.refusals.append(Refusal(ref.kind, name, objection.by, objection.reason))
    roles = {name: part for name, (_, part) in (roles_of(workload, spec) or {}).items()}
    if objection is not None or expansion.idle or not roles:
        return expansion, None
    known = [role for role in framework.roles if role in roles]
    for role in [*known, *sorted(role for role in roles if role not in known)]:
        job.roles[role] = _prepared(framework, roles[role])
    expansion.lifecycle = lifecycle(job, workload.version)
    job.total = sum(job.replicas(role) for role in job.roles)
    if job.gang is not None:
        policy = mapping(spec.get("runPolicy")).get("schedulingPolicy")
        asked = [(job.replicas(role), job.pod_spec(role)) for role in job.roles]
        annotations = mapping(tree.get("metadata")).get("annotations")
        expansion.others.append(pod_group(job.gang, expansion.job, annotations, policy, job.total, asked))
    return expansion, job


def _idle(framework: Framework, policy: dict[str, Any], release: tuple[int, int, int]) -> str:
    if policy.get("suspend") is True:
        return "`spec.runPolicy.suspend` is true"
    limit = policy.get("backoffLimit")
    if isinstance(limit, int) and limit < 0:
        # no restarts at all are already too many (pkg/core/job.go PastBackoffLimit; recorded)
        return f"`spec.runPolicy.backoffLimit` is {limit}: the job fails before it has pods"
    manager = policy.get("managedBy")
    # JAXJob does not look at the field (recorded)
    if release >= MANAGED and framework.kind != "JAXJob" and manager not in (None, ITSELF):
        return f"`spec.runPolicy.managedBy` leaves the job to `{manager}`"
    return ""


def _prepared(framework: Framework, role: Any) -> dict[str, Any]:
    """A replica spec with the framework's port in its template."""
    tree, template = mapping(role), mapping(mapping(role).get("template"))
    spec = common.with_port(framework, mapping(template.get("spec")))
    return {**tree, "template": {**template, "spec": spec}}


class Started:
    """A pod's training container as it starts: its environment, its command, and the devices of the whole pod."""

    __slots__ = ("command", "devices", "env", "pod", "role")

    def __init__(self, pod: dict[str, Any], role: str, container: str | None) -> None:
        listed = sequence(mapping(pod.get("spec")).get("containers"))
        named = [one for one in listed if container is None or mapping(one).get("name") == container]
        main: dict[str, Any] = mapping(named[0]) if named else {}
        self.pod: str = pod["metadata"]["name"]
        self.role = role
        self.env = environment(main, pod)
        self.command = command(main, self.env)
        self.devices = devices(pod)

    def instance(self, ranks: tuple[int, int] | None, rendezvous: str) -> Instance:
        """The pod in words."""
        return Instance(
            self.pod, self.role, ranks=ranks, devices=self.devices, rendezvous=rendezvous, command=self.command
        )


def with_env(base: dict[str, Any], env_of: Callable[[int], list[dict[str, Any]]]) -> Callable[[int], dict[str, Any]]:
    """Index → pod spec: that of a template with variables appended in every container."""
    containers = [mapping(one) for one in sequence(base.get("containers"))]

    def spec_of(index: int) -> dict[str, Any]:
        own = env_of(index)
        return {**base, "containers": [{**one, "env": [*sequence(one.get("env")), *own]} for one in containers]}

    return spec_of


def entries(env: dict[str, str]) -> list[dict[str, Any]]:
    """Variables as a container lists them; an empty value is left out, as Go's JSON has it."""
    return [{"name": name, "value": value} if value else {"name": name} for name, value in env.items()]


def listed_hosts(count: int, host: Callable[[int], str]) -> list[str]:
    """The names of a role's pods; beyond ``MOST_PODS`` a word in angle brackets says how many more there are."""
    found = [host(index) for index in range(min(count, MOST_PODS))]
    return [*found, f"<and {count - MOST_PODS} more>"] if count > MOST_PODS else found


def create(
    job: Job,
    role: str,
    spec_of: Callable[[int], dict[str, Any]],
    is_master: Callable[[int], bool],
    describe: Callable[[Started], Instance],
    *,
    text: int = 0,
) -> None:
    """Adds a role's pods, then its Services, each in the order of indices up to the first that is refused.

    A role with 0 replicas, where nobody refuses it, gets number 0: created and deleted without end (recorded).
    text: how many letters each pod has that grow with the number of pods.
    """
    expansion, framework, part = job.expansion, job.framework, job.roles[role]
    count = max(1, common.replicas(part))
    most = max(1, MOST_TEXT // text) if text else MOST_PODS
    room = max(0, min(expansion.room(count, part), most - len(expansion.pods)))
    expansion.left_out += count - room
    numbers = common.ports(framework, spec_of(0))
    own = [common.labels(framework, job.name, role, index, master=is_master(index)) for index in range(room)]
    names = [common.general_name(job.name, role, index) for index in range(room)]
    for index in range(room):
        tree = common.pod(framework, expansion.job, names[index], part, own[index], spec_of(index))
        reason = (_name_refusal(names[0], role) or pod_refusal(tree)) if index == 0 else ""
        if reason:
            expansion.refusals.append(Refusal("Pod", names[index], SERVER, reason))
            return
        expansion.pods.append(job.joined(role, tree))
        expansion.starts(_described, describe, expansion.pods[-1], role, framework.container)
    for index in range(room):
        tree = common.service(expansion.job, names[index], own[index], numbers)
        reason = service_refusal(known(names[index]), tree["spec"]["ports"])
        if reason:
            expansion.refusals.append(Refusal("Service", names[index], SERVER, reason))
            return
        expansion.services.append(tree)


def _described(
    describe: Callable[[Started], Instance], pod: dict[str, Any], role: str, container: str | None
) -> Instance:
    return describe(Started(pod, role, container))


def _name_refusal(name: str, role: str) -> str:
    """Why a pod's name is refused: roles of a TFJob may be called anything."""
    if not is_subdomain(known(name)) or not is_subdomain(role.lower()) or len(role) > 63:
        return "its name is no name of an object, or its role no value of a label"
    return ""
