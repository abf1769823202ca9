"""A launcher that starts more processes in a pod than the pod has GPUs.

## What it checks
`--nproc-per-node` of torchrun, `nprocPerNode` of the job, and `--num_processes` of `accelerate launch` by its machines,
against the GPUs of the training container, where it asks for any.

## Why it hurts
The processes beyond the GPUs find no device of their number (`invalid device ordinal`), or share one, which NCCL
refuses for two ranks of a communicator.

## Severity
- warning: the program may share GPUs among its processes.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [torchrun, --nproc-per-node=16, train.py]
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
Start a process for each GPU; `--nproc-per-node=gpu` counts them. None is applied: the GPUs may be what is wrong.

## When to ignore it
Where the program talks gloo, or shares its GPUs among processes on purpose.

## References
NCCL 2.27, src/init.cc ("Duplicate GPU detected"); torch 2.13, torch/distributed/run.py (`determine_local_world_size`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes import launchers
from specgen.rules import ALL, LAUNCHER, ROLE
from specgen.rules._words import gpus, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG467", "more-processes-than-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (LAUNCHER,)

_COUNTS = ("--nproc-per-node", "--nproc_per_node", "--num_processes", "--num-processes")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the number. Silent where a word, a variable or a file counts."""
    container = role.main
    if container is None:
        return
    line = launchers.of_text([text for _, _, text in container.words()])
    amount, path = gpus(container, context)
    if line is None or not amount or line.name == launchers.DEEPSPEED:
        return
    workload = role.workload
    given = {"PET_NPROC_PER_NODE": str(workload.procs_per_pod)} if workload.procs_path is not None else {}
    count = launchers.processes(line, given, amount)
    if count is None or count <= amount:
        return
    place = Place(workload.procs_path) if workload.procs_path is not None else Place(container.path)
    for _, value, _, word, start in options(container, _COUNTS, line):
        place = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
    yield CODE.at(
        place,
        f"{plural(count, 'process')} in a pod share {plural(amount, 'GPU')}",
        label=plural(count, "process"),
        related=[(Place(path), plural(amount, "GPU"))],
        notes=["NCCL refuses two ranks of one communicator on the same GPU"],
        helps=["start a process for each GPU"],
    )
