"""A runtime that is none of those among the files, and called nearly like one of them, or of the other kind.

## What it checks
`runtimeRef` of a TrainJob against the runtimes of its kind among the files that are checked together, in its namespace
where these have one, and against `runtimes` of Trainer in the cluster profile. A name that is near none of these,
and none of the other kind, or that Trainer ships, is passed over.

## Why it hurts
Trainer refuses a TrainJob whose runtime is not there, when it is applied.

## Severity
- warning: the cluster may have a runtime of that name all the same.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: lab-torch}
spec:
  mlPolicy: {torch: {}}
  template: {spec: {replicatedJobs: []}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: lab-troch}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: lab-torch}
```

## Fix
Write the name of the runtime. It is unsafe: pods of another runtime are other pods.

## When to ignore it
Where the cluster has a runtime of that name, which is not among the files; better, check it with them, or list it in
the cluster profile.

## References
Trainer 2.3.0, pkg/webhooks/trainjob_webhook.go: the runtime must exist before the TrainJob.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.diagnostics.operations import Set
from specgen.diagnostics.suggest import of_objects
from specgen.manifest.beside import of_kind
from specgen.manifest.views import mapping
from specgen.operators.trainer.shipped import NAMES
from specgen.profile.library import installed
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG624", "unknown-runtime", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("runtimeRef",)

_CLUSTERS, _OWN = "ClusterTrainingRuntime", "TrainingRuntime"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the name."""
    reference = mapping(mapping(workload.manifest.tree.get("spec")).get("runtimeRef"))
    kind, name = reference.get("kind", _CLUSTERS), reference.get("name")
    if kind not in (_CLUSTERS, _OWN) or not isinstance(name, str) or not name or "$" in name or "{{" in name:
        return
    space = workload.manifest.ref.namespace or "default"
    files = _names(context, kind, space)
    trainer = installed(context.cluster, "trainer") if context.cluster is not None else None
    profile = [str(one) for one in trainer.runtimes] if trainer is not None and kind == _CLUSTERS else []
    known = list(dict.fromkeys([*(one for one in files if one), *profile]))
    if name in known or (kind == _CLUSTERS and name in NAMES):
        return
    other = _OWN if kind == _CLUSTERS else _CLUSTERS
    if name in _names(context, other, space):
        yield _of_other_kind(kind, other, name, reference)
        return
    near = of_objects(name, known)
    if not near:
        return
    path = ("spec", "runtimeRef", "name")
    where = "among the files" if files else "in the cluster profile"
    yield CODE.at(
        Place(path),
        f"there is no {kind} `{shown(name)}` {where}",
        notes=[
            f"{'they hold' if files else 'it lists'} {listed(known)}",
            "Trainer refuses a TrainJob whose runtime the cluster does not have",
        ],
        fix=Fix(f"write `{near[0]}`", UNSAFE, [Set(path, near[0])]),
    )


def _names(context: Context, kind: str, space: str) -> list[str | None]:
    """The runtimes of a kind among the files that a job of a namespace may name."""
    found = of_kind(context.companions, kind)
    return [one.ref.name for one in found if kind == _CLUSTERS or (one.ref.namespace or "default") == space]


def _of_other_kind(kind: str, other: str, name: str, reference: dict[str, Any]) -> Finding:
    path = ("spec", "runtimeRef", "kind")
    said = "kind" in reference
    return CODE.at(
        Place(path) if said else Place(("spec", "runtimeRef", "name")),
        f"`{shown(name)}` is a {other} among the files, and the job names a {kind}",
        notes=[
            *([] if said else [f"without `kind` it is a {kind}"]),
            "Trainer refuses a TrainJob whose runtime the cluster does not have",
        ],
        fix=Fix(f"write `kind: {other}`", UNSAFE, [Set(path, other)]),
    )
