"""What the training operator creates for a JAXJob: pods with the coordinator's address and their number, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/jax/envvar.go.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.training import common
from specgen.operators.training.pods import begin, create, entries, with_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion, Instance
    from specgen.operators.training.facts import Framework
    from specgen.operators.training.job import Job
    from specgen.operators.training.pods import Started


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of a JAXJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, framework)
    if job is not None:
        for role in job.roles:
            _create(job, role)
    return expansion


def _create(job: Job, role: str) -> None:
    spec_of = with_env(job.pod_spec(role), lambda index: entries(_env(job, index)))
    create(job, role, spec_of, lambda index: index == 0, _instance)


def _env(job: Job, index: int) -> dict[str, str]:
    """The variables that the operator appends to every container of a pod, in its order."""
    return {
        "PYTHONUNBUFFERED": "1",
        "COORDINATOR_PORT": str(common.port_number(job.framework, mapping(job.roles.get("Worker")))),
        "COORDINATOR_ADDRESS": common.general_name(job.name, "Worker", 0),
        "NUM_PROCESSES": str(job.total),
        "PROCESS_ID": str(index),
    }


def _instance(started: Started) -> Instance:
    env = started.env
    process = env.get("PROCESS_ID", "")
    given = (int(process), int(process)) if process.isascii() and process.isdigit() and len(process) < 10 else None
    return started.instance(given, f"{env.get('COORDINATOR_ADDRESS')}:{env.get('COORDINATOR_PORT')}")
