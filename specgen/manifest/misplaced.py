"""Fields in the wrong place: what the shape findings of one slip have in common."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding


def misplaced(schema: dict[str, Any], tree: Any, findings: list[Finding]) -> list[Finding]:
    return findings
