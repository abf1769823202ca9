"""A container that uses GPUs without asking for one.

## What it checks
A training container that sets `NVIDIA_VISIBLE_DEVICES` to anything but `none` and `void`, takes an HCA, or runs NCCL
(`--backend nccl`, a preloaded `libnccl`, `NCCL_` variables besides
those of logging) asks for a GPU or another device, or has a claim.

## Why it hurts
The NVIDIA runtime shows such a container all GPUs of its node. The scheduler does not count them: it puts pods on nodes
without GPUs, and two pods on the GPUs of one node. Where the runtime shows none, NCCL finds no device and stops.

## Severity
- warning: whether nodes are handed out whole, and what the runtime shows, is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Ask for GPUs in `resources.limits`. None is applied: how many, and under which name, is not known.

## When to ignore it
Where nodes are handed out whole by other means, such as a taint or host names.

## References
NVIDIA container toolkit, "Environment variables"; NVIDIA device plugin, README.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.rules import ALL, ROLE
from specgen.rules._words import asks_for_device, hcas, options, shown, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG411", "gpu-not-requested", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL

_BACKENDS = ("--backend", "--dist-backend", "--dist_backend", "--distributed-backend", "--distributed_backend")
# Roles that take no part in collectives: a variable that all roles share says nothing of them.
_SERVE = ("PS", "Evaluator", "Scheduler")
# Variables that say what NCCL writes, and nothing of what it uses.
_LOGGING = ("NCCL_DEBUG", "NCCL_WARN", "NCCL_SET_THREAD_NAME")
_NONE_OR_ALL = "NCCL stops where the runtime shows no GPU; where it shows all, two pods may share those of one node"
_UNCOUNTED = "the scheduler does not count these GPUs, so two pods may share the GPUs of one node"


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role: of all signs, the strongest one is shown."""
    container = role.main
    # the launcher of an MPI job starts processes elsewhere, and passes variables on to them
    if role.name in ("Launcher", "launcher") or container is None or asks_for_device(container, context):
        return
    signs = list(_signs(container, context))
    if not signs:
        return
    place, message, label, note = signs[0]
    yield CODE.at(
        place,
        f"container `{shown(container.name)}` {message}",
        label=label,
        notes=[note],
        helps=["ask for GPUs in `resources.limits`"],
    )


def _signs(container: Container, context: Context) -> Iterator[tuple[Place, str, str, str]]:
    """(place, message without its subject, label, note) of each sign that a container uses GPUs."""
    env = variables(container, context)
    path, entry = env.get("NVIDIA_VISIBLE_DEVICES", (container.path, {}))
    shown = entry.get("value")
    backends = list(options(container, _BACKENDS))
    others = [value for _, value, _, _, _ in backends if value in ("gloo", "mpi")]
    if isinstance(shown, str) and shown not in ("", "none", "void") and "$" not in shown:
        what = "all GPUs" if shown == "all" else "GPUs"
        message = f"takes {what} of its node without asking for one"
        yield Place((*path, "value")), message, "shows them to the container", _UNCOUNTED
    for _, value, _, word, start in backends:
        if value == "nccl":
            inside = (word.start + start, word.start + start + len(value))
            yield Place(word.path, inside=inside), "runs NCCL without asking for a GPU", "runs NCCL", _NONE_OR_ALL
    if others:
        return
    collective = container.role.name not in _SERVE
    for _, resource in hcas(container, context):
        message = "takes an HCA without asking for a GPU"
        yield Place(resource, KEY), message, "HCA requested here", _UNCOUNTED
    for name, (where, item) in env.items() if collective else ():
        if (name.startswith("NCCL_") and not name.startswith(_LOGGING)) or (
            name == "LD_PRELOAD" and "libnccl" in str(item.get("value"))
        ):
            message = "is set up for NCCL without asking for a GPU"
            yield Place((*where, "name")), message, "only NCCL reads this", _UNCOUNTED
