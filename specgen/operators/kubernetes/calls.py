"""What a container's command line runs: the commands of its shell's text and of texts in that, or the line itself.

The one reading of command lines for whoever asks which program is told what: words are split as ``script`` has it, and
of variables those are filled in whose words the text itself says, once and under no condition. POSIX 2017, Shell
Command Language, 2.6; bash 5.2, "Arrays".
"""

from __future__ import annotations

from specgen.operators.kubernetes.script import closed, commands
from specgen.operators.kubernetes.shell import assigned, script_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.operators.kubernetes.script import Command, Word

# Programs to which the name of another one is a text, or a file that they install or look for.
# fmt: off
_NAME_OTHERS = frozenset((
    "echo", "printf", "logger", "cat", "tee", "grep", "egrep", "sed", "awk", "which", "type", "whereis", "hash", "ls",
    "test", "[", "[[", "pkill", "pgrep", "killall", "pip", "pip3", "apt", "apt-get", "conda", "export", "alias", "trap",
    "command -v", "command -V", "conda install",
))
# fmt: on
# Programs with such words that run others by some of theirs.
_RUN_BY = {"conda": "run"}
_SETTERS = ("export", "readonly", "declare", "local", "typeset")
# Texts of shells in texts of shells, and variables in variables, are followed so far.
_DEEPEST = 4
# So many words a line may become.
_MOST = 4096


class Piece:
    """A word that a program is handed.

    ``text``: without quotes; ``at``: the number of the container's word in which it stands, ``start`` and ``end``:
    where in that; ``open``: whether it stands for any words that nobody sees, as `$OPTIONS` may.
    """

    __slots__ = ("at", "end", "open", "start", "text")

    def __init__(self, text: str, at: int, start: int, end: int, *, open: bool = False) -> None:
        self.text = text
        self.at = at
        self.start = start
        self.end = end
        self.open = open


class Call:
    """A program with its words, and the assignments in front of it: ``sets``.

    ``doubtful``: whether a condition decides that it runs; ``idle``: whether names of programs are texts to it.
    """

    __slots__ = ("doubtful", "idle", "pieces", "sets")

    def __init__(self, pieces: list[Piece], sets: list[Piece], *, doubtful: bool = False) -> None:
        self.pieces = pieces
        self.sets = sets
        self.doubtful = doubtful
        first = pieces[0].text.rpartition("/")[2] if pieces else ""
        second = pieces[1].text if len(pieces) > 1 else ""
        self.idle = (first in _NAME_OTHERS and second != _RUN_BY.get(first)) or f"{first} {second}" in _NAME_OTHERS


def calls(words: Sequence[str]) -> tuple[Call, ...]:
    """All that a command line runs, in the order in which it is written."""
    line = tuple(words)
    found = _read.get(line)
    if found is None:
        if len(_read) >= _KEPT:
            _read.clear()
        found = _read[line] = _calls(line)
    return found


# Lines that were read: several rules ask for each.
_read: dict[tuple[str, ...], tuple[Call, ...]] = {}
_KEPT = 64


def _calls(words: tuple[str, ...]) -> tuple[Call, ...]:
    script = script_at(words)
    if script is None:
        return tuple(_plain(words))
    outer = Call([Piece(word, at, 0, len(word)) for at, word in enumerate(words[:script])], [])
    # the word behind a text is the shell's name
    given = [Piece(word, at, 0, len(word)) for at, word in enumerate(words) if at > script + 1]
    return outer, *_of_text(words[script], script, 0, {"@": given}, _DEEPEST)


def _plain(words: tuple[str, ...]) -> Iterator[Call]:
    """A line without a shell: what has blanks may be meant for one, unless it is the value of an option."""
    line: list[Piece] = []
    texts: list[Call] = []
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if not any([sign in word for sign in " \t\n"]) or (before[:1] == "-" and "=" not in before):
            line.append(Piece(word, at, 0, len(word)))
            continue
        found = list(_of_text(word, at, 0, {}, 1))
        if len(found) == 1:
            line += [*found[0].sets, *found[0].pieces]
        else:
            texts += found
    return iter([Call(line, []), *texts])


def _of_text(text: str, at: int, base: int, known: dict[str, list[Piece] | None], deep: int) -> Iterator[Call]:
    """The calls of a shell's text that begins at ``base`` of the word ``at``.

    ``known``: variable → the words that it stands for, None: nobody knows; ``@``: what the text is handed.
    """
    for command in commands(text):
        pieces: list[Piece] = []
        for word in command.words:
            pieces += _expanded(word, text, at, base, known)
        sets = [Piece(word.text, at, base + word.start, base + word.end) for word in command.sets]
        _remember(command, text, at, base, known)
        doubtful = bool(command.under)
        yield Call(pieces[:_MOST], sets, doubtful=doubtful)
        inner = script_at([word.text for word in command.words]) if deep else None
        if inner is not None:
            word = command.words[inner]
            raw = text[word.start : word.end]
            start = base + word.start + (raw[:1] in ("'", '"'))
            behind = [one for word in command.words[inner + 2 :] for one in _expanded(word, text, at, base, known)]
            for call in _of_text(word.text, at, start, {"@": behind}, deep - 1):
                call.doubtful = call.doubtful or doubtful
                yield call


def _remember(command: Command, text: str, at: int, base: int, known: dict[str, list[Piece] | None]) -> None:
    """What a command makes of variables."""
    name = command.words[0].text if command.words else ""
    if name in ("source", ".", "eval"):
        known.clear()
    elif name in ("for", "select", "read", "unset", "mapfile", "readarray", "getopts"):
        known.update(dict.fromkeys([word.text for word in command.words[1:] if word.text.isidentifier()], None))
    elif name in ("set", "shift"):
        known["@"] = None
    if name and name not in _SETTERS:
        return  # what stands in front of a program is its own
    certain = not (command.under or command.loops or command.shells or command.function)
    for word in (*command.sets, *command.words[1:]):
        adds = "+=" in word.text.partition("=")[0] + "="
        variable = assigned(word.text.replace("+=", "=", 1) if adds else word.text)
        if not variable:
            continue
        value = _words_of(word, text, at, base, known) if certain else None
        if adds and value is not None:
            before = known.get(variable)
            value = [*before, *value] if before is not None and len(before) < _MOST else None
        known[variable] = value


def _words_of(word: Word, text: str, at: int, base: int, known: dict[str, list[Piece] | None]) -> list[Piece] | None:
    """What the value of an assignment becomes where it stands without quotes, or a list as a whole; None: unknown."""
    start = text.index("=", word.start) + 1
    raw = text[start : word.end]
    if len(raw) > 1 and (raw[0], raw[-1]) in (("(", ")"), ('"', '"'), ("'", "'")):
        raw, start, listed = raw[1:-1], start + 1, raw[0] == "("
        if not listed and any([sign in raw for sign in "\"'"]):
            return None
    elif any([sign in raw for sign in "\"'\\"]):
        return None
    found: list[Piece] = []
    for command in commands(raw):
        for one in (*command.sets, *command.words):
            found += _expanded(one, raw, at, base + start, known)
            if len(found) > _MOST:
                return None
    return found


def _expanded(word: Word, text: str, at: int, base: int, known: dict[str, list[Piece] | None]) -> list[Piece]:
    """The words that a word becomes."""
    raw = text[word.start : word.end]
    name = _named(raw)
    found = known.get(name) if name else None
    if found is not None:
        return found
    return [Piece(word.text, at, base + word.start, base + word.end, open=bool(name) or _is_one(raw))]


def _named(raw: str) -> str:
    """The variable of which a word stands for all words: `$OPTIONS`, `${OPTIONS}`, `"${LIST[@]}"`, `"$@"`."""
    quoted = len(raw) > 1 and raw[0] == raw[-1] == '"'
    inner = raw[1:-1] if quoted else raw
    if inner[:1] != "$":
        return ""
    name = inner[2:-1] if inner[:2] == "${" and inner[-1] == "}" else inner[1:]
    listed = name.endswith(("[@]", "[*]"))
    name = name[:-3] if listed else name
    if name in ("@", "*"):
        return "@"
    return name if name.isidentifier() and (listed or not quoted) else ""


def _is_one(raw: str) -> bool:
    """Whether a word without quotes is one substitution: it may become any words."""
    if raw[:2] in ("$(", "${"):
        return closed(raw, 1) == len(raw)
    return raw[:1] == "`" and raw.find("`", 1) == len(raw) - 1
