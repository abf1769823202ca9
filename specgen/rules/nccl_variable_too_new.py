"""A variable that the NCCL of the job does not know yet, or no more.

## What it checks
Variables of NCCL against the release that is preloaded, as the cluster profile's `nccl` lists it: a profile's
`communication.version`, or a path in `LD_PRELOAD`. Without one, names that have been gone since NCCL 2.5.

## Why it hurts
NCCL ignores it without a word.

## Severity
- warning: the job runs; the image may bring another NCCL.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_TREE_THRESHOLD, value: "0"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_ALGO, value: Ring}]
```

## Fix
Remove the variable, or use the NCCL that has it.

## When to ignore it
When the image brings another NCCL.

## References
NVIDIA/nccl 2.30.7, docs/userguide/source/env.rst; the names in the released libraries 2.4.2 to 2.31.2.
"""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ALL, CONTAINER, NCCL_GONE
from specgen.rules._nccl import release, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG521", "nccl-variable-too-new", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_GONE,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    version, where = release(container, context)
    for one in settings(container, context):
        name = one.name
        brought, gone = nccl.too_new(name, version), nccl.gone(name, version)
        instead = nccl.VARIABLES[name][3] if name in nccl.VARIABLES else ""
        if brought:
            message = f"NCCL {version} does not know `{name}`, which came with {brought}"
        elif gone:
            message = f"NCCL {version} has no `{name}` any more, which went with {gone}"
        elif not version and (gone := nccl.long_gone(name)):
            message = f"no NCCL since {gone} has `{name}`"
        else:
            continue
        helps = [f"`{instead}` took its place"] if instead and not brought else []
        yield CODE.at(one.at_name, message, label="ignored by NCCL", related=where, helps=helps)
