"""Documents that are no objects of Kubernetes, and how they are counted."""

from __future__ import annotations

from specgen.document import codes as document_codes
from specgen.recognise import Foreign
from specgen.recognise.kustomize import KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import ObjectRef
    from specgen.recognise import Parsed
    from specgen.source import Source

# As a kustomization is counted that is not rendered.
KUSTOMIZATION = "kustomization"


def in_part(ref: ObjectRef) -> str:
    """As what an object is counted that was judged in part; empty: as a whole."""
    if (ref.api_version, ref.kind) == ("batch/v1", "Job"):
        return "batch/v1 Job (but for what holds of every Job)"  # what it is for, nobody knows
    from specgen.operators.beside import is_read

    return (
        f"{ref.api_version} {ref.kind} (but for what decides about jobs)" if is_read(ref.api_version, ref.kind) else ""
    )


def unreadable(source: Source, parsed: Parsed) -> Foreign | None:
    """What a text is that is no YAML to Kubernetes' tools, where it is certainly not meant for them."""
    found, findings = source.text, parsed[1]
    lowered = found.lower()
    if "awstemplateformatversion" in lowered or ("\nresources:" in f"\n{lowered}" and "type: aws::" in lowered):
        return Foreign("CloudFormation template")
    if _are_foreign(parsed):
        return Foreign("other document")
    if "apiversion" in lowered or "kind" in lowered:
        return None
    lines = [line for line in found.split("\n") if line.strip() and line[0] != "#" and line.strip() != "---"]
    if lines and lines[0].startswith("- ") and any(line.strip(" -").startswith(_OF_PLAYS) for line in lines):
        return Foreign("list")
    if all(one.code is document_codes.UNSUPPORTED and "tag" in one.message for one in findings):
        return Foreign("tagged document")
    return None


# Keys of an object's first level; a file with one of them is meant for Kubernetes, whatever else it lacks.
_OF_OBJECTS = frozenset(("apiversion", "kind", "metadata", "spec"))


def _are_foreign(parsed: Parsed) -> bool:
    """Whether each document was read to its end, with faults that kubectl alone minds, and no key of any object."""
    documents, findings = parsed
    if any(one.code is not document_codes.UNSUPPORTED for one in findings):
        return False
    trees = [document.data for document in documents if document.data is not None]
    tags = any("tag" in one.message for one in findings)
    return (
        bool(trees)
        and not tags
        and all(
            isinstance(tree, dict) and _OF_OBJECTS.isdisjoint([str(key).lower() for key in tree]) and tree
            for tree in trees
        )
    )


# Words of Ansible's playbooks and lists of tasks.
_OF_PLAYS = ("hosts:", "tasks:", "roles:", "become:", "import_playbook:", "import_tasks:", "include_tasks:", "when:")


def listed(items: list[Any]) -> Foreign | None:
    """What a document is that is a list; None: it holds objects, which kubectl refuses in this form."""
    if any(isinstance(one, dict) and {"apiVersion", "kind"} & one.keys() for one in items):
        return None
    if items and all(isinstance(one, dict) and {"op", "path"} <= one.keys() for one in items):
        return Foreign("JSON patch")
    return Foreign("list")


def counted(tree: dict[str, Any], name: str) -> str:
    """As what a mapping is counted that is not checked: by its apiVersion and kind, if it has both."""
    version, kind = tree.get("apiVersion"), tree.get("kind")
    if kind == "Kustomization" and isinstance(version, str) and version.startswith("kustomize.config.k8s.io/"):
        return KUSTOMIZATION
    if isinstance(kind, str) and kind and isinstance(version, str) and version:
        return f"{version} {kind}"
    base = name.rpartition("/")[2]
    if base in KUSTOMIZATIONS:
        return KUSTOMIZATION
    if base == "Chart.yaml":
        return "Helm chart"
    if "AWSTemplateFormatVersion" in tree:
        return "CloudFormation template"
    return "other document"
