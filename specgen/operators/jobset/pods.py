"""A JobSet of its own → what the controllers make of it, or who refuses it."""

from __future__ import annotations

from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping
from specgen.operators.expansion import Expansion, Refusal
from specgen.operators.jobset.facts import API_VERSION, OPERATOR, with_defaults
from specgen.operators.jobset.jobs import create
from specgen.operators.jobset.refusals import of_jobset
from specgen.operators.kubernetes.objects import SERVER, misshapen, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload

MANAGER = "jobset.sigs.k8s.io/jobset-controller"


def expand(workload: Workload) -> Expansion:
    """The objects of a JobSet, or its refusal. Never raises."""
    tree: Any = without_nulls(workload.manifest.tree)
    ref = workload.manifest.ref
    name = name_of(mapping(tree))
    expansion = Expansion(OPERATOR.name, workload.version, ObjectRef(ref.api_version, ref.kind, name, ref.namespace))
    given = mapping(tree.get("spec"))
    reason = misshapen("jobset_v1alpha2", tree)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, name, SERVER, reason))
        return expansion
    for objection in of_jobset(name, given):
        expansion.refusals.append(Refusal(ref.kind, name, objection.by, objection.reason))
        return expansion
    spec = with_defaults(given)
    manager = spec.get("managedBy")
    if manager is not None and manager != MANAGER:
        expansion.idle = f"`spec.managedBy` leaves the JobSet to `{manager}`"
        return expansion
    if spec.get("suspend") is True:
        expansion.notes.append("`spec.suspend` is true: its Jobs have no pods before it is resumed")
    metadata = {**mapping(tree.get("metadata")), "name": name}
    jobset = {"apiVersion": API_VERSION, "kind": "JobSet", "metadata": metadata, "spec": spec}
    create(expansion, jobset, workload.companions)
    return expansion
