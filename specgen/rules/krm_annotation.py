"""An annotation by which kustomize or kpt would run a program, or write outside of its folder.

## What it checks
No object carries `config.kubernetes.io/function`, which makes it the order to run a program, and none carries a
`config.kubernetes.io/path` or `internal.config.kubernetes.io/path` that is absolute or climbs out with `..`.

## Why it hurts
The API server keeps both as text. A tool that takes the file as a resource of its own starts what the first one names,
with `exec` on the machine of whoever builds, and writes to where the second one points. A job has no use for either.

## Severity
- warning: whether a tool that obeys the annotation ever reads the file is not known.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: llama-ft
  annotations: {config.kubernetes.io/path: ../../base/job.yaml}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
Remove it. That is safe: neither Kubernetes nor an operator reads it.

## When to ignore it
Where the object is the configuration of a function, which jobs are not.

## References
KRM Functions Specification v1, "internal.config.kubernetes.io/path"; kustomize 5.7, api/internal/plugins/loader and
kyaml/fn/runtime/runtimeutil, `FunctionAnnotationKey`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.rules import EVERY, KRM, OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG329", "krm-annotation", WARNING, since="0.1", page=__doc__)
SCOPE = OBJECT
KINDS = EVERY
NEEDS = (KRM,)

_FUNCTIONS = ("config.kubernetes.io/function", "config.k8s.io/function")
_PATHS = ("config.kubernetes.io/path", "internal.config.kubernetes.io/path")


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """One finding for each annotation."""
    annotations = mapping(mapping(manifest.tree.get("metadata")).get("annotations"))
    for name, value in annotations.items():
        if name in _FUNCTIONS:
            message, label = f"`{name}` makes the object an order to run a program", "read by kustomize and kpt"
        elif name in _PATHS and isinstance(value, str) and _leaves(value):
            message, label = f"`{shown(value)}` of `{name}` lies outside the tool's folder", "where tools write it"
        else:
            continue
        here: Path = ("metadata", "annotations", name)
        yield CODE.at(
            Place(here, KEY),
            message,
            label=label,
            notes=["the API server and the operators read nothing of it"],
            fix=Fix("remove it", SAFE, [Remove(here if len(annotations) > 1 else here[:-1])]),
        )


def _leaves(path: str) -> bool:
    return path.startswith(("/", "\\")) or ".." in path.replace("\\", "/").split("/") or path[1:2] == ":"
