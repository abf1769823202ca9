"""Fields of a manifest that the installed version of its operator does not know yet."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.operators.release import spelled
from specgen.schema.codes import UNKNOWN_FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.operators.release import Operator
    from specgen.source import Path


def too_new(operator: Operator, tree: dict[str, Any], version: str, group: str = "") -> list[Finding]:
    """SG101 for each field that the CRD of ``version`` lacks, with the release that brought it.

    ``group``: the kinds whose fields are meant, as in ``Release``.
    """
    absent = operator.absent_fields(version, group)
    findings: list[Finding] = []
    if not absent or not _may_hold(tree, frozenset([field for _, field in absent])):
        return findings
    for path, holder in _held(tree, absent, (), ""):
        since = spelled(operator.since((holder, str(path[-1])), group))
        message = f"{operator.name} {version} does not know `{path[-1]}`, which came with {since}"
        notes = ["the API server refuses the object, or drops the field where its validation is off"]
        findings.append(UNKNOWN_FIELD.at(path, message, part=KEY, notes=notes))
    return findings


def _may_hold(tree: dict[str, Any], fields: frozenset[str]) -> bool:
    """Whether a field of one of these names is anywhere: asked first, since it mostly is not, and needs no paths."""
    pending: list[Any] = [tree]
    for node in pending:  # grows while it is walked
        if isinstance(node, dict):
            if not fields.isdisjoint(node):
                return True
            node = node.values()
        pending += [value for value in node if isinstance(value, (dict, list))]
    return False


def _held(tree: Any, absent: frozenset[tuple[str, str]], path: Path, holder: str) -> Iterator[tuple[Path, str]]:
    """(path, name of the mapping or list that holds it) of every absent field, as ``manifest.prune`` names holders."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if (holder, key) in absent:
                yield (*path, key), holder
            elif isinstance(value, (dict, list)):
                yield from _held(value, absent, (*path, key), key)
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _held(value, absent, (*path, index), holder)
