"""A JobSet of its own → what the controllers make of it, or who refuses it."""

from __future__ import annotations

from specgen.backends._expansion import Expansion, Refusal
from specgen.backends._jobset_objects import create
from specgen.backends._jobset_spec import API_VERSION, OPERATOR, with_defaults
from specgen.backends._jobset_webhook import RANDOM, SERVER, jobset_refusal, known, shape_refusal
from specgen.diagnostics.model import ERROR
from specgen.manifest.model import ObjectRef
from specgen.manifest.prune import without_nulls
from specgen.manifest.shape import shape
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.names import is_subdomain
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Workload

WEBHOOK = "the validating webhook of JobSet"
MANAGER = "jobset.sigs.k8s.io/jobset-controller"


def name_of(tree: dict[str, Any]) -> str:
    """The name that an object gets: ``generateName`` gets five letters that nobody knows."""
    metadata = mapping(tree.get("metadata"))
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if isinstance(name, str) and name:
        return name
    return prefix + RANDOM if isinstance(prefix, str) and prefix else ""


def name_refusal(name: str) -> str:
    """Why the API server refuses the name of any object."""
    if not name:
        return "`metadata.name` is missing"
    return "" if is_subdomain(known(name)) else f"`metadata.name`: `{name}` is no name of an object"


def misshapen(schema: str, tree: Any) -> str:
    """Why the API server refuses the shape of an object, as far as its schema tells."""
    findings = [finding for finding in shape(schema, tree) if finding.severity == ERROR]
    if not findings:
        return ""
    return f"`{dotted(findings[0].place.path)}`: {findings[0].message}"


def expand(workload: Workload) -> Expansion:
    """The objects of a JobSet, or its refusal. Never raises."""
    tree: Any = without_nulls(workload.manifest.tree)
    ref = workload.manifest.ref
    name = name_of(mapping(tree))
    expansion = Expansion(OPERATOR, workload.version, ObjectRef(ref.api_version, ref.kind, name, ref.namespace))
    given = mapping(tree.get("spec"))
    reason = misshapen("jobset_v1alpha2", tree) or name_refusal(name) or shape_refusal(given)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, name, SERVER, reason))
        return expansion
    spec = with_defaults(given)
    reason = jobset_refusal(name, spec)
    if reason:
        expansion.refusals.append(Refusal(ref.kind, name, WEBHOOK, reason))
        return expansion
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
