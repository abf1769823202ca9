"""A path of a shared file system, or one that is written to, at which nothing is mounted.

## What it checks
Paths of command lines, variables and `workingDir` that no mount of the container covers. Three sorts are told: those
that begin with a file system's name, be it one of the cluster profile's `storage` or a usual one (`/scratch`,
`/lustre`, `/mnt/…`); those that an option or a variable says are written to, folder or file (`--output_dir`, `--out`,
`--ckpt`), caches and logs (`HF_HOME`, `--log_dir`) below usual names alone; and, where the cluster profile lists file
systems, data below `/data` and the like. Directories that images bring (`/workspace`, `/opt`, `/tmp`, …) are passed
over, as is what a shell's text fetches, links or mounts by itself, and, of a launcher, what its workers mount.

## Why it hurts
The path lies in the container's own layer. Data are not there. What is written, such as a checkpoint, is lost with the
container: each restart begins anew, and no other pod sees it.

## Severity
- warning: nobody sees here what the image holds, nor what a webhook mounts.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, train.py, --data, /scratch/imagenet, --out, /scratch/ckpt]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, train.py, --data, /scratch/imagenet, --out, /scratch/ckpt]
volumeMounts: [{name: scratch, mountPath: /scratch}]
```

## Fix
Mount a volume there. None is applied: which one is meant is known to its author, and to a cluster profile at best.

## When to ignore it
Where the image holds the data, a webhook mounts the volume, or nobody needs what is written there.

## References
Kubernetes 1.36, "Volumes" (files in a container are ephemeral); Filesystem Hierarchy Standard 3.0. Data below `/data`
are told only where a cluster profile lists file systems, as images hold small datasets there.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.directories import OF_IMAGES, SHARED, USUAL, below, point, top
from specgen.rules import ALL, CONTAINER, OUTSIDE, RELATIVE
from specgen.rules._mounted import is_read_only
from specgen.rules._paths import CACHE, DATA, OUTPUTS, paths
from specgen.rules._relative import on_volume, relative_outputs
from specgen.rules._words import written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.profile.cluster import Storage
    from specgen.rules import Context
    from specgen.rules._paths import Use

CODE = Code("SG414", "unmounted-path", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (OUTSIDE, RELATIVE)

# Mounts at which no image has its programs start.
_OF_DATA = SHARED | USUAL - {"projects", "work"} | {"dev", "tmp"}

_LOST = "what is written there is lost with the container, and no other pod sees it"
_ABSENT = "only what the image holds is there, and what is written is lost with the container"
_STARTS = "it is relative to `workingDir`, or to a folder that the image says where none is said"


def missing(container: Container, storage: Mapping[str, Storage]) -> dict[str, list[Use]]:
    """Where volumes are missing → the paths that say so."""
    mounted = _mounted(container)
    found: dict[str, list[Use]] = {}
    if mounted is None or "image" not in container.tree:
        return found
    for use in paths(container):
        here = _missing(use, mounted, storage)
        if here:
            found.setdefault(here, []).append(use)
    return found


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each place at which a volume is missing."""
    storage = context.cluster.storage if context.cluster is not None else {}
    found = missing(container, storage)
    options = _relative(container)
    if options:
        found[""] = [*options]
    told = _out_of_trainer(container, context) if found else ""
    for here, uses in found.items():
        if told and any(told.endswith(use.path) for use in uses):
            continue
        first = next((use for use in uses if use.said in (*OUTPUTS, CACHE)), uses[0])
        written = first.said in (*OUTPUTS, CACHE)
        # of a shell's text one is enough
        others = {use.place.path: use for use in uses if use.place.path != first.place.path}
        yield CODE.at(
            first.place,
            f"`{shown(first.path)}` lies in the container's own layer: "
            + (f"nothing is mounted at `{shown(here)}`" if here else "no mount holds the working directory"),
            label="written to there" if written else "no volume holds it",
            related=[(use.place, "so does this") for use in [*others.values()][:3]],
            notes=[_LOST if written else _ABSENT, *([] if here else [_STARTS])],
            helps=[_help(container, here, storage) if here else _absolute(container, first, options[first])],
        )


def _relative(container: Container) -> dict[Use, str]:
    """Relative paths that are written to and that no mount may hold, and their options."""
    mounted = _mounted(container, writable=True)
    if mounted is None or "image" not in container.tree:
        return {}
    unsure = any([top(path) not in _OF_DATA for path in mounted])
    return {
        use: option
        for use, option, path in relative_outputs(container)
        if not (unsure if not path else _holds(mounted, path) or top(path) in ("dev", "tmp"))
    }


def _absolute(container: Container, use: Use, option: str) -> str:
    """The line that writes to a volume what a relative path names."""
    here, path = on_volume(use.path)
    said = f"{shown(option)}{'' if option.endswith('=') else ' '}{shown(path)}"
    if written_by_hand(container.role.workload):
        return f"mount a volume at `{shown(here)}`, and write `{said}`"
    return f"`mounts: {{{shown(here)}: {{pvc: NAME}}}}` mounts a claim of that name, and `{said}` writes to it"


def _mounted(container: Container, *, writable: bool = False) -> list[str] | None:
    """Paths at which something is mounted; None where a tool still fills one in.

    What a launcher's line names is its workers': any role's program may hold the mount.
    """
    mains = [role.main for role in container.role.workload.roles]
    found = []
    for one in (container, *mains):
        if one is None:
            continue
        unwritable = [entry["mountPath"] for _, entry in one.mounts if writable and is_read_only(one, entry)]
        found += [path for path in one.mounted if path not in unwritable]
        devices = [mapping(entry).get("devicePath") for entry in sequence(one.tree.get("volumeDevices"))]
        found += [path for path in devices if isinstance(path, str)]
    return None if any("$" in path or "{{" in path for path in found) else found


def _holds(mounted: list[str], path: str) -> bool:
    return any(below(path, mount) or below(mount, path) for mount in mounted)


def _missing(use: Use, mounted: list[str], storage: Mapping[str, Storage]) -> str:
    """Where a volume is missing for a path; empty where none is, or nobody can tell."""
    path = use.path
    if _holds(mounted, path):
        return ""
    _, there = of_storage(path, storage)
    if there:
        return there
    first = top(path)
    if first in OF_IMAGES:
        return ""
    if (
        first in SHARED
        or use.said in OUTPUTS
        or (use.said == CACHE and first in USUAL)
        or (use.said == DATA and first in USUAL and storage)
    ):
        return point(path, mounted)
    return ""


def of_storage(path: str, storage: Mapping[str, Storage]) -> tuple[str, str]:
    """(the file system of the cluster whose directory or name a path begins with, where it is to be mounted)."""
    for name, one in storage.items():
        if one.host_path is not None and below(path, one.host_path) and top(one.host_path) not in OF_IMAGES:
            return name, one.host_path.rstrip("/")
    first = top(path)
    here = point(path)
    name = here.rpartition("/")[2]
    if name in storage and (first == "home" or first not in OF_IMAGES):
        return name, here
    return "", ""


def _help(container: Container, here: str, storage: Mapping[str, Storage]) -> str:
    name, _ = of_storage(here, storage)
    if not written_by_hand(container.role.workload):
        if not name and storage:
            names = ", ".join([f"`{shown(one)}`" for one in storage])
            return f"`mounts: {{{shown(here)}: {{storage: NAME}}}}` with a file system of the cluster profile: {names}"
        source = f"storage: {shown(name)}" if name else "pvc: NAME"
        return f"`mounts: {{{shown(here)}: {{{source}}}}}` mounts {'it' if name else 'a claim of that name'}"
    claim = storage[name].pvc if name else None
    if claim:
        return f"mount the claim `{shown(claim)}` at `{shown(here)}`: the cluster profile calls it `{shown(name)}`"
    if name:
        return f"mount the cluster profile's `{shown(name)}` at `{shown(here)}`"
    return f"mount a volume at `{shown(here)}`; if the image holds it, say so: `# specgen: ignore[SG414] in the image`"


def _out_of_trainer(container: Container, context: Context) -> str:
    """The trainer's argument for the folder of its checkpoints, where another rule has told of it."""
    if "trainer" not in container.line and "main_" not in container.line:
        return ""
    from specgen.rules import trainer_unshared_out  # most programs are another one
    from specgen.rules._trainer import call

    found = call(container)
    said = found.argument("out") if found is not None else None
    if said is None or container.role.workload.kind not in trainer_unshared_out.KINDS:
        return ""
    return said.written if any(trainer_unshared_out.check(container, context)) else ""
