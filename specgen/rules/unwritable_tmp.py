"""torchrun in a container whose root is read-only, and that has no folder for its files.

## What it checks
Containers with `readOnlyRootFilesystem: true` that call torchrun without `--log-dir`, and that mount nothing that can
be written to at `/tmp`, `/var/tmp`, `/usr/tmp`, at their `workingDir`, or where `TMPDIR` says.

## Why it hurts
torchrun makes a folder for the logs of its processes before it starts them. Without a place for it the container fails
at once, and with `restartPolicy: OnFailure` it does so again and again while the pods hold their GPUs.

## Severity
- warning: a volume of the image may lie there.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [torchrun, --nproc-per-node=8, train.py]
securityContext: {readOnlyRootFilesystem: true}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [torchrun, --nproc-per-node=8, train.py]
securityContext: {readOnlyRootFilesystem: true}
volumeMounts: [{name: tmp, mountPath: /tmp}]
```

## Fix
An `emptyDir` at `/tmp`. None is applied: how much it may hold is the author's to say.

## When to ignore it
Where the image declares such a volume, or its working directory is on one.

## References
torch 2.13, distributed/elastic/multiprocessing/api.py (`DefaultLogsSpecs`); Python 3.13, tempfile.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.directories import below
from specgen.rules import ALL, CONTAINER
from specgen.rules._words import written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG338", "unwritable-tmp", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("securityContext",)

_FOLDERS = ("/tmp", "/var/tmp", "/usr/tmp")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the word that makes the root read-only."""
    if mapping(container.tree.get("securityContext")).get("readOnlyRootFilesystem") is not True:
        return
    from specgen.operators.kubernetes import launchers  # few roots are read-only

    line = launchers.of_text([text for _, _, text in container.words()])
    if line is None or line.name != launchers.TORCHRUN or line.may("log_dir"):
        return
    said = container.env["TMPDIR"][1].get("value") if "TMPDIR" in container.env else None
    folders = [*_FOLDERS, container.tree.get("workingDir"), said]
    never = [entry["mountPath"] for _, entry in container.mounts if entry.get("readOnly") is True]
    writable = [path for path in container.mounted if path not in never]
    if any(isinstance(one, str) and below(one, mount) for one in folders for mount in writable):
        return
    by_hand = written_by_hand(container.role.workload)
    yield CODE.at(
        (*container.path, "securityContext", "readOnlyRootFilesystem"),
        "torchrun finds no folder that it may write to",
        label="the root is read-only",
        notes=["it makes one for the logs of its processes, and fails before it starts them"],
        helps=["mount an `emptyDir` at `/tmp`" if by_hand else "`mounts: {/tmp: {scratch: tmp}}` gives it one"],
    )
