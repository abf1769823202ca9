"""What becomes of an MPIJob v2beta1: the launcher's batch Job decides, Workers that fail are never replaced.

Read from kubeflow/mpi-operator release-0.8 (b10758d): pkg/controller/mpi_job_controller.go; what 0.4.0 and 0.6.0 did
was recorded, and is the same. The launcher's pods are those of pkg/controller/job of Kubernetes.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.lifecycle import (
    BACKOFF,
    BESIDE,
    DELETES_LAUNCHER,
    EVERY,
    EVERYTHING,
    FAILED,
    FAILS,
    HELD,
    LEFT,
    NOTHING,
    REPLACED,
    UNFINISHED,
    Counted,
    End,
    Failure,
    Lifecycle,
    Limit,
    Step,
    Success,
    deadline_words,
    number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CLEAN = {"Running": UNFINISHED, "All": EVERYTHING}


def lifecycle(spec: dict[str, Any], unsaid: dict[str, str]) -> Lifecycle:
    """The facts of a job that the operator takes. unsaid: role → its restart policy where none is given."""
    roles, policy = mapping(spec.get("mpiReplicaSpecs")), mapping(spec.get("runPolicy"))
    failures = []
    for role in unsaid:
        if role in roles:
            restart = str(mapping(roles[role]).get("restartPolicy") or unsaid[role])
            restarts = Failure.NONZERO if restart == "OnFailure" else ""
            steps = _steps(policy, restarts) if role == "Launcher" else [Step(LEFT)]
            failures.append(Failure([role], restart, *steps, restarts=restarts))
    # Workers are called by job and index (workerName), the launcher's pods by its Job
    lost = {role: BESIDE if role == "Launcher" else HELD for role in unsaid if role in roles}
    return Lifecycle(Success(EVERY, ["Launcher"]), failures, _end(roles, policy), _limits(policy), lost)


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What ``backoffLimit``, which the launcher's batch Job gets, counts of an incident; None without a Launcher.

    roles: name → its pods and its restart policy. Whatever breaks ends mpirun, and nothing else.
    """
    if "Launcher" not in roles:
        return None
    # pkg/controller/job/job_controller.go (pastBackoffLimitOnFailure): restarts fail the Job once there are as many
    return Counted(["Launcher"], 1, 1, reached=roles["Launcher"][1] == "OnFailure", usual=BACKOFF)


def _steps(policy: dict[str, Any], restarts: str) -> list[Step]:
    # pastBackoffLimitOnFailure: the Job controller adds up the restarts of containers as well
    limit = number(policy.get("backoffLimit"))
    by = "`backoffLimit`" if limit is not None else "the batch Job's default `backoffLimit`"
    if restarts:
        by += ", restarts in place counted"
    return [Step(REPLACED, BACKOFF if limit is None else limit, by), Step(FAILED)]


def _end(roles: dict[str, Any], policy: dict[str, Any]) -> End:
    clean = policy.get("cleanPodPolicy")
    said = f"`cleanPodPolicy` is `{shown(clean)}`" if clean else "`cleanPodPolicy` is `None`, the default"
    deletes = _CLEAN.get(str(clean), NOTHING)
    pod = mapping(mapping(mapping(roles.get("Worker")).get("template")).get("spec"))
    first = mapping((sequence(pod.get("containers")) or [{}])[0])
    # the operator starts sshd where neither command nor args are given
    endless = ["Worker"] if "Worker" in roles and not first.get("command") and not first.get("args") else []
    stays = "the launcher's Job with its pods, the Service, the ConfigMap, and the Secret stay"
    return End(deletes, said, roles=["Worker"], group=deletes != NOTHING, stays=stays, endless=endless)


def _limits(policy: dict[str, Any]) -> list[Limit]:
    found = []
    deadline = number(policy.get("activeDeadlineSeconds"))
    if deadline is not None:
        words = f"the launcher's Job fails {deadline} s after it started, and the MPIJob with it"
        found.append(Limit("activeDeadlineSeconds", deadline, FAILS, deadline_words(deadline, words)))
    ttl = number(policy.get("ttlSecondsAfterFinished"))
    if ttl is not None:
        words = f"the launcher's Job and pods are deleted {ttl} s after its end; the MPIJob and its Workers are not"
        found.append(Limit("ttlSecondsAfterFinished", ttl, DELETES_LAUNCHER, words))
    return found
