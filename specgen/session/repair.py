"""What fixes of a lint come to: rounds of editing and linting, until nothing is left that may be applied.

Each fix is proven by itself before it is taken (``document.patch``). Here the fixes of one round are put into the text
together, and the next lint judges them: what a fix says it mends must be gone, and the text be read as far as before.
Fixes that fail together are tried one by one, and one that fails by itself is left out. Nothing is written.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from specgen.diagnostics.model import SAFE, UNSAFE
from specgen.diagnostics.place import edits_of, published
from specgen.document.codes import SYNTAX
from specgen.document.patch import applied
from specgen.document.read import read
from specgen.document.second import agrees
from specgen.manifest.codes import FIELD_BESIDE_SPEC
from specgen.manifest.edits import edits
from specgen.schema.judge import MOST_HELPED
from specgen.source import Source, dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Diagnostic, Finding, Replacement
    from specgen.session import Session
    from specgen.session.files import Files
    from specgen.source import Path

    # what a diagnostic says, whatever line it stands on; but for where reading ends, which says the same further on
    Key: TypeAlias = tuple[str, str, int]

# What a fix moves to where it belongs.
_BRINGING = (FIELD_BESIDE_SPEC.id,)
# Each round mends something, or gives something up: more are taken by no text that a person wrote.
_MOST_ROUNDS = 100


class Overlay:
    """Files, with other texts in place of some that were named."""

    __slots__ = ("_files", "sources")

    def __init__(self, files: Files) -> None:
        self._files = files
        # name → the text that it has now, for each file that was named or met in a folder
        self.sources: dict[str, Source] = {}

    def below(self, name: str) -> list[str] | None:
        """As the files say."""
        return self._files.below(name)

    def all_below(self, name: str) -> list[str]:
        """As the files say."""
        return self._files.all_below(name)

    def config(self, name: str) -> Source | None:
        """As the files say."""
        return self._files.config(name)

    def around(self, steps: int) -> str:
        """As the files say."""
        return self._files.around(steps)

    def is_there(self, name: str) -> bool:
        """As the files say."""
        return self._files.is_there(name)

    def expect(self, names: Iterable[str]) -> None:
        """As the files do."""
        self._files.expect(names)

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        """The text that was put in place of a file, else the file's own."""
        if name in self.sources:
            return self.sources[name], []
        source, findings = self._files.named(name)
        if source is not None and not findings:
            self.sources[name] = source
        return source, findings

    def printed(self, name: str) -> str:
        """As the files say."""
        return self._files.printed(name)

    def join(self, name: str, beside: str) -> str:
        """As the files say."""
        return self._files.join(name, beside)

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        """What a profile reads is the text as it is now."""
        known = self.sources.get(name)
        return self._files.read(name) if known is None else (known, [])

    def beside(self, name: str) -> str | None:
        """The text as it is now."""
        known = self.sources.get(name)
        return self._files.beside(name) if known is None else known.text

    def again(self, name: str) -> str:
        """The text as it is now."""
        known = self.sources.get(name)
        return self._files.again(name) if known is None else known.text

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        """As the files say."""
        return self._files.content(name)


class Repair:
    """What came of it: the session of the last lint, texts before and after by file, and what was mended."""

    __slots__ = ("_lint", "_overlay", "changed", "failed", "mended", "session", "waiting")

    def __init__(self, overlay: Overlay, lint: Callable[[Files], Session]) -> None:
        self._overlay = overlay
        self._lint = lint
        self.session = lint(overlay)
        # file → (before, after), sorted
        self.changed: dict[str, tuple[Source, Source]] = {}
        # what each file's fixes were about, at the lines that they had then
        self.mended: list[Diagnostic] = []
        # what a fix promised and did not keep
        self.failed: list[Diagnostic] = []
        # what is wrong with a field that a fix has moved, and has an unsafe fix that nobody was told of before
        self.waiting: list[Diagnostic] = []

    def take_back(self, names: Iterable[str]) -> None:
        """Leaves files as they were, and says again what is wrong with all."""
        for name in names:
            self._overlay.sources[name] = self.changed[name][0]
            self.leave_out(name)
        self.session = self._lint(self._overlay)

    def leave_out(self, name: str) -> None:
        """Counts a file no more among those that were mended."""
        del self.changed[name]
        self.mended = [one for one in self.mended if one["primary"]["file"] != name]


class _Draft:
    """The fixes that a text got in one round, until the next lint has judged them."""

    __slots__ = ("applied", "before", "found")

    def __init__(self, before: Source, found: list[Diagnostic], applied: list[Diagnostic]) -> None:
        self.before = before
        self.found = found
        self.applied = applied

    def kept(self, found: list[Diagnostic]) -> bool:
        """Whether all that was mended is gone, and nothing is wrong with the text itself that was not before."""
        expected = _counted(self.found)
        expected.subtract(_counted(self.applied))
        after = _counted(found)
        many, left = _codes(self.found), _codes(found)
        less = many - _codes(self.applied)
        # of many findings the last are told in short, and in full once the first are gone
        gone = all(
            after[key] <= expected[key] or (many[key[0]] > MOST_HELPED and left[key[0]] <= less[key[0]])
            for key in _counted(self.applied)
        )
        return gone and _texts(found) <= _texts(self.found)


class _File:
    """One file's way through the rounds."""

    __slots__ = ("alone", "announced", "brought", "draft", "refused", "seen")

    def __init__(self, source: Source) -> None:
        self.draft: _Draft | None = None
        # whether fixes are tried one by one
        self.alone = False
        # what was found before anything was mended; the names of fields that fixes have brought to another place since
        self.announced: set[Key] | None = None
        self.brought: set[str] = set()
        # what is not tried again
        self.refused: set[Key] = set()
        # texts that it had
        self.seen = {source.text}


def repair(files: Files, lint: Callable[[Files], Session], *, unsafe: bool, fixed: Callable[[str], bool]) -> Repair:
    """Lints, and applies the fixes of what was found. ``fixed``: whether a file may be edited, by its name."""
    overlay = Overlay(files)
    levels = (SAFE, UNSAFE) if unsafe else (SAFE,)
    outcome = Repair(overlay, lint)
    originals = dict(overlay.sources)
    known = {name: _File(source) for name, source in originals.items() if fixed(name)}
    for _ in range(_MOST_ROUNDS):
        by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in outcome.session.found():
            by_file.setdefault(diagnostic["primary"]["file"], []).append(diagnostic)
        again = False
        for name, file in known.items():
            found, reverted = _judged(name, file, by_file.get(name, []), overlay, outcome)
            again |= reverted
            again |= _drafted(name, file, found, overlay, levels)
        if not again:
            break
        outcome.session = lint(overlay)
    for name, before in sorted(originals.items()):
        after = overlay.sources[name]
        if after.text != before.text:
            outcome.changed[name] = before, after
    found = outcome.session.found() if unsafe else []
    outcome.waiting = [one for one in found if _is_news(one, known.get(one["primary"]["file"]))]
    return outcome


def _judged(
    name: str, file: _File, found: list[Diagnostic], overlay: Overlay, outcome: Repair
) -> tuple[list[Diagnostic], bool]:
    """What is found in a file as it stands after its draft was kept or taken back, and whether it was taken back."""
    draft, file.draft = file.draft, None
    if draft is None:
        return found, False
    if draft.kept(found) and agrees(draft.before.text, overlay.sources[name].text):
        outcome.mended += draft.applied
        file.brought |= {_field(one) for one in draft.applied if one["code"] in _BRINGING}
        file.alone = False
        return found, False
    overlay.sources[name] = draft.before
    if len(draft.applied) == 1:
        file.refused.add(_key(draft.applied[0]))
        outcome.failed += draft.applied
    file.alone = True
    return draft.found, True


def _drafted(name: str, file: _File, found: list[Diagnostic], overlay: Overlay, levels: tuple[str, ...]) -> bool:
    """Puts as many fixes into a text as do not meet; False where there are none."""
    if file.announced is None:
        file.announced = set(map(_key, found))
    wanted = [
        one
        for one in found
        if one["fix"] is not None
        and one["fix"]["applicability"] in levels
        and _key(one) not in file.refused
        and not _is_news(one, file)
    ]
    before = overlay.sources[name]
    choices = _chosen(wanted, file.alone)
    if not file.alone:
        # what failed together is tried one by one
        choices = chain(choices, _chosen(wanted, True))
    for chosen in choices:
        text = _applied(before, chosen)
        while len(chosen) > 1 and (emptied := _emptied(before, text)):
            # the last item leaves `[]` behind if it goes by itself, and null if it goes with the others
            kept = [one for one in chosen if not (one["path"] or "").startswith(f"{emptied}[")]
            first = next((one for one in chosen if one not in kept), chosen[-1])
            chosen = [one for one in chosen if one is not first]
            text = _applied(before, chosen)
        if text in file.seen:
            # two fixes that undo each other end here
            if len(chosen) == 1:
                file.refused.add(_key(chosen[0]))
            continue
        file.seen.add(text)
        overlay.sources[name] = Source(before.name, text, bom=before.bom)
        file.draft = _Draft(before, found, chosen)
        return True
    return False


def _applied(before: Source, chosen: list[Diagnostic]) -> str:
    changes = sorted((edit for one in chosen for edit in _edits(one)), key=_place)
    return applied(before.text, [(one["start"], one["end"] - one["start"], one["text"]) for one in changes])


def _emptied(before: Source, text: str) -> str:
    """Where a list stood of which nothing is left but its key; empty: nowhere."""
    pairs = zip(read(before)[0], read(Source(before.name, text))[0], strict=False)
    return next((dotted(path) for old, new in pairs for path in _lost(old.data, new.data, ())), "")


def _lost(old: Any, new: Any, path: Path) -> Iterator[Path]:
    if isinstance(old, list) and old and new is None:
        yield path
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [one for one in old if one in new]:
            yield from _lost(old[key], new[key], (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _lost(one, other, (*path, at))


def _chosen(wanted: list[Diagnostic], alone: bool) -> Iterable[list[Diagnostic]]:
    """Diagnostics with proven edits, those that can be applied together; or one after the other."""
    if alone:
        for one in wanted:
            proven = [fix for fix in published([one], edits) if fix["fix"] is not None]
            if proven:
                yield proven
        return
    together: list[Diagnostic] = []
    taken: list[tuple[int, int]] = []
    for one in published(wanted, edits):
        if one["fix"] is None:
            continue
        spans = [(edit["start"], edit["end"]) for edit in _edits(one)]
        if any(start < stop and begin < end for start, end in spans for begin, stop in taken):
            continue
        taken += spans
        together.append(one)
    if together:
        yield together


def _is_news(one: Diagnostic, file: _File | None) -> bool:
    """Whether an unsafe fix would change what a fix of this run has moved, about which nothing was said before it.

    A field in the wrong place is judged where it belongs once it is there. Who asked for the move has not seen that.
    """
    fix = one["fix"]
    if file is None or file.announced is None or fix is None or fix["applicability"] != UNSAFE:
        return False
    return _field(one) in file.brought and _key(one) not in file.announced


def _field(one: Diagnostic) -> str:
    """The name of the field that a diagnostic is about."""
    return (one["path"] or "").rpartition(".")[2]


def _place(edit: Replacement) -> tuple[int, int]:
    """Where an edit goes: of lines that are added at one place, those that are deeper belong to what stands above."""
    return edit["start"], len(edit["text"].lstrip(" ")) - len(edit["text"])


def _edits(diagnostic: Diagnostic) -> list[Replacement]:
    fix = diagnostic["fix"]
    assert fix is not None
    return edits_of(fix)


def _key(diagnostic: Diagnostic) -> Key:
    line = diagnostic["primary"]["start"]["line"] if diagnostic["code"] == SYNTAX.id else 0
    return diagnostic["code"], diagnostic["message"], line


def _counted(diagnostics: list[Diagnostic]) -> Counter[Key]:
    return Counter(map(_key, diagnostics))


def _codes(diagnostics: list[Diagnostic]) -> Counter[str]:
    return Counter(diagnostic["code"] for diagnostic in diagnostics)


def _texts(diagnostics: list[Diagnostic]) -> int:
    """How much is wrong with a text itself: what its readers do not agree on."""
    return sum(diagnostic["code"].startswith("SG00") for diagnostic in diagnostics)
