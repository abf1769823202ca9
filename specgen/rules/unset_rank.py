"""Python without a launcher in several pods of a TrainJob, which Trainer tells what torchrun reads, and nothing else.

## What it checks
A TrainJob of two pods or more whose command is Python with a file: Trainer's torch policy sets `PET_NNODES`,
`PET_NODE_RANK` and `PET_MASTER_ADDR`, and neither Trainer nor the job sets `RANK` or `WORLD_SIZE`. Where the command is
a shell's, a module or another program, or the image's own, nobody knows here. Of a profile it is SG207.

## Why it hurts
`torch.distributed` looks for `RANK`, `WORLD_SIZE` and `MASTER_ADDR`. The training operator set them in the pods of a
PyTorchJob; of a TrainJob torchrun makes them out of `PET_…`. Without it `init_process_group()` fails for want of
`RANK`, and a script that asks for `WORLD_SIZE` before it meets others trains once in each pod: nobody says a word.

## Severity
- warning: the program may read `PET_…` itself, or start its processes.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {numNodes: 4, image: "train:1.4", command: [python, train.py]}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {numNodes: 4, image: "train:1.4", command: [torchrun, train.py]}
```

## Fix
`torchrun` in the place of `python`: unsafe, as the pods then train together.

## When to ignore it
Where the program reads `PET_…` itself, or its pods are not meant to meet.

## References
kubeflow/trainer 2.3, pkg/runtime/framework/plugins/torch/torch.go (the variables); training-operator 1.9,
pkg/controller.v1/pytorch/envvar.go; torch 2.13, distributed/rendezvous.py (`_env_rendezvous_handler`).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.launchers import starts_one
from specgen.rules import WORKLOAD
from specgen.rules._words import written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG476", "unset-rank", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("command",)

_COMMAND: Path = ("spec", "trainer", "command")
# What the torch policy of Trainer tells, and what a program reads that no launcher starts.
_TOLD = "PET_NODE_RANK"
_READ = ("RANK", "WORLD_SIZE")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the command."""
    trainer = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer"))
    words = [*sequence(trainer.get("command")), *sequence(trainer.get("args"))]
    if not trainer.get("command") or not all(isinstance(word, str) for word in words) or not starts_one(words):
        return
    if not written_by_hand(workload) or any("PET_" in word for word in words):
        return  # of a profile, the planner knows what starts its processes
    alone = [pod for pod in context.made(workload) if _is_told(pod)]
    if len(alone) < 2:
        return
    path = (*_COMMAND, 0)
    # torchrun takes no option of Python's
    bare = words[1].endswith(".py") and len(trainer["command"]) > 1
    fix = Fix("start it by `torchrun`", UNSAFE, [Set(path, "torchrun")]) if bare else None
    yield CODE.at(
        Place(path),
        f"nothing sets `RANK` and `WORLD_SIZE` in these {plural(len(alone), 'pod')}",
        label="no launcher",
        notes=["Trainer sets `PET_…`, of which torchrun makes `RANK` and `WORLD_SIZE`"],
        helps=[] if fix is not None else ["`torchrun` starts a script as `python` does"],
        fix=fix,
    )


def _is_told(pod: dict[str, Any]) -> bool:
    """Whether a pod is told what torchrun reads, and in no container what torchrun makes of it."""
    containers = [mapping(one) for one in sequence(mapping(pod.get("spec")).get("containers"))]
    names = [mapping(entry).get("name") for one in containers for entry in sequence(one.get("env"))]
    hidden = any(one.get("envFrom") for one in containers)
    return _TOLD in names and not hidden and not any(name in names for name in _READ)
