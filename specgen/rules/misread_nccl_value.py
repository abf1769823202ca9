"""A value that NCCL takes for something else, or for nothing.

## What it checks
Values of the variables that NCCL documents, as the release reads them that is preloaded, else as all releases do. The
note says what becomes of the value. One with a `$` or `{{` in it is not judged, nor is a
plain number beyond NCCL's bounds where the job asks for GPUs of AMD: RCCL has its own.

## Why it hurts
NCCL reads a number up to its first strange letter and looks at nothing behind it: `8M` is 8, `true` is 0, and `010` is
octal. What has too many bits is cut, most words that it does not know stand for the default. The job runs, not as
written.

## Severity
- warning: the job runs, and the effect that the note names may be wanted.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_BUFFSIZE, value: "8M"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_BUFFSIZE, value: "8388608"}]
```

## Fix
Write what is meant.

## When to ignore it
Where the effect that the note names is wanted, or the image holds a library that takes more.

## References
NVIDIA/nccl 2.30.7, src/misc/param.cc, src/debug.cc, src/graph/paths.cc, src/transport/net_ib.cc, src/include/param, and
docs/userguide/source/env.rst.
"""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ALL, CONTAINER, NCCL_WRONG
from specgen.rules._nccl import judged, release, settings
from specgen.rules.refused_nccl_value import certain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG522", "misread-nccl-value", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_WRONG,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each value."""
    version, where = release(container, context)
    for one in settings(container, context):
        name = one.name
        found = judged(container, context, name, one.value, version)
        if found is None or certain(container, context, found):
            continue
        if not nccl.too_new(name, version) and not nccl.gone(name, version):
            yield CODE.at(one.at_value, found.message, related=where, notes=found.notes)
