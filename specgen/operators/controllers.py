"""The annotations by which an object tells Argo CD and Flux what to do with it, and what they write into it themselves.

Argo CD 3: docs/user-guide/sync-options.md, sync-waves.md and resource_hooks.md; kustomize-controller 1.8:
docs/spec/v1/kustomizations.md.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.objects import APPLIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The phases of a sync in which Argo CD makes the object anew, and when it deletes it.
HOOK, HOOK_DELETE_POLICY = "argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"
SYNC_WAVE, SYNC_OPTIONS = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/sync-options"
# Whether Flux deletes the object with its file, and fills in variables in it.
PRUNE, SUBSTITUTE = "kustomize.toolkit.fluxcd.io/prune", "kustomize.toolkit.fluxcd.io/substitute"
# Whether it deletes and creates one that cannot be updated.
FORCE = "kustomize.toolkit.fluxcd.io/force"
# What `build --out` writes beside what a profile comes to: data is kept, and scripts keep their variables.
KEPT = {SYNC_OPTIONS: "Delete=false,Prune=false", PRUNE: "disabled"}
# Sync options which together have Argo CD delete the object and create it again.
REPLACED = ("Force=true", "Replace=true")
OF_TREES = {**KEPT, SUBSTITUTE: "disabled"}

# What they, Helm and kubectl write into the metadata of an object that they apply, and find it by: field, key.
# argo-cd 3, common/common.go (AnnotationKeyAppInstance, AnnotationInstallationID); kustomize-controller 1.8,
# docs/spec/v1/kustomizations.md; helm-controller, internal/postrender; helm 3, pkg/action/validate.go. They are nobody
# else's to write, and no difference between two that wrote a job. Argo CD passes over fields that Git lacks by itself.
_RELEASE = ("meta.helm.sh/release-name", "meta.helm.sh/release-namespace")
TRACKED = {
    "annotations": (APPLIED, "argocd.argoproj.io/installation-id", "argocd.argoproj.io/tracking-id", *_RELEASE),
    "labels": tuple(f"{one}.toolkit.fluxcd.io/{key}" for one in ("helm", "kustomize") for key in ("name", "namespace")),
}
# Labels that others may write as well, with the value that a controller gives them, empty: any. Of Argo CD that tracks
# by label (``LabelKeyAppInstance``), and of Helm. Where a live object alone has one, a controller wrote it.
MARKS = {
    ("labels", "app.kubernetes.io/instance"): "",
    ("labels", "app.kubernetes.io/managed-by"): "Helm",
}


def sync_options(annotations: dict[str, Any]) -> list[str]:
    """The options of Argo CD for an object."""
    said = annotations.get(SYNC_OPTIONS)
    return [one.strip() for one in said.split(",")] if isinstance(said, str) else []


def is_made_anew(tree: dict[str, Any]) -> bool:
    """Whether a controller is told to delete an object that it cannot update, and to create it again."""
    said = mapping(mapping(tree.get("metadata")).get("annotations"))
    options = sync_options(said)
    return HOOK in said or said.get(FORCE) in ("enabled", "Enabled") or all(one in options for one in REPLACED)
