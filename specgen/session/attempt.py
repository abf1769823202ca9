"""What is done for one file: an exception is a bug of specgen's own, and a finding of that file (SG900).

The other files are judged, whatever becomes of this one; the exit code says in the end that specgen failed.
"""

from __future__ import annotations

from specgen.diagnostics.model import BadQuestion, Place
from specgen.diagnostics.place import place
from specgen.pipeline import nowhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from specgen.diagnostics.model import Diagnostic
    from specgen.source import Source


class Attempt:
    """A block of work for one source, to be used with ``with``. ``found`` gets the bug; what asks badly goes on up."""

    __slots__ = ("_found", "_source")

    def __init__(self, source: Source, found: list[Diagnostic]) -> None:
        self._source = source
        self._found = found

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not is_bug(error):
            return False
        self._found.append(bug(error, self._source))
        return True


def is_bug(error: BaseException) -> bool:
    """Whether an exception is specgen's own fault: not a bad question, a stream that is gone, or an interruption."""
    return isinstance(error, Exception) and not isinstance(error, (BadQuestion, OSError))


def bug(error: BaseException, source: Source) -> Diagnostic:
    """SG900 of a file, at its beginning: nobody knows what in it led there."""
    from specgen.diagnostics.catalog import BUG, HELP, failed  # it holds a page that no other run needs

    finding = BUG.at(Place((), offsets=(0, 0)), failed(error), helps=[HELP])
    return place(finding, nowhere(source))
