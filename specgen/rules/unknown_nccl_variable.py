"""A variable named like NCCL's that NCCL does not know.

## What it checks
Names beginning with `NCCL_`, against those that a release from 2.4 to 2.31 reads, or a plugin known here: NVIDIA's
SHARP and HPC-X, Google's TCPX, TCPXO and gIB, the profilers and tuners that come with NCCL, nccl-tests. PyTorch's old
names are known as well. A name that the container's own command uses is a variable of its script.

## Why it hurts
NCCL reads the variables it knows and says nothing about others.

## Severity
- warning: a plugin or a newer NCCL may know the name; the job runs without it.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_SOCKET_IF_NAME, value: eth0}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_SOCKET_IFNAME, value: eth0}]
```

## Fix
Correct the name. Unsafe: the variable begins to act.

## When to ignore it
For variables of another plugin, or of a newer NCCL.

## References
NVIDIA/nccl 2.30.7, docs/userguide/source/env.rst and src/misc/param.cc; the names in the released libraries 2.4.2 to
2.31.2; Mellanox/nccl-rdma-sharp-plugins, src.
"""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, shown
from specgen.diagnostics.operations import ReplaceText, Set
from specgen.rules import ALL, CONTAINER, NCCL_UNKNOWN
from specgen.rules._nccl import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.suggest import Names
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG520", "unknown-nccl-variable", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_UNKNOWN,)

# What people look for under NCCL's prefix, and who has it (torch 2.13, distributed_c10d.py; DeepSpeed 0.18, constants).
_OF_OTHERS = {
    "NCCL_TIMEOUT": "how long a collective may take says the program, `init_process_group(timeout=…)`; DeepSpeed reads "
    "`DEEPSPEED_TIMEOUT`, in minutes"
}


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each name."""
    names: Names | None = None
    for one in settings(container, context):
        name = one.name
        # what the command says besides is a variable of its script
        if nccl.known(name) or sum([text.count(name) for _, _, text in container.words()]) > one.uses:
            continue
        if names is None:
            from specgen.diagnostics.suggest import Names

            names = Names(nccl.VARIABLES)
        meant = nccl.meant(name)
        near = [meant] if meant else names.similar(name)[:1] if name not in _OF_OTHERS else []
        free = bool(near) and one.uses < 2 and all(other.name != near[0] for other in settings(container, context))
        fix = None
        if free:
            edit = (
                ReplaceText(one.at_name.path, f"{name}=", f"{near[0]}=") if one.uses else Set(one.at_name.path, near[0])
            )
            fix = Fix(f"rename it to `{near[0]}`", UNSAFE, [edit])
        yield CODE.at(
            one.at_name,
            f"NCCL has no variable `{shown(name)}`",
            label="ignored by NCCL",
            notes=["NCCL reads the variables it knows and says nothing about others"],
            fix=fix,
            helps=[_OF_OTHERS[name]]
            if name in _OF_OTHERS
            else [f"there is a variable with a similar name: `{one}`" for one in near if not free],
        )
