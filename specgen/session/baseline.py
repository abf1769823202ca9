"""A baseline: the findings that a repository had when it began, so that only new ones are reported.

A finding is known by its code, file, object, path and message (``diagnostics.fingerprint``), and those that are alike
are counted: lines may move, and neighbours may come and go. What could not be read at all (SG0xx, SG900) has no place
in a baseline, as nothing else was looked for there.
"""

from __future__ import annotations

import posixpath

from specgen.diagnostics.fingerprint import key
from specgen.diagnostics.model import ERROR, KEY, WARNING, BadQuestion, Code, Place, plural
from specgen.diagnostics.pages import page
from specgen.diagnostics.place import order, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping
    from typing import Any

    from specgen.diagnostics.fingerprint import Key
    from specgen.diagnostics.model import Diagnostic
    from specgen.session.files import Files
    from specgen.source import Source

STALE = Code(
    "SG033",
    "stale-baseline",
    WARNING,
    since="0.1",
    page=page(
        "An entry of a baseline whose finding is gone.",
        "Every entry of the file that `--baseline` names stands for as many findings as it counts, in files that are\n"
        "linted in this run, or that are gone.",
        "The entry would hide the same mistake, made anew in the same place.",
        "- warning: nothing breaks today; the entry would hide the next mistake.",
        'message: {"file": "job.yaml", "code": "SG401", "count": 2}  # one of the two was mended',
        'message: {"file": "job.yaml", "code": "SG401", "count": 1}',
        "Write the baseline again, `specgen lint --write-baseline FILE`: it only gets shorter, as long as nothing new\n"
        "is reported. Entries of files and codes that this run does not look at stay.",
        'While several branches mend findings: `ignore = ["SG033"]` in `specgen.toml`.',
        "The form of the file: `specgen lint --help`.",
    ),
)

_FIELDS = ("file", "code", "object", "path", "message")


def written(diagnostics: Iterable[Diagnostic], name: str, kept: Mapping[Key, int]) -> tuple[str, int]:
    """The baseline of these findings for a file of that name, sorted, and how many findings it holds.

    ``kept``: what an earlier one holds, and this run did not look for.
    """
    from json import dumps

    counted = dict(kept)
    for diagnostic in diagnostics:
        if not _unread(diagnostic):
            own = _from(name, key(diagnostic))
            counted[own] = counted.get(own, 0) + 1
    lines = []
    for own in sorted(counted):
        entry: dict[str, Any] = {field: value for field, value in zip(_FIELDS, own, strict=True) if value}
        lines.append(dumps({**entry, "count": counted[own]}, ensure_ascii=False))
    body = ",\n".join(lines)
    return f'{{"version": 1, "findings": [\n{body}\n]}}\n', sum(counted.values())


def _unread(diagnostic: Diagnostic) -> bool:
    """Whether a text, or a part of it, was not read, so that nothing else was looked for."""
    return diagnostic["severity"] == ERROR and diagnostic["code"].startswith(("SG0", "SG900"))


def _from(name: str, own: Key) -> Key:
    """A key with the file as the baseline's own folder sees it, wherever the command ran."""
    file = own[0] if own[0].startswith("<") else posixpath.relpath(own[0], posixpath.dirname(name) or ".")
    return (file, *own[1:])


def before(files: Files, name: str) -> Baseline | None:
    """The baseline that is about to be written anew; None: there is none yet. Raises BadQuestion for another file."""
    if not files.is_there(name):
        return None
    help = "it is not written over: remove it, or name another file"
    try:
        source = _named(files, name, help)
        return Baseline(source) if source.text.strip() else None
    except BadQuestion as error:
        raise BadQuestion(str(error), help) from None


def opened(files: Files, name: str) -> Baseline:
    """The baseline in a file of the command line. Raises BadQuestion."""
    return Baseline(_named(files, name, "`--write-baseline FILE` writes one"))


def _named(files: Files, name: str, help: str) -> Source:
    try:
        source, findings = files.named(name)
    except BadQuestion as error:
        raise BadQuestion(f"{name}: {error}", help) from None
    if source is None:
        raise BadQuestion(f"{name}: {findings[0].message}")
    return source


class Baseline:
    """A baseline that was read. Raises BadQuestion where it is none."""

    __slots__ = ("_counted", "_places", "_source")

    def __init__(self, source: Source) -> None:
        from json import loads

        self._source = source
        # key → findings that it stands for, and the number of its entry
        self._counted: dict[Key, int] = {}
        self._places: dict[Key, int] = {}
        try:
            whole = loads(source.text)
        except (ValueError, RecursionError) as error:
            raise BadQuestion(f"{source.name}: it is no JSON: {str(error)[:1].lower()}{str(error)[1:]}") from None
        entries = whole.get("findings") if isinstance(whole, dict) and whole.get("version") == 1 else None
        if not isinstance(entries, list):
            raise BadQuestion(f"{source.name}: it is no baseline", "`--write-baseline FILE` writes one")
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict) or not _is_entry(entry):
                raise BadQuestion(f"{source.name}: entry {number + 1} of `findings` is none of a baseline")
            own: Any = tuple(entry.get(field, "") for field in _FIELDS)
            self._counted[own] = self._counted.get(own, 0) + entry.get("count", 1)
            self._places.setdefault(own, number)

    def take(
        self,
        diagnostics: list[Diagnostic],
        looked_at: Container[str],
        is_there: Callable[[str], bool],
        looked_for: Callable[[str, str], bool],
    ) -> tuple[list[Diagnostic], int]:
        """The findings that are new, with entries that are stale, and how many are known.

        ``looked_at``: files of this run; ``looked_for(file, code)``: whether a code would have been found there.
        """
        left = dict(self._counted)
        kept = []
        for diagnostic in diagnostics:
            own = _from(self._source.name, key(diagnostic))
            if left.get(own, 0) > 0 and not _unread(diagnostic):
                left[own] -= 1
            else:
                kept.append(diagnostic)
        known = len(diagnostics) - len(kept)
        unread = self._unread(diagnostics)
        stale = []
        for own, count in left.items():
            gone = self._is_gone(own, unread, looked_at, is_there, looked_for) if count else None
            if gone is not None:
                stale.append((own, count, gone))
        return order([*kept, *self._stale(stale)]), known

    def kept(
        self,
        diagnostics: list[Diagnostic],
        looked_at: Container[str],
        is_there: Callable[[str], bool],
        looked_for: Callable[[str, str], bool],
    ) -> dict[Key, int]:
        """The entries of which this run says nothing: of other files, of other codes, of files that it could not read.

        What it looked for is what it found; entries of files that are gone are gone. Arguments as in ``take``.
        """
        unread = self._unread(diagnostics)
        found = {_from(self._source.name, key(diagnostic)) for diagnostic in diagnostics}
        return {
            own: count
            for own, count in self._counted.items()
            if own not in found and self._is_gone(own, unread, looked_at, is_there, looked_for) is None
        }

    def _unread(self, diagnostics: Iterable[Diagnostic]) -> set[str]:
        """The files, as entries name them, of which something was not read."""
        return {_from(self._source.name, key(diagnostic))[0] for diagnostic in diagnostics if _unread(diagnostic)}

    def _is_gone(
        self,
        own: Key,
        unread: Container[str],
        looked_at: Container[str],
        is_there: Callable[[str], bool],
        looked_for: Callable[[str, str], bool],
    ) -> bool | None:
        """Whether the file of an entry that was not found is gone; None: nobody looked for it, and it may hold."""
        if own[0] in unread:
            return None
        file = own[0]
        if not file.startswith("<"):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(self._source.name), file))
            if file not in looked_at and not is_there(file):
                return True
        return False if file in looked_at and looked_for(file, own[1]) else None

    def _stale(self, entries: list[tuple[Key, int, bool]]) -> list[Diagnostic]:
        if not entries:
            return []
        from specgen.document.read import read  # it knows where the entries stand

        documents, _ = read(self._source)
        found = []
        for own, count, gone in entries:
            held = self._counted[own]
            said = f"there is no file `{own[0]}` any more"
            if not gone:
                said = f"{own[1]} is not found in `{own[0]}` any more"
                if count < held:
                    said = f"{own[1]} is found {plural(held - count, 'time')} in `{own[0]}`, where {held} were"
            at = Place(("findings", self._places[own]), KEY)
            finding = STALE.at(at, said, helps=["`--write-baseline` writes what is left"])
            if documents:
                found.append(place(finding, documents[0]))
        return found


def _is_entry(entry: dict[str, Any]) -> bool:
    count = entry.get("count", 1)
    texts = all(isinstance(entry.get(field, ""), str) for field in _FIELDS)
    return texts and bool(entry.get("file")) and type(count) is int and count > 0
