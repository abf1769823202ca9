"""A launcher that holds GPUs which no process of the job uses.

## What it checks
The launcher of an MPIJob, or of a TrainJob whose runtime has `mpi`, asks for no GPU where it is not one of the hosts on
which `mpirun` starts processes.

## Why it hurts
The launcher only waits for the others: its GPUs are idle as long as the job runs, and its pod waits for a node with
free ones before anything starts. The mpi-operator hides them even from its own program.

## Severity
- warning: the launcher's own program may use the GPUs before or after `mpirun`.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
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
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "a/b:1", resources: {limits: {cpu: 2}}}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
Leave the GPUs to the workers, or have the launcher work with them: `runLauncherAsWorker: true` of an MPIJob v2beta1,
`runLauncherAsNode: true` of a runtime. None is applied: which was meant is not known.

## When to ignore it
Where the launcher's own program uses the GPUs before or after `mpirun`.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (newLauncherPodTemplate: `NVIDIA_VISIBLE_DEVICES` is empty);
Trainer 2.3, pkg/runtime/framework/plugins/mpi; host files of both are recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural
from specgen.rules import IDLE_LAUNCHER, WORKLOAD
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion
    from specgen.rules import Context

CODE = Code("SG427", "idle-launcher-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob", "TrainJob")
NEEDS = (IDLE_LAUNCHER,)

_WAYS = {"mpi-operator": "runLauncherAsWorker: true", "trainer": "runLauncherAsNode: true"}


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    roles = [role for role in workload.roles if role.name in ("Launcher", "launcher")]
    container = roles[0].main if roles else None
    if container is None or context.reader is None:
        return
    count, path = gpus(container, context)
    if not count or len(workload.roles) < 2:
        return
    expansion = context.expanded(workload)
    if not expansion.pods or _is_host(expansion):
        return
    notes = ["`mpirun` starts processes on the hosts of its file, and the launcher is none of them"]
    if workload.operator != "trainer":
        notes.append("the operator hides them from the launcher's own program (`NVIDIA_VISIBLE_DEVICES`)")
    way = _WAYS.get(workload.operator)
    yield CODE.at(
        Place(path, KEY),
        f"the launcher holds {plural(count, 'GPU')} that no process uses",
        label="idle as long as the job runs",
        notes=notes,
        helps=["leave the GPUs to the workers" + (f", or write `{way}`" if way else "")],
    )


def _is_host(expansion: Expansion) -> bool:
    """Whether the launcher stands in the host file; true where there is none that tells."""
    launchers = [one.pod.removesuffix("-<random>") for one in expansion.instances if one.role.lower() == "launcher"]
    maps = [tree["data"] for tree in expansion.others if tree["kind"] == "ConfigMap"]
    text = next((data["hostfile"] for data in maps if "hostfile" in data), "")
    hosts = [line.replace(":", " ").split()[0].partition(".")[0] for line in text.splitlines() if line.strip()]
    return not hosts or any([name in hosts for name in launchers])
