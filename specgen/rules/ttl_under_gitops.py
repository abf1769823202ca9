"""A job that deletes itself under a controller that creates it again.

## What it checks
A job with `ttlSecondsAfterFinished` has no mark of Argo CD (`argocd.argoproj.io/…`) or Flux
(`kustomize.toolkit.fluxcd.io/…`, `helm.toolkit.fluxcd.io/…`); hooks of Argo CD are exempt, and so is what says that it
is neither watched nor reconciled.

## Why it hurts
When its time is over the operator deletes the job, and the controller sees that an object of the repository is missing:
it creates it again, and the training begins anew, for ever.

## Severity
- warning: whether the controller applies again by itself is not known.

## Example
Bad:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  runPolicy: {ttlSecondsAfterFinished: 3600}
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
Remove `ttlSecondsAfterFinished`. Unsafe: the finished job stays until it is taken out of the repository.

## When to ignore it
Where the application syncs by hand alone, without self-healing.

## References
Argo CD 3.1, "Sync Options" and "Resource Hooks"; Flux 2.7, kustomize-controller (labels of what it applies);
argoproj/argo-cd#8586, airbytehq/airbyte#15202.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.operators.controllers import HOOK, SUBSTITUTE
from specgen.rules import ALL, WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG715", "ttl-under-gitops", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
FIELD = "ttlSecondsAfterFinished"
NEEDS = (FIELD,)

_MARKS = {
    "argocd.argoproj.io/": "Argo CD",
    "kustomize.toolkit.fluxcd.io/": "Flux",
    "helm.toolkit.fluxcd.io/": "Flux",
}
# What says nothing of who applies an object: `build --out` writes it into every tree.
_INERT = SUBSTITUTE
# What ends with the sync, or is left alone.
_EXEMPT = (HOOK, "argocd.argoproj.io/ignore-resource-updates")
_LEFT = {"kustomize.toolkit.fluxcd.io/reconcile": "disabled", "kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"}


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the time to live."""
    own = spec(workload)
    paths: list[tuple[Path, Any]] = [
        (("spec", "runPolicy", FIELD), mapping(own.get("runPolicy")).get(FIELD)),
        (("spec", FIELD), own.get(FIELD)),
    ]
    found = marks(workload)
    if not found:
        return
    key, place = found[0]
    controller = next(word for beginning, word in _MARKS.items() if key.startswith(beginning))
    for path, seconds in paths:
        if seconds is None:
            continue
        yield CODE.at(
            Place(path),
            f"{controller} creates this job again once it has deleted itself",
            label="deletes the job after its end",
            related=[(place, f"an object of {controller}")],
            notes=["the training begins anew, as often as it ends"],
            fix=Fix(f"remove `{FIELD}`", UNSAFE, [Remove(path)]),
        )
        return


def marks(workload: Workload) -> list[tuple[str, Place]]:
    """(key, its place) of the marks by which a controller creates the job again; none where it lets the job go."""
    found = [
        (key, value, Place(("metadata", where, key), KEY))
        for where in ("annotations", "labels")
        for key, value in mapping(mapping(workload.manifest.tree.get("metadata")).get(where)).items()
        if isinstance(key, str) and key.startswith(tuple(_MARKS)) and key != _INERT
    ]
    if any(key in _EXEMPT or (key in _LEFT and _LEFT[key] == value) for key, value, _ in found):
        return []
    return [(key, place) for key, _, place in found]
