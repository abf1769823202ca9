"""What the training operator creates for a PyTorchJob: pods with their env, Services, an autoscaler.

Read from kubeflow/trainer v1.9.4 (4445c12), v1.8.1 and v1.7.0: pkg/controller.v1/pytorch/{envvar,master,elastic,
initcontainer,hpa}.go and pkg/apis/kubeflow.org/v1/pytorch_defaults.go. Held against recordings of all three by
``tests/backends/test_conformance_pytorchjob.py``.
"""

from __future__ import annotations

from specgen.backends import _training_operator as operator
from specgen.backends._command import command, devices, environment, ranks
from specgen.backends._expansion import Expansion, Instance, Refusal
from specgen.backends._pytorch_webhook import MULTIKUEUE, refusal
from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload

FRAMEWORK = operator.Framework(
    "PyTorchJob",
    container="pytorch",
    controller="pytorchjob-controller",
    port=("pytorchjob-port", 23456),
    restart="OnFailure",
)
ROLES = ("Master", "Worker")

# The defaults of the operator's flags --pytorch-init-container-image and --pytorch-init-container-max-tries.
INIT_IMAGE = "alpine:3.10"
INIT_TRIES = 100


class _Job:
    """The job after the operator's defaults, in memory."""

    __slots__ = ("elastic", "name", "processes", "release", "roles", "spec", "total")

    def __init__(self, name: str, spec: dict[str, Any], roles: dict[str, Any], release: tuple[int, int]) -> None:
        self.name = name
        self.spec = spec
        self.roles = roles
        self.release = release
        self.total = sum(operator.replicas(role) for role in roles.values())
        self.elastic = _elastic(spec, roles)
        self.processes: str | None = None
        if isinstance(spec.get("nprocPerNode"), str):
            self.processes = spec["nprocPerNode"]
        elif self.elastic is None or "nProcPerNode" not in self.elastic:
            self.processes = "auto"


def _elastic(spec: dict[str, Any], roles: dict[str, Any]) -> dict[str, Any] | None:
    """elasticPolicy with both bounds: each stands in for the other, the Workers for both."""
    policy = spec.get("elasticPolicy")
    if not isinstance(policy, dict):
        return None
    workers = operator.replicas(mapping(roles.get("Worker")))
    lower, upper = policy.get("minReplicas"), policy.get("maxReplicas")
    if lower is None and upper is None:
        lower = upper = workers
    bounds = {"minReplicas": upper if lower is None else lower, "maxReplicas": lower if upper is None else upper}
    return {**policy, **bounds}


def expand(workload: Workload) -> Expansion:
    """The objects of a PyTorchJob as ``workload.version`` of the operator creates them. Never raises."""
    tree = mapping(without_nulls(workload.manifest.tree))
    ref = workload.manifest.ref
    name, spec = operator.job_name(tree), mapping(tree.get("spec"))
    job_ref = ObjectRef(ref.api_version, ref.kind, name, ref.namespace)
    expansion = Expansion(operator.OPERATOR, workload.version, job_ref)
    release = operator.release(workload.version)
    roles = _roles(spec, release)
    by, reason = refusal(name, spec, roles, workload.version)
    expansion.idle = _idle(mapping(spec.get("runPolicy")), release)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, name, by, reason))
    if reason or expansion.idle or not roles:
        return expansion
    prepared = {role: _prepared(roles[role]) for role in ROLES if role in roles}
    job = _Job(name, spec, prepared, release)
    if not _autoscaler(expansion, job):
        return expansion
    for role, part in prepared.items():
        _create(expansion, job, role, part)
    return expansion


def _roles(spec: dict[str, Any], release: tuple[int, int]) -> dict[str, Any] | None:
    given = spec.get("pytorchReplicaSpecs")
    if not isinstance(given, dict):
        return None
    if release >= (1, 8):
        return given
    # before the webhook the operator itself corrected the case of letters (recorded)
    return {next((role for role in ROLES if role.lower() == name.lower()), name): part for name, part in given.items()}


def _idle(policy: dict[str, Any], release: tuple[int, int]) -> str:
    if policy.get("suspend") is True:
        return "`spec.runPolicy.suspend` is true"
    limit = policy.get("backoffLimit")
    if isinstance(limit, int) and limit < 0:
        # no restarts at all are already too many (pkg/core/job.go PastBackoffLimit; recorded)
        return f"`spec.runPolicy.backoffLimit` is {limit}: the job fails before it has pods"
    if release >= (1, 9) and policy.get("managedBy") == MULTIKUEUE:
        return f"`spec.runPolicy.managedBy` leaves the job to `{MULTIKUEUE}`"
    return ""


def _prepared(role: Any) -> dict[str, Any]:
    """A replica spec with the framework's port in its template."""
    tree, template = mapping(role), mapping(mapping(role).get("template"))
    spec = operator.with_port(FRAMEWORK, mapping(template.get("spec")))
    return {**tree, "template": {**template, "spec": spec}}


def _create(expansion: Expansion, job: _Job, role: str, part: dict[str, Any]) -> None:
    base = part["template"]["spec"]
    containers = [mapping(one) for one in sequence(base.get("containers"))]
    if role == "Worker" and "Master" in job.roles:
        base = {**base, "initContainers": [*sequence(base.get("initContainers")), _init_container(job)]}

    def spec_of(index: int) -> dict[str, Any]:
        own = _env(job, role, index)
        return {**base, "containers": [{**one, "env": [*sequence(one.get("env")), *own]} for one in containers]}

    def is_master(index: int) -> bool:
        # Worker 0 stands in for a Master since 1.8 (recorded).
        return role == "Master" or ("Master" not in job.roles and index == 0 and job.release >= (1, 8))

    first = len(expansion.pods)
    operator.create(expansion, FRAMEWORK, role, part, spec_of, is_master)
    expansion.instances += [_instance(tree, role) for tree in expansion.pods[first:]]


def _instance(pod: dict[str, Any], role: str) -> Instance:
    named = [one for one in pod["spec"]["containers"] if one.get("name") == FRAMEWORK.container]
    main: dict[str, Any] = named[0] if named else {}
    env = environment(main, pod)
    words, found = command(main, env), devices(pod)
    accelerators = next((amount for resource, amount in found.items() if resource.endswith((".com/gpu", "/npu"))), 0)
    master = f"{env['MASTER_ADDR']}:{env.get('MASTER_PORT', '')}" if "MASTER_ADDR" in env else ""
    meeting = env.get("PET_RDZV_ENDPOINT", master)
    given = ranks(words, env, accelerators)
    return Instance(pod["metadata"]["name"], role, ranks=given, devices=found, rendezvous=meeting, command=words)


def _env(job: _Job, role: str, index: int) -> list[dict[str, str]]:
    """The variables that the operator appends to every container of a pod, in its order."""
    env = {"PYTHONUNBUFFERED": "1"}
    processes = {} if job.processes is None else {"PET_NPROC_PER_NODE": job.processes}
    master = job.roles.get("Master")
    if master is not None:
        port, address = str(_port(master)), operator.general_name(job.name, "Master", 0)
        rank = str(index + 1 if role == "Worker" else index)
        env |= {"MASTER_PORT": port, "PET_MASTER_PORT": port, "MASTER_ADDR": address, "PET_MASTER_ADDR": address}
        env |= {"WORLD_SIZE": str(job.total * _multiple(job.processes)), "RANK": rank}
        # 1.7 wrote the processes before the node's rank, and only beside a Master
        env |= {"PET_NODE_RANK": rank} if job.release >= (1, 8) else {**processes, "PET_NODE_RANK": rank}
    if job.release >= (1, 8):
        env |= processes
    env |= {"PET_NNODES": str(job.total)} if job.elastic is None else _elastic_env(job, job.elastic)
    # an empty value is left out, as Go's JSON has it
    return [{"name": name, "value": value} if value else {"name": name} for name, value in env.items()]


def _multiple(processes: str | None) -> int:
    """nprocPerNode as a factor of WORLD_SIZE: what Go's Atoi reads, else 1."""
    text = processes or ""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        return 1
    return -int(digits) if text[0] == "-" else int(digits)


def _elastic_env(job: _Job, policy: dict[str, Any]) -> dict[str, str]:
    host = policy.get("rdzvHost", operator.general_name(job.name, "Worker", 0))
    port = policy.get("rdzvPort", _port(mapping(job.roles.get("Worker"))))
    env = {
        "PET_RDZV_ENDPOINT": f"{host}:{port}",
        "PET_RDZV_BACKEND": str(policy.get("rdzvBackend", "c10d")),
        "PET_NNODES": f"{policy['minReplicas']}:{policy['maxReplicas']}",
    }
    words = {"maxRestarts": "PET_MAX_RESTARTS", "nProcPerNode": "PET_NPROC_PER_NODE", "rdzvId": "PET_RDZV_ID"}
    env |= {name: str(policy[key]) for key, name in words.items() if key in policy}
    settings = [mapping(one) for one in sequence(policy.get("rdzvConf"))]
    if settings:
        env["PET_RDZV_CONF"] = ",".join(f"{one.get('key', '')}={one.get('value', '')}" for one in settings)
    if policy.get("standalone") is True:
        env["PET_STANDALONE"] = ""
    return env


def _port(role: dict[str, Any]) -> Any:
    """The number of the framework's port in a prepared role."""
    name, number = FRAMEWORK.port
    for container in sequence(mapping(mapping(role.get("template")).get("spec")).get("containers")):
        if mapping(container).get("name") == FRAMEWORK.container:
            for port in sequence(mapping(container).get("ports")):
                if mapping(port).get("name") == name:
                    return mapping(port).get("containerPort", number)
    return number


def _init_container(job: _Job) -> dict[str, Any]:
    """The container that lets a Worker wait until the Master's name resolves."""
    master = operator.general_name(job.name, "Master", 0)
    script = (
        f"err=1;for i in $(seq {INIT_TRIES}); do if nslookup {master}; then err=0 && break; fi;"
        "echo waiting for master; sleep 2; done; exit $err"
    )
    return {
        "command": ["sh", "-c", script],
        "image": INIT_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "name": "init-pytorch",
        "resources": {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}},
    }


def _autoscaler(expansion: Expansion, job: _Job) -> bool:
    """Adds the autoscaler of an elastic job with metrics. False: it is refused, and then nothing else is created."""
    policy = job.elastic
    if policy is None or "metrics" not in policy:
        return True
    ref, lower, upper = expansion.job, policy["minReplicas"], policy["maxReplicas"]
    kind = "HorizontalPodAutoscaler"
    numbers = isinstance(lower, int) and isinstance(upper, int)
    if numbers and (lower < 1 or upper < lower):
        reason = f"from {lower} to {upper} replicas is no range that begins at 1 or more"
        expansion.refusals.append(Refusal(kind, ref.name, operator.SERVER, reason))
        return False
    target = {"apiVersion": ref.api_version, "kind": ref.kind, "name": ref.name}
    # without metrics the API server takes the average CPU use
    usual = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    metrics = sequence(policy["metrics"]) or [{"type": "Resource", "resource": usual}]
    spec = {"maxReplicas": upper, "metrics": metrics, "minReplicas": lower, "scaleTargetRef": target}
    metadata = operator.metadata(ref, ref.name, {})
    expansion.autoscalers.append({"apiVersion": "autoscaling/v2", "kind": kind, "metadata": metadata, "spec": spec})
    return True
