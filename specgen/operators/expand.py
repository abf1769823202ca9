"""One manifest → what its operator creates, or the findings for which the API server does not store it."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, has_errors
from specgen.document.tree import Document
from specgen.manifest.model import Manifest
from specgen.manifest.prune import NOTHING, prune, without_nulls
from specgen.manifest.shape import shape
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.stored import stored_pod, stored_template
from specgen.operators.queues import is_queued as is_queued
from specgen.operators.reader import of_marks
from specgen.operators.too_new import too_new
from specgen.schema import codes
from specgen.schema.files import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.operators.expansion import Expansion
    from specgen.operators.reader import Reader


def expand_manifest(
    manifest: Manifest,
    reader: Reader,
    version: str | None = None,
    *,
    lenient: bool = False,
    gang: str | None = None,
    companions: Sequence[Manifest] = (),
    resumed: bool = False,
) -> tuple[Expansion | None, list[Finding]]:
    """The expansion and the findings of shape; no expansion: the API server refuses to store the object.

    lenient: unknown fields are dropped as they are without field validation; ``Expansion.removed`` says which. A job
    that a webhook or the operator refuses has an expansion without objects and with that refusal. gang: the gang
    scheduler that the operator's flag names. companions: other objects that exist, such as the runtime of a TrainJob.
    resumed: a job that is suspended is expanded as its queue lets it begin.
    """
    version = version or reader.newest
    schema = load(f"k8s/{reader.api_version.partition('/')[0]}/{reader.schema}.json")
    spelled = reader.as_newest(manifest.tree, version)
    # what another spelling stands for is known to the older version, whatever the field is called today
    absent = reader.absent_fields(version) if spelled is manifest.tree else NOTHING
    tree, removed = prune(schema, spelled, absent)
    stored = tree if lenient else without_nulls(spelled)
    text = manifest.where.plain if isinstance(manifest.where, Document) else None
    findings = shape(reader.schema, stored, text, unique=reader.unique_lists(version))
    if findings:
        from specgen.operators.other_version import as_of_release  # most jobs have the right shape

        as_of_release(reader, stored, findings, version, spelled=spelled is not manifest.tree)
    if not lenient and not has_errors(findings):
        newer = too_new(reader.operator, without_nulls(manifest.tree), version, reader.group, gone=reader.gone)
        named = frozenset([finding.place.path for finding in newer])
        of_no_version = [path for path in removed if path not in named]
        message = f"the CRD of {reader.operator.name} has no such field"
        findings += newer + [codes.UNKNOWN_FIELD.at(path, message, part=KEY) for path in of_no_version]
    for finding in findings:
        finding.where = finding.where or manifest.where
        finding.subject = finding.subject or manifest.ref.as_dict()
    if has_errors(findings):
        return None, findings
    if resumed:
        tree = as_resumed(tree)
    workload = reader.read(Manifest(tree, manifest.where), version)
    workload.gang = gang
    workload.companions = companions
    expansion: Expansion = reader.expand(workload)
    workload.release()
    expansion.removed = removed
    _store(expansion)
    for objection in of_marks(tree):
        expansion.refuse(objection.reason, objection.by)
    return expansion, findings


def _store(expansion: Expansion) -> None:
    """Makes of the pods, and of the pods in Jobs, what the API server stores of them."""
    expansion.pods = [_with_spec(pod, stored_pod(pod["spec"])) for pod in expansion.pods]
    for at, tree in enumerate(expansion.others):
        if tree["kind"] == "Job":
            template = tree["spec"]["template"]
            stored = _with_spec(template, stored_template(template["spec"]))
            if stored is not template:
                expansion.others[at] = {**tree, "spec": {**tree["spec"], "template": stored}}


def _with_spec(tree: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return tree if spec is tree["spec"] else {**tree, "spec": spec}


def is_suspended(tree: dict[str, Any]) -> bool:
    """Whether a job waits to be resumed: Kueue makes it so when it is created, and ends it when there is room."""
    return as_resumed(tree) != tree


def as_resumed(tree: dict[str, Any]) -> dict[str, Any]:
    """A job as its queue lets it begin; the tree itself where it is not suspended."""
    spec = {key: value for key, value in mapping(tree.get("spec")).items() if key != "suspend" or value is not True}
    policy = spec.get("runPolicy")
    if isinstance(policy, dict) and policy.get("suspend") is True:
        spec["runPolicy"] = {key: value for key, value in policy.items() if key != "suspend"}
    return {**tree, "spec": spec} if spec else tree
