"""A job that Argo CD deletes and creates with every sync.

## What it checks
The annotation `argocd.argoproj.io/sync-options` of a job that is no hook: `Force=true` beside `Replace=true`.

## Why it hurts
Both together are `kubectl replace --force`: each sync of the Application, also one that another object is the reason
of, deletes the job and creates it again. It trains anew from the beginning or from its last checkpoint.

## Severity
- warning: an Application with `ApplyOutOfSyncOnly=true` passes over jobs without changes.

## Example
Bad:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft, annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}}
```

Good:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft-2}
```

## Fix
Leave both options out, and give a changed job another name: the old one is pruned, and the new one begins.

## When to ignore it
Where the Application applies what is out of sync alone, and a changed job is meant to begin anew.

## References
Argo CD 3.2, gitops-engine, pkg/sync/sync_context.go (`applyObject`, `filterOutOfSyncTasks`), "Sync Options".
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Remove, Set
from specgen.manifest.views import mapping
from specgen.operators.controllers import HOOK, REPLACED, SYNC_OPTIONS, sync_options
from specgen.rules import ALL, ARGO_CD, WORKLOAD
from specgen.rules._remedies import removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG832", "replaced-by-sync", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (ARGO_CD,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the options."""
    annotations = mapping(mapping(workload.manifest.tree.get("metadata")).get("annotations"))
    options = sync_options(annotations)
    if HOOK in annotations or not all(one in options for one in REPLACED):
        return
    path = ("metadata", "annotations", SYNC_OPTIONS)
    left = [one for one in options if one not in REPLACED]
    patch = Set(path, ",".join(left)) if left else Remove(removed(workload.manifest.tree, path))
    yield CODE.at(
        Place(path),
        "each sync of its Application deletes this job and creates it again, changed or not",
        label="`kubectl replace --force`",
        notes=[
            "an Application with `ApplyOutOfSyncOnly=true` passes over jobs without changes",
            "without the options a changed job takes another name: the old one is pruned, the new one begins",
        ],
        fix=Fix("leave both options out", UNSAFE, [patch]),
    )
