"""A capability with the `CAP_` of the kernel's headers.

## What it checks
`securityContext.capabilities.add` and `drop` of containers, against the names that Kubernetes takes: those of
capabilities(7) without `CAP_`.

## Why it hurts
containerd puts `CAP_` in front of each name, and `CAP_CAP_IPC_LOCK` is no capability: the right is not given, memory
cannot be pinned, and NCCL's `ibv_reg_mr` fails, or the container does not start.

## Severity
- warning: another runtime may take both spellings.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
securityContext: {capabilities: {add: [CAP_IPC_LOCK]}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
securityContext: {capabilities: {add: [IPC_LOCK]}}
```

## Fix
The name without the prefix. It is unsafe: the container then has the right.

## When to ignore it
Where the nodes' runtime takes the prefix.

## References
Kubernetes documentation, "Configure a Security Context for a Pod or Container" (omit the `CAP_` portion);
containerd 2.0, internal/cri/opts/spec_opts.go (`WithCapabilities`).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, shown
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG337", "prefixed-capability", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("securityContext",)

_PREFIX = "CAP_"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each name; a privileged container has every capability, whatever it adds."""
    rights = mapping(container.tree.get("securityContext"))
    for side in ("drop",) if rights.get("privileged") is True else ("add", "drop"):
        for at, name in enumerate(sequence(mapping(rights.get("capabilities")).get(side))):
            if not isinstance(name, str) or not name.upper().startswith(_PREFIX):
                continue
            path = (*container.path, "securityContext", "capabilities", side, at)
            right = name[len(_PREFIX) :]
            yield CODE.at(
                path,
                f"`{shown(name)}` is called `{shown(right)}` here",
                label="no such capability",
                notes=["containerd puts `CAP_` in front of the name: the right is not given"],
                fix=Fix(f"write `{shown(right)}`", UNSAFE, [Set(path, right)]),
            )
