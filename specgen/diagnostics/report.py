"""What a run has to say, in one object: all that a format prints."""

from __future__ import annotations

from specgen.diagnostics.operations import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from specgen.diagnostics.model import Code, Diagnostic, Editor, Placer
    from specgen.diagnostics.operations import Operation


def _none(where: Placer, patch: Sequence[Operation]) -> Refusal:
    return Refusal("nothing here edits texts")


class Report:
    """The diagnostics of a run in their order, and what stands around them."""

    __slots__ = (
        "baselined",
        "colour",
        "diagnostics",
        "editor",
        "excluded",
        "files",
        "judged",
        "looked_at",
        "page",
        "suppressed",
        "text",
        "unchecked",
        "unreadable",
    )

    def __init__(
        self,
        diagnostics: list[Diagnostic],
        *,
        files: int = 0,
        suppressed: int = 0,
        baselined: int = 0,
        excluded: int = 0,
        looked_at: dict[str, list[dict[str, str]]] | None = None,
        page: Callable[[str], Code | None] = lambda code: None,
        unchecked: dict[str, int] | None = None,
        judged: int = 0,
        unreadable: Sequence[str] = (),
        text: Callable[[str], list[str]] = lambda name: [],
        colour: bool = False,
        editor: Editor = _none,
    ) -> None:
        self.diagnostics = diagnostics
        # files that were looked at
        self.files = files
        # findings that an ignore took out
        self.suppressed = suppressed
        # findings that are in the baseline, and files that were left out
        self.baselined = baselined
        self.excluded = excluded
        # files that were linted, with the objects in each
        self.looked_at = looked_at or {}
        # a code by its number, for its page
        self.page = page
        # what was left alone, as it is counted → how many
        self.unchecked = unchecked or {}
        # files of which something was judged, and a sentence for each that was named and cannot be read
        self.judged = judged
        self.unreadable = unreadable
        # the lines of a file by its name; none where the file is gone
        self.text = text
        self.colour = colour
        # what turns the patches of fixes into edits; without it there are none
        self.editor = editor

    def lines(self, name: str, numbers: Iterable[int]) -> dict[int, str]:
        """Lines of a file for a snippet to quote, secrets masked: number (from 1) → text."""
        from specgen.diagnostics.sources import quoted  # most formats quote nothing

        return quoted(self.text(name), numbers)
