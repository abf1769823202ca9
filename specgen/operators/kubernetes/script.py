"""What a shell's text calls: its simple commands, each with its words, and where they stand in the text.

The head of a loop, `for i in 1 2`, counts as one, and so do that of a choice, `case $1 in`, and a sum, `((i++))`. Each
knows the conditions under which it runs.

Read as POSIX 2017 has it (Shell Command Language, 2.2 to 2.10), with bash's `&>` and `<<<`: quotes, substitutions and
continued lines are parts of a word, a `#` begins a comment where a word may begin, and nothing is put in place of a
variable. Texts of shells that a command is given, and those of substitutions, are words.
"""

from __future__ import annotations

from specgen.operators.kubernetes.shell import assigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Words in front of a command: what holds it, and what runs it.
_HOLDS = ("if", "then", "else", "elif", "while", "until", "do", "!", "{")
RUNNERS = ("exec", "time", "nohup", "env", "command", "numactl", "nsys", "stdbuf", "nice")
# Words of the shell's own behind which no command stands.
_NONE = ("function", "fi", "done", "esac", "}")
# What closes a body, and what opened it.
_CLOSES = {"fi": "if", "done": "do", "esac": "case", "}": "{"}
_JOINS = ("&&", "||")
# What ends a way of a choice: the last two go on with what the next one does, and with what it asks.
_ENDS_WAY = (";;&", ";;", ";&")
_LONG = (*_JOINS, *_ENDS_WAY, "|&")
# Programs whose words are a condition.
TESTS = ("[", "[[", "test")
# What ends a loop, a function or the text.
_ENDINGS = ("break", "continue", "exit", "return")
# So many bodies around a command are looked at.
_DEEPEST = 16
_ENDS = " \t\r\n;&|()<>"
# Signs that are words of a condition.
_IN_TEST = "\n&|()<>"


class Word:
    """``text``: without quotes; ``start`` and ``end``: where it stands in the whole text, quotes included."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end


class Branch:
    """A way that a text takes under a condition.

    ``tests``: the commands of the condition, and ``joins``, the signs between them; ``negated``: whether it runs where
    they do not hold. ``subject`` and ``patterns``: the word that a `case` compares, and what it compares it with.
    Without any of them it runs where nothing ``before`` it does, the ways of the same choice that are asked first.
    ``loops``: as of a command. ``doubts``: whether it ends something only where a command that is no test ends well.
    """

    __slots__ = ("before", "doubts", "joins", "loops", "negated", "patterns", "subject", "tests")

    def __init__(self, before: Branch | None = None, subject: Word | None = None) -> None:
        self.before = before
        self.subject = subject
        self.tests: list[Command] = []
        self.joins: list[str] = []
        self.patterns: list[Word] = []
        self.loops: tuple[int, ...] = ()
        self.negated = self.doubts = False


class Command:
    """A simple command: ``sets``, the assignments in front of it; ``words``, from its own name on.

    ``line``: counted from 1; ``start`` and ``end``: in the whole text; ``redirected``: whether a file takes its output
    or gives its input; ``piped``: whether it reads what another one prints, ``fed``: whether a body does in which it
    stands; ``under``: the ways on which it stands, from the outside; ``tests``: whether it is a condition, ``negated``:
    whether behind a `!`; ``loops``: numbers of the loops in whose bodies it stands, from the outside, and ``shells``,
    those of the shells of their own, `( … )`; ``asks``: `while` or `until`, of whose loop it is the condition, and
    ``closed``: where that has its end, behind `done`, else 0; ``function``: that in which it stands; ``behind``:
    whether the shell does not wait for it, `&`.
    """

    # fmt: off
    __slots__ = (
        "asks", "behind", "closed", "end", "fed", "function", "line", "loops", "negated", "piped", "redirected", "sets",
        "shells", "start", "tests", "under", "words",
    )
    # fmt: on

    def __init__(self, words: list[Word], line: int, *, piped: bool, redirected: bool) -> None:
        self.start, self.end = words[0].start, words[-1].end
        self.line = line
        self.piped = piped
        self.fed = False
        self.redirected = redirected
        self.under: tuple[Branch, ...] = ()
        self.function = ""
        self.tests = self.negated = False
        self.loops: tuple[int, ...] = ()
        self.shells: tuple[int, ...] = ()
        self.asks = ""
        self.closed = 0
        self.behind = False
        many = 0
        while many < len(words) and assigned(words[many].text.replace("+=", "=", 1)):
            many += 1
        self.sets, self.words = words[:many], words[many:]

    @property
    def program(self) -> int | None:
        """Which of the words names the program, behind what runs it; None: there is none."""
        at, runs = 0, False
        while at < len(self.words):
            text = self.words[at].text
            if text.rpartition("/")[2] in RUNNERS:
                runs = True
            elif not runs or not (text.startswith("-") or assigned(text)):
                return at
            at += 1
        return None


def commands(text: str) -> Iterator[Command]:
    """Every simple command of a text, in order."""
    words: list[Word] = []
    documents: list[str] = []
    at = counted = 0
    line = begun = 1
    piped = redirected = False
    around = _Around()
    while at <= len(text):
        sign = text[at] if at < len(text) else "\n"
        if sign in " \t\r":
            at += 1
        elif text.startswith("\\\n", at):
            at += 2
        elif sign == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("((", at) and all([word.text in (*_HOLDS, "for") for word in words]):
            end = closed(text, at)
            if not words:
                line, counted = line + text.count("\n", counted, at), at
                begun = line
            words.append(Word(text[at:end], at, end))
            at = end
        elif sign in _IN_TEST and _tests(words):
            # a condition is one command, with its signs as words
            end = at + (2 if text[at : at + 2] in _JOINS else 1)
            if words[-1].text == "=~":
                end = next((one for one in range(at, len(text)) if text[one].isspace()), len(text))
            if sign != "\n":
                words.append(Word(text[at:end], at, end))
            at = end
        elif sign in "\n;&|()":
            if text.startswith("&>", at):
                at = _redirection(text, at, documents)
                redirected = True
                continue
            end = at + next((len(one) for one in _LONG if text.startswith(one, at)), 1)
            around.piped = piped
            kept = around.entered(words)
            command = None
            names = text.startswith("()", at)
            end += names and bool(kept)
            if sign == "(" and not kept:
                around.opens()
            if kept and not names:
                command = Command(kept, begun, piped=piped, redirected=redirected)
                around.placed(command)
                yield command
            around.ended(command, text[at:end], kept[-1].text if names and kept else "")
            words, redirected = [], False
            piped = sign == "|" and text[at:end] != "||"
            at = end
            if sign == "\n":
                for end_word in documents:
                    at = _behind(text, at, end_word)
                documents = []
        elif sign in "<>" or (sign.isdigit() and _is_numbered(text, at)):
            at = _redirection(text, at, documents)
            redirected = True
        else:
            plain, end = _word(text, at)
            if words and words[-1].text == "=~" and _tests(words):
                end = next((one for one in range(at, len(text)) if text[one].isspace()), len(text))
                plain = text[at:end]
            if not words:
                line, counted = line + text.count("\n", counted, at), at
                begun = line
            words.append(Word(plain, at, end))
            at = end


def _tests(words: list[Word]) -> bool:
    """Whether words are those of a condition, `[[ … ]]`, that is not closed yet."""
    if not words or words[-1].text == "]]":
        return False
    first = next((word.text for word in words if word.text not in _HOLDS), "")
    return first == "[["


class _Open:
    """What is open around a place: a choice, a body in braces or that of a loop, with the way that is taken in it."""

    __slots__ = ("asks", "fed", "function", "kind", "number", "of", "outer", "way")

    def __init__(
        self, kind: str, outer: Branch | None, way: Branch | None = None, function: str = "", number: int = 0
    ) -> None:
        # the first condition of a loop
        self.of: Command | None = None
        self.kind = kind
        # whether it reads what a command in front of it prints
        self.fed = False
        # of `a && if …`: what holds for all of it
        self.outer = outer
        self.number = number
        self.way = way
        # whether a condition is read, or the next pattern
        self.asks = kind in ("if", "case")
        self.function = function


class _Around:
    """The conditions around a place of a text, as its words come."""

    # fmt: off
    __slots__ = (
        "_after", "_asked", "_asks", "_before", "_function", "_joined", "_list", "_loops", "_negated", "_of_loop",
        "_open", "piped",
    )
    # fmt: on

    def __init__(self) -> None:
        self._open: list[_Open] = []
        # of `a && b`: what holds for b
        self._list: Branch | None = None
        self._function = ""
        self._negated = False
        self._before: Command | None = None
        self._joined = False
        # what `&&` stands behind
        self._after: Command | None = None
        self._loops = 0
        # of `a && for …`, whose body begins later
        self._of_loop: Branch | None = None
        self._asks = ""
        # the first command of a condition that is open
        self._asked: Command | None = None
        # whether what is read next stands behind a pipe
        self.piped = False

    def _way(self, before: Branch | None = None, subject: Word | None = None) -> Branch:
        way = Branch(before, subject)
        way.loops = tuple([one.number for one in self._open[-_DEEPEST:] if one.kind == "do"])
        return way

    def placed(self, command: Command) -> None:
        """Tells a command where it stands."""
        around = self._open[-_DEEPEST:]
        ways = [one for each in around for one in (each.outer, None if each.asks else each.way) if one is not None]
        command.under = (*ways, *([self._list] if self._list is not None else ()))
        command.loops = tuple([one.number for one in around if one.kind == "do"])
        command.shells = tuple([one.number for one in around if one.kind == "("])
        command.fed = any([one.fed for one in around])
        command.function = next((one.function for one in reversed(around) if one.function), "")
        command.negated = self._negated
        if self._after is not None and self._list is None and command.words and command.words[0].text in _ENDINGS:
            way = self._way()
            way.tests, way.doubts = [self._after], True
            command.under = (*command.under, way)
        self._before = command
        command.asks = self._asks
        if self._asks and self._asked is None:
            self._asked = command
        last = self._open[-1] if self._open else None
        if last is not None and last.kind == "if" and last.asks and last.way is not None:
            last.way.tests.append(command)
            command.tests = True

    def entered(self, words: list[Word]) -> list[Word]:
        """The words of a command without those that hold it; none where it is the shell's own."""
        first = 0
        self._negated = False
        while first < len(words) and words[first].text in _HOLDS:
            self._held(words[first].text)
            first += 1
        kept = words[first:]
        name = kept[0].text if kept else ""
        last = self._open[-1] if self._open else None
        if name in _CLOSES:
            if last is not None and last.kind == _CLOSES[name]:
                self._open.pop()
                if last.of is not None:
                    last.of.closed = kept[0].end
        elif last is not None and last.kind == "case" and last.asks:
            if last.way is not None:
                last.way.patterns += kept
            return []
        elif name == "case" and len(kept) > 2 and kept[2].text == "in":
            way = self._way(subject=kept[1])
            way.patterns += kept[3:]
            self._open.append(_Open("case", self._list, way))
            self._list = None
            return kept[:3]
        elif name in ("for", "select"):
            self._of_loop = self._list
        elif name == "function" and len(kept) > 1:
            self._function = kept[1].text
            if kept[-1].text == "{":
                self._held("{")
        return [] if name in _NONE else kept

    def _held(self, word: str) -> None:
        last = self._open[-1] if self._open else None
        if word == "if":
            self._open.append(_Open("if", self._list, self._way()))
            self._list = None
        elif word in ("while", "until"):
            self._of_loop, self._list = self._list, None
            self._asks = word
        elif word == "do":
            self._asks = ""
            self._loops += 1
            self._open.append(_Open("do", self._of_loop, number=self._loops))
            self._open[-1].of, self._asked = self._asked, None
            self._open[-1].fed = self._open[-1].of is not None and self._open[-1].of.piped
            self._of_loop = None
        elif word == "{":
            self._open.append(_Open("{", self._list, function=self._function))
            self._open[-1].fed = self.piped
            self._function, self._list = "", None
        elif word == "!":
            self._negated = True
        elif last is not None and last.kind == "if":
            if word in ("elif", "else"):
                last.way = self._way(last.way)
            last.asks = word == "elif"

    def opens(self) -> None:
        """Begins a shell of its own, `(`, where no pattern of a choice may stand."""
        last = self._open[-1] if self._open else None
        if last is None or last.kind != "case" or not last.asks:
            self._loops += 1
            self._open.append(_Open("(", self._list, function=self._function, number=self._loops))
            self._open[-1].fed = self.piped
            self._function, self._list = "", None

    def ended(self, command: Command | None, sign: str, function: str) -> None:
        """Goes on behind a sign that ends a command; ``function``: the name of one that begins here."""
        last = self._open[-1] if self._open else None
        if sign == "\n" and command is None and self._joined:
            return  # what is joined stands in the next line
        self._joined = sign in _JOINS
        if sign == "&" and self._before is not None:
            self._before.behind = True
        if sign == ")" and last is not None and last.kind == "(":
            self._open.pop()
            self._list = last.outer
            return
        self._function = function or self._function
        if last is not None and last.kind == "case":
            if last.asks and sign == ")":
                last.asks = False
            elif sign in _ENDS_WAY and last.way is not None:
                before = last.way if sign == ";;" else last.way.before
                shared = last.way.patterns[-_DEEPEST:] if sign == ";&" else []
                last.way, last.asks = self._way(before, last.way.subject), True
                last.way.patterns += shared
        self._after = (command or self._before) if sign == "&&" else None
        if command is not None and command.tests and sign in _JOINS and last is not None and last.way is not None:
            last.way.joins.append(sign)
        elif sign in _JOINS and (last_one := command or self._before) is not None:
            # that of a body in brackets ends as its last command does
            first = last_one.words[0].text if last_one.words else ""
            is_test = first in TESTS or first.startswith("((")
            # what follows on a command that is no test is mostly meant to
            if is_test or sign == "||" or self._list is not None:
                way = self._way()
                before = self._list if self._list is not None and len(self._list.tests) < _DEEPEST else None
                way.tests = [*(before.tests if before is not None else ()), last_one]
                if before is not None:
                    way.joins = [*before.joins, "||" if before.negated else "&&"]
                way.negated = sign == "||"
                self._list = way
        elif sign in (";", "\n", "&", *_ENDS_WAY):
            self._list = None


def _is_numbered(text: str, at: int) -> bool:
    """Whether a redirection of a numbered file begins here: `2>`."""
    end = at
    while end < len(text) and text[end].isdigit():
        end += 1
    return text[end : end + 1] in ("<", ">") and (at == 0 or text[at - 1] in _ENDS)


def _redirection(text: str, at: int, documents: list[str]) -> int:
    """Where it ends with its file; the end of a text that follows is noted among ``documents``."""
    while text[at] not in "<>":
        at += 1
    sign = text[at]
    here = text.startswith("<<", at) and not text.startswith("<<<", at)
    while at < len(text) and text[at] in "<>&-|" and not (here and text[at] == "-" and text[at - 1] != "<"):
        at += 1
    if sign in "<>" and text[at : at + 1] == "(":
        return closed(text, at)  # a process in the place of a file
    while at < len(text) and text[at] in " \t":
        at += 1
    if at >= len(text) or text[at] in _ENDS:
        return at
    plain, end = _word(text, at)
    if here:
        documents.append(plain)
    return end


def _behind(text: str, at: int, end_word: str) -> int:
    """Where the text goes on behind a document that stands in it."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].lstrip("\t") == end_word:
            return min(end + 1, len(text))
        at = end + 1
    return len(text)


def _word(text: str, at: int) -> tuple[str, int]:
    """A word without its quotes, and where it ends."""
    plain: list[str] = []
    begin = at
    while at < len(text):
        sign = text[at]
        # the words of a list are its value
        named = sign == "(" and at > begin and text[at - 1] == "="
        is_list = named and bool(assigned("".join(plain).replace("+=", "=")))
        if sign in _ENDS and not is_list:
            break
        if sign == "\\":
            plain.append("" if text.startswith("\\\n", at) else text[at + 1 : at + 2])
            at += 2
        elif sign == "'":
            end = text.find("'", at + 1)
            end = len(text) if end < 0 else end
            plain.append(text[at + 1 : end])
            at = end + 1
        elif sign == '"':
            inner, at = _quoted(text, at + 1)
            plain.append(inner)
        elif is_list or sign == "`" or text[at : at + 2] in ("$(", "${"):
            end = closed(text, at) if is_list else _substitution(text, at)
            plain.append(text[at:end])
            at = end
        else:
            plain.append(sign)
            at += 1
    return "".join(plain), max(min(at, len(text)), begin + 1)


def _quoted(text: str, at: int) -> tuple[str, int]:
    """What stands in double quotes, and where they are behind."""
    plain: list[str] = []
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\", "`", "$", "\n"):
            plain.append("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
        elif text[at] == "`" or text[at : at + 2] in ("$(", "${"):
            end = _substitution(text, at)
            plain.append(text[at:end])
            at = end
        else:
            plain.append(text[at])
            at += 1
    return "".join(plain), at + 1


def _substitution(text: str, at: int) -> int:
    """Where a substitution that begins here ends."""
    if text[at] == "`":
        end = text.find("`", at + 1)
        return len(text) if end < 0 else end + 1
    return closed(text, at + 1)


def closed(text: str, at: int) -> int:
    """Where the bracket that opens here is closed."""
    opened = text[at]
    closing = ")" if opened == "(" else "}"
    depth = 0
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            at += 1
        elif sign == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        elif sign == '"':
            at = _quoted(text, at + 1)[1] - 1
        elif sign == opened:
            depth += 1
        elif sign == closing:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)
