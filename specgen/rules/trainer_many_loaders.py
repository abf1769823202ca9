"""More loader processes than the container has CPUs.

## What it checks
The trainer's `-j`, loader processes of each rank, is not above the CPU limit of the container. Not looked at where no
loaders run: for generated images, and for IDX files.

## Why it hurts
The trainer says so in its log and starts only as many as there are CPUs. More of them would wait for each other, and
each would hold two batches in shared memory.

## Severity
- warning: the trainer says so itself, and starts as many as there are CPUs.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, -u, -m, trainer, train, -j, "32", --format, tar, --data, /data/imagenet]
resources: {limits: {cpu: 8}}
volumeMounts: [{name: shm, mountPath: /dev/shm}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, -u, -m, trainer, train, -j, "8", --format, tar, --data, /data/imagenet]
resources: {limits: {cpu: 8}}
volumeMounts: [{name: shm, mountPath: /dev/shm}]
```

## Fix
Lower `-j`, or raise the limit. None is applied: the number of CPUs may be what is wrong.

## When to ignore it
Where one profile serves pods of several sizes; the trainer takes what there is.

## References
trainer/job.py (the cap), trainer/preflight.py (`cpu_limit`).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call, cpus
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG454", "trainer-many-loaders", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each container in which processes of the trainer run."""
    found = call(container)
    said = found.argument("workers") if found is not None else None
    if found is None or said is None or not found.reads_images:
        return
    count = found.arguments.number("workers")
    for home in found.homes:
        limit = cpus(home)
        if count is None or limit is None or count <= limit:
            continue
        yield CODE.at(
            said.place,
            f"`{shown(said.written)}` contradicts the {plural(limit, 'CPU')} of its container",
            label=plural(count, "loader process"),
            related=[(Place((*home.path, "resources", "limits", "cpu")), plural(limit, "CPU"))],
            notes=[f"the trainer starts {limit} in each of its processes"],
            helps=[f"use `-j {limit}`, or raise the CPU limit"],
        )
