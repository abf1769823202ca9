"""Sizes of model parallelism that do not divide the processes of the job.

## What it checks
Of a command line with `--tensor-model-parallel-size`, `--pipeline-model-parallel-size` or `--context-parallel-size`, as
Megatron-LM takes them, or NeMo's `model.tensor_model_parallel_size=…`: their product against the processes that the
launchers of all pods start. Where it says `--global-batch-size` and `--micro-batch-size` as well, the first is a
multiple of the second times the copies of the model. Silent where a number is a variable, or the pods may change.

## Why it hurts
Each copy of the model takes as many ranks as the sizes multiply to. Where the ranks are no multiple of that, every
process stops at its start: `world size (48) is not divisible by total_model_size`, and the job restarts into the same.

## Severity
- warning: what the program makes of its options is not seen here.

## Example
Bad:

```yaml
Worker:
  replicas: 6
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, pretrain.py, --tensor-model-parallel-size=8, --pipeline-model-parallel-size=4]
          resources: {limits: {nvidia.com/gpu: 8}}
```

Good:

```yaml
Worker:
  replicas: 8
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, pretrain.py, --tensor-model-parallel-size=8, --pipeline-model-parallel-size=4]
          resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Change the pods or the sizes; which of them was meant is not known.

## When to ignore it
Where the program gives these options another meaning.

## References
NVIDIA/Megatron-LM core_v0.12.0, megatron/training/arguments.py (`validate_args`) and
megatron/core/num_microbatches_calculator.py (`ConstantNumMicroBatchesCalculator`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.launchers import count
from specgen.rules import ALL, MODEL_PARALLEL, WORKLOAD
from specgen.rules._started import line_of, processes
from specgen.rules._words import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context

CODE = Code("SG536", "model-parallel-sizes", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (MODEL_PARALLEL,)

_SIZES = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")
_BATCH = ("global_batch_size", "micro_batch_size")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each command line that differs; silent where not all processes are known."""
    total = _world(workload, context)
    told: set[str] = set()
    for role in workload.roles if total else ():
        container = role.main
        if container is None or container.line in told:
            continue
        told.add(container.line)
        yield from _container(container, total)


def _container(container: Container, total: int) -> Iterator[Finding]:
    found = _said(container, _SIZES)
    if not found or "encoder" in container.line:  # an encoder has ranks of its own
        return
    model = 1
    for number, _, _ in found.values():
        model *= number or 0
    if model == 0:
        return
    names = " × ".join(f"{number}" for number, _, _ in found.values())
    last, written = list(found.values())[-1][1:]
    if total % model:
        yield CODE.at(
            last,
            f"`{shown(written)}` makes {plural(model, 'rank')} a copy of the model, of which {total} are no multiple",
            label="its size",
            related=[(place, "another size") for _, place, _ in list(found.values())[:-1]],
            notes=[
                f"{names} = {model}; the job starts {plural(total, 'process')}",
                "Megatron stops at its start: `world size is not divisible by total_model_size`",
            ],
        )
        return
    batch = _said(container, _BATCH)
    if len(batch) < len(_BATCH) or "rampup" in container.line:
        return
    (whole, place, written), (small, there, _) = batch["global_batch_size"], batch["micro_batch_size"]
    copies = total // model
    if whole and small and whole % (small * copies):
        yield CODE.at(
            place,
            f"`{shown(written)}` is no multiple of {small * copies}, which all copies of the model take at a time",
            label="the batch of one step",
            related=[(there, "of one copy at a time")],
            notes=[
                f"{plural(total, 'process')} / ({names}) × {small} = {small * copies}",
                "Megatron stops at its start: `global batch size is not divisible by micro batch size`",
            ],
        )


def _said(container: Container, names: tuple[str, ...]) -> dict[str, tuple[int | None, Place, str]]:
    """Size → its number, None where it is a variable, where it stands, and how it is written, in the order of names."""
    found: dict[str, tuple[int | None, Place, str]] = {}
    for name in names:
        spelt = (f"--{name.replace('_', '-')}", f"--{name}", f"model.{name}", f"++model.{name}", f"+model.{name}")
        for _, value, written, word, start in options(container, spelt):
            place = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
            found[name] = count(value), place, written
    return found


def _world(workload: Workload, context: Context) -> int:
    """The processes that launchers start in all pods; 0 where that is not known, or may change."""
    if "elasticPolicy" in mapping(workload.manifest.tree.get("spec")):
        return 0
    total = 0
    for role in workload.roles:
        replicas = role.tree.get("replicas", 1)
        line = line_of(role.main) if role.main is not None else None
        each = processes(role.main, context, line) if role.main is not None and line is not None else None
        if each is None or not isinstance(replicas, int) or isinstance(replicas, bool):
            return 0
        total += role.replicas * each
    return total
