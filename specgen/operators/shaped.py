"""The shape of a manifest as the CRD of a release has it: one judgement for lint, expand, and fit."""

from __future__ import annotations

from specgen.manifest.shape import shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.operators.reader import Reader
    from specgen.source import Path


def shape_at(
    reader: Reader, tree: dict[str, Any], version: str, text: Callable[[Path], str | None] | None, *, spelled: bool
) -> list[Finding]:
    """Findings of a tree in its newest spelling, with paths as the manifest has them and words as the release has.

    spelled: the manifest has another spelling. ``text``: as in ``manifest.shape``.
    """
    findings = shape(reader.schema, tree, text, unique=reader.unique_lists(version))
    if findings:
        from specgen.operators.other_version import name_version  # most jobs have the right shape

        name_version(reader, tree, findings, version)
    for finding in findings if spelled else ():
        finding.place.path = reader.as_written(finding.place.path, version)
        if finding.fix is not None:
            from specgen.diagnostics.operations import rebased

            finding.fix.patch = rebased(finding.fix.patch, lambda path: reader.as_written(path, version))
    return findings
