"""A launcher that starts fewer processes in a pod than the pod has GPUs.

## What it checks
`--nproc-per-node` of torchrun, `nprocPerNode` of the job where the line says nothing, or one process where nobody says
a number, and `--num_processes` of `accelerate launch` by its machines, against the GPUs of the training container, of
which there are several. DeepSpeed's launcher, programs that no launcher starts, and kinds whose frameworks use all
devices in one process are passed over, and lines that start something else beside the launcher.

## Why it hurts
A process uses the GPU of its number, unless its program is written otherwise: the others are held, and idle.

## Severity
- warning: a process may use several GPUs.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [torchrun, --nproc-per-node=4, train.py]
    resources: {limits: {nvidia.com/gpu: 8}}
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [torchrun, --nproc-per-node=8, train.py]
    resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Start a process for each GPU; `--nproc-per-node=gpu` counts them. Or ask for fewer GPUs. None is applied: which number
is wrong is not known.

## When to ignore it
Where a process uses several GPUs, as with tensor or pipeline parallelism inside of a process, or `device_map="auto"`.

## References
torch 2.13, torch/distributed/run.py (`--nproc-per-node`, by default 1); huggingface/accelerate 1.15.0,
utils/launch.py; training-operator 1.9.4, pkg/apis/kubeflow.org/v1/pytorch_defaults.go (`nprocPerNode`, by default
`auto`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes import launchers
from specgen.rules import ALL, LAUNCHER, ROLE
from specgen.rules._started import line_of, processes
from specgen.rules._words import gpus, options, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.operators.kubernetes.launchers import Line
    from specgen.rules import Context

CODE = Code("SG534", "fewer-processes-than-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (LAUNCHER,)

# A process of TensorFlow, JAX or Paddle uses all devices that it sees.
_ALL_DEVICES = ("TFJob", "JAXJob", "PaddleJob")
_COUNTS = {
    launchers.TORCHRUN: ("--nproc-per-node", "--nproc_per_node"),
    launchers.ACCELERATE: ("--num_processes", "--num-processes"),
}


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the number. Silent where a word, a variable or a file counts."""
    container = role.main
    if container is None or role.replicas < 1 or role.workload.kind in _ALL_DEVICES:
        return
    if role.name in ("Launcher", "launcher") or any(word.endswith("&") for word in _alone(container)):
        return  # mpirun may start several, and what goes on in the background may use the others
    line = line_of(container)
    amount, path = gpus(container, context)
    if line is None or amount < 2 or line.name not in _COUNTS or "cpu" in line.options:
        return
    count = processes(container, context, line)
    if count is None or count >= amount:
        return
    idle = amount - count
    place, label = _place(container, line)
    yield CODE.at(
        place,
        f"{plural(count, 'process')} for {plural(amount, 'GPU')} of a pod: {idle} idle",
        label=label or plural(count, "process"),
        related=[(Place(path), plural(amount, "GPU"))],
        notes=["a process uses one GPU unless its program is written otherwise"],
        helps=[_help(container, line, amount, count)],
    )


def _alone(container: Container) -> list[str]:
    """The words of a line that are more than the sign between two programs."""
    return [word for word in container.line.split() if word != "&&"]


def _place(container: Container, line: Line) -> tuple[Place, str]:
    """Where the processes are counted, and what to say there; the launcher where nobody counts them."""
    for _, value, _, word, start in options(container, _COUNTS[line.name], line):
        return Place(word.path, inside=(word.start + start, word.start + start + len(value))), ""
    workload = container.role.workload
    if line.name == launchers.TORCHRUN and workload.procs_path is not None and workload.procs_told is not None:
        return Place(workload.procs_path), ""
    for key, index, text in container.words():
        at = text.find(line.name)
        if at >= 0:
            place = Place((*container.path, key, index), inside=(at, at + len(line.name)))
            return place, "one process, as nobody counts them"
    return Place(container.path), ""


def _help(container: Container, line: Line, amount: int, count: int) -> str:
    workload = container.role.workload
    asked = f"or ask for {plural(count, 'GPU')}; ignore it where a process uses several"
    if not written_by_hand(workload):
        return f"leave the number out, and a process starts for each, {asked}"
    if line.name == launchers.TORCHRUN:
        return f"`--nproc-per-node=gpu` starts a process for each, {asked}"
    machines = launchers.count(line.value("num_machines", "1")) or 1
    several = f" for {plural(machines, 'machine')}" if machines > 1 else ""
    if machines == 1 and workload.pods > 1 and "PET_NNODES" in workload.rules_env:
        several = " for the processes of a pod"
    return f"`--num_processes={amount * machines}`{several} starts one for each, {asked}"
