"""A job that is a hook of Argo CD, which does not know when one has ended.

## What it checks
A job with the annotation `argocd.argoproj.io/hook`. Argo CD brings no health check for kinds of training jobs.

## Why it hurts
A hook of a kind without a health check has succeeded as soon as it exists. With the delete policy `HookSucceeded` it is
deleted while it runs; with the policy that counts where none is said, `BeforeHookCreation`, the next sync deletes it
while it runs and creates it again. What should come after it does not wait for it.

## Severity
- warning: whether the ConfigMap argocd-cm has a health check for the kind is not known.

## Example
Bad:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata:
  name: check
  annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded}
```

Good:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata:
  name: check
  annotations: {argocd.argoproj.io/sync-wave: "-1"}
```

## Fix
`specgen gitops argocd KIND` prints the check, as a patch of argocd-cm. Until that is there, a job in an earlier wave is
at least not deleted.

## When to ignore it
Where argocd-cm has it.

## References
Argo CD 3.2, gitops-engine, pkg/sync/sync_context.go (`getOperationPhase`: without health a hook has succeeded) and
sync_task.go (delete policies); its folder resource_customizations has no check for these kinds.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.manifest.views import mapping
from specgen.operators.controllers import HOOK, HOOK_DELETE_POLICY
from specgen.rules import ALL, ARGO_CD, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG831", "hook-without-health", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (ARGO_CD,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the hook."""
    annotations = mapping(mapping(workload.manifest.tree.get("metadata")).get("annotations"))
    hook, policy = annotations.get(HOOK), annotations.get(HOOK_DELETE_POLICY)
    if not isinstance(hook, str) or hook == "Skip":
        return
    kind = workload.manifest.ref.kind
    policies = [one.strip() for one in policy.split(",")] if isinstance(policy, str) else []
    if "HookSucceeded" in policies:
        then = "and Argo CD deletes it while it runs"
    elif not policies or "BeforeHookCreation" in policies:
        then = "and the next sync deletes it, though it may run"
    else:
        then = "and what is to come after it begins"
    place = Place(("metadata", "annotations", HOOK), KEY)
    related = [(Place(("metadata", "annotations", HOOK_DELETE_POLICY), KEY), "and may be deleted")] if policies else []
    yield CODE.at(
        place,
        f"without a health check of {kind}s this hook has succeeded as soon as it exists, {then}",
        label="ends at once",
        related=related,
        notes=["Argo CD brings no check for this kind; those of a cluster stand in argocd-cm"],
        helps=[f"`specgen gitops argocd {kind}` prints the check for argocd-cm"],
    )
