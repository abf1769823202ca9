"""Fixes of what several roles borrow from one place of the text, by an alias or a merge key.

What is wrong with it is said once, by the path of the first. A patch that changes it names the paths of all of them, or
it is refused: whoever borrows it has the same finding, or is not to be changed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules._context import Context
    from specgen.source import Path


def widen(
    found: Iterable[Finding],
    check: Callable[[Any, Context], Iterable[Finding]],
    here: Container,
    others: Sequence[Container],
    context: Context,
) -> None:
    """Gives the fixes of one container what its rule would do at the others that are the same container."""
    fixed = [finding for finding in found if finding.fix is not None]
    for other in others if fixed else ():
        patches = {
            _said(finding, other): finding.fix.patch for finding in check(other, context) if finding.fix is not None
        }
        for finding in fixed:
            assert finding.fix is not None
            finding.fix.patch = [*finding.fix.patch, *patches.get(_said(finding, here), ())]


def _said(finding: Finding, container: Container) -> tuple[Path, str]:
    path = finding.place.path
    below = path[len(container.path) :] if path[: len(container.path)] == container.path else path
    # the message may name the role
    return below, finding.fix.title if finding.fix is not None else ""


def mirror(finding: Finding, role: Role, others: Iterable[Role]) -> None:
    """Gives a fix within a role's pods to the roles that borrow what it changes."""
    from specgen.diagnostics.operations import rebased

    if finding.fix is None:
        return
    own, steps = finding.fix.patch, len(role.template_path)
    for other in others:

        def there(path: Path, other: Role = other) -> Path:
            return *other.template_path, *path[steps:]

        finding.fix.patch = [*finding.fix.patch, *rebased(own, there)]
