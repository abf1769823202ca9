"""What an update does to a GridJob: nothing, as the operator looks at a job once."""

from __future__ import annotations

from specgen.operators.updates import NEVER, Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.changes import Change
    from specgen.operators.updates import Update


def effect(change: Change, update: Update) -> Effect:
    """What a change of the spec does."""
    return Effect(NEVER, "the operator looks at a job once")
