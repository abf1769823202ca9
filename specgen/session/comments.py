"""The comments of a run's files that ignore findings: they are applied when all is found, as files speak of others."""

from __future__ import annotations

from specgen.diagnostics.place import order
from specgen.diagnostics.suppress import spans_of, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from specgen.diagnostics.ignores import Spans
    from specgen.diagnostics.model import Diagnostic
    from specgen.pipeline import Text
    from specgen.source import Source


class Comments:
    """Sources that may have such comments, with where their texts and objects stand."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: list[tuple[Source, Spans]] = []

    def take(self, text: Text) -> None:
        """Takes a text that has some, and that nobody applies to it by itself."""
        self._found.append((text.source, spans_of(text.parsed[0])))

    def apply(
        self, diagnostics: list[Diagnostic], today: str, chosen: Callable[[str], frozenset[str]]
    ) -> tuple[list[Diagnostic], int]:
        """The diagnostics that stay, and how many went; once. ``chosen``: opt-in codes looked for in a file."""
        by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in diagnostics:
            by_file.setdefault(diagnostic["primary"]["file"], []).append(diagnostic)
        suppressed = 0
        for source, spans in self._found:
            found = by_file.get(source.name, [])
            by_file[source.name], ignored = suppress(source, found, spans, today=today, chosen=chosen(source.name))
            suppressed += ignored
        self._found = []
        return order(diagnostic for found in by_file.values() for diagnostic in found), suppressed
