"""What a TrainJob does not bring to its pods: beside amounts of its own resource claims, and until 2.2 other amounts.

Over a runtime without a job of the trainer's step it brings nothing at all.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), pkg/runtime/core/trainingruntime.go, newRuntimeInfo, and recorded:
where the TrainJob has ``resourcesPerNode``, Trainer makes the container's resources anew, of limits and requests alone.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.trainer.facts import MERGED, OPERATOR
from specgen.operators.trainer.job import NODE, TRAINER, TrainJob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.source import Path

_JOBS = ("spec", "template", "spec", "replicatedJobs")


def lost(workload: Workload) -> list[tuple[str, Path, Manifest | None]]:
    """(name, path, runtime) of the claims of a TrainJob, and of its runtime where a file holds that, that are lost.

    Until 2.2 what a TrainJob says stands in place of what the runtime says.
    """
    from specgen.operators.trainer.roles import runtime_of

    given = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer")).get("resourcesPerNode")
    if not isinstance(given, dict):
        return []
    found: list[tuple[str, Path, Manifest | None]] = []
    claims = [str(mapping(one).get("name")) for one in sequence(given.get("claims"))]
    if OPERATOR.at(workload.version) >= MERGED:
        path: Path = ("spec", "trainer", "resourcesPerNode", "claims")
        found += [(name, (*path, at), None) for at, name in enumerate(claims)]
    elif claims:
        return []
    runtime = runtime_of(workload)
    return found + [(*one, runtime) for one in (claims_lost(runtime.tree) if runtime is not None else ())]


def claims_lost(runtime: dict[str, Any]) -> list[tuple[str, Path]]:
    """(name, path in the runtime) of the claims that go where a TrainJob over it has ``resourcesPerNode``."""
    job = TrainJob("", None, {}, runtime)
    found: list[tuple[str, Path]] = []
    for number, replicated in enumerate(job.jobs):
        if not job.has_policy or not job.is_node(replicated):
            continue
        for at, container in enumerate(layout.containers_of(replicated)):
            if container.get("name") == "node":
                path = (*_JOBS, number, "template", "spec", "template", "spec", "containers", at, "resources", "claims")
                claims = sequence(mapping(container.get("resources")).get("claims"))
                found += [(str(mapping(one).get("name")), (*path, place)) for place, one in enumerate(claims)]
    return found


def amounts_lost(workload: Workload) -> list[tuple[str, Path, Manifest | None]]:
    """(resource, path in the runtime, runtime) of what a runtime in a file asks for and its TrainJob takes away.

    None since 2.3: what a TrainJob says is laid over the runtime's.
    """
    from specgen.operators.trainer.roles import runtime_of

    given = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer")).get("resourcesPerNode")
    runtime = runtime_of(workload)
    if not isinstance(given, dict) or runtime is None or OPERATOR.at(workload.version) >= MERGED:
        return []
    said = {*mapping(given.get("limits")), *mapping(given.get("requests"))}
    found: dict[str, Path] = {}
    job = TrainJob("", None, {}, runtime.tree)
    for number, replicated in enumerate(job.jobs):
        for at, container in enumerate(layout.containers_of(replicated)):
            if not job.has_policy or not job.is_node(replicated) or container.get("name") != "node":
                continue
            path = (*_JOBS, number, "template", "spec", "template", "spec", "containers", at, "resources")
            for side in ("limits", "requests"):
                for name in mapping(mapping(container.get("resources")).get(side)):
                    if name not in said:
                        found.setdefault(name, (*path, side, name))
    return [(name, path, runtime) for name, path in found.items()]


def untaken(workload: Workload, runtime: Manifest) -> list[str]:
    """Fields of ``spec.trainer`` that reach no pod, as no job of the runtime is of the trainer's step.

    image, command and args go to the container `node` of jobs of that step, env and resourcesPerNode to jobs of MPI's
    nodes as well, where the launcher is one; numNodes counts the first job of the step, or MPI's nodes (``enforce``,
    ``with_trainer``, ``with_resources`` of ``policies``).
    """
    from specgen.operators.trainer.roles import merged

    job = merged(workload, runtime)
    if job.first(step=TRAINER) is not None:
        return []
    # the host file of MPI and Flux says how many processes a node has
    taken = {"numProcPerNode"} if job.source in ("mpi", "flux") or job.policy.get("envInjection") else set()
    if job.source == "mpi" and job.first(name=NODE) is not None:
        taken.add("numNodes")
    if any(job.is_node(one) for one in job.jobs):
        taken.update(("env", "resourcesPerNode"))
    # what an empty list or text says, nobody misses
    said = [str(field) for field, value in mapping(job.trainer).items() if value not in (None, "", [], {})]
    return [field for field in said if field not in taken]
