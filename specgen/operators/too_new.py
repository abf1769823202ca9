"""Fields of a manifest that the installed version of its operator does not know yet."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.operators.release import spelled
from specgen.schema.codes import UNKNOWN_FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Finding
    from specgen.operators.release import Operator
    from specgen.source import Path

    # field → the last release that has it, and the field that says the same in the next one
    Gone: TypeAlias = Mapping[Path, tuple[str, str]]


def too_new(
    operator: Operator, tree: dict[str, Any], version: str, group: str = "", *, gone: Gone | None = None
) -> list[Finding]:
    """SG101 for each field that the CRD of ``version`` lacks, with the release that brought it.

    ``group``: the kinds whose fields are meant, as in ``Release``. ``gone``: what said the same before, as in
    ``Reader``.
    """
    absent = operator.absent_fields(version, group)
    findings: list[Finding] = []
    if not absent or not _may_hold(tree, frozenset([field for _, field in absent])):
        return findings
    for path, holder in _held(tree, absent, (), ""):
        since = spelled(operator.since((holder, str(path[-1])), group))
        message = f"{operator.name} {version} does not know `{path[-1]}`, which came with {since}"
        notes = ["the API server refuses the object, or drops the field where its validation is off"]
        helps = [said_before(operator, path, version, gone)] if gone else []
        findings.append(UNKNOWN_FIELD.at(path, message, part=KEY, notes=notes, helps=[one for one in helps if one]))
    return findings


def said_before(operator: Operator, path: Path, version: str, gone: Gone) -> str:
    """The help for a field that is too new: the one that a release says the same in; empty: there is none."""
    for before, (last, instead) in gone.items():
        # what comes of several fields has no one name before
        if before[:-1] != path[:-1] or instead != path[-1] or operator.at(version) > operator.at(last):
            continue
        older = said_before(operator, before, version, gone)
        return older or f"{operator.name} {version} says it in `{before[-1]}`"
    return ""


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
