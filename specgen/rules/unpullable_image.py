"""An image by whose name nothing can be pulled.

## What it checks
`image` of every container is a name that container runtimes read: `registry/path/name:tag@digest`, in lower case but
for the tag, without blanks and without a scheme. Texts with `${NAME}` or `{{name}}` are passed over.

## Why it hurts
The API server takes it, and the kubelet stops at `InvalidImageName`. The pod waits for ever with the devices of its
node, and the rest of the job with it.

## Severity
- error: no container runtime reads the name: the kubelet stops at `InvalidImageName`.
- warning: the name looks like one that a tool or a person still fills in.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/Vision/train:1.4"}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/vision/train:1.4"}]
```

## Fix
Write the name as it was pushed: in lower case, without `https://`. None is applied, as the registry knows the name.

## When to ignore it
It is a warning where the name looks like one that is still to be filled in, as `<image>` and `YOUR_IMAGE:tag` do;
ignore it there if a tool does so.

## References
distribution/reference v0.6.0, regexp.go; Kubernetes 1.36, pkg/kubelet/images/image_manager.go (`InvalidImageName`).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, shown
from specgen.operators.kubernetes.names import is_image
from specgen.rules import ALL, CONTAINER, IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG421", "unpullable-image", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (IMAGE,)

# What stands around a word that somebody is to replace.
_BRACKETS = "<>[]{}%"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding; an empty name, and blanks around one, are refused by the API server already."""
    image = container.tree.get("image")
    if not isinstance(image, str) or not image or image != image.strip() or is_image(image):
        return
    waits = _is_placeholder(image)
    why, helps = _why(image)
    yield CODE.at(
        (*container.path, "image"),
        f"`{shown(image)}` is still to be filled in" if waits else f"no image is called `{shown(image)}`: {why}",
        label="no kubelet can pull it",
        notes=["the API server takes it, and the kubelet stops at `InvalidImageName`"],
        helps=[] if waits else helps,
        severity=WARNING if waits else ERROR,
    )


def _is_placeholder(image: str) -> bool:
    if any([sign in _BRACKETS for sign in image]) or "..." in image:
        return True
    parts = [part.partition(":")[0] for part in image.split("/")]
    return any([len(part) > 2 and part.isupper() for part in parts])


def _why(image: str) -> tuple[str, list[str]]:
    """What keeps a name from being one, in words, and what to do about it."""
    if "://" in image:
        return "it has a scheme", [f"leave `{shown(image.partition('://')[0])}://` out"]
    if len(image.split()) > 1:
        return "it has a blank", []
    if is_image(image.lower()):
        return "it has upper case outside its tag", ["names of images are pushed in lower case"]
    return "it is no `registry/path/name:tag`", []
