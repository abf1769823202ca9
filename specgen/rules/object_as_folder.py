"""A file's path at which the whole of a ConfigMap or Secret is mounted: a folder stands there.

## What it checks
Mounts of volumes made of a ConfigMap or a Secret, without `subPath`, at a path that ends like a file's name, such as
`/app/config.yaml`. Where the command line or a variable names something below that path it is meant as a folder.

## Why it hurts
The kubelet makes a folder of that name, with a file in it for each entry. A program that opens the path fails with "Is
a directory", and a file that the image has there is hidden.

## Severity
- warning: a program may take a folder of such a name.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    volumeMounts: [{name: settings, mountPath: /app/config.yaml}]
volumes: [{name: settings, configMap: {name: settings}}]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    volumeMounts: [{name: settings, mountPath: /app/config.yaml, subPath: config.yaml}]
volumes: [{name: settings, configMap: {name: settings}}]
```

## Fix
`subPath` with the entry's name, which is shown and not applied: how the entry is called is not seen here.

## When to ignore it
Where the program takes a folder of that name.

## References
Kubernetes 1.36, "Configure a Pod to Use a ConfigMap", and "Volumes", "Using subPath".
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.rules import ALL, CONTAINER, OF_OBJECT
from specgen.rules._mounted import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG456", "object-as-folder", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (OF_OBJECT,)

_NAMES = {"configMap": "ConfigMap", "secret": "Secret"}
# fmt: off
_FILES = (
    ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".sh", ".py", ".txt", ".env", ".xml", ".properties",
    ".pem", ".crt", ".key",
)
# fmt: on


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each mount."""
    for index, mount in container.mounts:
        path = mount["mountPath"].rstrip("/")
        if not path.endswith(_FILES) or "subPath" in mount or "subPathExpr" in mount:
            continue
        kind = next((kind for word, kind in _NAMES.items() if word in source_of(container, mount)), None)
        values = [str(entry.get("value", "")) for _, entry in container.env.values()]
        if kind is None or any([f"{path}/" in text for text in (container.line, *values)]):
            continue
        name = path.rpartition("/")[2]
        yield CODE.at(
            Place((*container.path, "volumeMounts", index, "mountPath")),
            f"`{shown(path)}` becomes a folder, with a file in it for each entry of the {kind}",
            label="ends like a file",
            notes=["a program that opens it fails with `Is a directory`"],
            helps=[f"write `subPath: {shown(name)}`, where the entry has that name"],
        )
