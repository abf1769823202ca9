"""An output of the program on a mount that it cannot write to.

## What it checks
Paths that options and variables call an output (`--output_dir`, `--save`, `--results`, `hydra.run.dir=`) lie on no
mount that says `readOnly`, on no volume that does, and on none that is made of a ConfigMap, a Secret, the pod's own
fields or an image. Options that are called a checkpoint alone (`--ckpt`) are passed over, as programs begin with those
too, and so are caches and logs, and a folder in which another mount is written to.

## Why it hurts
The program starts, trains, and fails as it writes for the first time: at its first checkpoint, hours later.

## Severity
- warning: what a program does with an option is known to the program.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, train.py, --output_dir, /models/run]
    volumeMounts: [{name: models, mountPath: /models, readOnly: true}]
volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, train.py, --model, /models/base, --output_dir, /runs/1]
    volumeMounts:
      - {name: models, mountPath: /models, readOnly: true}
      - {name: runs, mountPath: /runs}
volumes:
  - {name: models, persistentVolumeClaim: {claimName: models}}
  - {name: runs, persistentVolumeClaim: {claimName: runs}}
```

## Fix
Write to a mount that takes it, or take `readOnly` away. None is applied: which one is meant is known to its author.

## When to ignore it
Where the program only reads there.

## References
Kubernetes 1.36, core v1 (`VolumeMount.readOnly`) and "Volumes" (ConfigMaps, Secrets and images are mounted read-only).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.operators.kubernetes.directories import below
from specgen.rules import ALL, CONTAINER, READ_ONLY
from specgen.rules._mounted import is_read_only, mount_of
from specgen.rules._paths import WRITTEN, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._paths import Use
    from specgen.source import Path

CODE = Code("SG499", "read-only-output", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (READ_ONLY,)

_FIELD = "readOnly"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each such mount."""
    found: dict[tuple[Path, str], list[Use]] = {}
    for use in paths(container):
        there = _unwritten(container, use.path) if use.said == WRITTEN else None
        if there is not None:
            found.setdefault(there, []).append(use)
    for (path, mounted), uses in found.items():
        first, said = uses[0], path[-1] == _FIELD
        yield CODE.at(
            first.place,
            f"`{shown(first.path)}` is written to, and `{shown(mounted)}` is mounted read-only",
            label="an output, by its name",
            related=[
                (Place(path), "nothing can be written through this mount"),
                *[(use.place, "so is this one") for use in uses[1:3]],
            ],
            notes=["the program runs until it writes there for the first time, be that hours later, and fails"],
            helps=["name a path on a mount that takes it" + (f", or take `{_FIELD}` away" if said else "")],
        )


def _unwritten(container: Container, path: str) -> tuple[Path, str] | None:
    """(where a mount says it, its path) of the one that holds a path, where nothing can be written there.

    What a launcher's line names is mounted by its workers.
    """
    for one in (container, *[role.main for role in container.role.workload.roles]):
        there = mount_of(one, path) if one is not None else None
        if one is None or there is None:
            continue
        index, mount = there
        inside = [entry for _, entry in one.mounts if below(entry["mountPath"], path)]
        if not all(is_read_only(one, entry) for entry in (mount, *inside)):
            return None
        field = _FIELD if mount.get(_FIELD) is True else "name"
        return (*one.path, "volumeMounts", index, field), mount["mountPath"]
    return None
