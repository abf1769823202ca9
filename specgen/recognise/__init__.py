"""What lies between manifests and is none of lint's business: recognised, counted, and left alone.

A repository holds charts, overlays, playbooks, and pipelines beside the manifests that lint is for. What is certainly
one of them gets no errors. What lint would judge once a tool has rendered it gets a note that says how; everything else
is counted, as a line for each playbook of a repository would bury what is found. Certainty comes first: a text that
kubectl would be given as it stands is judged as it stands, whatever slip it holds.

Lives here: ``templates`` (Helm and its like, and variables for ``envsubst``), ``kustomize`` (patches, and the files
around a text), ``documents`` (lists, and mappings that are no objects), ``markdown`` (manifests among prose),
``codes``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document

    # what ``document.read`` makes of a text
    Parsed: TypeAlias = tuple[list[Document], list[Finding]]


class Foreign:
    """A text, or a document of it, that is none of lint's business."""

    __slots__ = ("finding", "what")

    def __init__(self, what: str, finding: Finding | None = None) -> None:
        # as it is counted, in the singular
        self.what = what
        # the note that says how it comes to be checked
        self.finding = finding


def jobs_named(text: str) -> bool:
    """Whether a text names a kind of operators at all: what it renders to is then lint's business."""
    from specgen.operators.unserved import distinct_kinds

    return any(f"kind: {kind}" in text for kind in distinct_kinds())
