"""An `mpirun` that starts fewer processes than the job has slots with GPUs.

## What it checks
`-np` of the MPI program in the Launcher of an MPIJob, however it is spelled, is as many as the slots of the workers,
where these hold GPUs. Silent where a variable, other hosts, or options that spread the processes decide.

## Why it hurts
Open MPI fills the slots of one worker before it goes on to the next. Whole workers may be left without a process, and
their GPUs are idle until the job ends.

## Severity
- warning: the job runs; one process may use several GPUs.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  slotsPerWorker: 8
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "a/b:1", command: [mpirun, -np, "8", ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
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
      template: {spec: {containers: [{name: mpi, image: "a/b:1", command: [mpirun, -np, "16", ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
Leave `-np` out, and Open MPI fills all slots; or ask for fewer workers. None is applied: which was meant is not known.

## When to ignore it
Where one process uses several GPUs, and `slotsPerWorker` counts the GPUs all the same.

## References
Open MPI 4.1, `mpirun` manual, "Process Slots" and "Process Mapping".
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.rules import WORKLOAD
from specgen.rules._mpirun import asked
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG428", "idle-slots", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    found = asked(workload)
    container = found.workers.main if found is not None else None
    if found is None or container is None or not 0 < found.count < found.total:
        return
    slots = workload.procs_per_pod
    each, path = gpus(container, context)
    # a slot without a GPU of its own may be left out on purpose
    if each < slots:
        return
    idle = (found.total - found.count) * (each // slots)
    related = [
        (Place(path), f"{plural(each, 'GPU')} in each"),
        (Place((*found.workers.path, "replicas")), plural(found.workers.replicas, "worker")),
    ]
    if workload.procs_path is not None:
        related.append((Place(workload.procs_path), f"{plural(slots, 'slot')} in each"))
    yield CODE.at(
        found.place,
        f"`{found.written}` leaves {found.total - found.count} of {plural(found.total, 'slot')} without a process",
        label=f"says {found.count}",
        related=related,
        notes=[f"{plural(idle, 'GPU')} would be idle until the job ends"],
        helps=["without `-np` Open MPI fills all slots"],
    )
