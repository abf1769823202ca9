"""GridJob, ``grid.example.com/v1``: a plan as the grid-operator takes it (``operators.grid.gridjob``)."""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.manifest.origins import Sourced
from specgen.operators.grid.facts import FRAMEWORK
from specgen.operators.grid.gridjob import READER as READER
from specgen.plan.kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World

PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={"worker": "Worker"},
    first=None,
    worker="worker",
    starters=("none", "self"),
    restart=FRAMEWORK.restart,
    reserved_env=FRAMEWORK.injected,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    flags=(),
)
groups, mpi, names = job_parts.groups, job_parts.mpi, job_parts.names
tells, untold = job_parts.tells, job_parts.untold


def counts(world: World) -> dict[str, Sourced]:
    """All pods are workers."""
    return {"worker": Sourced(world.pods, world.pods_place, "`pods` are all workers")}


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a GridJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    findings = job_parts.run_policy(plan, spec)
    replicas = spec.within(FRAMEWORK.field)
    for role in plan.roles:
        findings += job_parts.replica(plan, role, replicas, "grid")
    return job_parts.finished(plan, build, findings)
