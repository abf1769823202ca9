"""What becomes of a JobSet: its Jobs replace failed pods up to a limit, its failure policy restarts all of them.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc): pkg/controllers/{jobset_controller,failure_policy,
success_policy,ttl_after_finished}.go, and from Kubernetes 1.36, pkg/controller/job; held against recordings.
"""

from __future__ import annotations

from itertools import pairwise

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.lifecycle import (
    ACTIVE_JOBS,
    ANY_JOB,
    BACKOFF,
    BESIDE,
    DELETES_JOBSET,
    EVERY,
    FAILED,
    FAILS,
    HELD,
    REPLACED,
    RESTARTED,
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

    from specgen.operators.lifecycle import Codes


def lifecycle(spec: dict[str, Any]) -> Lifecycle:
    """The facts of a JobSet's spec with its defaults."""
    jobs = [job for job in sequence(spec.get("replicatedJobs")) if isinstance(job, dict)]
    failures = [one for job in jobs for one in _failures(spec, job)]
    said = "the JobSet has no policy of its own"
    stays = "finished Jobs keep their pods, and the Service stays"
    end = End(ACTIVE_JOBS, said, group=False, stays=stays)
    return Lifecycle(_success(spec, jobs), failures, end, _limits(spec, jobs), dict(map(_lost, jobs)))


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What the ``backoffLimit`` of a Job counts of an incident; roles: that Job's alone → its pods, their policy.

    With ``OnFailure`` restarts fail the Job once there are as many as the limit says, with ``Never`` failed pods once
    there are more (pkg/controller/job/job_controller.go of Kubernetes 1.36).
    """
    for role, (pods, policy) in roles.items():
        return Counted([role], pods, pods, reached=policy != "Never", usual=BACKOFF)
    return None


def for_trainjob(facts: Lifecycle, deadline: object) -> None:
    """Adds what a TrainJob sets beside its runtime. The JobSet's own limits leave the TrainJob where it is."""
    seconds = number(deadline)
    if seconds is not None:
        words = f"{seconds} s after the start or a resumption the TrainJob fails, and its JobSet goes with all its pods"
        words = deadline_words(seconds, words)
        facts.limits.append(Limit("activeDeadlineSeconds", seconds, DELETES_JOBSET, words))


def _success(spec: dict[str, Any], jobs: list[dict[str, Any]]) -> Success:
    policy = mapping(spec.get("successPolicy"))
    named = [layout.text(job.get("name")) for job in jobs]
    targets = [one for one in sequence(policy.get("targetReplicatedJobs")) if isinstance(one, str)]
    return Success(ANY_JOB if policy.get("operator") == "Any" else EVERY, targets or named)


def _failures(spec: dict[str, Any], job: dict[str, Any]) -> list[Failure]:
    role, own = layout.text(job.get("name")), layout.job_spec(job)
    restart = layout.text(layout.pod_spec(job).get("restartPolicy"))
    restarts = Failure.NONZERO if restart == "OnFailure" else ""
    found = []
    for codes, action in _rules(own):
        if action == "FailJob":
            steps = _of_jobset(spec, role, "PodFailurePolicy")
            found.append(Failure([role], restart, *steps, codes=codes, restarts=restarts))
        elif action == "Ignore":
            found.append(Failure([role], restart, Step(REPLACED), codes=codes, restarts=restarts))
    limit, by, reason = number(own.get("backoffLimit")), "`backoffLimit` of the Job", "BackoffLimitExceeded"
    if number(own.get("backoffLimitPerIndex")) is not None:
        limit, by, reason = own["backoffLimitPerIndex"], "`backoffLimitPerIndex` of the Job", "FailedIndexes"
    elif limit is None:
        limit, by = BACKOFF, "the batch Job's default `backoffLimit`"
    if restarts:
        together = number(own.get("parallelism")) or 1
        by += ", restarts in place counted" + (f", of all {together} pods together" if together > 1 else "")
    steps = [Step(REPLACED, limit, by), *_of_jobset(spec, role, reason)]
    return [*found, Failure([role], restart, *steps, restarts=restarts)]


def _lost(job: dict[str, Any]) -> tuple[str, str]:
    """A Job's role, and whether it puts a pod beside one that is only marked for deletion."""
    own = layout.job_spec(job)
    # with rules of its own it takes failed pods alone, which is the default then (pkg/apis/batch/v1/defaults.go)
    usual = "Failed" if own.get("podFailurePolicy") else "TerminatingOrFailed"
    policy = own.get("podReplacementPolicy") or usual
    return layout.text(job.get("name")), HELD if policy == "Failed" else BESIDE


def _rules(own: dict[str, Any]) -> list[tuple[Codes, str]]:
    """(exit codes, action) of the Job's rules that speak of exit codes, in their order."""
    found: list[tuple[Codes, str]] = []
    for rule in sequence(mapping(own.get("podFailurePolicy")).get("rules")):
        asked = mapping(mapping(rule).get("onExitCodes"))
        values = sorted(value for value in sequence(asked.get("values")) if number(value) is not None)
        if not values:
            continue
        codes: Codes = tuple((value, value) for value in values)
        if asked.get("operator") == "NotIn":
            edges = [0, *values, 256]
            gaps = [(low + 1, high - 1) for low, high in pairwise(edges)]
            codes = tuple(gap for gap in gaps if gap[0] <= gap[1])
        found.append((codes, layout.text(mapping(rule).get("action"))))
    return found


def _of_jobset(spec: dict[str, Any], role: str, reason: str) -> list[Step]:
    """What the JobSet does once a Job of the role has failed for this reason."""
    policy = mapping(spec.get("failurePolicy"))
    most = number(policy.get("maxRestarts")) or 0
    for rule in sequence(policy.get("rules")):
        reasons, roles = (sequence(mapping(rule).get(key)) for key in ("onJobFailureReasons", "targetReplicatedJobs"))
        if (not reasons or reason in reasons) and (not roles or role in roles):
            action = mapping(rule).get("action")
            if action == "FailJobSet":
                return [Step(FAILED)]
            if action == "RestartJobSetAndIgnoreMaxRestarts":
                return [Step(RESTARTED)]
            break
    return [Step(RESTARTED, most, "`failurePolicy.maxRestarts`"), Step(FAILED)]


def _limits(spec: dict[str, Any], jobs: list[dict[str, Any]]) -> list[Limit]:
    found = []
    for job in jobs:
        deadline = number(layout.job_spec(job).get("activeDeadlineSeconds"))
        if deadline is not None:
            words = f"a Job of `{layout.text(job.get('name'))}` fails {deadline} s after its start"
            found.append(Limit("activeDeadlineSeconds", deadline, FAILS, deadline_words(deadline, words)))
    ttl = number(spec.get("ttlSecondsAfterFinished"))
    if ttl is not None:
        words = f"the JobSet is deleted {ttl} s after its end, with its Jobs, pods and Service"
        found.append(Limit("ttlSecondsAfterFinished", ttl, DELETES_JOBSET, words))
    return found
