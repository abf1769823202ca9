"""`LD_LIBRARY_PATH` without the folders that images of GPU programs have in it.

## What it checks
A container that asks for a GPU and sets `LD_LIBRARY_PATH` names a folder of CUDA or of NVIDIA's driver in it.

## Why it hurts
The value takes the place of the image's. Images of CUDA, NVIDIA's of PyTorch and TensorFlow, and nodes that mount the
driver under `/usr/local/nvidia` need theirs: without it `libcuda.so` or `libcudart.so` is not found, and the program
stops, or goes on with the CPU.

## Severity
- warning: the image may have its libraries in the linker's own list.

## Example
Bad:

```yaml
name: pytorch
image: nvcr.io/nvidia/pytorch:25.06-py3
env: [{name: LD_LIBRARY_PATH, value: /opt/own/lib}]
resources: {limits: {nvidia.com/gpu: 1}}
```

Good:

```yaml
name: pytorch
image: nvcr.io/nvidia/pytorch:25.06-py3
env: [{name: LD_LIBRARY_PATH, value: "/opt/own/lib:/usr/local/cuda/compat/lib:/usr/local/nvidia/lib64"}]
resources: {limits: {nvidia.com/gpu: 1}}
```

## Fix
Write the image's own folders behind one's own, or let a shell do so:
`[sh, -c, "LD_LIBRARY_PATH=/opt/own/lib:$LD_LIBRARY_PATH exec python train.py"]`. None is applied: the image knows them.

## When to ignore it
Where the image has its libraries in the linker's own list (`ldconfig`).

## References
The Dockerfiles of nvidia/cuda 12 and pytorch/pytorch 2 (`ENV LD_LIBRARY_PATH`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.rules import ALL, CONTAINER, LIBRARY_PATH
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG440", "lost-library-path", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (LIBRARY_PATH,)

_NAME = "LD_LIBRARY_PATH"
_NEEDED = ("nvidia", "cuda", "rocm", "$")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding; a value with `$` is another rule's."""
    index, entry = container.env.get(_NAME, (0, {}))
    value = entry.get("value")
    if not isinstance(value, str) or not value or any([part in value.lower() for part in _NEEDED]):
        return
    count, path = gpus(container, context)
    if not count:
        return
    yield CODE.at(
        Place((*container.path, "env", index, "value")),
        f"`{_NAME}` takes the place of the image's, and names no folder of CUDA or of the driver",
        label="all that is searched before the linker's own list",
        related=[(Place(path), "has a GPU")],
        notes=["where the image or the node has its libraries there, `libcuda.so` or `libcudart.so` is not found"],
        helps=["write the image's folders behind these, or add to it in a shell in front of the program"],
    )
