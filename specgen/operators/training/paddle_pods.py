"""What the training operator creates for a PaddleJob: pods with the place where they meet, Services.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/paddlepaddle/envvar.go. Nothing reads ``elasticPolicy``
there: no autoscaler is made (recorded).
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.training import common
from specgen.operators.training.pods import begin, create, entries, with_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion, Instance
    from specgen.operators.training.facts import Framework
    from specgen.operators.training.job import Job
    from specgen.operators.training.pods import Started


def expand(workload: Workload, framework: Framework) -> Expansion:
    """The objects of a PaddleJob as ``workload.version`` of the operator creates them. Never raises."""
    expansion, job = begin(workload, framework)
    if job is not None:
        for role in job.roles:
            _create(job, role)
    return expansion


def _create(job: Job, role: str) -> None:
    spec_of = with_env(job.pod_spec(role), lambda index: _env(job, role, index))
    create(job, role, spec_of, lambda index: role == "Master", _instance)


def _env(job: Job, role: str, index: int) -> list[dict[str, Any]]:
    """The variables that the operator appends to every container of a pod, in its order."""
    # with a Master the job has parameter servers, without one it is collective and Worker 0 is the meeting point
    first = "Master" if "Master" in job.roles else "Worker"
    port = common.port_number(job.framework, mapping(job.roles.get(first)))
    env = entries({"PYTHONUNBUFFERED": "1", "PADDLE_JOB_ID": job.name, "PADDLE_NNODES": str(job.total)})
    if role == first and index == 0:
        env.append({"name": "POD_IP_DUMMY", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}})
        env.append({"name": "PADDLE_MASTER", "value": f"$(POD_IP_DUMMY):{port}"})
    else:
        env.append({"name": "PADDLE_MASTER", "value": f"{common.general_name(job.name, first, 0)}:{port}"})
    if first == "Master":
        env.append({"name": "PADDLE_SERVER_NUM" if role == "Master" else "PADDLE_TRAINER_NUM", "value": "1"})
    return env


def _instance(started: Started) -> Instance:
    # ranks are given by Paddle's own launcher when all have met
    return started.instance(None, started.env.get("PADDLE_MASTER", ""))
