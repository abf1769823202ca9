"""Devices of an MPI TrainJob that its launcher gets alone.

## What it checks
`resourcesPerNode` where the runtime has MPI without `runLauncherAsNode: true`, and its `node` asks for no devices.

## Why it hurts
Trainer gives `resourcesPerNode` to the job with the trainer's label, here the launcher, and to `node` only if the
launcher is one. The launcher holds the GPUs; the nodes, where the processes start, have none, perhaps on one host.

## Severity
- warning: the launcher may be meant to work alone.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpi}
spec:
  mlPolicy: {mpi: {mpiImplementation: OpenMPI}}
  template:
    spec:
      replicatedJobs:
        - {name: launcher, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
        - name: node
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpi}
spec:
  mlPolicy: {mpi: {mpiImplementation: OpenMPI, runLauncherAsNode: true}}
  template:
    spec:
      replicatedJobs:
        - {name: launcher, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
        - name: node
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec: {runtimeRef: {name: mpi}, trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}}
```

## Fix
`runLauncherAsNode: true` in the runtime, or the devices in its job `node`. None is applied.

## When to ignore it
Where the launcher works alone.

## References
kubeflow/trainer v2.3.0, pkg/runtime/framework/plugins/mpi; recorded: `trainjob-08`, `trainjob-mpi-launcher`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.resources import is_extended
from specgen.operators.kubernetes.room import asked
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG622", "launcher-takes-devices", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("resourcesPerNode",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the resources."""
    from specgen.operators.jobset.facts import pod_spec
    from specgen.operators.trainer.roles import merged, runtime_of

    runtime = runtime_of(workload)
    given = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer")).get("resourcesPerNode")
    if runtime is None or not mapping(given):
        return
    job = merged(workload, runtime)
    node = job.first(name="node")
    if (
        job.source != "mpi"
        or job.policy.get("runLauncherAsNode") is True
        or node is None
        or job.first(step="trainer") == node
    ):
        return
    wanted = [name for name in asked({"resources": given}) if is_extended(name)]
    if not wanted or any(is_extended(name) for name in asked(pod_spec(job.jobs[node]))):
        return
    yield CODE.at(
        Place(("spec", "trainer", "resourcesPerNode"), KEY),
        f"the launcher gets {listed(wanted)}, and the nodes get none",
        related=[(Place(("spec", "mlPolicy", "mpi"), KEY, where=runtime.where), "its launcher is no node")],
        notes=["without `runLauncherAsNode: true` Trainer gives `resourcesPerNode` to the launcher alone"],
    )
