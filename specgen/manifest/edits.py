"""A patch of what a path leads to → edits of the file that holds it."""

from __future__ import annotations

from specgen.diagnostics.operations import Refusal, rebased
from specgen.document.patch import patched
from specgen.document.tree import Document
from specgen.manifest.origins import Copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.diagnostics.model import Placer
    from specgen.diagnostics.operations import Edit, Operation


def edits(where: Placer, patch: Sequence[Operation]) -> list[Edit] | Refusal:
    """The patch as proven edits of a text, or why it is refused. ``where``: what its paths belong to.

    An item of a List is edited in its document. What is compiled is not: one word of a profile may stand for many
    places of a manifest.
    """
    if isinstance(where, Document):
        return patched(where, patch)
    if isinstance(where, Copied):
        return patched(where.document, rebased(patch, where.below))
    return Refusal("no text holds these paths as they stand")
