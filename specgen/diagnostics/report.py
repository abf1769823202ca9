"""What a run has to say, in one object: all that a format prints."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from specgen.diagnostics.model import Diagnostic


class Report:
    """The diagnostics of a run in their order, and what stands around them."""

    __slots__ = ("colour", "diagnostics", "files", "suppressed", "text")

    def __init__(
        self,
        diagnostics: list[Diagnostic],
        *,
        files: int = 0,
        suppressed: int = 0,
        text: Callable[[str], list[str]] = lambda name: [],
        colour: bool = False,
    ) -> None:
        self.diagnostics = diagnostics
        # files that were looked at
        self.files = files
        # findings that an ignore took out
        self.suppressed = suppressed
        # the lines of a file by its name; none where the file is gone
        self.text = text
        self.colour = colour

    def lines(self, name: str, numbers: Iterable[int]) -> dict[int, str]:
        """Lines of a file for a snippet to quote, secrets masked: number (from 1) → text."""
        from specgen.diagnostics.sources import quoted  # most formats quote nothing

        return quoted(self.text(name), numbers)
