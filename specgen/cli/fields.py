"""What becomes of each field of a job, as a table for people and as a tree for programs."""

from __future__ import annotations

from specgen.diagnostics.model import Place, plural
from specgen.diagnostics.safe import log_line, width
from specgen.operators import fields as fates
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.compared import Spot
    from specgen.operators.fields import Field, Fields
    from specgen.source import Path

# A place gets as many columns as are left, and at least these.
_LEAST = 24
# A value is cut to as many.
_LONGEST = 40
_COUNTED = {
    fates.KEPT: "kept",
    fates.DERIVED: "made into something else",
    fates.OVERRIDDEN: "overridden",
    fates.READ: "read",
    fates.FIXED: "fixed",
    fates.DROPPED: "dropped",
}


def table(found: Fields, *, columns: int | None) -> str:
    """A summary, a row for each field with its line, and a row for each value of a pod that no field holds."""
    job = found.expansion.job
    counts = [(word, sum(1 for one in found.fields if one.fate == fate)) for fate, word in _COUNTED.items()]
    said = ", ".join(f"{count} {word}" for word, count in counts if count)
    name = f"{job.namespace}/{job.name}" if job.namespace else job.name
    of = plural(len(found.fields), "field")
    lines = [f"{found.expansion.operator} {found.expansion.version}: {job.kind} {name}, {of}: {said}", ""]
    rows: list[tuple[str, ...]] = [("PLACE", "FATE", "FIELD", "WHERE")]
    rows += [(_line(one.manifest, one.path), one.fate, dotted(one.path), _where(one, found)) for one in found.fields]
    lines += _aligned(rows, columns)
    if found.made:
        rows = [("ROLE", "MADE BY THE OPERATOR", "VALUE", "FROM")]
        for one in found.made:
            by = _listed(dotted(field.path) for field in one.by)
            rows.append((one.role, _dotted(one.spot[1]), _value(one.value), by or "-"))
        lines += ["", *_aligned(rows, columns)]
    return "".join(log_line(line) + "\n" for line in lines)


def tree(found: Fields) -> dict[str, Any]:
    """The same in full, ready to be written as YAML or JSON."""
    return {
        "operator": found.expansion.operator,
        "version": found.expansion.version,
        "job": found.expansion.job.as_dict(),
        "fields": [
            {
                **_field(one.manifest, one.path),
                "value": one.value,
                "fate": one.fate,
                "places": [_spot(found, spot) for spot in one.spots],
                "by": [_field(manifest, path) for manifest, path in one.by],
            }
            for one in found.fields
        ],
        "made": [
            {
                "role": one.role,
                **_spot(found, one.spot),
                "value": one.value,
                "from": [_field(field.manifest, field.path) for field in one.by],
            }
            for one in found.made
        ],
    }


def _field(manifest: Manifest, path: Path) -> dict[str, Any]:
    return {"object": manifest.ref.as_dict(), "path": dotted(path), "place": _line(manifest, path)}


def _spot(found: Fields, spot: Spot) -> dict[str, Any]:
    thing, path = spot
    return {"kind": thing[0], "name": found.names.get(thing, "<another one>"), "path": _dotted(path)}


def _line(manifest: Manifest, path: Path) -> str:
    """Where a field is written: file, line and column."""
    source, start, _ = manifest.where.span(Place(path))
    line, column = source.position(start)
    return f"{source.name}:{line}:{column}"


def _where(field: Field, found: Fields) -> str:
    """What becomes of a field, in words."""
    if field.fate == fates.READ:
        return "what becomes of the job"
    if field.fate == fates.FIXED:
        return "no other value is taken"
    if field.fate == fates.DROPPED:
        return "nothing that is made changes with it"
    by = _listed(dotted(path) for _, path in field.by)
    if field.fate == fates.OVERRIDDEN and not field.spots:
        return f"by {by}"
    first = field.spots[0]
    there = f"{first[0][0]} {found.names.get(first[0], '<another one>')} {_dotted(first[1])}"
    if field.fate == fates.OVERRIDDEN:
        return f"{there} is {_value(found.values[first])}" + (f", from {by}" if by else ", the operator's own")
    more = len(field.spots) - 1
    return f"{there} and {more} more" if more else there


def _value(value: Any) -> str:
    text = " ".join(str(value).split())
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


def _listed(parts: Iterable[str]) -> str:
    """The first two, and how many more there are."""
    named = list(parts)
    more = [f"{len(named) - 2} more"] if len(named) > 2 else []
    return ", ".join([*named[:2], *more])


def _dotted(path: Path) -> str:
    """A path whose steps in brackets are the names of items."""
    out = ""
    for step in path:
        if isinstance(step, str) and step.startswith("["):
            out += step
        else:
            out += dotted((step,)) if not out or isinstance(step, int) or "." in step or "/" in step else f".{step}"
    return out


def _aligned(rows: list[tuple[str, ...]], columns: int | None) -> list[str]:
    widths = [max(width(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    room = None if columns is None else max(_LEAST, columns - sum(widths) - 2 * len(widths))
    lines = []
    for row in rows:
        cells = [cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=False)]
        last = row[-1] if room is None or width(row[-1]) <= room else row[-1][: room - 1] + "…"
        lines.append("  ".join([*cells, last]).rstrip())
    return lines
