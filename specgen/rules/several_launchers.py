"""Several launchers of an MPI TrainJob, each of which starts all processes.

## What it checks
Pods of `launcher` where the runtime has MPI: Trainer gives the runtime's `numNodes` to the job with its label, be that
the launcher, and `numNodes` of the TrainJob to `node`.

## Why it hurts
Each launcher runs the command: two `mpirun` start the whole training twice, on the same hosts and GPUs, out of memory.

## Severity
- warning: the command may tell launchers apart by their index.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpi}
spec:
  mlPolicy: {numNodes: 2, mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}}
  template:
    spec:
      replicatedJobs:
        - {name: launcher, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
        - name: node
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 4}}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpi}
spec:
  mlPolicy: {numNodes: 1, mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}}
  template:
    spec:
      replicatedJobs:
        - {name: launcher, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
        - name: node
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 4}}
```

## Fix
`numNodes: 1` in the runtime. None is applied: the runtime is that of other jobs too.

## When to ignore it
Where the command lets the first launcher alone go on.

## References
kubeflow/trainer v2.3.0, pkg/runtime/core/trainingruntime.go, pkg/runtime/framework/plugins/mpi.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG635", "several-launchers", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the reference to the runtime."""
    from specgen.operators.trainer.roles import merged, runtime_of

    runtime = runtime_of(workload)
    if runtime is None or "mpi" not in mapping(mapping(runtime.tree.get("spec")).get("mlPolicy")):
        return
    job = merged(workload, runtime)
    launcher = job.first(name="launcher")
    if job.source != "mpi" or launcher is None or job.first(step="trainer") != launcher or job.counts[launcher] < 2:
        return
    count = job.counts[launcher]
    yield CODE.at(
        Place(("spec", "runtimeRef"), KEY),
        f"{count} launchers come of this runtime, and each starts all processes",
        label="with several launchers",
        related=[(Place(("spec", "mlPolicy"), KEY, where=runtime.where), f"its launcher has {count} pods")],
        notes=["Trainer gives the runtime's `numNodes` to the job with the trainer's label"],
        helps=["`numNodes: 1` in the runtime: what the TrainJob says is for `node`"],
    )
