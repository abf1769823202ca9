"""Objects that stand one below the other without a line of three dashes between them.

To YAML they are one mapping that says everything twice. What tells them apart are the keys that begin an object.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, Fix
from specgen.diagnostics.operations import Rewrite
from specgen.document import codes
from specgen.document.decode import at_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.source import Source

_BEGIN = ("apiVersion", "kind")
_MARKER = "---\n"


def parted(source: Source, findings: list[Finding]) -> list[Finding]:
    """The findings, with one for all that an object says again which begins where no marker is."""
    text = source.text
    twice = [one for one in findings if one.code is codes.DUPLICATE_KEY and _at_margin(text, one)]
    groups: list[dict[str, Finding]] = []
    for one in sorted(twice, key=_start):
        name = _key(text, one)
        if not groups or name in groups[-1]:
            groups.append({})
        groups[-1][name] = one
    for group in groups:
        if not all(name in group for name in _BEGIN):
            continue
        first = next(iter(group.values()))
        said = [id(one) for one in group.values() if one is not first]
        findings = [_missing(source, one) if one is first else one for one in findings if id(one) not in said]
    return findings


def _missing(source: Source, first: Finding) -> Finding:
    """``first``: what is found on the first key of the object that begins there."""
    start, end = first.place.offsets or (0, 0)
    return at_offsets(
        codes.DUPLICATE_KEY,
        source,
        start,
        end,
        "another object begins here, and no line `---` stands before it",
        label="says again what it is",
        related=[(place, "the object before it") for place, _ in first.related],
        notes=["kubectl reads both as one object, in which what comes last counts"],
        fix=Fix("write `---` before it", UNSAFE, [Rewrite(start, 0, _MARKER)]),
    )


def _start(finding: Finding) -> int:
    return (finding.place.offsets or (0, 0))[0]


def _at_margin(text: str, finding: Finding) -> bool:
    start = _start(finding)
    return finding.place.offsets is not None and (start == 0 or text[start - 1] == "\n")


def _key(text: str, finding: Finding) -> str:
    start, end = finding.place.offsets or (0, 0)
    return text[start:end].strip("\"'")
