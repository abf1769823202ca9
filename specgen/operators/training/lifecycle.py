"""What becomes of a job of the training operator: success, failures, clean-up, limits, by kind and version.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/{job,pod}.go, pkg/core/job.go,
pkg/util/train/train_util.go, and UpdateJobStatus of each kind; what v1.7.0 and v1.8.1 do otherwise was recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.lifecycle import (
    ANY,
    DELETES_JOB,
    EVERY,
    EVERYTHING,
    FAILED,
    FAILS,
    FIRST,
    HELD,
    LEFT,
    NEVER,
    NOTHING,
    RECREATED,
    STUCK,
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
from specgen.operators.training.facts import OPERATOR, PERMANENT_FAILS, POLICY_AT_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.training.job import Job

# With ExitCode, since kubeflow/common 0.4.3 (training-operator 1.5): from here on a failure is worth another try.
RETRYABLE = 128
_PERMANENT = ((1, RETRYABLE - 1),)
_OTHERS = ((RETRYABLE, 255),)
_CLEAN = {"None": NOTHING, "Running": UNFINISHED}
# Kinds whose own code, not the common one, fails a job after a permanent exit code: it dates the end, in 1.7 as well.
_DATED = ("TFJob",)


def lifecycle(job: Job, version: str) -> Lifecycle:
    """The facts of a job that gets pods."""
    failures = [one for role in job.roles for one in _failures(job, role)]
    # pods are called by job, role and index (GenGeneralName)
    lost = dict.fromkeys(job.roles, HELD)
    return Lifecycle(_success(job), failures, _end(job, version), _limits(job, failures), lost)


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What ``backoffLimit`` counts of an incident; None: nothing, or what is created again and counts from 0.

    roles: name → its pods and its restart policy. most: pods that an elastic job may grow to, None: it is none.
    pkg/core/job.go (PastBackoffLimit) adds up the restarts of all containers of running pods.
    """
    which = [role for role, (_, policy) in roles.items() if policy in ("OnFailure", "Always")]
    if not which:
        return None
    if "Launcher" in roles:
        # what mpirun starts breaks in its Launcher: the Workers' own program runs on
        return Counted(["Launcher"], 1, 1) if "Launcher" in which else None
    pods = sum(roles[role][0] for role in which)
    # torchrun's agents of an elastic job meet again, and end once they have done so too often; and what trains with
    # parameter servers does not wait for others
    alone = most is not None or "PS" in roles
    return Counted(which, 1 if alone else pods, max(pods, most or 0))


def _success(job: Job) -> Success:
    kind = job.framework.kind
    if kind == "MPIJob":
        return Success(EVERY, ["Launcher"])
    for role in ("Chief", "Master") if kind == "TFJob" else ("Master",):
        if role in job.roles and kind != "JAXJob":
            return Success(EVERY, [role])
    if "Worker" not in job.roles:
        return Success(NEVER, (), f"no role of this {kind} decides")
    if kind == "TFJob" and job.spec.get("successPolicy") != "AllWorkers":
        return Success(FIRST, ["Worker"])
    return Success(ANY if kind == "PyTorchJob" and job.spec.get("elasticPolicy") else EVERY, ["Worker"])


def policy_of(job: Job, role: str) -> str:
    """The restart policy of a role: the kind's where the manifest gives none."""
    return str(job.roles[role].get("restartPolicy") or job.framework.restart)


def _failures(job: Job, role: str) -> list[Failure]:
    kind, policy = job.framework.kind, policy_of(job, role)
    restarts = {"Always": Failure.ALL, "OnFailure": Failure.NONZERO}.get(policy, "")
    if kind == "MPIJob":
        # its own reconciliation creates nothing again, and any failed pod counts (recorded)
        step = Step(STUCK if policy == "ExitCode" else FAILED)
        return [Failure([role], policy, step, restarts=restarts)]
    if policy == "ExitCode":
        return [_permanent(job, role), Failure([role], policy, Step(RECREATED), codes=_OTHERS)]
    if kind == "TFJob" and role == "Worker" and job.spec.get("enableDynamicWorker") is True and not restarts:
        return [Failure([role], policy, Step(LEFT))]
    if restarts and kind != "XGBoostJob":
        return [Failure([role], policy, Step(RECREATED), restarts=restarts)]
    # the common code deletes an XGBoostJob's pod to create it again, its own fails the job in the same pass (recorded)
    return [Failure([role], policy, Step(FAILED), restarts=restarts, deletes=bool(restarts))]


def _permanent(job: Job, role: str) -> Failure:
    dated = job.framework.kind in _DATED
    if job.release < PERMANENT_FAILS and not dated:
        return Failure([role], "ExitCode", Step(STUCK), codes=_PERMANENT)
    return Failure([role], "ExitCode", Step(FAILED), codes=_PERMANENT, undated=not dated)


def _end(job: Job, version: str) -> End:
    run_policy, mpi = mapping(job.spec.get("runPolicy")), job.framework.kind == "MPIJob"
    field, clean = "cleanPodPolicy", run_policy.get("cleanPodPolicy")
    if mpi and clean is None:
        clean = job.spec.get("cleanPodPolicy")
    # an unknown word acts like All (recorded)
    said = f"`{field}` is `{shown(clean)}`" if clean is not None else f"`{field}` is `None`, the default"
    deletes = _CLEAN.get(str(clean or "None"), EVERYTHING)
    at_limit = deletes if OPERATOR.at(version) >= POLICY_AT_LIMIT else EVERYTHING
    endless = ["Worker"] if mpi and "Worker" in job.roles and _sleeps(job) else []
    stays = "the ConfigMap and the objects of RBAC stay" if mpi else ""
    return End(deletes, said, services=not mpi, at_limit=at_limit, stays=stays, endless=endless)


def _sleeps(job: Job) -> bool:
    """Whether the Workers run the operator's own ``sleep 365d``."""
    first = mapping((sequence(job.pod_spec("Worker").get("containers")) or [{}])[0])
    return not first.get("command")


def _limits(job: Job, failures: list[Failure]) -> list[Limit]:
    run_policy, found = mapping(job.spec.get("runPolicy")), []
    backoff = number(run_policy.get("backoffLimit"))
    if backoff is not None:
        which = [role for role in job.roles if policy_of(job, role) in ("OnFailure", "Always", "ExitCode")]
        found.append(Limit("backoffLimit", backoff, FAILS, _backoff(job, backoff, which), which))
    deadline = number(run_policy.get("activeDeadlineSeconds"))
    if deadline is not None:
        words = deadline_at_change(deadline, [job.pod_spec(role) for role in job.roles])
        found.append(Limit("activeDeadlineSeconds", deadline, FAILS, words))
    ttl = number(run_policy.get("ttlSecondsAfterFinished"))
    if ttl is not None:
        words = f"the job is deleted {max(ttl, 0)} s after its end, with all that belongs to it"
        if any(one.undated for one in failures):
            words += "; never where a permanent exit code failed it, which sets no completionTime"
        found.append(Limit("ttlSecondsAfterFinished", ttl, DELETES_JOB, words))
    return found


def _backoff(job: Job, limit: int, which: list[str]) -> str:
    if not which:
        return "it counts nothing: containers of roles with `Never` are not restarted"
    times = "the first restart" if limit <= 1 else f"{limit} restarts"
    if all(policy_of(job, role) == "ExitCode" for role in which):
        return f"{times} would fail the job, but a pod that is created again counts from 0"
    said = f"{times} of containers, init containers too, summed over running pods of {', '.join(which)}, fail the job"
    elastic = mapping(job.spec.get("elasticPolicy"))
    roles = {role: (job.replicas(role), policy_of(job, role)) for role in job.roles}
    found = counted(roles, number(elastic.get("maxReplicas")) or 1 if elastic else None)
    return said + (costs(found, limit) if found is not None else "")
