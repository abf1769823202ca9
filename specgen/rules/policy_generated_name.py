"""A name that the API server makes up.

## What it checks
Objects have a `metadata.name`, not a `generateName` alone. Opt-in: looked for where the group `policy` or the code is
selected.

## Why it hurts
`kubectl apply`, Flux and most that keep a cluster like a folder find an object by its name, and refuse one without:
`cannot use generate name with apply`. `kubectl create` takes it and makes another job each time.

## Severity
- warning: the object is created; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {generateName: sweep-}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: sweep-1}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
A name. None is applied: nobody knows which.

## When to ignore it
Where a pipeline runs `kubectl create`, or Argo CD creates the job as a hook of each synchronisation.

## References
kubectl 1.36, staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.rules import EVERY, OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context

CODE = Code("SG872", "generated-name", WARNING, since="0.1", page=__doc__)
SCOPE = OBJECT
KINDS = EVERY


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    metadata = mapping(manifest.tree.get("metadata"))
    beginning = metadata.get("generateName")
    if isinstance(beginning, str) and beginning and not metadata.get("name"):
        yield CODE.at(
            Place(("metadata", "generateName"), KEY),
            f"`kubectl apply` refuses the {shown(manifest.ref.kind)} `{shown(beginning)}…`, which has no name",
            label="made up by the API server",
            helps=["give it a `name`, or use `kubectl create`"],
        )
