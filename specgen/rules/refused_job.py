"""An object that somebody refuses for what its own operator knows best.

## What it checks
A JobSet against its webhook, and its Jobs against the API server: their modes, policies, exit codes, and indexes. A
TrainJob against its CRD's expressions and the webhook of Trainer, together with its runtime where that stands in the
same text, and the JobSet that comes of the two against everything that a JobSet is held to. Labels and annotations of
any job, and claims, volumes, and ConfigMaps beside it, against the API server. For a runtime that Trainer installs and
the text does not hold, Trainer's own is taken, and the finding is a warning. An MPIJob against the words that an older
mpi-operator takes. A Job of Volcano against Volcano's webhook, but for the queues that only the cluster knows. A Job of
Kubernetes (`batch/v1`) and its pods against the API server; nothing else of it is looked at, as nobody knows what it is
for.

## Why it hurts
Where the API server or a webhook refuses, nothing is created. Where a JobSet is stored and only its Jobs are refused,
or a TrainJob and only its JobSet, the controller tries again without end: no pod, no condition, and the reason stands
in an event.

## Severity
- error: the API server, a webhook or the operator refuses the object, or the one that is made of it.
- warning: it is so with the runtime as Trainer installs it; which one the cluster has is not known.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: torch-distributed}
  runtimePatches: [{manager: me}]
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: torch-distributed}
  runtimePatches: [{manager: example.com/me}]
```

## Fix
Change what the finding points at; where that is `runtimeRef`, change the runtime or take another one. A word near one
that is taken is replaced, and the one value that is taken is written: safe where only the letters' size or the order of
exit codes changes, as nothing was ever made with the other.

## When to ignore it
Where another runtime of that name is installed than the one beside the TrainJob. Servers before Kubernetes 1.31 may
not know a Job's `podFailurePolicy`, those before 1.33 not its `successPolicy` and `backoffLimitPerIndex`: they drop it.

## References
kubeflow/trainer 2.3.0, pkg/webhooks; kubernetes-sigs/jobset 0.12.0, pkg/webhooks/jobset_webhook.go; volcano-sh/volcano
1.15.1, pkg/webhooks/admission/jobs/validate; all recorded. Kubernetes 1.36, pkg/apis/batch/validation/validation.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, SAFE, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Remove, Set
from specgen.rules import ALL, REFUSED
from specgen.rules._context import below, unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Workload
    from specgen.operators.objection import Objection
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG317", "refused-job", ERROR, since="0.1", page=__doc__)
SCOPE = REFUSED
KINDS = ALL
# What no rule of its own presents.
CAUSES = ("",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each refusal that no rule of its own presents, in the operator's words."""
    manifest = workload.manifest
    for one in context.refused(*CAUSES):
        filled_in = one.words or one.path[:1] == ("metadata",)
        if not filled_in or not unfinished(manifest.tree, one.path, manifest):
            yield finding(one, manifest.tree)


def finding(one: Objection, tree: Any = None) -> Finding:
    """A refusal as it is found; also of objects that are no jobs, and that no rule looks at. ``tree``: the object."""
    return CODE.at(
        Place(one.path),
        one.reason,
        label="refused for this",
        notes=[f"{one.by} refuses it", *([one.assumed] if one.assumed else [])],
        fix=None if tree is None or (one.right is None and not one.words) else _fix(one, tree),
        severity=WARNING if one.assumed else ERROR,
    )


def _fix(one: Objection, tree: Any) -> Fix | None:
    """The word that is near, or the one value that is taken: nothing was ever made with what stands there."""
    value = tree
    for step in one.path:
        value = below(value, step)
    if one.right is None:
        from specgen.rules._remedies import respelt

        same = any(str(value).lower() == word.lower() for word in one.words)
        return respelt(one.path, str(value), one.words, SAFE if same else UNSAFE)
    if isinstance(one.right, list):
        # the same values in order say the same
        same = isinstance(value, list) and sorted({*value}) == one.right
        said = f"[{', '.join(map(str, one.right))}]"
        return Fix(f"write `{said}`", SAFE if same else UNSAFE, _without(one.path, value, one.right))
    return Fix(f"write `{one.path[-1]}: {one.right}`", UNSAFE, [Set(one.path, one.right)])


def _without(path: Path, value: Any, right: list[Any]) -> list[Operation]:
    """Takes out of a list what does not belong there, or writes another one where the order is a new one as well."""
    items = value if isinstance(value, list) else []
    gone = [at for at, item in enumerate(items) if item not in right or item in items[:at]]
    if [item for at, item in enumerate(items) if at not in gone] == right:
        return [Remove((*path, at)) for at in gone]
    return [Set(path, right)]
