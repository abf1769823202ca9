"""TrainJob, ``trainer.kubeflow.org/v1alpha1``: what Kubeflow Trainer takes and makes of it, with its runtime.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/apis/trainer/v1alpha1/trainjob_types.go; held against the
recordings of 2.3.0. What 2.0 to 2.2 spell otherwise is in ``spelling``. The runtime is another object:
``Workload.companions`` holds it, or the TrainJob has no pods and is refused.
"""

from __future__ import annotations

from specgen.manifest.views import Workload, mapping
from specgen.operators.reader import Reader
from specgen.operators.trainer.facts import GONE, JOBS, OPERATOR
from specgen.operators.trainer.spelling import as_newest, as_written, older

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Counted
    from specgen.operators.objection import Objection
    from specgen.source import Path


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The TrainJob as Trainer sees it, without roles: its pods are the runtime's, by ``with_runtime``. Never raises."""
    workload = Workload(manifest, container="node", operator=OPERATOR.name, version=version or OPERATOR.newest)
    workload.added_volumes = ("mpi-ssh-auth", "initializer")
    procs = mapping(mapping(manifest.tree.get("spec")).get("trainer")).get("numProcPerNode")
    if isinstance(procs, int) and not isinstance(procs, bool):
        workload.procs_per_pod = procs
        workload.procs_path = ("spec", "trainer", "numProcPerNode")
    return workload


def with_runtime(workload: Workload, companions: Sequence[Manifest]) -> None:
    """Gives the workload its companions, and the roles that its runtime has among them. Never raises."""
    from specgen.operators.trainer.roles import add_roles  # a TrainJob alone has none

    workload.companions = companions
    add_roles(workload)


def relocate(workload: Workload, finding: Finding) -> None:
    """Leads a finding about a pod to the object that holds the value."""
    from specgen.operators.trainer.roles import relocate as lead

    lead(workload, finding)


def locate(workload: Workload, path: Path) -> tuple[Manifest, Path]:
    """The object that holds what stands at a path of the pods, and its path there."""
    from specgen.operators.trainer.roles import locate as holder

    return holder(workload, path)


def expand(workload: Workload) -> Expansion:
    """What Trainer creates (``pods``). Never raises."""
    # loaded here: linting does not ask for it
    from specgen.operators.trainer.pods import expand as objects

    return objects(workload)


def lost_claims(workload: Workload) -> list[tuple[str, Path, Manifest | None]]:
    """Claims that its pods do not get (``claims``). Never raises."""
    # loaded here: few jobs have claims
    from specgen.operators.trainer.claims import lost

    return lost(workload)


def lost_amounts(workload: Workload) -> list[tuple[str, Path, Manifest | None]]:
    """Resources of its runtime that its pods do not get (``claims``). Never raises."""
    # loaded here: few jobs say what a pod gets
    from specgen.operators.trainer.claims import amounts_lost

    return amounts_lost(workload)


def refusals(workload: Workload) -> Iterator[Objection]:
    """What is refused of it, and of what comes of it (``verdict``). Never raises."""
    # loaded here: reading does not ask for it
    from specgen.operators.trainer.verdict import refusals as judged

    return judged(workload)


def counted(roles: dict[str, tuple[int, str]], most: int | None = None) -> Counted | None:
    """What a limit on restarts counts of an incident: that of a Job (``jobset.lifecycle``)."""
    # loaded here: few jobs have a limit
    from specgen.operators.jobset.lifecycle import counted as count

    return count(roles, most)


READER = Reader(
    "trainer.kubeflow.org/v1alpha1",
    "TrainJob",
    schema="trainjob_v1alpha1",
    operator=OPERATOR,
    read=read,
    expand=expand,
    refusals=refusals,
    group=JOBS,
    as_newest=as_newest,
    as_written=as_written,
    older=older,
    gone=GONE[JOBS],
    with_runtime=with_runtime,
    relocate=relocate,
    locate=locate,
    lost_claims=lost_claims,
    lost_amounts=lost_amounts,
    counted=counted,
)
