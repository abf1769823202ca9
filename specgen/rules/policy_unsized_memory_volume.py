"""A volume in memory without a size.

## What it checks
An `emptyDir` with `medium: Memory` has a `sizeLimit`. Opt-in: looked for where the group `policy` or the code is
selected.

## Why it hurts
It may grow to the memory limit of the pod, or to all memory of the node where there is none: what fills it takes the
memory of the program, which is then killed, or of the neighbours.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
containers:
- {name: pytorch, image: "registry.example.com/train:1.4", volumeMounts: [{name: shm, mountPath: /dev/shm}]}
volumes: [{name: shm, emptyDir: {medium: Memory}}]
```

Good:

```yaml
containers:
- {name: pytorch, image: "registry.example.com/train:1.4", volumeMounts: [{name: shm, mountPath: /dev/shm}]}
volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 64Gi}}]
```

## Fix
`sizeLimit`. None is applied: how much is needed is not known.

## When to ignore it
Where the memory limit is bound enough.

## References
Kubernetes 1.36, "Volumes" (emptyDir, SizeMemoryBackedVolumes); kubernetes/kubernetes#63126, #125852.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG870", "unsized-memory-volume", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("volumes",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each volume."""
    for index, volume in enumerate(sequence(role.pod.get("volumes"))):
        source = mapping(mapping(volume).get("emptyDir"))
        if source.get("medium") == "Memory" and not source.get("sizeLimit"):
            yield CODE.at(
                Place((*role.pod_path, "volumes", index, "emptyDir"), KEY),
                f"the volume `{shown(volume.get('name'))}` may take all memory",
                label="no `sizeLimit`",
                notes=["of the pod's limit, or of its node where the pod has none"],
            )
