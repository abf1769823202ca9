"""Equal findings in several roles are one diagnostic with related labels (``diagnostics.md``, section 4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.source import Path


def fold(findings: Iterable[Finding], workload: Workload) -> list[Finding]:
    """The findings in their order, those of one code, severity and message in several roles folded into the first.

    The places of the others become related labels. Two equal findings of one role stay two. Findings that carry a fix
    are folded only where the fixes are the same remedy; the patches are then one.
    """
    kept: list[Finding] = []
    first: dict[tuple[str, str, str], tuple[Finding, list[str]]] = {}
    for finding in findings:
        role = _role(finding.place.path, workload)
        key = (finding.code.id, finding.severity, finding.message)
        if role is None or finding.place.where is not None:
            kept.append(finding)
        elif key not in first:
            first[key] = (finding, [role])
            kept.append(finding)
        else:
            leader, roles = first[key]
            if role in roles or not _same_remedy(leader, finding):
                kept.append(finding)
                continue
            roles.append(role)
            leader.related.append((finding.place, f"the same in `{role}`"))
            if leader.fix is not None and finding.fix is not None:
                leader.fix.patch += finding.fix.patch
    return kept


def _role(path: Path, workload: Workload) -> str | None:
    """The role in which a path lies."""
    for role in workload.roles:
        if path[: len(role.path)] == role.path:
            return role.name
    return None


def _same_remedy(one: Finding, other: Finding) -> bool:
    if one.fix is None or other.fix is None:
        return one.fix is other.fix
    return (one.fix.title, one.fix.applicability) == (other.fix.title, other.fix.applicability)
