"""One slip is one finding: what is wrong only because of a slip that has its own finding is left unsaid.

A misspelt or misplaced field takes what it holds out of the object, and whatever looks for that complains. So the tree
is judged again as if the slips were mended: what is gone then was a symptom. What is found below a name only then was
hidden by the slip, and is told with it.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR
from specgen.diagnostics.operations import Rename, rebased
from specgen.document.layout import Unclear
from specgen.document.patch.tree import at, changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.source import Path

# Names, places and numbers: fields, items of lists, roles and their only pod, and variables of NCCL.
SLIPS = ("SG101", "SG111", "SG112", "SG113", "SG303", "SG304", "SG497", "SG520")
# Misspelt names below each other are mended one after the other.
_DEPTH = 4
# A slip in a text that may be meant is none where that text is refused: it is then the error.
RAISED = ("SG497",)


def without_symptoms(
    findings: list[Finding], tree: dict[str, Any], judge: Callable[[dict[str, Any]], list[Finding]]
) -> list[Finding]:
    """The findings without those that are symptoms of others. ``judge``: what is found of a tree.

    An error is a symptom of errors alone: where nobody refuses the slip, the error is what the user gets.
    """
    refused = [one.place.path for one in findings if one.severity == ERROR]
    for one in findings:
        if one.code.id in RAISED and one.place.path in refused:
            one.severity = ERROR
    slips = [one for one in findings if one.fix is not None and one.code.id in SLIPS]
    if not slips or len(slips) == len(findings):
        return findings
    errors = [one for one in slips if one.severity == ERROR]
    left = _left(slips, tree, judge)
    left_of_errors = left if len(errors) == len(slips) else _left(errors, tree, judge) if errors else None
    known = frozenset(map(id, slips))
    return [
        one for one in findings if id(one) in known or _stays(one, left_of_errors if one.severity == ERROR else left)
    ]


def _left(
    slips: list[Finding], tree: dict[str, Any], judge: Callable[[dict[str, Any]], list[Finding]]
) -> frozenset[tuple[str, str]] | None:
    """(code, message) of what is found once the slips are mended; None where they cannot be mended together."""
    try:
        mended = changed(tree, [operation for slip in slips if slip.fix is not None for operation in slip.fix.patch])
    except Unclear:
        return None
    return frozenset((one.code.id, one.message) for one in judge(mended))


def _stays(finding: Finding, left: frozenset[tuple[str, str]] | None) -> bool:
    return left is None or (finding.code.id, finding.message) in left


def hidden(
    findings: list[Finding], tree: dict[str, Any], judge: Callable[[dict[str, Any]], list[Finding]]
) -> list[Finding]:
    """What stands below misspelt names and is wrong there, at its place as it is written. ``judge``: as above."""
    # what a name must be to be read → what it is
    written: dict[Path, Path] = {}

    def back(path: Path) -> Path:
        old: Path = ()
        for step in path:
            old = written.get((*old, step), (*old, step))
        return old

    slips: list[Finding] = []
    found: list[Finding] = []
    seen = findings
    for _ in range(_DEPTH):
        more = {path: one for one in seen if (path := _meant(one, tree)) is not None}
        if not more:
            break
        slips += more.values() if seen is found else ()
        written |= {path: one.place.path for path, one in more.items()}
        try:
            mended = changed(tree, [Rename(path, str(meant[-1])) for meant, path in written.items()])
        except Unclear:
            break
        found = seen = [
            one for one in judge(mended) if one.place.offsets is None and back(one.place.path) != one.place.path
        ]
        for one in found:
            for place in (one.place, *(place for place, _ in one.related if place.where is None)):
                place.path = back(place.path)
            if one.fix is not None:
                one.fix.patch = rebased(one.fix.patch, back)
    return [*slips, *found]


def _meant(finding: Finding, tree: dict[str, Any]) -> Path | None:
    """The path that a misspelt name which holds something was to have; None: the finding is of something else."""
    patch = finding.fix.patch if finding.fix is not None and finding.code.id in SLIPS else []
    if len(patch) != 1 or not isinstance(patch[0], Rename) or patch[0].path != finding.place.path:
        return None
    return (*patch[0].path[:-1], patch[0].key) if isinstance(at(tree, patch[0].path), (dict, list)) else None
