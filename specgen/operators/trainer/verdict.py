"""All that is refused of a TrainJob: of itself, of its runtime, and of what Trainer makes of the two."""

from __future__ import annotations

from specgen.document.read import read
from specgen.document.tree import Document
from specgen.manifest.origins import manifests
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping
from specgen.operators.expansion import Expansion
from specgen.operators.jobset import facts as layout
from specgen.operators.kubernetes.objects import SERVER, misshapen, name_of
from specgen.operators.release import minor
from specgen.operators.trainer.facts import OPERATOR, RECORDED, RUNTIMES, WEBHOOK
from specgen.operators.trainer.job import TrainJob
from specgen.operators.trainer.pods import expand
from specgen.operators.trainer.refusals import NAME, RUNTIME, expressions, patches, reasons
from specgen.operators.trainer.runtime import found, stored
from specgen.operators.trainer.shipped import shipped
from specgen.operators.trainer.spelling import as_newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.source import Path


def refusals(workload: Workload) -> Iterator[tuple[Path, str, str, str]]:
    """(path, why, who, assumed) of all that is refused of a TrainJob, or of what Trainer makes of it and its runtime.

    The runtime is looked for among the companions, then in the manifest's own text, then among those that Trainer
    installs; ``assumed`` says so. Without one only what needs none is judged. The name's form is a rule's business.
    A tree of the wrong shape is not judged.
    """
    tree, ref = as_newest(workload.manifest.tree, workload.version), workload.manifest.ref
    if not workload.shaped:
        tree = mapping(without_nulls(tree))
        if misshapen("trainjob_v1alpha1", tree):
            return
    spec, name = mapping(tree.get("spec")), name_of(tree)
    refused = list(expressions(name, spec))
    for path, reason in refused:
        if path != NAME:
            yield path, reason, SERVER, ""
    if refused:
        return
    workload.companions = workload.companions or _beside(workload.manifest)
    reference = mapping(spec.get("runtimeRef"))
    kind, group = reference.get("kind", RUNTIMES[0]), reference.get("apiGroup", "trainer.kubeflow.org")
    if kind not in RUNTIMES or group != "trainer.kubeflow.org":
        yield RUNTIME, f"`spec.runtimeRef`: there are no runtimes `{kind}` of `{group}`", WEBHOOK, ""
        return
    called, assumed = layout.text(reference.get("name")), ""
    runtime = found(workload.companions, kind, called, ref.namespace)
    if runtime is None and kind == RUNTIMES[0]:
        runtime = shipped(called, workload.manifest.where)
        assumed = f"judged with the runtime `{called}` that Trainer {minor(RECORDED)} installs, since no file gives one"
    if runtime is None:
        for path, reason in patches(TrainJob(name, ref.namespace, tree, {})):
            yield path, reason, WEBHOOK, ""
        return
    compiled = not isinstance(workload.manifest.where, Document)
    expansion = Expansion(OPERATOR.name, workload.version, ref)
    whole = runtime.tree if compiled else stored(runtime, expansion)
    if whole is None:
        for one in expansion.refusals:
            reason = f"the {kind} `{one.name}` is refused, and this TrainJob without it: {one.reason}"
            yield RUNTIME, reason, one.by, assumed
        return
    refused = list(reasons(TrainJob(name, ref.namespace, tree, whole)))
    for path, reason in refused:
        yield path, reason, WEBHOOK, assumed
    # what specgen compiled was planned so that its objects are taken; to expand each job would slow every build
    workload.companions = [*workload.companions, runtime] if assumed else workload.companions
    for one in () if refused or compiled else expand(workload).refusals:
        if one.kind == "Pod":
            continue  # followers of exclusive placement, which come once their leader has a node
        # a name is too long for what is called after it; all else lies in the runtime as the TrainJob changes it
        path = NAME if one.reason.startswith("the name of a") else RUNTIME
        reason = f"the {one.kind} `{one.name}` that comes of this TrainJob is refused: {one.reason}"
        yield path, reason, one.by, assumed


def _beside(manifest: Manifest) -> list[Manifest]:
    """The other objects of the text that a manifest was read from; none of one that was compiled."""
    where = manifest.where
    if not isinstance(where, Document):
        return []
    trees = [one for one in read(where.source)[0] if isinstance(one.data, dict) and one.number != where.number]
    return [one for document in trees for one in manifests(document)]
