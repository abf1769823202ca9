"""The comments of a run's files that ignore findings: they are applied when all is found, as files speak of others."""

from __future__ import annotations

from specgen.diagnostics.place import order
from specgen.diagnostics.suppress import commented, spans_of, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from specgen.diagnostics.ignores import Spans
    from specgen.diagnostics.model import Diagnostic
    from specgen.document.tree import Document
    from specgen.pipeline import Text
    from specgen.source import Source


class Comments:
    """Sources that may have such comments, with where their texts and objects stand."""

    __slots__ = ("_beside", "_found", "_read", "_taken")

    def __init__(self) -> None:
        # source, spans, and whether it is a profile that jobs name
        self._found: list[tuple[Source, Spans, bool]] = []
        # files that jobs name and that nobody asked about by themselves
        self._beside: list[tuple[Source, Spans]] = []
        # names of the files that were asked about, and of all files that jobs name
        self._taken: set[str] = set()
        self._read: set[str] = set()

    def take(self, text: Text, *, part: bool = False) -> None:
        """Takes a text that has some, and that nobody applies to it by itself. ``part``: a profile that jobs name."""
        self._taken.add(text.source.name)
        self._found.append((text.source, spans_of(text.parsed[0]), part))

    def read(self, documents: Iterable[Document]) -> None:
        """Takes the profiles that the jobs of the run stand on: what is found there is ignored there."""
        for document in documents:
            self._read.add(document.source.name)
            if document.source.name not in self._taken and commented(document.source):
                self._beside.append((document.source, spans_of([document])))

    def apply(
        self, diagnostics: list[Diagnostic], today: str, chosen: Callable[[str], frozenset[str]]
    ) -> tuple[list[Diagnostic], int]:
        """The diagnostics that stay, and how many went; once. ``chosen``: opt-in codes looked for in a file."""
        by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in diagnostics:
            by_file.setdefault(diagnostic["primary"]["file"], []).append(diagnostic)
        suppressed = 0
        for source, spans, part in self._found:
            found = by_file.get(source.name, [])
            whole = not part or source.name in self._read
            by_file[source.name], ignored = suppress(
                source, found, spans, today=today, chosen=chosen(source.name), whole=whole
            )
            suppressed += ignored
        for source, spans in self._beside:
            found = by_file.get(source.name, [])
            kept, ignored = suppress(source, found, spans, today=today)
            # nobody asked about this file: its comments are not judged
            known = {id(one) for one in found}
            by_file[source.name] = [one for one in kept if id(one) in known]
            suppressed += ignored
        self._found, self._beside = [], []
        return order(diagnostic for found in by_file.values() for diagnostic in found), suppressed
