"""What else is wrong where a profile has a shape that no job is made of: what does not depend on what is wrong in it.

The files that it names and the settings are looked at all the same, and what it must say and does not is told, so that
one round of reading finds what would else be found in the next one.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Place
from specgen.document.tree import Document
from specgen.profile.codes import BROKEN_REFERENCE
from specgen.profile.library import API_VERSION, unusable
from specgen.profile.resolve import NEEDED, lacking, set_layer
from specgen.profile.shape import lacking as lacking_below
from specgen.schema.codes import UNKNOWN_FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.library import Library


def others(
    document: Document, library: Library, cluster: str | None, known: list[Finding], settings: Sequence[str]
) -> list[Finding]:
    """Findings of a job that cannot be resolved: in the files that it names, in settings, and of what it lacks.

    ``cluster``: the file that stands in for the cluster profile of its own; ``known``: what was found in its shape.
    """
    data = document.data
    if not isinstance(data, dict) or data.get("apiVersion") != API_VERSION or data.get("kind") != "Job":
        return []
    found = _in_files(document, library, cluster)
    from specgen.profile.settings import BadSetting  # most runs have none

    for setting in settings:
        try:
            found += set_layer(setting)[1]
        except BadSetting:
            continue  # said once the profile is right
    strange = [finding.place.path for finding in known if finding.code is UNKNOWN_FIELD]
    if "extends" in data or "cluster" in data or cluster is not None or any(len(path) == 1 for path in strange):
        return found  # another layer may say what is missing, or an unknown word was meant to
    unsaid = [key for key in NEEDED if key not in data and not (key == "image" and "roles" in data)]
    found += [lacking(unsaid, Place(("metadata",), KEY, where=document))] if unsaid else []
    return [*found, *lacking_below({key: value for key, value in data.items() if key != "roles"}, "Layer")]


def elsewhere(document: Document, library: Library, cluster: str | None, known: list[Finding]) -> list[Finding]:
    """Findings in the files that a job names beside those of which it is known that they cannot be used."""
    said = [(finding.message, finding.place.path) for finding in known]
    return [one for one in _in_files(document, library, cluster) if (one.message, one.place.path) not in said]


def apart(
    document: Document, known: list[Finding], library: Library, cluster: str | None
) -> tuple[dict[Document, list[Finding]], list[Finding]] | None:
    """Errors by the profile that they stand in, and those of settings; None: one stands elsewhere.

    What stands in a file that cannot be read is one error where the job names the file.
    """
    parts: dict[Document, list[Finding]] = {}
    in_settings = []
    for finding in known:
        where = finding.where or document
        if finding.severity != ERROR:
            continue
        if not isinstance(where, Document):
            return None
        if where.source.name.startswith("--set "):
            in_settings.append(finding)
        elif where is document or (library.is_broken(where) and where.data):
            parts.setdefault(where, []).append(finding)
        elif library.is_broken(where):
            named = _naming(document, library, cluster, where)
            if named is None:
                return None
            parts.setdefault(document, []).append(BROKEN_REFERENCE.at(named, "the file cannot be read"))
        else:
            return None
    return parts, in_settings


def _naming(document: Document, library: Library, cluster: str | None, broken: Document) -> Place | None:
    """Where a job names the file of a document that has errors; None: the command line does, or another file."""
    for place, path in _named(document.data, cluster):
        _, problems = library.document(path if place is None else library.files.join(path, document.source.name))
        if any(problem.where is broken for problem in problems):
            return place
    return None


def _in_files(document: Document, library: Library, cluster: str | None) -> list[Finding]:
    """What is wrong in the files that a job names."""
    found: list[Finding] = []
    for place, path in _named(document.data, cluster):
        name = path if place is None else library.files.join(path, document.source.name)
        _, problems = library.document(name)
        for problem in problems:
            if problem.code is BROKEN_REFERENCE and problem.where is None and place is not None:
                problem = unusable(path, place, problem)
                problem.where = document
            if problem.where is not None:
                found.append(problem)
    return found


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
