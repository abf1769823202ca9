"""How many processes the Launcher of an MPIJob starts, beside the slots that the job has: for several rules."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.manifest.views import mapping
from specgen.operators.mpi.mpirun import call
from specgen.rules._words import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Role, Workload


class Asked:
    """A count of processes: the number, its place, as it is written; the workers, the hosts and slots of the job."""

    __slots__ = ("count", "hosts", "place", "total", "workers", "written")

    def __init__(self, count: int, place: Place, written: str, workers: Role, hosts: int, total: int) -> None:
        self.count = count
        self.place = place
        self.written = written
        self.workers = workers
        self.hosts = hosts
        self.total = total


def asked(workload: Workload) -> Asked | None:
    """What the only MPI program of the Launcher is told; None where a variable, other hosts, or another MPI decide."""
    spec = mapping(workload.manifest.tree.get("spec"))
    roles = {role.name: role for role in workload.roles}
    launcher, workers = roles.get("Launcher"), roles.get("Worker")
    container = launcher.main if launcher is not None else None
    # Intel MPI and MPICH begin again with the first host
    if container is None or workers is None or workers.replicas < 1 or spec.get("mpiImplementation") not in _OPEN:
        return None
    line = run(container)
    said = call([word.text for word in line])
    whole = " ".join([*[word.text for word in line], *container.env]).lower()
    if said is None or said.spread or said.elastic or said.count is None or "oversubscribe" in whole:
        return None
    if not (said.value.isascii() and said.value.isdigit() and len(said.value) < 7):
        return None
    at, start = said.count
    word = line[at]
    place = Place(word.path, inside=(word.start + start, word.start + start + len(said.value)))
    written = word.text if start else f"{line[at - 1].text} {said.value}"
    hosts = workers.replicas + (spec.get("runLauncherAsWorker") is True or is_host(workload, launcher))
    return Asked(int(said.value), place, written, workers, hosts, hosts * workload.procs_per_pod)


# What the operator takes for it where nothing is said.
_OPEN = (None, "", "OpenMPI")


def is_host(workload: Workload, launcher: Role | None) -> bool:
    """Whether the training operator takes the Launcher for a host: by a limit with the word in its name."""
    if workload.operator != "training-operator" or launcher is None:
        return False
    limits = [mapping(mapping(one.tree.get("resources")).get("limits")) for one in launcher.containers()]
    return any("gpu" in str(name) for names in limits for name in names)
