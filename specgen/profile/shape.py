"""The shape of a profile: the acceptor's word if it is "valid", else the judge's findings."""

from __future__ import annotations

from specgen.schema.accept import accepts
from specgen.tables import cluster, job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document

MODELS = {"Job": "JobProfile", "Base": "BaseProfile", "Cluster": "ClusterProfile"}


def shape(document: Document, definition: str | None = None) -> list[Finding]:
    """Findings of a document against its model (by ``kind``), or against a named one such as ``Layer``."""
    model = definition or MODELS[document.data["kind"]]
    table = cluster if model == "ClusterProfile" else job
    if accepts(table.DEFINITIONS[model], document.data):
        return []
    from specgen.schema.files import load
    from specgen.schema.judge import judge
    from specgen.schema.wording import PROFILE

    name = "cluster.schema.json" if model == "ClusterProfile" else "job.schema.json"
    return judge(load(name), model, document.data, wording=PROFILE, text=document.plain)
