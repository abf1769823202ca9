"""Lint in several processes: what is said is the same, byte for byte, as that of one.

A part takes texts whose findings depend on no other file. It hands back the others: profiles, of which two may come to
one object, jobs that name a queue or a group, and TrainJobs whose runtime stands elsewhere. Those, and all texts with
runtimes, are left to the session.
"""

from __future__ import annotations

from copy import copy
from functools import partial

from specgen.diagnostics.place import settled
from specgen.manifest.edits import edits
from specgen.session.queues import Queues
from specgen.session.runtimes import Runtimes
from specgen.source import is_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol, TypeAlias

    from specgen.diagnostics.model import Diagnostic
    from specgen.pipeline import Text
    from specgen.source import Source

    class Session(Protocol):
        """A session, as far as this module needs it."""

        diagnostics: list[Diagnostic]
        files: int
        judged: int
        looked_at: dict[str, list[dict[str, str]]]
        progress: Callable[[int, int], None] | None
        suppressed: int
        unchecked: dict[str, int]

        def begin(self) -> None: ...

        def lint_text(self, text: Text, runtimes: Runtimes, queues: Queues) -> None: ...

        def settle(self) -> None: ...

        def trying(self, source: Source) -> AbstractContextManager[None, bool]: ...

    # runs functions without arguments at once, and gives what they give, in their order
    Together: TypeAlias = "Callable[[Sequence[Callable[[], Part]]], list[Part]]"

_RUNTIME = "TrainingRuntime"


class Part:
    """What came of some texts: all of it can be sent from one process to another."""

    __slots__ = ("diagnostics", "judged", "left", "looked_at", "suppressed", "unchecked")

    def __init__(self, diagnostics: list[Diagnostic], session: Session, left: list[int]) -> None:
        self.diagnostics = diagnostics
        self.judged = session.judged
        self.unchecked = session.unchecked
        self.suppressed = session.suppressed
        self.looked_at = session.looked_at
        # numbers of the texts that are handed back
        self.left = left


def in_parts(session: Session, texts: list[Text], jobs: int, together: Together, *, prove: bool) -> list[Text]:
    """Lints what can be linted in parts, into the session; the texts that are left, in their order.

    ``prove``: fixes have their edits, or are left out; else they have none.
    """
    # the blocks of a file of Markdown stay together
    alone = [
        number
        for number, text in enumerate(texts)
        if _RUNTIME not in text.source.text and not is_markdown(text.source.name)
    ]
    shares: list[list[int]] = [[] for _ in range(jobs)]
    lengths = [0] * jobs
    for number in alone:
        least = lengths.index(min(lengths))
        shares[least].append(number)
        lengths[least] += len(texts[number].source.text) + 1
    left = set(range(len(texts))).difference(alone)
    found: dict[str, list[dict[str, str]]] = {}
    for part in together([partial(_part, session, texts, shares, at, prove=prove) for at in range(jobs)]):
        session.diagnostics += part.diagnostics
        session.judged += part.judged
        for what, count in part.unchecked.items():
            session.unchecked[what] = session.unchecked.get(what, 0) + count
        session.suppressed += part.suppressed
        session.files += len(part.looked_at)
        found.update(part.looked_at)
        left.update(part.left)
    session.looked_at = {text.source.name: found.get(text.source.name, []) for text in texts}
    return [texts[number] for number in sorted(left)]


def _part(session: Session, texts: list[Text], shares: list[list[int]], at: int, *, prove: bool) -> Part:
    share = shares[at]
    own = copy(session)
    if at:
        own.progress = None  # one voice is enough
    own.begin()
    runtimes, queues = Runtimes(), Queues()
    left = []
    for done, number in enumerate(share):
        text = texts[number]
        if own.progress is not None:
            own.progress(done * len(texts) // len(share), len(texts))
        with own.trying(text.source):
            if text.kind is None and queues.take(text) and runtimes.take(text):
                own.lint_text(text, runtimes, queues)
            else:
                left.append(number)
        text.forget()
    own.settle()
    return Part(settled(own.diagnostics, edits if prove else None), own, left)
