"""Lint and build in several processes: what is said is the same, byte for byte, as that of one.

``in_parts`` lints. A part takes texts whose findings depend on no other file. It hands back the others: profiles, of
which two may come to one object, jobs that name a queue or a group, and TrainJobs whose runtime stands elsewhere.
Those, and all texts with runtimes, are left to the session.

``built_in_parts`` builds. Where what a part found hangs on what another one did, nothing is taken from any of them, and
the caller builds in one process: that is so in runs that are about to fail, and in few others.
"""

from __future__ import annotations

from copy import copy
from functools import partial

from specgen.diagnostics.place import settled
from specgen.manifest.edits import edits
from specgen.manifest.model import key_of
from specgen.session.queues import Queues
from specgen.session.runtimes import Runtimes
from specgen.source import is_markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Protocol, TypeVar

    from specgen.diagnostics.model import Diagnostic
    from specgen.pipeline import Compiled, Result, Text
    from specgen.source import Source

    T = TypeVar("T")

    class Session(Protocol):
        """A session, as far as this module needs it."""

        diagnostics: list[Diagnostic]
        files: int
        judged: int
        looked_at: dict[str, list[dict[str, str]]]
        progress: Callable[[int, int], None] | None
        suppressed: int
        unchecked: dict[str, int]
        unreadable: list[str]

        def begin(self) -> None: ...

        def built(self, texts: Iterable[tuple[Text, bool]], *, tree: bool = False) -> Iterator[Result]: ...

        def keeps_to(self, names: Collection[str]) -> bool: ...

        def lint_text(self, text: Text, runtimes: Runtimes, queues: Queues) -> None: ...

        def read(self, names: Sequence[str]) -> Iterator[tuple[Text, bool]]: ...

        def settle(self) -> None: ...

        def trying(self, source: Source) -> AbstractContextManager[None, bool]: ...

    class Together(Protocol):
        """Runs functions without arguments at once, and gives what they give, in their order."""

        def __call__(self, parts: Sequence[Callable[[], T]]) -> list[T]: ...

    S = TypeVar("S", bound=Session)

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


class Built:
    """What came of some profiles: all of it can be sent from one process to another.

    ``made``: what was taken of each job. ``known``: objects and folders to which no other part may come. ``alone``:
    nothing that was found concerns another file. ``spent``: bytes that were read.
    """

    __slots__ = ("alone", "diagnostics", "files", "judged", "known", "made", "spent", "suppressed")

    def __init__(self, session: Session, made: list[Any], known: list[Hashable], *, alone: bool, spent: int) -> None:
        self.made = made
        self.known = known
        self.alone = alone
        self.spent = spent
        self.diagnostics = settled(session.diagnostics, edits)
        self.files = session.files
        self.judged = session.judged
        self.suppressed = session.suppressed


def built_in_parts(
    session: S,
    names: Sequence[str],
    jobs: int,
    together: Together,
    take: Callable[[S, Compiled], T | None],
    room: Callable[[], int],
    *,
    tree: bool = False,
) -> list[T] | None:
    """What is taken of each job of the files and folders, in their order; what was found is the session's.

    ``take`` has a session for what it finds itself, and gives what can be sent to another process; None: nothing.

    None: one process has to build them all, with a session of its own. ``room``: bytes that a run may still read.
    ``tree``: each job has a folder.
    """
    texts = list(session.read(names))
    each = sum(len(text.source.text) for text, _ in texts) // jobs + 1
    shares: list[list[tuple[Text, bool]]] = [[] for _ in range(jobs)]
    before = 0
    for text, asked in texts:
        shares[before // each].append((text, asked))
        before += len(text.source.text)
    parts = together([partial(_built, session, shares, at, take, room, tree=tree) for at in range(jobs)])
    known = [one for part in parts for one in part.known]
    # the first part is this process, which knows what that one read
    if (
        not all(part.alone for part in parts)
        or len(set(known)) < len(known)
        or sum(part.spent for part in parts[1:]) > room()
    ):
        return None
    for part in parts:
        session.diagnostics += part.diagnostics
        session.files += part.files
        session.judged += part.judged
        session.suppressed += part.suppressed
    return [one for part in parts for one in part.made]


def _built(
    session: S,
    shares: list[list[tuple[Text, bool]]],
    at: int,
    take: Callable[[S, Compiled], T | None],
    room: Callable[[], int],
    *,
    tree: bool,
) -> Built:
    from specgen.emit.layout import folder_name  # what is linted has no folders

    share, every = shares[at], sum(map(len, shares))
    own = copy(session)
    own.begin()
    before = room()
    made: list[T] = []
    # an object may be met twice in a part, which says so itself
    known: dict[Hashable, None] = {}
    for done, result in enumerate(own.built(share, tree=tree)):
        if not at and own.progress is not None:  # one voice is enough
            own.progress(done * every // len(share), every)
        for compiled in result.compiled:
            one = take(own, compiled)
            if one is not None:
                made.append(one)
            bundle = compiled.bundle
            if bundle is not None:
                known.update(dict.fromkeys(key_of(manifest) for manifest in bundle.manifests))
                if tree:
                    known[folder_name(bundle)] = None
    own.settle()
    alone = own.keeps_to({text.source.name for text, _ in share})
    return Built(own, made, list(known), alone=alone, spent=before - room())
