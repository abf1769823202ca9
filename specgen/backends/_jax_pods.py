"""What the training operator creates for a JAXJob: pods with the coordinator's address and their number, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/jax/envvar.go.
"""

from __future__ import annotations

from specgen.backends import _training_operator as operator
from specgen.backends import jaxjob
from specgen.backends._training_job import begin, create, entries, with_env
from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion, Instance
    from specgen.backends._training_job import Job, Started
    from specgen.manifest.views import Workload

FRAMEWORK = operator.Framework(
    jaxjob.KIND,
    field=jaxjob.FIELD,
    roles=jaxjob.ROLES,
    container=jaxjob.CONTAINER,
    controller="jaxjob-controller",
    port=("jaxjob-port", 6666),
    restart="Never",
)


def expand(workload: Workload) -> Expansion:
    """The objects of a JAXJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, FRAMEWORK)
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
        "COORDINATOR_PORT": str(operator.port_number(FRAMEWORK, mapping(job.roles.get("Worker")))),
        "COORDINATOR_ADDRESS": operator.general_name(job.name, "Worker", 0),
        "NUM_PROCESSES": str(job.total),
        "PROCESS_ID": str(index),
    }


def _instance(started: Started) -> Instance:
    env = started.env
    process = env.get("PROCESS_ID", "")
    given = (int(process), int(process)) if process.isascii() and process.isdigit() and len(process) < 10 else None
    return started.instance(given, f"{env.get('COORDINATOR_ADDRESS')}:{env.get('COORDINATOR_PORT')}")
