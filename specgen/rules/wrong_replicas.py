"""A number of pods that the role cannot have.

## What it checks
`Master` says `replicas: 1`, in so many words. `Worker` says at least 1 or nothing.

## Why it hurts
The admission webhook of the training operator refuses everything else: a Master without `replicas` too, although the
operator's own default would be 1. Before 1.9 a Worker with 0 replicas still gets one pod.

## Example
Bad:

```yaml
Master:
  replicas: 2
  template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
Master:
  replicas: 1
  template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Write `replicas: 1`, put further pods into `Worker`, and leave out a role that shall have no pods.

## When to ignore it
Never; such a job does not start, or does not start as written.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; recorded with 1.7.0, 1.8.1, and 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, plural
from specgen.rules import ROLE
from specgen.rules._pytorch import is_pytorch, refuses, release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG304", "wrong-replicas", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding; a value of another type than a whole number is the schema's business."""
    workload = role.workload
    if not is_pytorch(workload):
        return
    count = role.tree.get("replicas")
    path = (*role.path, "replicas")
    note = refuses(workload)
    if role.name == "Master" and count is None:
        if release(workload) >= (1, 8):
            message, help = "`Master` does not say `replicas: 1`", "write `replicas: 1`"
            yield CODE.at(path, message, part=KEY, label="lacks `replicas`", notes=[note], helps=[help])
    elif not isinstance(count, int) or isinstance(count, bool):
        return
    elif role.name == "Master" and count != 1:
        help = "write `replicas: 1` and put the other pods into `Worker`" if count > 1 else "write `replicas: 1`"
        message = f"`Master` asks for {plural(count, 'pod')}, a PyTorchJob has exactly one"
        yield CODE.at(path, message, label="expected 1", notes=[note], helps=[help])
    elif role.name == "Worker" and count < 1:
        runs = count == 0 and release(workload) < (1, 9)
        if count < 0:
            note = "the API server rejects the object"
        elif runs:
            note = "before 1.9 the training operator creates one pod all the same"
        yield CODE.at(
            path,
            f"`Worker` asks for {plural(count, 'pod')}, a role has at least one",
            label="expected 1 or more",
            notes=[note],
            helps=["leave the role out"],
            severity=WARNING if runs else ERROR,
        )
