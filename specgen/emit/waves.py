"""What Argo CD has to create before a job, and what it must not delete with one.

Argo CD sorts what it applies by phase, by wave, then by kind; kinds that it does not know come last, among themselves
by name; namespaces and definitions it moves before what needs them (gitops-engine, pkg/sync/sync_tasks.go, ``Less`` and
``adjustDeps``). A ConfigMap or a claim is thus before its job without a wave, as long as the job has none below 0; and
a claim must not be in an earlier one: a wave waits until it is healthy, and a claim that waits for its first consumer
never is (pkg/health/health_pvc.go; argo-cd, issue 12840).

Claims and volumes hold what jobs have written: they stay when the job that brought them is renamed or taken out, and
when its Application is deleted. The same is said to Flux.

A job that is a hook before the sync comes before all that is none: what is made anew without harm becomes one, too.
"""

from __future__ import annotations

from specgen.emit.kustomize import RUNTIMES
from specgen.manifest.origins import Copied, Origins
from specgen.manifest.views import mapping
from specgen.operators.controllers import HOOK, KEPT, SYNC_WAVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Bundle, Manifest

PRE_SYNC = "PreSync"
# Kinds that a job has to find and that Argo CD does not know; it knows no health of theirs that a wave would wait for.
_FIRST = (*RUNTIMES, "PodGroup")
# Volcano's webhook looks for the queue that a PodGroup or a job names (pkg/webhooks/admission of volcano 1.12).
_BEFORE_THEM = ("Queue",)
# Kinds of which nothing is lost when each sync deletes and creates them.
_ANEW = ("ConfigMap", "PodGroup", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount")
# What Argo CD moves before a hook by itself.
_MOVED = ("Namespace", "CustomResourceDefinition")
# Kinds that hold data, and what keeps each controller from deleting them (docs/user-guide/sync-options.md of argo-cd 3;
# docs/spec/v1/kustomizations.md of kustomize-controller 1.8, "Prune").
DATA = ("PersistentVolumeClaim", "PersistentVolume")
_REASON = "Argo CD creates it before the job, which has to find it"
_STAYS = "what jobs have written stays when the job is renamed or taken out"


def in_waves(bundle: Bundle) -> None:
    """Annotates the objects of a bundle that have to be there first, unless their author did."""
    wave = _wave(bundle.job)
    hooks = is_before_sync(bundle.job)
    for manifest in bundle.manifests:
        if manifest is bundle.job:
            continue
        kind, before = manifest.ref.kind, 0
        if kind in _FIRST:
            before = wave - 1
        elif kind in _BEFORE_THEM:
            before = wave - 2
        elif wave < 0:
            before = wave
        if before:
            _annotate(manifest, SYNC_WAVE, str(before), _REASON)
        if hooks and kind in _ANEW:
            _annotate(manifest, HOOK, PRE_SYNC, _REASON)


def keep(bundle: Bundle) -> None:
    """Annotates the objects of a bundle that hold data, so that no controller deletes them, unless their author did."""
    for manifest in bundle.manifests:
        for name, value in KEPT.items() if manifest.ref.kind in DATA else ():
            _annotate(manifest, name, value, _STAYS)


def behind(bundle: Bundle) -> list[Manifest]:
    """The objects of a bundle that Argo CD creates only once its job has ended, which waits for them."""
    if not is_before_sync(bundle.job):
        return []
    others = [one for one in bundle.manifests if one is not bundle.job and one.ref.kind not in _MOVED]
    return [one for one in others if not is_before_sync(one)]


def is_before_sync(manifest: Manifest) -> bool:
    """Whether an object is a hook before the sync."""
    return PRE_SYNC in [phase.strip() for phase in marks(manifest).get(HOOK, "").split(",")]


def marks(manifest: Manifest) -> dict[str, str]:
    """The annotations of an object that are texts."""
    found = mapping(mapping(manifest.tree.get("metadata")).get("annotations"))
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _annotate(manifest: Manifest, name: str, value: str, reason: str) -> None:
    said = marks(manifest)
    if name in said:
        return
    metadata = mapping(manifest.tree.get("metadata"))
    manifest.tree = {**manifest.tree, "metadata": {**metadata, "annotations": {**said, name: value}}}
    if isinstance(manifest.where, Origins) and not isinstance(manifest.where, Copied):
        manifest.where.note(("metadata", "annotations", name), None, reason)


def _wave(job: Manifest) -> int:
    """The wave of the job, which is 0 where it says none."""
    try:
        return int(marks(job).get(SYNC_WAVE, "0"))
    except ValueError:
        return 0
