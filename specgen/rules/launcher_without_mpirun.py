"""A launcher of an MPIJob that calls no mpirun, beside workers that wait for one.

## What it checks
The launcher's command is Python with a file, or calls torchrun, `accelerate launch` or DeepSpeed's launcher, in a
shell's text as well, without `mpirun`, `mpiexec`, `horovodrun`, ssh or a host file in it, and the workers, which have
GPUs, run the operator's own command, sshd, or sleep. The rest of a shell's text, a script of a shell and other programs
may call mpirun where nobody sees it. Of Python alone in a profile it is SG216, unless a `patch` changes the command.

## Why it hurts
All that is started runs in the launcher, which has no GPU. The workers hold theirs, idle, until it ends.

## Severity
- warning: the program may start the others itself.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [python, train.py]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: llama-ft}
spec:
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: mpi, image: "mpi:1", command: [mpirun, python, train.py]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: mpi, image: "mpi:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
Put mpirun in front of the program. What torchrun is to start in every pod is a job of another kind, such as a
PyTorchJob, which has no launcher.

## When to ignore it
Where the program starts the others itself, as with `horovod.run`.

## References
mpi-operator 0.8, pkg/controller/mpi_job_controller.go (newWorker); training-operator 1.9, pkg/controller.v1/mpi.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural
from specgen.operators.kubernetes.launchers import DEEPSPEED, starts_one, stays_here
from specgen.operators.kubernetes.shell import names_launcher
from specgen.rules import LAUNCHER, PYTHON, WORKLOAD
from specgen.rules._words import gpus, patched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context

CODE = Code("SG504", "launcher-without-mpirun", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("MPIJob",)
NEEDS = (LAUNCHER, PYTHON)
# Where DeepSpeed looks for its hosts unless it is told (0.19.8, deepspeed/launcher/runner.py, DLTS_HOSTFILE).
_OF_HOSTS = ("/job", "/job/hostfile")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the launcher's command."""
    roles = {role.name: role for role in workload.roles}
    launcher, workers = (roles[name].main if name in roles else None for name in ("Launcher", "Worker"))
    if launcher is None or workers is None or roles["Worker"].replicas < 1 or not _waits(workers):
        return
    words = [text for _, _, text in launcher.words()]
    line = stays_here(words) if names_launcher(words) else None
    if line is None and not (starts_one(words) and patched(launcher)):
        return
    if line is not None and line.name == DEEPSPEED and any(launcher.mounts_at(path) for path in _OF_HOSTS):
        return
    amount, path = gpus(workers, context)
    if not amount or gpus(launcher, context)[0]:
        return
    held = f"{plural(roles['Worker'].replicas, 'worker')} with {plural(amount, 'GPU')} each"
    key, _, _ = launcher.words()[0]
    message = f"the launcher runs one process itself, and none on the {held}"
    helps = ["put `mpirun` in front of the program"]
    if line is not None:
        message = f"`{line.name}` starts its processes in the launcher, and none on the {held}"
        helps = [
            f"`mpirun` in the place of `{line.name}` starts the program on the workers, in a profile `start: mpirun`",
            f"a job without a launcher has `{line.name}` in each pod, such as a PyTorchJob",
        ]
        if line.name == DEEPSPEED:
            helps[1] = "`--hostfile /etc/mpi/hostfile` lets `deepspeed` go to them by ssh"
    yield CODE.at(
        Place((*launcher.path, key), KEY),
        message,
        label="calls no mpirun",
        related=[(Place(path), plural(amount, "GPU"))],
        notes=["the workers run sshd or sleep, and wait for an mpirun that nobody calls"],
        helps=helps,
    )


def _waits(workers: Container) -> bool:
    """Whether a worker's command waits for a launcher: it is the operator's, sshd, or a sleep."""
    words = [text for _, _, text in workers.words()]
    return (
        not words or words[0].rpartition("/")[2] in ("sleep", "sshd", "tail") or any("sshd" in word for word in words)
    )
