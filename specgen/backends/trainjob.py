"""TrainJob, ``trainer.kubeflow.org/v1alpha1``: what Kubeflow Trainer takes and makes of it, with its runtime.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/apis/trainer/v1alpha1/trainjob_types.go and the modules named
``_trainer_*`` here. The runtime is another object: ``Workload.companions`` holds it, or the TrainJob is refused.
"""

from __future__ import annotations

from specgen.manifest.views import Workload, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.manifest.model import Manifest

API_VERSION = "trainer.kubeflow.org/v1alpha1"
KIND = "TrainJob"
SCHEMA = "trainjob_v1alpha1"
OPERATOR = "trainer"
NEWEST = "2.3.0"
# Releases whose behaviour was read and recorded; another one is said to be unknown.
RELEASES: tuple[str, ...] = ("2.3",)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The TrainJob as Trainer sees it, without roles: its pods are the runtime's. Never raises."""
    workload = Workload(manifest, container="node", operator=OPERATOR, version=version or NEWEST)
    workload.added_volumes = ("mpi-ssh-auth", "initializer")
    procs = mapping(mapping(manifest.tree.get("spec")).get("trainer")).get("numProcPerNode")
    if isinstance(procs, int) and not isinstance(procs, bool):
        workload.procs_per_pod = procs
        workload.procs_path = ("spec", "trainer", "numProcPerNode")
    return workload


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """None: only one version is known."""
    return frozenset()


def unique_lists(version: str) -> tuple[str, ...] | None:
    """All that the vendored schema holds unique."""
    return None


def expand(workload: Workload) -> Expansion:
    """What Trainer creates (``_trainer_expand``). Never raises."""
    # loaded here: linting does not ask for it
    from specgen.backends._trainer_expand import expand as objects

    return objects(workload)
