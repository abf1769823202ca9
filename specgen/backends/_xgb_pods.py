"""What the training operator creates for an XGBoostJob: pods with the tracker's address and their rank, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/xgboost/xgboost.go.
"""

from __future__ import annotations

from specgen.backends import _training_operator as operator
from specgen.backends import xgboostjob
from specgen.backends._training_job import begin, create, entries, listed_hosts, with_env
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.command import ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion, Instance
    from specgen.backends._training_job import Job, Started
    from specgen.manifest.views import Workload

FRAMEWORK = operator.Framework(
    xgboostjob.KIND,
    field=xgboostjob.FIELD,
    roles=xgboostjob.ROLES,
    container=xgboostjob.CONTAINER,
    controller="xgboostjob-controller",
    port=("xgboostjob-port", 9999),
    restart="Never",
)


def expand(workload: Workload) -> Expansion:
    """The objects of an XGBoostJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, FRAMEWORK)
    if job is not None:
        workers = listed_hosts(job.total - 1, lambda index: operator.general_name(job.name, "Worker", index))
        addresses = ",".join(workers)
        for role in job.roles:
            _create(job, role, addresses)
    return expansion


def _create(job: Job, role: str, addresses: str) -> None:
    spec_of = with_env(job.pod_spec(role), lambda index: entries(_env(job, role, index, addresses)))
    create(job, role, spec_of, lambda index: role == "Master", _instance, text=len(addresses))


def _env(job: Job, role: str, index: int, addresses: str) -> dict[str, str]:
    """The variables that the operator appends to every container of a pod, in its order."""
    master = mapping(job.roles.get("Master"))
    rank = index + (operator.replicas(master) if role == "Worker" else 0)
    env = {
        "MASTER_PORT": str(operator.port_number(FRAMEWORK, master)),
        "MASTER_ADDR": operator.general_name(job.name, "Master", 0),
        "WORLD_SIZE": str(job.total),
        "RANK": str(rank),
        "PYTHONUNBUFFERED": "1",
    }
    if job.total > 1:
        # what LightGBM reads
        port = operator.port_number(FRAMEWORK, mapping(job.roles.get("Worker")))
        env |= {"WORKER_PORT": str(port), "WORKER_ADDRS": addresses}
    return env


def _instance(started: Started) -> Instance:
    env = started.env
    return started.instance(ranks(started.command, env, 0), f"{env.get('MASTER_ADDR')}:{env.get('MASTER_PORT')}")
