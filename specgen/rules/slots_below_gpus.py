"""Workers of an MPIJob with several GPUs, and one slot each.

## What it checks
An MPIJob says no `slotsPerWorker`, its workers have several GPUs, and the Launcher's only `mpirun` is told no more
processes than there are slots. Silent where options say other hosts, or how processes are spread.

## Why it hurts
A worker without `slotsPerWorker` has one slot: `mpirun` starts one process in it, which uses one GPU unless its program
is written otherwise. The others are held, and idle.

## Severity
- warning: a process may use several GPUs.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "a/b:1", command: [mpirun, ./train]}]}}
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
      template: {spec: {containers: [{name: mpi, image: "a/b:1", command: [mpirun, ./train]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
`slotsPerWorker` as many as a worker has GPUs. That is unsafe: more processes start.

## When to ignore it
Where a process drives all GPUs of its pod; better, write `slotsPerWorker: 1`.

## References
mpi-operator 0.8, pkg/apis/kubeflow/v2beta1/default.go; training-operator 1.9.4, pkg/apis/kubeflow.org/v1.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.operators.mpi.mpirun import call
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec
from specgen.rules._words import gpus, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG518", "slots-below-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the job's spec."""
    roles = {role.name: role for role in workload.roles}
    launcher, workers = roles.get("Launcher"), roles.get("Worker")
    if workload.procs_path is not None or launcher is None or launcher.main is None:
        return
    if workers is None or workers.main is None or workers.replicas < 1:
        return
    each, path = gpus(workers.main, context)
    said = call([word.text for word in words(launcher.main)]) if each > 1 else None
    # horovodrun without hosts, and options that spread, decide by themselves
    if said is None or said.spread or said.elastic or said.each is not None or "torchrun" in launcher.main.line:
        return
    hosts = workers.replicas + (spec(workload).get("runLauncherAsWorker") is True)
    asked = hosts if said.count is None else int(said.value) if said.value.isdecimal() and len(said.value) < 7 else 0
    if not 0 < asked <= hosts:
        return
    idle = workers.replicas * each - asked
    yield CODE.at(
        Place(("spec",), KEY),
        f"{plural(asked, 'process')} for {plural(workers.replicas * each, 'GPU')} of the workers: {idle} idle",
        label="no `slotsPerWorker` here: one process in each",
        related=[(Place(path), f"{plural(each, 'GPU')} in each")],
        notes=["a process uses one GPU unless its program is written otherwise"],
        fix=Fix(f"write `slotsPerWorker: {each}`", UNSAFE, [Set(("spec", "slotsPerWorker"), each)]),
    )
