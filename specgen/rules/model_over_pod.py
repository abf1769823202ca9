"""A server of models that spreads over more GPUs than its pod has.

## What it checks
Of vLLM, SGLang and text-generation-inference: the sizes of `--tensor-parallel-size` and `--pipeline-parallel-size`, by
each of their names, or `--num-shard`, multiplied, against the GPUs of the container. Silent where the line names Ray or
several nodes, where a number is a variable, and where the container asks for no GPU by a plain number.

## Why it hurts
The server takes a GPU for each part of the model, and sees those of its container alone. It stops at its start, before
it has loaded anything: `World size (4) is larger than the number of available GPUs (1) in this node`. The container is
started again into the same, with its GPU held.

## Severity
- warning: what the program makes of its options is not seen here.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: vllm/vllm-openai:v0.6.6
    args: [--model, /models/llama, --tensor-parallel-size, "4"]
    resources: {limits: {nvidia.com/gpu: 1}}
```

Good:

```yaml
containers:
  - name: pytorch
    image: vllm/vllm-openai:v0.6.6
    args: [--model, /models/llama, --tensor-parallel-size, "4"]
    resources: {limits: {nvidia.com/gpu: 4}}
```

## Fix
Ask for as many GPUs, in a profile `resources.gpu`, or write a smaller size; which of them was meant is not known.

## When to ignore it
Where a file or a variable has the server join other pods.

## References
vllm-project/vllm, vllm/config/parallel.py (`ParallelConfig`); sgl-project/sglang, server arguments (`--tp-size`);
huggingface/text-generation-inference, launcher (`--num-shard`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural, shown
from specgen.operators.kubernetes.launchers import count
from specgen.rules import ALL, CONTAINER, PARTS
from specgen.rules._words import gpus, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG538", "model-over-pod", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (PARTS,)

_TENSOR = ("--tensor-parallel-size", "--tensor_parallel_size", "--tp-size", "--tp", "-tp", "--num-shard")
_PIPELINE = ("--pipeline-parallel-size", "--pipeline_parallel_size", "--pp-size", "-pp")
# Programs and modules of the servers, and what their images are called.
_SERVERS = ("vllm", "text-generation-launcher", "sglang")
_IMAGES = ("vllm", "sglang", "text-generation-inference")
# Words by which a server goes beyond its pod, or takes no GPUs.
_BEYOND = ("ray", "nnodes", "node-rank", "node_rank", "device=cpu", "device cpu", "headless")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the size of tensor parallelism."""
    if not _serves(container) or any([word in container.line for word in _BEYOND]):
        return
    found = [next(options(container, names), None) for names in (_TENSOR, _PIPELINE)]
    sizes = [count(one[1]) for one in found if one is not None]
    has, where = gpus(container, context)
    parts = 1
    for size in sizes:
        parts *= size or 0
    if not has or not parts or parts <= has:
        return
    _, value, written, word, start = next(one for one in found if one is not None)
    product = " × ".join([str(size) for size in sizes])
    yield CODE.at(
        Place(word.path, inside=(word.start + start, word.start + start + len(value))),
        f"`{shown(written)}` spreads over {plural(parts, 'GPU')}, and the container has {has}",
        label="parts of the model",
        related=[(Place(where), f"{plural(has, 'GPU')}")],
        notes=[
            *([f"{product} = {parts}"] if len(sizes) > 1 else []),
            "it stops at its start: a server sees the GPUs of its own container alone",
        ],
        helps=[f"ask for {plural(parts, 'GPU')}, or write a smaller size"],
    )


def _serves(container: Container) -> bool:
    """Whether the container runs one of the servers, by its line or as the entrypoint of its image."""
    words = [text for _, _, text in container.words()]
    called = [word.rpartition("/")[2].partition(".")[0] for text in words for word in text.split()]
    if any([one in _SERVERS for one in called]):
        return True
    image = str(container.tree.get("image")).partition("@")[0].rpartition(":")[0].rpartition("/")[2]
    return "command" not in container.tree and any([one in image for one in _IMAGES])
