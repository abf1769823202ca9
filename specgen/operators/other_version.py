"""Fields that a manifest has from another version of its kind: what v1 of an MPIJob does not know, v2beta1 may.

So may an older release of the operator (``Reader.gone``).
"""

from __future__ import annotations

from specgen.operators import by_object
from specgen.operators.release import spelled
from specgen.operators.too_new import said_before
from specgen.schema.codes import UNKNOWN_FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.operators.reader import Reader
    from specgen.source import Path


def as_of_release(
    reader: Reader, tree: dict[str, Any], findings: Sequence[Finding], version: str, *, spelled: bool
) -> None:
    """Findings of shape of a tree in its newest spelling, in the words of a release; with paths as the manifest has
    them. spelled: it has another spelling.
    """
    name_version(reader, tree, findings, version)
    for finding in findings if spelled else ():
        finding.place.path = reader.as_written(finding.place.path, version)
        if finding.fix is not None:
            from specgen.diagnostics.operations import rebased

            finding.fix.patch = rebased(finding.fix.patch, lambda path: reader.as_written(path, version))


def name_version(reader: Reader, tree: dict[str, Any], findings: Sequence[Finding], version: str) -> None:
    """Says of each unknown field which other version of the kind has it, in place of a name that is like it."""
    from specgen.operators.index import KINDS

    unknown = [one for one in findings if one.code is UNKNOWN_FIELD and one.place.path]
    for one in unknown:
        if (help := _gone(reader, one.place.path, version)) is not None:
            one.helps, one.fix = [help], None
        elif (since := _later(reader, one.place.path, version)) is not None:
            name = reader.operator.name
            one.message = f"{name} {version} does not know `{one.place.path[-1]}`, which came with {since}"
            help = said_before(reader.operator, one.place.path, version, reader.gone)
            one.helps, one.fix = [help] if help else [], None
        else:
            _renamed(reader, tree, one, version)
    others = [api for api, kind in KINDS if kind == reader.kind and api != reader.api_version] if unknown else []
    if not others:
        return
    from specgen.manifest.shape import file_of
    from specgen.schema.files import load
    from specgen.schema.walk import Walk

    for api in others:
        other = by_object(api, reader.kind)
        if other is None:
            continue
        walk = Walk(load(file_of(other.schema)), None)
        for one in unknown:
            *above, key = one.place.path
            try:
                schema = walk.chain(tree, tuple(above))[-1][0]
            except (KeyError, IndexError, TypeError):
                continue
            if key in schema.get("properties", {}):
                one.helps, one.fix = [f"a field of `{api}`: write that as `apiVersion`, or leave the field out"], None


def _later(reader: Reader, path: Path, version: str) -> str | None:
    """The release that brought a field which the newest one does not have either; None: it is none of those."""
    operator = reader.operator
    if path not in reader.gone:
        return None
    for before, (last, instead) in reader.gone.items():
        if (*before[:-1], instead) == path and operator.at(version) <= operator.at(last):
            return next(spelled(one.numbers) for one in operator.releases if one.numbers > operator.at(last))
    return None


def _renamed(reader: Reader, tree: dict[str, Any], finding: Finding, version: str) -> None:
    """Names that are like one, of those that the release has: schemas are of the newest."""
    *above, key = finding.place.path
    lacking = {field for holder, field in reader.absent_fields(version) if above and holder == above[-1]}
    told = " ".join([*finding.helps, finding.fix.title if finding.fix is not None else ""])
    if not any(f"`{name}`" in told for name in lacking):
        return
    from specgen.diagnostics.suggest import hint
    from specgen.manifest.shape import file_of
    from specgen.schema.files import load
    from specgen.schema.walk import Walk

    names = Walk(load(file_of(reader.schema)), None).chain(tree, tuple(above))[-1][0].get("properties", {})
    at = reader.operator.at
    own = [
        str(path[-1])
        for path, (last, _) in reader.gone.items()
        if path[:-1] == tuple(above) and at(version) <= at(last) and _later(reader, path, version) is None
    ]
    help = hint(str(key), [*(name for name in names if name not in lacking), *(one for one in own if one not in names)])
    finding.helps, finding.fix = [help] if help else [], None


def _gone(reader: Reader, path: Path, version: str) -> str | None:
    """The help for a field that releases before this one had; None: it was in none of them."""
    operator = reader.operator
    last, instead = reader.gone.get(path, ("", ""))
    if not last or operator.at(version) <= operator.at(last):
        return None
    # what came in its place may be gone, too
    now = (*path[:-1], instead)
    while now in reader.gone and operator.at(version) > operator.at(reader.gone[now][0]):
        now = (*path[:-1], reader.gone[now][1])
    later = f"{version} says it in `{now[-1]}`" if instead else "later ones do not have it"
    return f"{operator.name} {last} was the last with this field, {later}"
