"""What else is wrong where a profile has a shape that no job is made of: what does not depend on what is wrong in it.

The files that it names are looked at all the same, and what it must say and does not is told, so that one round of
reading finds what would else be found in the next one.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.profile import codes
from specgen.profile.library import API_VERSION, unusable
from specgen.profile.resolve import NEEDED, lacking
from specgen.schema.codes import UNKNOWN_FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document
    from specgen.profile.library import Library


def others(document: Document, library: Library, cluster: str | None, known: list[Finding]) -> list[Finding]:
    """Findings of a job that cannot be resolved: in the files that it names, and of what it lacks.

    ``cluster``: the file that stands in for the cluster profile of its own; ``known``: what was found in its shape.
    """
    data = document.data
    if not isinstance(data, dict) or data.get("apiVersion") != API_VERSION or data.get("kind") != "Job":
        return []
    found: list[Finding] = []
    for place, path in _named(data, cluster):
        name = path if place is None else library.files.join(path, document.source.name)
        _, problems = library.document(name)
        for problem in problems:
            if problem.code is codes.BROKEN_REFERENCE and problem.where is None and place is not None:
                problem = unusable(path, place, problem)
                problem.where = document
            if problem.where is not None:
                found.append(problem)
    strange = [finding.place.path for finding in known if finding.code is UNKNOWN_FIELD]
    if "extends" in data or "cluster" in data or cluster is not None or any(len(path) == 1 for path in strange):
        return found  # another layer may say what is missing, or an unknown word was meant to
    unsaid = [key for key in NEEDED if key not in data and not (key == "image" and "roles" in data)]
    return [*found, lacking(unsaid, Place(("metadata",), KEY, where=document))] if unsaid else found


def _named(data: dict[str, Any], cluster: str | None) -> Iterator[tuple[Place | None, str]]:
    """(place, path) of each profile that a job names; no place: the command line names it."""
    bases = data.get("extends")
    if isinstance(bases, str):
        yield Place(("extends",)), bases
    for at, base in enumerate(bases if isinstance(bases, list) else ()):
        if isinstance(base, str):
            yield Place(("extends", at)), base
    if cluster is not None:
        yield None, cluster
    elif isinstance(data.get("cluster"), str):
        yield Place(("cluster",)), data["cluster"]
