"""Adapters for RDMA, and an image in which NCCL does not find the library that talks to them.

## What it checks
Where a container asks for GPUs and an HCA, or has NCCL talk InfiniBand and RoCE alone (`NCCL_NET: IB`), its image is
none of PyTorch's own `pytorch/pytorch:…-runtime`, which have no libibverbs. Of other images nothing is known here. It
is silent where the command line speaks of the library, `LD_LIBRARY_PATH` is set, something is mounted among libraries,
or NCCL is told another network.

## Why it hurts
NCCL opens `libibverbs.so.1` as it starts. Where that is missing it talks TCP without a word, at a tenth of the speed or
less; with `NCCL_NET: IB`, which forbids that, it stops at its first communicator.

## Severity
- warning: an image that was pushed under the same name may hold the library.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
    env: [{name: NCCL_NET, value: IB}]
    resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}
```

Good:

```yaml
containers:
  - name: pytorch
    image: nvcr.io/nvidia/pytorch:25.10-py3
    env: [{name: NCCL_NET, value: IB}]
    resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}
```

## Fix
Take an image with rdma-core, or install it in one of your own. None is applied: the image is its author's.

## When to ignore it
Where a webhook or the device plugin brings the library into the container.

## References
pytorch/pytorch, Dockerfile (stage `official`: ca-certificates, libjpeg-dev, libpng-dev) and docker.Makefile (`-runtime`
is of that stage); NVIDIA/nccl 2.30.7, src/misc/ibvsymbols.cc ("Failed to open libibverbs.so[.1]"); NVIDIA, PyTorch
Release Notes 25.10 (rdma-core).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.operators.kubernetes.directories import below
from specgen.rules import ALL, CONTAINER, RUNTIME_IMAGE
from specgen.rules._upstream import is_runtime
from specgen.rules._words import gpus, hcas, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG447", "image-without-verbs", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (RUNTIME_IMAGE,)

_NET, _OFF, _IB = "NCCL_NET", "NCCL_IB_DISABLE", "IB"
# What a line speaks of that installs the library.
_INSTALLS = ("ibverbs", "rdma", "ofed")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the image."""
    image = container.tree.get("image")
    if not isinstance(image, str) or not is_runtime(image) or not gpus(container, context)[0] or _brings(container):
        return
    given = variables(container, context)
    place, entry = given.get(_NET, ((), {}))
    net = entry.get("value")
    if net not in (None, "", _IB) or (_OFF in given and given[_OFF][1].get("value") != "0"):
        return
    asked = hcas(container, context)
    related: list[tuple[Place, str]] = [(Place(path), f"asks for `{shown(name)}`") for name, path in asked[:1]]
    if net == _IB:
        at: Path = (*place, "value")
        related.insert(0, (Place(at), "NCCL may talk nothing else"))
    if not related:
        return
    yield CODE.at(
        Place((*container.path, "image")),
        f"NCCL finds no adapter in `{shown(image)}`: the image has no libibverbs",
        label="PyTorch's own, without rdma-core",
        related=related,
        notes=[
            "NCCL stops at its first communicator: it may use no other network"
            if net == _IB
            else "NCCL talks TCP instead, and says so in its log alone"
        ],
        helps=["an image with rdma-core, such as `nvcr.io/nvidia/pytorch`, or yours with libibverbs and its providers"],
    )


def _brings(container: Container) -> bool:
    """Whether the library may come to the container from elsewhere."""
    if any(word in container.line for word in _INSTALLS) or "LD_LIBRARY_PATH" in container.env:
        return True
    return any(below(entry["mountPath"], one) for _, entry in container.mounts for one in _LIBRARIES)
