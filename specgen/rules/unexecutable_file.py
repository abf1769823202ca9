"""A program that is a file of a ConfigMap or Secret, and that nobody may execute.

## What it checks
The first word of `command`, or that of a command in a shell's text, is a path in a volume of a ConfigMap or Secret
whose mode has no right to execute, as the usual 0644 has none.

## Why it hurts
The container ends in `StartError`, "permission denied", or the shell with exit code 126: root may not execute such a
file either. The pods are started again without end, or the job fails.

## Severity
- error: the mode of each file is that of the volume, or of its item.
- warning: a condition decides whether it runs.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [/scripts/run.sh]
    volumeMounts: [{name: scripts, mountPath: /scripts}]
volumes: [{name: scripts, configMap: {name: scripts}}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [/scripts/run.sh]
    volumeMounts: [{name: scripts, mountPath: /scripts}]
volumes: [{name: scripts, configMap: {name: scripts, defaultMode: 493}}]
```

## Fix
`defaultMode: 493`, which is 0755, or a shell that reads the file: `command: [bash, /scripts/run.sh]`. None is applied:
which shell a script is for is not seen.

## When to ignore it
Never.

## References
Kubernetes 1.36, core/v1 (`ConfigMapVolumeSource.defaultMode`: 0644 by default); execve(2), EACCES.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER
from specgen.rules._mounted import mount_of, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG344", "unexecutable-file", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("volumeMounts",)

_USUAL = 0o644


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the program."""
    texts = container.words()
    if (
        not texts
        or texts[0][0] != "command"
        or not any([_is_of_object(container, entry) for _, entry in container.mounts])
    ):
        return
    from specgen.operators.kubernetes.calls import calls  # few containers mount an object

    for call in calls([text for _, _, text in texts]):
        first = call.pieces[0] if call.pieces else None
        mount = mount_of(container, first.text) if first is not None and first.text[:1] == "/" else None
        mode = _mode(source_of(container, mount[1]), mount[1], first.text) if mount is not None and first else None
        if first is None or mode is None or mode & 0o111:
            continue
        if call.doubtful and f"-x {first.text} " in container.line:
            continue  # the text asks before
        key, index, text = texts[first.at]
        inside = (first.start, first.end) if first.end - first.start < len(text) else None
        yield CODE.at(
            Place((*container.path, key, index), inside=inside),
            f"nobody may execute `{shown(first.text)}`: its mode is 0{mode:o}",
            label="permission denied",
            notes=["root may not execute a file either that is executable for nobody"],
            helps=[
                "`defaultMode: 493` of the volume, `mode: 493` of the file in a profile, which is 0755, "
                f"or a shell in front: `[bash, {shown(first.text)}]`"
            ],
            severity=WARNING if call.doubtful else ERROR,
        )
        return


def _is_of_object(container: Container, mount: dict[str, Any]) -> bool:
    return not {"configMap", "secret"}.isdisjoint(source_of(container, mount))


def _mode(source: dict[str, Any], mount: dict[str, Any], path: str) -> int | None:
    """The mode of a file of a ConfigMap or Secret; None where it is in no such volume, or not among its items."""
    of = mapping(source.get("configMap") or source.get("secret"))
    if not of or "subPathExpr" in mount:
        return None
    below = path[len(mount["mountPath"].rstrip("/")) :].strip("/")
    name = "/".join([part for part in (str(mount.get("subPath") or "").strip("/"), below) if part])
    mode = of.get("defaultMode", _USUAL)
    items = [mapping(item) for item in sequence(of.get("items"))]
    if items:
        own = next((item for item in items if item.get("path") == name), None)
        mode = own.get("mode", mode) if own is not None else None
    return mode if isinstance(mode, int) and not isinstance(mode, bool) and name else None
