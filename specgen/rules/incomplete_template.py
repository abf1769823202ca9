"""A pod template without containers, or a container without an image.

## What it checks
Every role's template has at least one container, and every container, init containers included, names its image.

## Why it hurts
The schema of the kind allows both. The admission webhook of the training operator refuses them; with 1.7.0 an empty
list of containers makes the operator itself crash and restart, for all jobs of the cluster.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    command: [python, train.py]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [python, train.py]
```

## Fix
Name the image. None is applied: which one is not known.

## When to ignore it
Where something fills the image in before the object is created, such as an `images` entry of kustomize.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; recorded with 1.7.0 and 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code
from specgen.manifest.views import mapping
from specgen.rules import ROLE
from specgen.rules._pytorch import is_pytorch, refuses
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG305", "incomplete-template", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE


def check(role: Role, context: Context) -> Iterator[Finding]:
    """A missing `containers` in a spec that is there is the schema's business."""
    if not is_pytorch(role.workload):
        return
    template = role.tree.get("template")
    if template is None or (isinstance(template, dict) and template.get("spec") is None):
        path = role.template_path if template is None else (*role.template_path, "spec")
        message = f"the pods of `{role.name}` have no containers"
        yield CODE.at(path, message, part=KEY, label="no pod spec", notes=[refuses(role.workload)])
        return
    if role.pod.get("containers") == []:
        message = f"the pods of `{role.name}` have no containers"
        path = (*role.pod_path, "containers")
        yield CODE.at(path, message, part=KEY, label="an empty list", notes=[refuses(role.workload)])
    for init in (False, True):
        for container in role.containers(init=init):
            if mapping(container.tree).get("image") in (None, ""):
                kind = "init container" if init else "container"
                note = "the pods cannot be created" if init else refuses(role.workload)
                message = f"{kind} `{shown(container.name)}` of `{role.name}` has no image"
                yield CODE.at((*container.path, "name"), message, label="lacks `image`", notes=[note])
