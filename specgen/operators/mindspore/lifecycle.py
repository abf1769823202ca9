"""What becomes of an MSJob: Worker 0 decides, an old list of exit codes is worth a retry, and most retries fail.

Read from mindspore-ai/ms-operator v1.0.0 (e361e2b), pkg/controllers/v1/msjob_controller.go, and from kubeflow/common
v0.4.1, pkg/util/train; held against recordings.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping
from specgen.operators.lifecycle import (
    EVERY,
    EVERYTHING,
    FAILED,
    FAILS,
    FIRST,
    HELD,
    NEVER,
    NO_EFFECT,
    NOTHING,
    RECREATED,
    UNFINISHED,
    Counted,
    End,
    Failure,
    Lifecycle,
    Limit,
    Step,
    Success,
    costs,
    deadline_at_change,
    number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# SIGINT, SIGKILL, SIGUSR1, SIGTERM: all that ExitCode retries here.
RETRIED = ((130, 130), (137, 138), (143, 143))
_CLEAN = {"None": NOTHING, "Running": UNFINISHED}


def lifecycle(spec: dict[str, Any], roles: dict[str, dict[str, Any]]) -> Lifecycle:
    """The facts of a job whose roles have the names that the operator gives them."""
    failures = [one for role, part in roles.items() for one in _failures(role, part)]
    # pods are called by job, role and index (kubeflow/common v0.4.1, GenGeneralName)
    return Lifecycle(_success(spec, roles), failures, _end(spec), _limits(spec, roles), dict.fromkeys(roles, HELD))


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What ``backoffLimit`` counts of an incident; None: nothing. roles: name → its pods and its restart policy."""
    which = [role for role, (_, policy) in roles.items() if policy in ("OnFailure", "Always")]
    pods = sum(roles[role][0] for role in which)
    # Workers of parameter servers do not wait for each other
    return Counted(which, 1 if "PS" in roles else pods, pods) if which else None


def _success(spec: dict[str, Any], roles: dict[str, dict[str, Any]]) -> Success:
    if "Worker" not in roles:
        return Success(NEVER, (), "without Workers an MSJob gets no condition Succeeded")
    return Success(EVERY if spec.get("successPolicy") == "AllWorkers" else FIRST, ["Worker"])


def _policy(part: dict[str, Any]) -> str:
    return str(part.get("restartPolicy") or "Never")


def _pods(part: dict[str, Any]) -> int:
    count = number(part.get("replicas"))
    return 1 if count is None else count


def _failures(role: str, part: dict[str, Any]) -> list[Failure]:
    policy = _policy(part)
    if policy != "ExitCode":
        restarts = {"Always": Failure.ALL, "OnFailure": Failure.NONZERO}.get(policy, "")
        return [Failure([role], policy, Step(FAILED), restarts=restarts)]
    again = Failure([role], policy, Step(RECREATED), codes=RETRIED)
    permanent = Failure([role], policy, Step(FAILED))
    if role != "Worker":
        return [again, permanent]
    # the Running condition of another Worker removes Restarting before the failure is judged (recorded)
    lost = Failure([role], policy, Step(FAILED), codes=RETRIED, deletes=True, crowded=True)
    return [lost, again, permanent]


def _end(spec: dict[str, Any]) -> End:
    clean = mapping(spec.get("runPolicy")).get("cleanPodPolicy")
    said = f"`cleanPodPolicy` is `{shown(clean)}`" if clean else "`cleanPodPolicy` is `Running`, the default"
    return End(_CLEAN.get(str(clean or "Running"), EVERYTHING), said, services=True)


def _limits(spec: dict[str, Any], roles: dict[str, dict[str, Any]]) -> list[Limit]:
    policy, found = mapping(spec.get("runPolicy")), []
    backoff = number(policy.get("backoffLimit"))
    if backoff is not None:
        count = counted({role: (_pods(part), _policy(part)) for role, part in roles.items()})
        words = "it counts nothing: no role restarts its containers in place"
        if count is not None:
            which = "the first restart" if backoff <= 1 else f"{backoff} restarts"
            words = f"{which} of containers, summed over running pods of {', '.join(count.roles)}, fail the job"
            words += costs(count, backoff)
        found.append(Limit("backoffLimit", backoff, FAILS, words, count.roles if count is not None else ()))
    deadline = number(policy.get("activeDeadlineSeconds"))
    if deadline is not None:
        pods = [mapping(mapping(part.get("template")).get("spec")) for part in roles.values()]
        found.append(Limit("activeDeadlineSeconds", deadline, FAILS, deadline_at_change(deadline, pods)))
    ttl = number(policy.get("ttlSecondsAfterFinished"))
    if ttl is not None:
        words = "without effect: the operator does not come back to a job that has ended"
        found.append(Limit("ttlSecondsAfterFinished", ttl, NO_EFFECT, words))
    return found
