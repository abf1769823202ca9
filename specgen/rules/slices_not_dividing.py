"""Slices of Kueue's topology that do not divide the pods.

## What it checks
The annotation `kueue.x-k8s.io/podset-slice-size` of a pod template against the number of its pods.

## Why it hurts
Kueue admits the job, charges all its pods, and places whole slices alone: the pods of the last, broken slice keep
their scheduling gate for good, and the job waits for them while the others hold their devices.

## Severity
- warning: Kueue may run without its topology-aware scheduling.

## Example
Bad:

```yaml
replicas: 5
template:
  metadata:
    annotations:
      kueue.x-k8s.io/podset-slice-required-topology: example.com/rack
      kueue.x-k8s.io/podset-slice-size: "2"
  spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

Good:

```yaml
replicas: 6
template:
  metadata:
    annotations:
      kueue.x-k8s.io/podset-slice-required-topology: example.com/rack
      kueue.x-k8s.io/podset-slice-size: "2"
  spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

## Fix
Change the size or the number of pods; a Master is a set of pods of its own.

## When to ignore it
Where Kueue's topology-aware scheduling is off, and with it the annotation.

## References
Kueue 0.19.2, recorded: `tas-slices-not-dividing`.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.queues import SLICE_SIZE
from specgen.rules import ALL, KUEUE, ROLE
from specgen.rules._gangs import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG605", "slices-not-dividing", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (KUEUE,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, at the size."""
    said = marks(role.template, "annotations").get(SLICE_SIZE)
    if not isinstance(said, str) or not said.isascii() or not said.isdigit() or not int(said[:9]):
        return
    size, pods = int(said[:9]), role.replicas
    if pods < 1 or pods % size == 0:
        return
    rest = pods % size
    yield CODE.at(
        Place((*role.template_path, "metadata", "annotations", SLICE_SIZE)),
        f"{plural(pods, 'pod')} of `{role.name}` cannot be cut into slices of {size}",
        label=f"a slice of {rest} is left over",
        related=[(Place((*role.path, "replicas")), plural(pods, "pod"))] if "replicas" in role.tree else [],
        notes=[f"Kueue admits the job and places {pods - rest} of them: {plural(rest, 'pod')} would wait for ever"],
    )
