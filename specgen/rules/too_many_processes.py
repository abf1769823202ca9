"""An `mpirun` that is told to start more processes than the job has slots.

## What it checks
`-np` of `mpirun`, `mpiexec`, `orterun`, or `horovodrun`, however it is spelled, in the Launcher of an MPIJob is at most
`slotsPerWorker` (1 where it is not given) times the replicas of `Worker`, and the Launcher's own slots where it works
too. A host file of one's own says nothing here; that of the operator is the default.

## Why it hurts
The operator writes `slots=` into the host file from just these two numbers. Open MPI ends at once with "not enough
slots available", the launcher fails, and the workers hold their GPUs until somebody looks.

## Severity
- error: Open MPI ends with `not enough slots available`, and the launcher fails.

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
Set `slotsPerWorker` to the processes of one worker, mostly its GPUs. The fix is unsafe where
that makes as many slots as the workers have GPUs; else it is shown and not applied: `-np` may be what is wrong.
Where it would make more slots than that, workers are what lacks.

## When to ignore it
Where the image's own settings let Open MPI start more processes than there are slots.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (host file); Open MPI 4.1, `mpirun` manual, "Slots"; public
reports: kubeflow/mpi-operator#680, open-mpi/ompi#3133.
"""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, ERROR, UNSAFE, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.rules import WORKLOAD
from specgen.rules._mpirun import asked
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG501", "too-many-processes", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding. Silent where a variable, another host file, or another MPI may decide."""
    found = asked(workload)
    if found is None or found.count <= found.total:
        return
    workers, pods, slots = found.workers, found.hosts, workload.procs_per_pod
    related = [(Place((*workers.path, "replicas")), plural(workers.replicas, "worker"))]
    if workload.procs_path is not None:
        related.append((Place(workload.procs_path), f"{plural(slots, 'slot')} in each"))
    fix, helps = None, ["set `slotsPerWorker` to the processes of one worker"]
    held = gpus(workers.main, context)[0] if workers.main is not None else 0
    each = found.count // pods if found.count % pods == 0 else 0
    if 0 < held < max(each, slots):
        # as many slots as the count asks for would share devices: pods are what lacks, or the count is wrong
        helps = [f"ask for {plural(found.total, 'process')}, or for more workers: each has {plural(held, 'GPU')}"]
    elif 0 < held == slots and found.count % slots == 0:
        more = found.count // slots - (pods - workers.replicas)
        helps = [f"ask for {plural(found.total, 'process')}, or set the `replicas` of the workers to {more}"]
    elif each:
        level = UNSAFE if held == each else DISPLAY
        fix = Fix(f"set `slotsPerWorker: {each}`", level, [Set(("spec", "slotsPerWorker"), each)])
    yield CODE.at(
        found.place,
        f"`{found.written}` contradicts the {plural(found.total, 'slot')} of this job",
        label=f"says {found.count}",
        related=related,
        notes=[
            f"{plural(pods, 'pod')} × {plural(slots, 'slot')} = {found.total}"
            + ("" if workload.procs_path is not None else "; without `slotsPerWorker` each has one"),
            "Open MPI ends with `not enough slots available`, and the launcher fails",
        ],
        helps=[] if fix else helps,
        fix=fix,
    )
