"""An image that is another one tomorrow.

## What it checks
The image of a container has a digest, or a tag other than `latest`. Opt-in: looked for where the group `policy` or the
code is selected.

## Why it hurts
Pods of one job that are pulled at different times run different programs; a run cannot be repeated; and nodes that have
an image of that tag already go on with the old one, or ask the registry each time.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:latest
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
```

## Fix
A tag that is never moved, or a digest. None is applied: which one is meant is not known.

## When to ignore it
While an image is being developed.

## References
Kubernetes 1.36, "Images" (image names, imagePullPolicy).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, shown
from specgen.rules import ALL, CONTAINER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG864", "unpinned-image", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each container."""
    image = container.tree.get("image")
    if not isinstance(image, str) or not image or "@" in image or "$" in image or "{{" in image:
        return
    tag = image.rpartition("/")[2].partition(":")[2]
    if tag in ("", "latest"):
        yield CODE.at(
            (*container.path, "image"),
            f"`{shown(image)}` is another image tomorrow",
            label="the tag `latest`" if tag else "no tag, which means `latest`",
            notes=["pods that are pulled at another time may run another program"],
        )
