"""TrainJob, ``trainer.kubeflow.org/v1alpha1``: what Kubeflow Trainer takes and makes of it, with its runtime.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/apis/trainer/v1alpha1/trainjob_types.go and the modules named
``_trainer_*`` here; held against the recordings of 2.3.0. What 2.0 to 2.2 spell otherwise is in ``_trainer_versions``.
The runtime is another object: a profile's own one stands beside the TrainJob (``_trainer_lower``), one of the cluster
is named (``_trainer_over``). ``Workload.companions`` holds it, or the TrainJob has no pods and is refused.
"""

from __future__ import annotations

from specgen.backends._trainer_plan import MPI, counts, groups, names
from specgen.backends._trainer_versions import absent_fields, as_newest, as_written, older
from specgen.manifest.views import Workload, mapping
from specgen.plan.kind import Kind
from specgen.plan.world import over_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan
    from specgen.source import Path

__all__ = (
    "API_VERSION",
    "INJECTED",
    "KIND",
    "NEWEST",
    "OPERATOR",
    "PLAN",
    "RELEASES",
    "SCHEMA",
    "absent_fields",
    "as_newest",
    "as_written",
    "expand",
    "home",
    "lower",
    "meet",
    "older",
    "read",
    "refusals",
    "settled",
    "unique_lists",
)

API_VERSION = "trainer.kubeflow.org/v1alpha1"
KIND = "TrainJob"
SCHEMA = "trainjob_v1alpha1"
OPERATOR = "trainer"
NEWEST = "2.3.0"
# Releases whose behaviour was read, the newest one recorded too; another one is said to be unknown.
RELEASES: tuple[str, ...] = ("2.0", "2.1", "2.2", "2.3")

# Refused in `trainer.env` by the webhook: what torchrun is told, and what mpirun is (facts/operators.md, 8.3).
INJECTED = frozenset(
    (
        "PET_MASTER_ADDR",
        "PET_MASTER_PORT",
        "PET_NNODES",
        "PET_NODE_RANK",
        "PET_NPROC_PER_NODE",
        "OMPI_MCA_orte_default_hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_set_default_slots",
        "OMPI_MCA_plm_rsh_args",
    )
)

PLAN = Kind(
    KIND,
    operator=OPERATOR,
    roles={"worker": "node", "launcher": "launcher"},
    first=None,
    worker="worker",
    counts=counts,
    launcher="launcher",
    mpi=MPI,
    starters=("none", "self", "torchrun", "mpirun", "horovodrun"),
    starter="torchrun",
    restart="OnFailure",
    reserved_env=INJECTED,
    labels=("jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name"),
    groups=groups,
    names=names,
    letter="its API server wants a letter first",
    fetches=True,
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a TrainJob, with a runtime of its own beside it or over one of the cluster."""
    if over_runtime(plan.job):
        from specgen.backends._trainer_over import lower as over  # most jobs bring their runtime

        return over(plan)
    from specgen.backends._trainer_lower import lower as own

    return own(plan)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The TrainJob as Trainer sees it, without roles: its pods are the runtime's, see ``meet``. Never raises."""
    workload = Workload(manifest, container="node", operator=OPERATOR, version=version or NEWEST)
    workload.refusals = refusals
    workload.added_volumes = ("mpi-ssh-auth", "initializer")
    procs = mapping(mapping(manifest.tree.get("spec")).get("trainer")).get("numProcPerNode")
    if isinstance(procs, int) and not isinstance(procs, bool):
        workload.procs_per_pod = procs
        workload.procs_path = ("spec", "trainer", "numProcPerNode")
    return workload


def meet(workload: Workload, companions: Sequence[Manifest]) -> None:
    """Gives the workload its companions, and the roles that its runtime has among them. Never raises."""
    from specgen.backends._trainer_read import add_roles  # a TrainJob alone has none

    workload.companions = list(companions)
    add_roles(workload)


def settled(workload: Workload, finding: Finding) -> None:
    """Leads a finding about a pod to the object that holds the value."""
    from specgen.backends._trainer_read import settled as settle

    settle(workload, finding)


def home(workload: Workload, path: Path) -> tuple[Manifest, Path]:
    """The object that holds what stands at a path of the pods, and its path there."""
    from specgen.backends._trainer_read import home as holder

    return holder(workload, path)


def unique_lists(version: str) -> tuple[str, ...] | None:
    """All that the vendored schema holds unique."""
    return None


def expand(workload: Workload) -> Expansion:
    """What Trainer creates (``_trainer_expand``). Never raises."""
    # loaded here: linting does not ask for it
    from specgen.backends._trainer_expand import expand as objects

    return objects(workload)


def refusals(workload: Workload) -> Iterator[tuple[Path, str, str, str]]:
    """(path, why, who, assumed) of what is refused, beyond what rules find (``_trainer_webhook``)."""
    # loaded here: expanding does not ask for it
    from specgen.backends._trainer_webhook import refusals as judged

    return judged(workload)
