"""What the training operator creates for a PyTorchJob: pods with their env, Services, an autoscaler.

Read from kubeflow/trainer v1.9.4 (4445c12), v1.8.1 and v1.7.0: pkg/controller.v1/pytorch/{envvar,master,elastic,
initcontainer,hpa}.go and pkg/apis/kubeflow.org/v1/pytorch_defaults.go. Held against recordings of all three by
``tests/operators/test_conformance.py``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Expansion, Instance, Refusal
from specgen.operators.kubernetes.command import meeting, ranks
from specgen.operators.kubernetes.objects import owned
from specgen.operators.training import common
from specgen.operators.training.facts import INIT, OPERATOR, PROCESSES_TOLD, STAND_IN, UNBUFFERED
from specgen.operators.training.pods import Started, begin, create, entries, with_env
from specgen.operators.training.refusals import AUTOSCALER, elastic_bounds, refusals
from specgen.operators.training.roles import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.training.facts import Framework
    from specgen.operators.training.job import Job

# The default of the operator's flag --pytorch-init-container-max-tries.
INIT_TRIES = 100


class _Launch:
    """``elasticPolicy`` and ``nprocPerNode`` after the operator's defaults."""

    __slots__ = ("elastic", "processes")

    def __init__(self, spec: dict[str, Any], roles: dict[str, Any]) -> None:
        self.elastic = _elastic(spec, roles)
        # what the policy says of them is told with the rest of it
        of_policy = self.elastic is not None and "nProcPerNode" in self.elastic
        self.processes = None if of_policy and not isinstance(spec.get("nprocPerNode"), str) else told(spec)


def _elastic(spec: dict[str, Any], roles: dict[str, Any]) -> dict[str, Any] | None:
    """elasticPolicy with both bounds."""
    policy = spec.get("elasticPolicy")
    if not isinstance(policy, dict):
        return None
    lower, upper = elastic_bounds(policy, common.replicas(mapping(roles.get("Worker"))))
    return {**policy, "minReplicas": lower, "maxReplicas": upper}


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of a PyTorchJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, framework)
    if job is None:
        return expansion
    launch = _Launch(job.spec, job.roles)
    if _autoscaler(expansion, launch, workload):
        for role in job.roles:
            _create(job, launch, role)
    return expansion


def _create(job: Job, launch: _Launch, role: str) -> None:
    base = job.pod_spec(role)
    if role == "Worker" and "Master" in job.roles:
        base = {**base, "initContainers": [*sequence(base.get("initContainers")), _init_container(job)]}

    def is_master(index: int) -> bool:
        return role == "Master" or ("Master" not in job.roles and index == 0 and job.release >= STAND_IN)

    spec_of = with_env(base, lambda index: entries(_env(job, launch, role, index)))
    create(job, role, spec_of, is_master, _instance)


def _instance(started: Started) -> Instance:
    env = started.env
    accelerators = (amount for name, amount in started.devices.items() if name.endswith((".com/gpu", "/npu")))
    master = f"{env['MASTER_ADDR']}:{env.get('MASTER_PORT', '')}" if "MASTER_ADDR" in env else ""
    given = ranks(started.command, env, next(accelerators, 0))
    return started.instance(given, meeting(started.command, env.get("PET_RDZV_ENDPOINT", master)))


def _env(job: Job, launch: _Launch, role: str, index: int) -> dict[str, str]:
    """The variables that the operator appends to every container of a pod, in its order."""
    env = dict(UNBUFFERED)
    processes = {} if launch.processes is None else {"PET_NPROC_PER_NODE": launch.processes}
    master = job.roles.get("Master")
    if master is not None:
        port, address = str(common.port_number(job.framework, master)), common.general_name(job.name, "Master", 0)
        rank = str(index + 1 if role == "Worker" else index)
        env |= {"MASTER_PORT": port, "PET_MASTER_PORT": port, "MASTER_ADDR": address, "PET_MASTER_ADDR": address}
        env |= {"WORLD_SIZE": str(job.total * _multiple(launch.processes)), "RANK": rank}
        # older ones wrote the processes before the node's rank
        env |= {"PET_NODE_RANK": rank} if job.release >= PROCESSES_TOLD else {**processes, "PET_NODE_RANK": rank}
    if job.release >= PROCESSES_TOLD:
        env |= processes
    env |= {"PET_NNODES": str(job.total)} if launch.elastic is None else _elastic_env(job, launch.elastic)
    return env


def _multiple(processes: str | None) -> int:
    """nprocPerNode as a factor of WORLD_SIZE: what Go's Atoi reads, else 1."""
    text = processes or ""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        return 1
    return -int(digits) if text[0] == "-" else int(digits)


def _elastic_env(job: Job, policy: dict[str, Any]) -> dict[str, str]:
    host = policy.get("rdzvHost", common.general_name(job.name, "Worker", 0))
    port = policy.get("rdzvPort", common.port_number(job.framework, mapping(job.roles.get("Worker"))))
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


def _init_container(job: Job) -> dict[str, Any]:
    """The container that lets a Worker wait until the Master's name resolves."""
    master = common.general_name(job.name, "Master", 0)
    script = (
        f"err=1;for i in $(seq {INIT_TRIES}); do if nslookup {master}; then err=0 && break; fi;"
        "echo waiting for master; sleep 2; done; exit $err"
    )
    return {
        "command": ["sh", "-c", script],
        "image": OPERATOR.image(INIT, job.expansion.version),
        "imagePullPolicy": "IfNotPresent",
        "name": INIT,
        "resources": {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}},
    }


def _autoscaler(expansion: Expansion, launch: _Launch, workload: Workload) -> bool:
    """Adds the autoscaler of an elastic job with metrics. False: it is refused, and then nothing else is created."""
    policy = launch.elastic
    if policy is None or "metrics" not in policy:
        return True
    ref, kind = expansion.job, AUTOSCALER
    for one in refusals(workload):
        if one.of == AUTOSCALER:
            expansion.refusals.append(Refusal(kind, ref.name, one.by, one.reason))
            return False
    target = {"apiVersion": ref.api_version, "kind": ref.kind, "name": ref.name}
    # without metrics the API server takes the average CPU use
    usual = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    metrics = sequence(policy["metrics"]) or [{"type": "Resource", "resource": usual}]
    spec = {
        "maxReplicas": policy["maxReplicas"],
        "metrics": metrics,
        "minReplicas": policy["minReplicas"],
        "scaleTargetRef": target,
    }
    metadata = owned(ref, ref.name, {})
    expansion.autoscalers.append({"apiVersion": "autoscaling/v2", "kind": kind, "metadata": metadata, "spec": spec})
    return True
