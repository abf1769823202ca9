"""Several GPUs in a pod of a PyTorchJob, and a command that shows one process.

## What it checks
A training container with two GPUs or more whose command is Python with a file: no launcher starts it, and no option
tells the program how many processes or devices to spread over. Where the command is a shell's, a module or another
program, or the image's own, nobody knows here. Of a profile it is SG216, unless a `patch` changes the command.

## Why it hurts
One process uses one GPU unless its program is written otherwise; the others are held and idle. The training operator
counts one process for each pod.

## Severity
- warning: the program may start its processes itself, or use several GPUs in one.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, train.py]
    resources: {limits: {nvidia.com/gpu: 8}}
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [torchrun, train.py]
    resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Let torchrun start a process for each GPU, or ask for one GPU.

## When to ignore it
Where the program starts its processes itself, as with `torch.multiprocessing.spawn`, or one process drives all GPUs.

## References
training-operator 1.9, pkg/controller.v1/pytorch/envvar.go; torch 2.13, torch/distributed/run.py.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes.launchers import starts_one
from specgen.rules import PYTHON_ON_GPUS, ROLE
from specgen.rules._words import gpus, patched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG503", "one-process", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("PyTorchJob",)
NEEDS = (PYTHON_ON_GPUS,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the number of GPUs."""
    container = role.main
    if container is None or role.replicas < 1 or role.workload.procs_path is not None:
        return  # who says a number of processes knows who starts them
    words = [text for _, _, text in container.words()]
    if not starts_one(words):
        return
    amount, path = gpus(container, context)
    if amount < 2 or not patched(container):
        return
    key, _, _ = container.words()[0]
    yield CODE.at(
        Place(path),
        f"one process in a pod has {plural(amount, 'GPU')}",
        label=plural(amount, "GPU"),
        related=[(Place((*container.path, key)), "Python with a file, and no launcher")],
        notes=["one process uses one GPU unless its program is written otherwise"],
        helps=["`torchrun --nproc-per-node=gpu` starts a process for each"],
    )
