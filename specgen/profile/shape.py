"""The shape of a profile: the acceptor's word if it is "valid", else the judge's findings."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed
from specgen.document.tree import Mapping, Sequence
from specgen.schema import record
from specgen.schema.accept import accepts
from specgen.schema.codes import MISSING_FIELD
from specgen.tables import cluster, job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document, Node, Scalar
    from specgen.source import Path

# What is laid below the layers of jobs, and need not be whole.
_LAID = "defaults"
MODELS = {"Job": "JobProfile", "Base": "BaseProfile", "Cluster": "ClusterProfile"}


def typed(document: Document, doubts: list[Finding]) -> None:
    """Leaves of the spellings of a scalar that readers disagree on the one that its field takes: `493` of `0755`."""
    from specgen.diagnostics.model import spelt
    from specgen.schema.files import load
    from specgen.schema.walk import Walk

    model = MODELS[document.data["kind"]]
    walk = Walk(load("cluster.schema.json" if model == "ClusterProfile" else "job.schema.json"), model)
    at = {(node.start, node.end): path for path, node in _scalars(document.root, ())}
    for scalar, is_key in document.ambiguous:
        path = at.get((scalar.start, scalar.end))
        if is_key or path is None or isinstance(scalar.value, str):
            continue
        taken = walk.alternatives(walk.field(document.data, path))
        if walk.fits(scalar.value, taken) and not walk.fits(scalar.plain, taken):
            for doubt in doubts:
                if doubt.place.offsets == (scalar.start, scalar.end):
                    doubt.helps = [f"write `{spelt(scalar.value)}`"]


def _scalars(node: Node, path: Path) -> Iterator[tuple[Path, Scalar]]:
    """The values of a document that are neither mappings nor lists, with their paths."""
    if isinstance(node, Mapping):
        for key, below in node.items.items():
            yield from _scalars(below, (*path, key))
    elif isinstance(node, Sequence):
        for index, below in enumerate(node.items):
            yield from _scalars(below, (*path, index))
    else:
        yield path, node


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
