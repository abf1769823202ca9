"""An image with the libraries of one maker, and devices of another.

## What it checks
Images whose name or tag says `cuda`, and those of `nvcr.io/nvidia`, in containers that ask for `amd.com/gpu` or an NPU
of Ascend; images whose name or tag says `rocm` in containers that ask for `nvidia.com/gpu` or such an NPU. An image
that says both is passed over.

## Why it hurts
CUDA finds no GPU of AMD, and ROCm none of NVIDIA: PyTorch says that there is no GPU, and the job ends or trains on
cores while it holds its devices.

## Severity
- warning: only the name says what the image holds.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
    resources: {limits: {amd.com/gpu: 8}}
```

Good:

```yaml
containers:
  - name: pytorch
    image: rocm/pytorch:rocm6.4.3_ubuntu24.04_py3.12_pytorch_release_2.6.0
    resources: {limits: {amd.com/gpu: 8}}
```

## Fix
Name an image for these devices, or ask for those that the image is for.

## When to ignore it
Where the image holds the libraries of both makers.

## References
PyTorch, "Get Started": a build for CUDA and one for ROCm, no build for both; ROCm documentation, "Docker image support
matrix".
"""

from __future__ import annotations

from specgen.devices import NVIDIA, is_ascend
from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.rules import ALL, CONTAINER, OTHER_MAKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG445", "image-of-other-maker", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (OTHER_MAKER,)

_CUDA, _ROCM = "CUDA", "ROCm"
_AMD = "amd.com/gpu"
_HOMES = {"nvcr.io/nvidia/": _CUDA, "nvidia/cuda": _CUDA, "rocm/": _ROCM, "docker.io/rocm/": _ROCM}


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the image."""
    image = container.tree.get("image")
    library = _library(image) if isinstance(image, str) else ""
    if not library:
        return
    for name, (amount, path) in container.amounts().items():
        text, said = str(name), f"other: {{{_AMD}: {shown(amount)}}}"
        other = is_ascend(text) or text == (_AMD if library == _CUDA else NVIDIA)
        if other and str(amount) != "0":
            yield CODE.at(
                Place((*container.path, "image")),
                f"the image is one of {library}, which finds no `{shown(text)}`",
                label=library,
                related=[(Place(path), f"asks for `{shown(text)}`")],
                notes=["the program sees no device, and ends, or trains on cores while it holds the devices"],
                helps=[f"for AMD's GPUs ask for `{_AMD}`; in a profile `{said}` in place of `gpu`"]
                if library == _ROCM and text == NVIDIA
                else [],
            )
            return


def _library(image: str) -> str:
    """The library that an image is built for, by its own name and where it lies; empty: that says none, or both."""
    own = image.rpartition("/")[2].partition("@")[0].lower()
    found = {library for word, library in (("cuda", _CUDA), ("rocm", _ROCM)) if word in own}
    found |= {library for home, library in _HOMES.items() if image.startswith(home)}
    return found.pop() if len(found) == 1 else ""
