"""What the training operator creates for an XGBoostJob: pods with the tracker's address and their rank, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/xgboost/xgboost.go.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.command import ranks
from specgen.operators.training import common
from specgen.operators.training.pods import begin, create, entries, listed_hosts, with_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion, Instance
    from specgen.operators.training.facts import Framework
    from specgen.operators.training.job import Job
    from specgen.operators.training.pods import Started


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of an XGBoostJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, framework)
    if job is not None:
        workers = listed_hosts(job.total - 1, lambda index: common.general_name(job.name, "Worker", index))
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
    rank = index + (common.replicas(master) if role == "Worker" else 0)
    env = {
        "MASTER_PORT": str(common.port_number(job.framework, master)),
        "MASTER_ADDR": common.general_name(job.name, "Master", 0),
        "WORLD_SIZE": str(job.total),
        "RANK": str(rank),
        "PYTHONUNBUFFERED": "1",
    }
    if job.total > 1:
        # what LightGBM reads
        port = common.port_number(job.framework, mapping(job.roles.get("Worker")))
        env |= {"WORKER_PORT": str(port), "WORKER_ADDRS": addresses}
    return env


def _instance(started: Started) -> Instance:
    env = started.env
    return started.instance(ranks(started.command, env, 0), f"{env.get('MASTER_ADDR')}:{env.get('MASTER_PORT')}")
