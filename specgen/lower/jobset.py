"""JobSet, ``jobset.x-k8s.io/v1alpha2``: a plan as the JobSet controller takes it (``operators.jobset.jobset``).

All pods are those of one indexed Job. JobSet names them and makes the headless Service by which they find each other,
and tells them nothing: ranks, sizes and the first pod's address are variables of the template, the number of a pod by
the annotation that the Job controller puts on it (Kubernetes 1.36, pkg/controller/job/indexed_job_utils.go).
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower.pod import template
from specgen.manifest.origins import Sourced
from specgen.operators.jobset.jobset import READER as READER
from specgen.plan.kind import Kind
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World
    from specgen.plan.pods import RolePlan

_ROLE = "worker"
_CONTAINER = "trainer"
# PyTorch's own port (torch 2.13, torch/distributed/run.py, master_port).
_PORT = 29500
_NUMBER = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={_ROLE: _ROLE},
    first=None,
    worker=_ROLE,
    starters=("none", "self", "torchrun", "accelerate"),
    restart="OnFailure",
    rigid="its pods are told how many they are when they are made",
    reserved_env=frozenset(),
    labels=("jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name"),
    letter="its webhook wants a letter first",
    flags=(),
    leaves=True,
    hands_words_on=True,
    meets=("PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"),
)
mpi, untold = job_parts.mpi, job_parts.untold


def counts(world: World) -> dict[str, Sourced]:
    """All pods are workers."""
    return {_ROLE: Sourced(world.pods, world.pods_place, "`pods` are all workers, those of one Job")}


def names(plan: Plan) -> tuple[list[str], str]:
    """The last pod's: JobSet wants the name with Kubernetes' five random letters to fit (jobset_webhook.go)."""
    (role,) = plan.roles
    last = f"{plan.name}-{_ROLE}-0-{int(role.replicas.value) - 1}-xxxxx"
    return [last], "a pod bears it: the webhook refuses the JobSet"


def groups(plan: Plan, gang: str, flag: str | None) -> bool:
    """JobSet makes no PodGroup."""
    return False


def tells(name: str, world: World) -> tuple[dict[str, Any], int | None]:
    """What PyTorch reads, in the spelling of who reads it: torchrun's, or of the one process of each pod."""
    number = {"valueFrom": {"fieldRef": {"fieldPath": _NUMBER}}}
    address = {"value": f"{name}-{_ROLE}-0-0.{name}"}
    port = {"value": str(_PORT)}
    listens = _PORT if world.pods > 1 else None
    if world.starter == "none":
        size = {"value": str(world.pods)}
        return {"RANK": number, "WORLD_SIZE": size, "MASTER_ADDR": address, "MASTER_PORT": port}, listens
    told: dict[str, Any] = {"PET_NNODES": {"value": str(world.pods)}}
    if world.word is not None or world.counted:
        told["PET_NPROC_PER_NODE"] = {"value": world.word or str(world.procs_per_pod)}
    return {**told, "PET_NODE_RANK": number, "PET_MASTER_ADDR": address, "PET_MASTER_PORT": port}, listens


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a JobSet; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec, lifecycle = build.within("spec"), plan.lifecycle
    findings = _unable(plan)
    if lifecycle.ttl is not None:
        spec.say("ttlSecondsAfterFinished", lifecycle.ttl)
    if lifecycle.suspend is not None:
        spec.say("suspend", lifecycle.suspend)
    if lifecycle.managed_by is not None:
        spec.say("managedBy", lifecycle.managed_by)
    if lifecycle.success is not None:
        spec.within("successPolicy").put("operator", "All", lifecycle.success.place, lifecycle.success.reason)
    _again(plan, spec)
    for role in plan.roles:
        _replicated(plan, role, spec, findings)
    return job_parts.finished(plan, build, findings)


def _again(plan: Plan, spec: Build) -> None:
    """``failurePolicy``: how often all pods start again together; a deadline that is over is the end."""
    again, deadline = plan.lifecycle.restart_all, plan.lifecycle.deadline
    if again is None:
        return
    job_parts.restarts_of_all(plan, spec)
    if deadline is not None:
        rule = spec.within("failurePolicy").item("rules")
        reason = f"{deadline.reason} is the end of the job: a Job that starts again would have all its time anew"
        rule.put("name", "deadline", deadline.place, reason)
        rule.put("action", "FailJobSet", deadline.place, reason)
        rule.put("onJobFailureReasons", ["DeadlineExceeded"], deadline.place, reason)


def _replicated(plan: Plan, role: RolePlan, spec: Build, findings: list[Finding]) -> None:
    """The replicated job of a role: one indexed Job with all its pods."""
    target, lifecycle = plan.world.target, plan.lifecycle
    item = spec.item("replicatedJobs")
    item.put("name", role.name, target, "pods and Jobs are called by it")
    item.put("replicas", 1, target, "one Job has all pods, so that they are numbered from 0")
    part = item.within("template").within("spec")
    part.say("parallelism", role.replicas)
    part.put("completions", role.replicas.value, role.replicas.place, "all pods run at once, each to its end")
    part.put("completionMode", "Indexed", target, "a pod's number is its rank's, and part of its host name")
    job_parts.restarts_of_a_job(plan, part)
    if lifecycle.deadline is not None:
        part.put("activeDeadlineSeconds", lifecycle.deadline.value, lifecycle.deadline.place, lifecycle.deadline.reason)
    template(role, part.within("template"), _CONTAINER)
    job_parts.restart_policy(plan, role, part.within("template").within("spec"))
    job_parts.patch_role(role, part, findings)


def _unable(plan: Plan) -> list[Finding]:
    """SG208: words that no JobSet can follow."""
    findings = []
    clean = plan.lifecycle.clean_pods
    if clean is not None and clean.value != "Running":
        message = "a JobSet that ends deletes the Jobs that still run, and no others: `cleanPods` is `Running`"
        findings.append(codes.NOT_FOR_TARGET.at(clean.at, message))
    for role in plan.roles:
        said = role.restart
        if said is not None and said.value in ("Always", "ExitCode"):
            message = f"pods of a JobSet are a Job's, which takes `OnFailure` or `Never`, not `{said.value}`"
            findings.append(codes.NOT_FOR_TARGET.at(said.at, message))
    return findings
