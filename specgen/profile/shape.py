"""The shape of a profile: the acceptor's word if it is "valid", else the judge's findings."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed
from specgen.schema import record
from specgen.schema.accept import accepts
from specgen.schema.codes import MISSING_FIELD
from specgen.tables import cluster, job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document

# What is laid below the layers of jobs, and need not be whole.
_LAID = "defaults"
MODELS = {"Job": "JobProfile", "Base": "BaseProfile", "Cluster": "ClusterProfile"}


def shape(document: Document, definition: str | None = None) -> list[Finding]:
    """Findings of a document against its model (by ``kind``), or against a named one such as ``Layer``."""
    model = definition or MODELS[document.data["kind"]]
    table = cluster if model == "ClusterProfile" else job
    if accepts(table.DEFINITIONS[model], document.data):
        return lacking(document.data, model) if model == "ClusterProfile" else []
    from specgen.schema.files import load
    from specgen.schema.judge import judge
    from specgen.schema.wording import PROFILE

    name = "cluster.schema.json" if model == "ClusterProfile" else "job.schema.json"
    return judge(load(name), model, document.data, wording=PROFILE, text=document.plain)


def lacking(data: dict[str, Any], model: str) -> list[Finding]:
    """SG102 of mappings that lack what they must say: of a cluster, or of a job once its layers are merged."""
    table = cluster if model == "ClusterProfile" else job
    whole = {key: value for key, value in data.items() if key != _LAID}
    return [
        MISSING_FIELD.at(path, f"`{path[-1]}` lacks {listed(keys)}", part=KEY)
        for path, keys in record.lacking(whole, model, table.RECORDS, table.REQUIRED)
    ]
