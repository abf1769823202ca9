"""The annotations by which an object tells Argo CD and Flux what to do with it.

Argo CD 3: docs/user-guide/sync-options.md, sync-waves.md and resource_hooks.md; kustomize-controller 1.8:
docs/spec/v1/kustomizations.md.
"""

from __future__ import annotations

# The phases of a sync in which Argo CD makes the object anew, and when it deletes it.
HOOK, HOOK_DELETE_POLICY = "argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"
SYNC_WAVE, SYNC_OPTIONS = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/sync-options"
# Whether Flux deletes the object with its file, and fills in variables in it.
PRUNE, SUBSTITUTE = "kustomize.toolkit.fluxcd.io/prune", "kustomize.toolkit.fluxcd.io/substitute"
# What `build --out` writes beside what a profile comes to: data is kept, and scripts keep their variables.
KEPT = {SYNC_OPTIONS: "Delete=false,Prune=false", PRUNE: "disabled"}
OF_TREES = {**KEPT, SUBSTITUTE: "disabled"}
