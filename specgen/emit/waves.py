"""Sync waves: what Argo CD has to create before a job.

Argo CD sorts what it applies by wave, then by kind; kinds that it does not know come last, among themselves by name
(gitops-engine, pkg/sync/sync_tasks.go). A ConfigMap or a claim is thus before its job without a wave, and a claim must
not have one: a wave waits until it is healthy, and a claim that waits for its first consumer never is
(pkg/health/health_pvc.go; argo-cd, issue 12840).
"""

from __future__ import annotations

from specgen.emit.kustomize import RUNTIMES
from specgen.manifest.origins import Copied, Origins
from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Bundle, Manifest

# Kinds that a job has to find and that Argo CD does not know; it knows no health of theirs that a wave would wait for.
_FIRST = (*RUNTIMES, "PodGroup")
_WAVE = "argocd.argoproj.io/sync-wave"
_REASON = "Argo CD creates it before the job, which has to find it"


def in_waves(bundle: Bundle) -> None:
    """Annotates the objects of a bundle that have to be there first, unless their author did."""
    for manifest in bundle.manifests:
        if manifest is bundle.job or manifest.ref.kind not in _FIRST or _WAVE in _annotations(manifest):
            continue
        metadata = mapping(manifest.tree.get("metadata"))
        annotations = {**_annotations(manifest), _WAVE: _before(bundle.job)}
        manifest.tree = {**manifest.tree, "metadata": {**metadata, "annotations": annotations}}
        if isinstance(manifest.where, Origins) and not isinstance(manifest.where, Copied):
            manifest.where.note(("metadata", "annotations", _WAVE), None, _REASON)


def _before(job: Manifest) -> str:
    """The wave before that of the job, which is 0 where it says none."""
    try:
        return str(int(_annotations(job).get(_WAVE, "0")) - 1)
    except ValueError:
        return "-1"


def _annotations(manifest: Manifest) -> dict[str, str]:
    annotations = mapping(mapping(manifest.tree.get("metadata")).get("annotations"))
    return {name: value for name, value in annotations.items() if isinstance(value, str)}
