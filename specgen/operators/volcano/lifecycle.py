"""What becomes of a Volcano Job: its policies say what follows an event, and ``maxRetry`` how often.

Read from volcano-sh/volcano, pkg/controllers/job/state/*.go, job_controller_handler.go (which event a pod is), and
job_controller_util.go (applyPolicies). An event of pods that a restart has replaced already is of an old version of the
Job, and does nothing: however many pods one fault ends, it counts once.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.lifecycle import (
    ANEW,
    ANY_ROLE,
    DELETES_JOB,
    EVERY,
    FAILED,
    HELD,
    LEFT,
    RECREATED,
    REPLACED,
    UNFINISHED,
    Counted,
    End,
    Failure,
    Lifecycle,
    Limit,
    Step,
    Success,
    number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ENDS = ("AbortJob", "TerminateJob", "CompleteJob")
_PARTS = ("RestartTask", "RestartPod", "RestartPartition")


def lifecycle(spec: dict[str, Any]) -> Lifecycle:
    """The facts of a Job's spec with its defaults."""
    tasks = [task for task in spec["tasks"] if number(task.get("replicas"))]
    failures = [one for task in tasks for one in _failures(spec, task)]
    stays = "Service, ConfigMap and NetworkPolicy of `svc` go" if "svc" in spec["plugins"] else ""
    end = End(UNFINISHED, "as Volcano always does", stays=stays)
    limits = []
    ttl = number(spec.get("ttlSecondsAfterFinished"))
    if ttl is not None:
        limits.append(Limit("ttlSecondsAfterFinished", ttl, DELETES_JOB, f"the Job is deleted {ttl} s after its end"))
    # pods are called by job, task and index (pkg/controllers/job/helpers, MakePodName)
    return Lifecycle(_success(spec, tasks), failures, end, limits, {task["name"]: HELD for task in tasks})


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What ``maxRetry`` counts of an incident: one new beginning; nothing where containers start again in place."""
    which = [role for role, (_, policy) in roles.items() if policy == "Never"]
    return Counted(which, 1, 1) if which else None


def action(spec: dict[str, Any], task: dict[str, Any], event: str) -> str:
    """What follows an event of a pod of a task: the task's own policies come before those of the Job."""
    for policy in [*sequence(task.get("policies")), *sequence(spec.get("policies"))]:
        said = [*sequence(mapping(policy).get("events")), mapping(policy).get("event")]
        if event in said or "*" in said:
            return str(mapping(policy).get("action"))
    return ""


def _success(spec: dict[str, Any], tasks: list[dict[str, Any]]) -> Success:
    """Tasks of which any one completes the Job once all its pods have succeeded, else all pods."""
    completing = [task["name"] for task in tasks if action(spec, task, "TaskCompleted") == "CompleteJob"]
    if len(completing) > 1:
        return Success(ANY_ROLE, completing)
    return Success(EVERY, completing or [task["name"] for task in tasks])


def _failures(spec: dict[str, Any], task: dict[str, Any]) -> list[Failure]:
    pod = mapping(mapping(task.get("template")).get("spec"))
    policy = str(pod.get("restartPolicy") or "Always")
    restarts = {"Always": Failure.ALL, "OnFailure": Failure.NONZERO}.get(policy, "")
    found = []
    for one in [*sequence(task.get("policies")), *sequence(spec.get("policies"))]:
        code = number(mapping(one).get("exitCode"))
        if code is not None:
            steps = _steps(spec, str(mapping(one).get("action")))
            found.append(Failure([task["name"]], policy, *steps, codes=((code, code),), restarts=restarts))
    steps = _steps(spec, action(spec, task, "PodFailed"))
    found.append(Failure([task["name"]], policy, *steps, restarts=restarts))
    what = action(spec, task, "PodEvicted")
    # what no policy is for is made anew by itself
    steps = _steps(spec, what) if what else [Step(RECREATED)]
    return [*found, Failure([task["name"]], policy, *steps, gone=True)]


def _steps(spec: dict[str, Any], what: str) -> list[Step]:
    if what in _ENDS:
        return [Step(FAILED)]
    if what == "RestartJob":
        # the count is held against the limit after it was raised
        return [Step(ANEW, spec["maxRetry"] - 1, "`maxRetry` less one"), Step(FAILED)]
    if what in _PARTS:
        return [Step(REPLACED, spec["maxRetry"] - 1, "`maxRetry` less one"), Step(FAILED)]
    return [Step(LEFT)]
