"""`LD_PRELOAD` names a library that no mount provides.

## What it checks
Each path of `LD_PRELOAD` lies below a mount, where a mount looks as if it was meant to provide the library: it shares
a telling part of its name, such as `nccl`. A library that the cluster profile lists under `nccl` is taken as there.

## Why it hurts
The dynamic loader prints a message and goes on. The job then runs with another library than its author believes,
usually the one of the image, and is slower or hangs.

## Severity
- warning: whether the image holds the library is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: LD_PRELOAD, value: /opt/nccl/lib/libnccl.so.2}]
volumeMounts: [{name: nccl, mountPath: /usr/local/nccl}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: LD_PRELOAD, value: /usr/local/nccl/lib/libnccl.so.2}]
volumeMounts: [{name: nccl, mountPath: /usr/local/nccl}]
```

## Fix
None: the mount may be at the wrong place, or the variable, or the image holds the file.

## When to ignore it
Where the image holds the library: specgen does not open images.

## References
ld.so(8), `LD_PRELOAD`: a library that cannot be opened is reported and skipped.
"""

from __future__ import annotations

from specgen.devices import names_of
from specgen.diagnostics.model import WARNING, Code, Place
from specgen.rules import ALL, CONTAINER, PRELOAD
from specgen.rules._words import shown, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG420", "preload-not-mounted", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (PRELOAD,)

# Parts of paths that many mounts have and that say nothing about a library.
_COMMON = (
    "lib",
    "libs",
    "usr",
    "local",
    "opt",
    "share",
    "bin",
    "home",
    "root",
    "mnt",
    "data",
    "var",
    "etc",
    "dev",
    "shm",
    "tmp",
    "linux",
    "gnu",
    "aarch",
    "volume",
    "vol",
)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each path."""
    if "LD_PRELOAD" not in container.env and not context.misplaced_env:
        return
    path, entry = variables(container, context).get("LD_PRELOAD", (container.path, {}))
    value = entry.get("value")
    if not isinstance(value, str) or container.init:
        return
    known = list(context.cluster.nccl.values()) if context.cluster is not None else []
    for start, library in _paths(value):
        if library in known or _provided(container, library):
            continue
        nearest = _nearest(container, library)
        if nearest is None:
            continue
        index, mount = nearest
        folder = library.rpartition("/")[0].removesuffix("/lib64").removesuffix("/lib") or "/"
        own = "the NCCL of the image" if "libnccl.so" in library else "the library of the image"
        yield CODE.at(
            Place((*path, "value"), inside=(start, start + len(library))),
            f"no mount provides `{shown(library)}`",
            label="preloaded from here",
            related=[(Place((*container.path, "volumeMounts", index, "mountPath")), "closest mount")],
            notes=[f"the dynamic loader prints a message and goes on, so the job would run with {own}"],
            helps=[
                f"mount the library at `{folder}`, or point `LD_PRELOAD` below `{mount['mountPath']}`",
                "if the image holds it, say so: `# specgen: ignore[SG420] in the image`",
            ],
        )


def _paths(value: str) -> Iterator[tuple[int, str]]:
    """(start, path) of the absolute paths of a value; the loader splits it at blanks and colons."""
    at = 0
    for part in value.replace(":", " ").split(" "):
        if part[:1] == "/" and "$" not in part:
            yield at, part
        at += len(part) + 1


def _provided(container: Container, library: str) -> bool:
    for mount in container.mounted:
        folder = mount.rstrip("/")
        if library == folder or library.startswith(folder + "/"):
            return True
    return False


def _telling(text: str) -> list[str]:
    """The parts of a name that say something: ``/opt/nccl-2.4.8-1/lib/libnccl.so`` → nccl."""
    found = []
    for part in names_of(text):
        part = part.removeprefix("lib").rstrip("0123456789")
        if len(part) > 2 and part not in _COMMON:
            found.append(part)
    return found


def _nearest(container: Container, library: str) -> tuple[int, dict[str, Any]] | None:
    """The mount that shares most telling parts with the library, or None."""
    wanted = _telling(library)
    best, most = None, 0
    for index, mount in container.mounts:
        name = mount.get("name")
        parts = _telling(mount["mountPath"]) + (_telling(name) if isinstance(name, str) else [])
        shared = sum(part in parts for part in dict.fromkeys(wanted))
        if shared > most:
            best, most = (index, mount), shared
    return best
