"""An `mpirun` that is told to start more processes than the job has slots.

## What it checks
`-np` of `mpirun`, `mpiexec`, or `orterun` in the Launcher of an MPIJob is at most `slotsPerWorker` (1 where it is not
given) times the replicas of `Worker`, and the Launcher's own slots where it works too.

## Why it hurts
The operator writes `slots=` into the host file from just these two numbers. Open MPI ends at once with "not enough
slots available", the launcher fails, and the workers hold their GPUs until somebody looks.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [mpirun, -np, "16", ./train]}]}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1"}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  slotsPerWorker: 8
  mpiReplicaSpecs:
    Launcher:
      template:
        spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1", command: [mpirun, -np, "16", ./train]}]}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "registry.example.com/mpi:1"}]}}
```

## Fix
Set `slotsPerWorker` to the processes of one worker, mostly its GPUs. None is applied: `-np` may be what is wrong.

## When to ignore it
Where the image's own settings let Open MPI start more processes than there are slots.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (host file); Open MPI 4.1, `mpirun` manual, "Slots"; public
reports: kubeflow/mpi-operator#680, open-mpi/ompi#3133.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place, plural
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.rules import Context
    from specgen.rules._words import Word

CODE = Code("SG501", "too-many-processes", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob",)

# Options with two values.
_PAIRED = ("-mca", "--mca", "-gmca", "--gmca")
_PROGRAMS = ("mpirun", "mpiexec", "orterun")
_COUNTS = ("-np", "--np", "-n", "--n", "-c")
# Words with which mpirun takes other hosts than the operator's, or more processes than slots.
_ELSEWHERE = ("-host", "--host", "-H", "-machinefile", "--machinefile", "--rankfile", "-rf", "--app")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding. Silent where a variable, another host file, or another MPI may decide."""
    spec = mapping(workload.manifest.tree.get("spec"))
    # Intel MPI and MPICH begin again with the first host
    if spec.get("mpiImplementation", "OpenMPI") != "OpenMPI":
        return
    roles = {role.name: role for role in workload.roles}
    launcher = roles.get("Launcher")
    container = launcher.main if launcher is not None else None
    if container is None or any("oversubscribe" in name.lower() for name in container.env):
        return
    workers = roles["Worker"].replicas if "Worker" in roles else 0
    pods = workers + (1 if spec.get("runLauncherAsWorker") is True or _is_gpu_launcher(workload, launcher) else 0)
    found = _count(container)
    if found is None or workers < 1 or int(found.text) <= pods * workload.procs_per_pod:
        return
    slots = workload.procs_per_pod
    related = [(Place((*roles["Worker"].path, "replicas")), plural(workers, "worker"))]
    if workload.procs_path is not None:
        related.append((Place(workload.procs_path), f"{plural(slots, 'slot')} in each"))
    yield CODE.at(
        Place(found.path, inside=(found.start, found.start + len(found.text))),
        f"`-np {found.text}` contradicts the {plural(pods * slots, 'slot')} of this job",
        label=f"says {found.text}",
        related=related,
        notes=[
            f"{plural(pods, 'pod')} × {plural(slots, 'slot')} = {pods * slots}"
            + ("" if "slotsPerWorker" in spec else "; without `slotsPerWorker` each has one"),
            "Open MPI ends with `not enough slots available`, and the launcher fails",
        ],
        helps=["set `slotsPerWorker` to the processes of one worker"],
    )


def _is_gpu_launcher(workload: Workload, launcher: Role | None) -> bool:
    """Whether the training operator takes the Launcher for a host: by a limit with the word in its name."""
    if workload.operator != "training-operator" or launcher is None:
        return False
    limits = [mapping(mapping(one.tree.get("resources")).get("limits")) for one in launcher.containers()]
    return any("gpu" in str(name) for names in limits for name in names)


def _count(container: Container) -> Word | None:
    """The number behind the first ``-np`` of the only MPI program in a command line."""
    line = words(container)
    starts = [at for at, word in enumerate(line) if word.text.rpartition("/")[2] in _PROGRAMS]
    if len(starts) != 1:
        return None
    line = line[starts[0] + 1 :]
    texts = [word.text for word in line]
    whole = " ".join(texts)
    if "oversubscribe" in whole.lower() or "hostfile" in whole or any([text.startswith(_ELSEWHERE) for text in texts]):
        return None
    for at, word in enumerate(line[:-1]):
        value = texts[at + 1]
        if word.text in _COUNTS:
            return line[at + 1] if value.isascii() and value.isdigit() and len(value) < 7 else None
        # what follows the program's own name is its business: a word that is no value of an option
        before = texts[max(0, at - 2) : at]
        is_value = before[-1:] and (before[-1].startswith("-") or before[0] in _PAIRED)
        if not word.text.startswith("-") and not is_value:
            return None
    return None
