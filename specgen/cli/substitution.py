"""What a shell puts in the place of a word: variables, lists, sums, spans of numbers, and results that words alone say.

As bash 5 has it (bash(1), EXPANSION). What is not known here stays as it is written, and is never guessed.
"""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from glob import escape, glob
from operator import eq, ge, gt, le, lt, ne

from specgen.cli.arithmetic import Sum
from specgen.operators.kubernetes.script import closed, commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import TypeAlias

    from specgen.operators.kubernetes.script import Command, Word

# A text, the words of a list, those that have names, or None: it has a value, and nobody knows which.
Value: TypeAlias = "str | list[str] | dict[str, str] | None"
# The same of what becomes words.
Made: TypeAlias = "str | list[str] | None"
# A folder that no script says: the one that it runs in.
HERE = "\0"
# What has the place, among the variables, of the folder in which a script's files lie, from this one on.
FOLDER = "/"
# A longer value stays a variable, and so does what nests deeper.
LONGEST = 1 << 14
_DEEPEST = 12
_MOST = 1024
# Of a file that is read here.
_LARGEST = 1 << 18
_SHORT = 256
# What Slurm and the session set, whose values no script says.
_ELSEWHERE = ("SLURM", "CUDA_VISIBLE", "CONDA", "VIRTUAL_ENV", "LD_", "PMI", "OMPI")
# Those that Slurm and a session always set.
_ALWAYS = ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_JOB_NAME", "SLURM_JOB_NODELIST", "SLURM_NODELIST", "HOME", "USER")
_OF_SESSION = ("HOME", "USER", "PATH", "HOSTNAME", "TMPDIR", "PYTHONPATH", "SHELL", "LOGNAME", "RANDOM", "SECONDS")
_ASKED_FOR = ("SLURM_CPUS_PER_TASK", "SLURM_NTASKS_PER_NODE", "SLURM_GPUS_PER_NODE", "SLURM_ARRAY_TASK_ID")
_REFERENCE = re.compile(r"\"?\$\{?(\w+)(?::?-)?\}?\"?", re.ASCII)
_FORMAT = re.compile(r"%(?:(%)|(0?)(\d{0,3})([sdi]))")
_ESCAPED = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r"}
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]", re.ASCII)
_PARAMETER = re.compile(r"([#!]?)([A-Za-z_]\w*|[0-9]+|[@*])(?:\[([^\]]*)\])?(.*)", re.ASCII | re.DOTALL)
_DEFAULT = re.compile(r"(:?)([-=+?])(.*)", re.DOTALL)
_CUT = re.compile(r"(##?|%%?)(.+)", re.DOTALL)
_SLICE = re.compile(r":(?:\s*(\d{1,6})|\s+(-\d{1,6}))(?::\s*(\d{1,6}))?")
_REPLACED = re.compile(r"(/[/#%]?)([^/#%*?\[\\][^/*?\[\\]*)(?:/([^/\\]*))?")
_SPAN = re.compile(r"\{(?:(-?\d{1,7})\.\.(-?\d{1,7})(?:\.\.-?(\d{1,4}))?|([A-Za-z])\.\.([A-Za-z]))\}", re.ASCII)
# The folder that a script runs in, or lies in: that of the program, whose path in the image it does not say.
_SCRIPTS_OWN = re.compile(
    r'cd (?:-- )?"?\$\(dirname (?:-- )?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\)"?[^()]*pwd[^()]*'
    r'|dirname (?:-- )?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?'
)
_GLOB = re.compile(r"[*?]|\[[^\],/]+\]")
_CHOICES = re.compile(r"\{([\w./:=-]*(?:,[\w./:=-]*)+)\}")
# A remark among the words of a list.
_REMARK = re.compile(r"(?:^|\s)#[^'\"]*$")
_CAT = re.compile(r"cat <<-?\s*(['\"]?)(\w+)\1[ \t]*\n(.*?)\n\s*\2", re.DOTALL)
# Commands whose output their words say, and files that lie here.
_PRINT = ("seq", "basename", "dirname", "echo", "expr", "printf", "cat", "ls", "sed")
_LINE = re.compile(r"([1-9]\d{0,5})p", re.ASCII)
_OF_EXPR = ("+", "-", "*", "/", "%", "(", ")")
_ORDER = {"-eq": eq, "-ne": ne, "-gt": gt, "-ge": ge, "-lt": lt, "-le": le}


class Shell:
    """The variables of a shell, and the words that it makes with them.

    ``values``: name → its value; ``numbers``: those of its variables that stay what they are outside of sums;
    ``names``: variables that the script sets somewhere, and nothing else does; ``array``: the name of one that differs
    from task to task, with ``pick``, which gives the reference to a word of a list by it, or "". ``used``: the names
    that were put in place; ``lost``: parts of words that are left out, as nothing sets their variable; ``sought``:
    words by which a shell finds files; ``literal``: those in whose values quotes are signs like others. ``call``: gives
    what one of the script's ``functions`` prints, None where nobody knows it; ``written``: files that the script
    writes, with their texts, None where nobody knows them; ``opened``: files, and patterns of files, that are read as
    they lie here.
    """

    # fmt: off
    __slots__ = (
        "array", "call", "functions", "literal", "lost", "names", "numbers", "opened", "pick", "sought", "used",
        "values", "written",
    )
    # fmt: on

    def __init__(self, values: dict[str, Value], array: str, pick: Callable[[str, list[str]], str]) -> None:
        self.values = values
        self.numbers: dict[str, str] = {}
        self.names: frozenset[str] = frozenset()
        self.array = array
        self.pick = pick
        self.used: set[str] = set()
        self.lost: list[tuple[str, str]] = []
        self.literal: list[str] = []
        self.sought: list[str] = []
        self.call: Callable[[str, list[str]], str | None] = lambda name, words: None
        self.functions: Container[str] = ()
        self.written: dict[str, str | None] = {}
        self.opened: dict[str, None] = {}

    @property
    def folder(self) -> str | None:
        """The one that it is in."""
        folder = self.values.get("PWD", HERE)
        return folder if isinstance(folder, str) else None

    def path(self, name: str) -> str | None:
        """Where a file lies that a script names; None where nobody knows it."""
        if not name or {"$", "`", HERE} & {*name}:
            return None
        folder = self.values.get(FOLDER, "")
        return os.path.normpath(os.path.join(folder, name)) if isinstance(folder, str) else None

    def contents(self, name: str) -> str | None:
        """The text of a file that the script writes before, or that lies here; None where nobody knows it."""
        path = self.path(name)
        if path is None or path in self.written:
            return None if path is None else self.written[path]
        if not os.path.isfile(path):
            return None
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read(_LARGEST + 1)
        except (OSError, ValueError):
            return None
        self.opened[name] = None
        return text if len(text) <= _LARGEST and "\0" not in text else None

    def found(self, pattern: str) -> list[str]:
        """The files that lie here and have a name of a pattern's form, those of the script's folder alone."""
        folder = self.path(".")
        several = sum([any(sign in part for sign in "*?[") for part in pattern.split("/")])
        if folder is None or pattern[:1] == "/" or several > 2 or "**" in pattern or "[^" in pattern:
            return []
        if any([fnmatchcase(one, os.path.normpath(os.path.join(folder, pattern))) for one in self.written]):
            return []  # and what the script writes
        found = sorted(glob(pattern, root_dir=folder))
        return found if len(found) <= _MOST else []

    def words(self, raw: str, deep: int = 0) -> list[str]:
        """The words that one becomes, which is given as it is written."""
        found: list[str] = []
        for one in _spanned(raw):
            found += _Making(self, deep).of(one)
        return found

    def text(self, raw: str, deep: int = 0) -> str:
        """The value of an assignment, or a word that stays one."""
        return _Making(self, deep).whole(raw)

    def listed(self, raw: str) -> list[str]:
        """The words of a list, `(a "b c" $d)`, which is given with its brackets."""
        text = ": " + " ".join([_REMARK.sub("", line.rstrip("\\")) for line in raw[1:-1].split("\n")])
        called = next((one.words for one in commands(text)), [])
        return [found for word in called[1:] for found in self.words(text[word.start : word.end])]

    def document(self, text: str, *, plain: bool) -> str | None:
        """A text that stands in a script as it is, in which variables are put in place unless it is ``plain``."""
        found = text if plain else self.text('"' + text.replace('"', '\\"') + '"')
        return found if len(found) < LONGEST else None

    def known(self, raw: str) -> str | None:
        """The text of a word of a condition, in which what nothing sets is empty; None where nobody knows it."""
        making = _Making(self, 0, strict=True)
        text = making.whole(raw)
        return None if making.unknown or {"$", "`", HERE} & {*text} else text

    def value(self, name: str) -> tuple[bool, Value]:
        """(whether its value is known, the value): "" where nothing sets the variable, None where nobody knows."""
        name = "@" if name == "*" else name
        if name in self.values:
            self.used.add(name)
            return self.values[name] is not None, self.values[name]
        elsewhere = name.startswith(_ELSEWHERE) or name in _OF_SESSION or name in "@?$!-"
        if name in self.names and not elsewhere:
            return True, ""  # the script sets it elsewhere
        if name in _ASKED_FOR and name not in self.numbers:
            elsewhere = False  # Slurm sets it where it was asked for alone
        return False, None if elsewhere or (name == self.array and name) else ""

    def holds(self, command: Command, text: str) -> bool | None:
        """Whether a test that stands in a text does; None where nobody knows."""
        raws = [text[word.start : word.end] for word in command.words]
        if not raws and not any(["$(" in word.text or "`" in word.text for word in command.sets]):
            return not command.negated  # an assignment
        if raws[:1] == ["getopts"] and self.values.get("@") == []:
            return command.negated  # there is none to read
        if raws[:1] in (["true"], ["false"]):
            return (raws[0] == "true") is not command.negated
        if raws and raws[0].startswith("((") and len(raws) == 1:
            value = self.summed(raws[0][2:-2])
            return None if value is None else (value != 0) is not command.negated
        if raws[:1] not in (["["], ["[["], ["test"]) or command.redirected or command.piped:
            return None
        closing = {"[": "]", "[[": "]]"}.get(raws[0])
        if closing is not None and raws.pop() != closing:
            return None
        said = raws[1:]
        negated = command.negated
        while said[:1] == ["!"]:
            negated, said = not negated, said[1:]
        found = self._either(said) if raws[0] == "[[" else self._compared(said)
        return None if found is None else found is not negated

    def _either(self, raws: list[str]) -> bool | None:
        """Whether the words of `[[ … ]]` hold: parts with `||` between them, and `&&`, which binds more."""
        found: bool | None = False
        for part in _parted(raws, "||"):
            holds: bool | None = True
            for each in _parted(part, "&&"):
                negated = each[:1] == ["!"]
                each = each[1:] if negated else each
                inside = each[:1] == ["("] and each[-1:] == [")"]
                one = self._either(each[1:-1]) if inside else self._compared(each)
                one = None if one is None else one is not negated
                holds = False if False in (holds, one) else None if None in (holds, one) else True
            found = True if True in (found, holds) else None if None in (found, holds) else False
        return found

    def _compared(self, raws: list[str]) -> bool | None:
        words = [self.known(one) for one in raws]
        if len(words) == 2 and raws[0] in ("-z", "-n"):
            asked = _REFERENCE.fullmatch(raws[1])
            always = asked is not None and asked[1] in (*_ALWAYS, self.array) and asked[1] not in self.values
            return None if words[1] is None and not always else (raws[0] == "-n") is (always or bool(words[1]))
        if len(words) == 1:
            return None if words[0] is None else bool(words[0])
        if len(words) != 3 or words[0] is None or words[2] is None:
            return None
        if raws[1] == "=~":
            return _matches(words[0], words[2], raws[2])
        if raws[1] in ("=", "==", "!="):
            return fnmatchcase(words[0], words[2]) is (raws[1] != "!=")
        compare = _ORDER.get(raws[1])
        left, right = (int(one) if one.isascii() and one.isdigit() else None for one in (words[0], words[2]))
        return compare(left, right) if compare is not None and left is not None and right is not None else None

    def reckoned(self, text: str, deep: int = 0) -> Sum:
        """A sum, of which nothing is taken yet."""
        if "$" in text or "`" in text:
            making = _Making(self, deep, sums=True)
            text = making.whole(f'"{text}"' if '"' not in text else text)
            if making.unknown:
                return Sum("?", self._number)
        return Sum(text.replace('"', ""), self._number)

    def _number(self, name: str, index: int | None) -> str | None:
        """The text of a variable in a sum, or of a word of a list."""
        known, value = self.value(name)
        if not known and name in self.numbers:
            known, value = True, self.numbers[name]
        if isinstance(value, list):
            at = index or 0
            value = value[at] if -len(value) <= at < len(value) else ""
        elif index:
            return None
        return value if known and isinstance(value, str) and not {"$", "`", HERE} & {*value} else None

    def take(self, found: Sum, *, lost: bool = False) -> None:
        """Takes what a sum sets; ``lost``: nobody knows whether it does."""
        for name, value in found.changes.items():
            self.values[name] = None if value is None or lost else str(value)
        self.values |= dict.fromkeys(found.names)

    def summed(self, text: str) -> int | None:
        """The value of a sum, None where nobody knows it."""
        return self.reckoned(text).value

    def matches(self, subject: str, patterns: list[str]) -> bool | None:
        """Whether a word is one of those that a way of `case` is for."""
        if "*" in patterns:
            return True
        word = self.known(subject)
        known = [self.known(one) for one in patterns]
        if word is None or None in known:
            return None
        return any([fnmatchcase(word, one) for one in known if one is not None])


class _Making:
    """A word in the making. ``strict``: whether what nothing sets is empty; ``unknown``: a part of it is not known."""

    __slots__ = ("deep", "fields", "now", "pattern", "seeks", "shell", "size", "strict", "sums", "unknown")

    def __init__(self, shell: Shell, deep: int, *, strict: bool = False, sums: bool = False) -> None:
        """``sums``: whether it is one of a sum."""
        self.shell = shell
        self.deep = deep
        self.strict = strict
        self.sums = sums
        self.unknown = False
        self.fields: list[str] = []
        # the word that is being made; None: none has begun
        self.now: str | None = None
        # the same with signs that stand for others in it, whether there are any
        self.pattern = ""
        self.seeks = False
        self.size = 0

    def of(self, raw: str) -> list[str]:
        if raw[:1] == "~":
            self.shell.sought.append(raw)
        self._read(raw, splits=True)
        self._part()
        return [raw] if self.size > LONGEST else self.fields

    def whole(self, raw: str) -> str:
        self._read(raw, splits=False)
        if self.size > LONGEST:
            return raw
        # the words of a list are one, with spaces between them
        return " ".join([*self.fields, *([self.now] if self.now is not None else [])])

    def _put(self, text: str, *, seeks: bool = False) -> None:
        self.size += len(text)
        if self.size <= LONGEST:
            self.now = (self.now or "") + text
            self.pattern += text if seeks else escape(text)

    def _part(self) -> None:
        """Ends a word, which becomes those of the files that it looks for."""
        found: list[str] = []
        if self.now is not None and self.seeks:
            found = self.shell.found(self.pattern) if not {"$", "`", HERE} & {*self.now} else []
            if found:
                self.shell.opened[self.now] = None
            else:
                self.shell.sought.append(self.now)
        if self.now is not None:
            self.fields += found or [self.now]
        self.now, self.pattern, self.seeks = None, "", False

    def _read(self, raw: str, *, splits: bool) -> None:
        at = 0
        while at < len(raw) and self.size <= LONGEST:
            sign = raw[at]
            if sign == "\\":
                self._put("" if raw.startswith("\\\n", at) else raw[at + 1 : at + 2])
                at += 2
            elif sign == "'":
                end = raw.find("'", at + 1)
                end = len(raw) if end < 0 else end
                self._put(raw[at + 1 : end])
                at = end + 1
            elif sign == '"':
                at = self._quoted(raw, at + 1)
            elif raw.startswith("$'", at):
                at = self._escaped(raw, at + 2)
            elif raw.startswith('$"', at):
                at += 1
            elif sign in "$`":
                at = self._replaced(raw, at, quoted=not splits)
            else:
                end = at + 1
                while end < len(raw) and raw[end] not in "\\'\"$`":
                    end += 1
                self.seeks = self.seeks or (splits and _GLOB.search(raw, at, end) is not None)
                self._put(raw[at:end], seeks=splits)
                at = end

    def _escaped(self, raw: str, at: int) -> int:
        """Puts the text of `$'…'`, and says where it ends."""
        begin = at - 2
        while at < len(raw) and raw[at] != "'":
            if raw[at] != "\\":
                self._put(raw[at])
            elif raw[at + 1 : at + 2] in _ESCAPED:
                at += 1
                self._put(_ESCAPED[raw[at]])
            else:  # signs by their numbers
                self.unknown = True
                self._put(raw[begin : at + 1])
            at += 1
        self._put("")
        return at + 1

    def _quoted(self, raw: str, at: int) -> int:
        self._put("") if not raw.startswith(("$@", "${"), at) else None
        while at < len(raw) and raw[at] != '"' and self.size <= LONGEST:
            if raw[at] == "\\" and raw[at + 1 : at + 2] in ('"', "\\", "`", "$", "\n"):
                self._put("" if raw[at + 1] == "\n" else raw[at + 1])
                at += 2
            elif raw[at] in "$`":
                at = self._replaced(raw, at, quoted=True)
            else:
                self._put(raw[at])
                at += 1
        return at + 1

    def _replaced(self, raw: str, at: int, *, quoted: bool) -> int:
        """Puts what begins here in place, and says where it ends."""
        end, written, value = self._found(raw, at, quoted=quoted)
        if value is None:
            self.unknown = True
            self._put(written)
        elif isinstance(value, list):
            # in quotes too, each word of a list is one
            for number, one in enumerate(value):
                if number:
                    self._part()
                self._put(one)
        elif quoted:
            self._put(value)
        else:
            words = value.split()
            if {"'", '"'} & {*value} and len(words) > 1:
                self.shell.literal.append(raw[at:end])
            if words and value[:1].isspace():
                self._part()
            for number, one in enumerate(words):
                if number:
                    self._part()
                self._put(one)
            if words and value[-1:].isspace():
                self._part()
        return end

    def _found(self, raw: str, at: int, *, quoted: bool) -> tuple[int, str, Made]:
        """(where it ends, how it is written, what it becomes; None: nobody knows)."""
        if raw[at] == "`":
            end = raw.find("`", at + 1)
            end = len(raw) if end < 0 else end + 1
            return end, raw[at:end], self._printed(raw[at + 1 : end - 1])
        if raw.startswith("$((", at):
            end = closed(raw, at + 1)
            return end, raw[at:end], self._sum(raw[at + 3 : end - 2])
        if raw.startswith("$[", at) and (end := raw.find("]", at)) > 0 and "[" not in raw[at + 2 : end]:
            return end + 1, raw[at : end + 1], self._sum(raw[at + 2 : end])
        if raw.startswith("$(", at):
            end = closed(raw, at + 1)
            return end, raw[at:end], self._printed(raw[at + 2 : end - 1])
        if raw.startswith("${", at):
            end = closed(raw, at + 1)
            return end, raw[at:end], self._parameter(raw[at + 2 : end - 1], raw[at:end], quoted=quoted)
        name = _NAME.match(raw, at + 1)
        if name is None:
            return at + 1, "$", "$"
        return name.end(), name.string[at : name.end()], self._variable(name[0], quoted=quoted)

    def _variable(self, name: str, *, quoted: bool) -> Made:
        if name == "PWD":
            return self.shell.folder
        if name == "#":
            listed = self.shell.values.get("@")
            return str(len(listed)) if isinstance(listed, list) else None
        known, value = self.shell.value(name)
        if not known and self.sums and name in self.shell.numbers:
            known, value = True, self.shell.numbers[name]
        if isinstance(value, dict):
            return value.get("0", "")
        if isinstance(value, list) and name != "@":
            return " ".join(value) if name == "*" else value[0] if value else ""
        if isinstance(value, list):
            return _parts(value, quoted=quoted)
        return value if known or self.strict else None

    def _parameter(self, inside: str, written: str, *, quoted: bool) -> Made:
        """`${…}`."""
        match = _PARAMETER.fullmatch(inside)
        if match is None or self.deep > _DEEPEST:
            return None
        if match[1] == "!":
            known, value = self.shell.value(match[2])
            if isinstance(value, dict):
                whole = match[3] in ("@", "*") and not match[4]
                return _parts(ordered(value), quoted=quoted) if whole else None
            listed = known and isinstance(value, list) and match[3] in ("@", "*") and not match[4]
            return [str(at) for at in range(len(value or ""))] if listed and not _is_open([*(value or "")]) else None
        count, name, index, rest = match.groups()
        if index is None and not count and not rest:
            return self._variable(name, quoted=quoted)
        known, value = self.shell.value(name)
        if name == "PWD":
            known, value = self.shell.folder is not None, self.shell.folder
        if isinstance(value, dict) and index not in ("@", "*"):
            return self._of_map(value, index or "0", rest, count, written="" if quoted else written)
        if index is not None:
            if not known:
                return [] if self.strict and value == "" else None
            words = [value[one] for one in ordered(value)] if isinstance(value, dict) else []
            if not isinstance(value, dict):
                words = value if isinstance(value, list) else [str(value)] if name in self.shell.values else []
            if index not in ("@", "*"):
                value = self._picked(name, index, words)
                known = value is not None
            elif count:
                return None if _is_open(words) else str(len(words))
            else:
                changed = self._each(words, rest)
                if changed is None:
                    return None
                return _parts(changed, quoted=quoted) if index == "@" else " ".join(changed)
        elif isinstance(value, list) and known and _SLICE.fullmatch(rest) and not count:
            # of the arguments the first has the number 1
            changed = self._each(["", *value], rest) if not rest.startswith(":0") else None
            return None if changed is None else _parts(changed, quoted=quoted) if name == "@" else " ".join(changed)
        elif isinstance(value, list) and name not in ("@", "*"):
            value = value[0] if value else ""
        if isinstance(value, dict):
            return None
        if not count and not rest:
            return value if known or self.strict else None
        default = _DEFAULT.fullmatch(rest) if not count else None
        if default is not None:
            return self._default(name, value, default, "" if quoted else written)
        if not known or not isinstance(value, str) or {"$", "`", HERE} & {*value}:
            return None  # all of it or a part is not known
        return str(len(value)) if count else _changed(value, rest, self)

    def _each(self, words: list[str], how: str) -> list[str] | None:
        """The words of a list, some of them or each changed."""
        if not how:
            return words
        part = _SLICE.fullmatch(how)
        if part is not None and _is_open(words):
            return None  # one of them may be several
        if part is not None:
            rest = words[int(part[1] or part[2]) :]
            return rest[: int(part[3])] if part[3] is not None else rest
        if any([{"$", "`", HERE} & {*word} for word in words]):
            return None
        changed = [_changed(word, how, self) for word in words]
        return [one for one in changed if one is not None] if None not in changed else None

    def _default(self, name: str, value: Made, default: re.Match[str], written: str) -> Made:
        """`${NAME:-…}` and its kin; ``value``: None where there is one that nobody knows; ``written``: "" in quotes."""
        colon, sign, text = default.groups()
        if value is None:
            return None
        unset = name not in self.shell.values
        there = bool(value) if colon else not unset
        if sign == "+":
            if not there:
                if unset and not self.strict:
                    self.shell.lost.append((f"${{{name}{colon}+{text}}}", name))
                return ""
            return self._said(text, written)
        if there:
            return value
        if sign == "?":
            return None
        if sign == "=":
            self.shell.values[name] = self.shell.text(text, self.deep + 1)
        return self._said(text, written)

    def _said(self, text: str, written: str) -> Made:
        """The words of a text that stands in braces, or itself in quotes."""
        if not written:
            return self.shell.text(f'"{text}"' if '"' not in text else text, self.deep + 1)
        called = next((one.words for one in commands(f": {text}")), [])
        words = [
            part for word in called[1:] for part in self.shell.words(f": {text}"[word.start : word.end], self.deep + 1)
        ]
        return words

    def _of_map(self, words: dict[str, str], index: str, how: str, count: str, *, written: str) -> Made:
        """A word of a list whose words have names."""
        name = self.shell.text(index, self.deep + 1)
        if {"$", "`", HERE} & {*name}:
            return None
        if name in words:
            value = words[name]
            default = _DEFAULT.fullmatch(how)
            if {"$", "`", HERE} & {*value} and (count or (how and default is None)):
                return None
            if default is not None and not (value or not default[1]):
                return self._absent(how, count, written)
            if default is not None:
                return self._said(default[3], written) if default[2] == "+" else value
            return str(len(value)) if count else _changed(value, how, self) if how else value
        return self._absent(how, count, written)

    def _absent(self, how: str, count: str, written: str) -> Made:
        default = _DEFAULT.fullmatch(how)
        if default is None:
            return "0" if count else "" if not how else None
        return self._said(default[3], written) if default[2] == "-" else "" if default[2] == "+" else None

    def _picked(self, name: str, index: str, words: list[str]) -> Made:
        """A word of a list by its number."""
        index = index.strip()
        if index.strip("${}") == self.shell.array:
            return self.shell.pick(name, words) or None
        number = self._sum(self.shell.text(index, self.deep + 1))
        at = int(number) if number is not None else len(words)
        if not -len(words) <= at < len(words) or _is_open(words[: at + 1] if at >= 0 else words[at:]):
            return None
        return words[at]

    def _sum(self, text: str) -> str | None:
        """The value of `$((…))`; None where it is none of whole numbers that are known."""
        found = self.shell.reckoned(text, self.deep + 1)
        self.shell.take(found)
        return None if found.value is None else str(found.value)

    def _printed(self, text: str) -> Made:
        """What a command prints, where its words alone say it."""
        plain = text.strip()
        if plain in ("pwd", "pwd -P"):
            return self.shell.folder
        if _SCRIPTS_OWN.fullmatch(plain):
            return HERE
        if self.deep > _DEEPEST or len(plain) > LONGEST:
            return None
        document = _CAT.fullmatch(plain)
        if document is not None:
            return self.shell.document(document[3], plain=bool(document[1]))
        if plain[:1] == "<":
            made = self.shell.contents(self._whole(plain[1:].strip()))
            return None if made is None else made.rstrip("\n")
        found = list(commands(plain))
        if len(found) != 1 or found[0].sets or found[0].redirected or found[0].end != len(plain) or not found[0].words:
            return None
        return self._result([word for word in found[0].words], plain)

    def _whole(self, raw: str) -> str:
        """A word of a command that prints, as one."""
        return _Making(self.shell, self.deep + 1).whole(raw)

    def _result(self, called: list[Word], text: str) -> Made:
        name = called[0].text
        if name not in _PRINT and name not in self.shell.functions:
            return None
        words: list[str] = []
        for word in called[1:]:
            making = _Making(self.shell, self.deep + 1)
            words += making.of(text[word.start : word.end])
            if making.unknown:
                return None
        if name in self.shell.functions:
            said = self.shell.call(name, words)
            return None if said is None else said.rstrip("\n")
        if name == "cat":
            texts = [self.shell.contents(one) if one[:1] != "-" else None for one in words] or [None]
            return None if None in texts else "".join([one for one in texts if one is not None]).rstrip("\n")
        if name == "ls":
            # names that a pattern found, and no folder, whose files it would list
            files = all(
                [one in self.shell.found(escape(one)) and os.path.isfile(self.shell.path(one) or "") for one in words]
            )
            return "\n".join(sorted(words)) if words and files else None
        if name == "sed":
            line = _LINE.fullmatch(words[1]) if len(words) == 3 and words[0] == "-n" else None
            said = self.shell.contents(words[2]) if line is not None else None
            return "".join(said.split("\n")[int(line[1]) - 1 :][:1]) if line is not None and said is not None else None
        if name == "expr":
            plain = all([one in _OF_EXPR or one.removeprefix("-").isdecimal() for one in words])
            value = Sum(" ".join(words), lambda name, at: None).value if plain else None
            return None if value is None else str(value)
        if name == "printf":
            said = said_by([name, *words])
            return None if said is None else said.rstrip("\n")
        if name == "seq":
            wide = words[:1] == ["-w"]
            words = words[wide:]
            numbers = [one for one in words if one.isascii() and one.removeprefix("-").isdigit() and len(one) < 8]
            if len(numbers) != len(words) or not 0 < len(words) < 4:
                return None
            span = _span(numbers)
            return "\n".join([one.zfill(max(map(len, [*span, *numbers])) if wide else 0) for one in span])
        if name == "echo":
            return " ".join(words) if not words or words[0][:1] != "-" else None
        if not words or words[0][:1] == "-" or HERE in "".join(words):
            return None
        folder, _, last = words[0].rstrip("/").rpartition("/")
        if name == "dirname":
            return folder or ("/" if words[0][:1] == "/" else ".")
        return last.removesuffix(words[1]) if len(words) == 2 and last != words[1] else last


def ordered(words: dict[str, str]) -> list[str]:
    """The names of the words of a list in the order of bash 5, which is that of their hashes (hashlib.c, FNV-1)."""

    def place(name: str) -> int:
        found = 2166136261
        for sign in name.encode():
            found = (found * 16777619 & 0xFFFFFFFF) ^ sign
        return found & 1023

    return sorted(reversed(words), key=place)


def said_by(words: list[str]) -> str | None:
    """What `echo` and `printf` print, with the end of the line; None where it is more, and of other commands."""
    name, rest = words[0] if words else "", words[1:]
    if name == "echo" and rest[:1] != [] and rest[0][:1] == "-" and rest[0] != "-n":
        return None
    if name == "echo":
        return " ".join(rest[1:]) if rest[:1] == ["-n"] else " ".join(rest) + "\n"
    if name != "printf" or not rest:
        return None
    shape, end = (rest[0][:-2], "\n") if rest[0].endswith("\\n") else (rest[0], "")
    # a format with one place is said once for each word
    several = shape.count("%") == 1 and len(rest) > 2
    texts = [printed([shape, one]) for one in rest[1:]] if several else [printed([shape, *rest[1:]])]
    return "".join([f"{one}{end}" for one in texts]) if None not in texts else None


def printed(words: list[str]) -> str | None:
    """What `printf` prints of texts and whole numbers, once for each word of its format; None where it is more."""
    shape, rest = words[0] if words else "", words[1:]
    fields = [one for one in _FORMAT.finditer(shape) if not one[1]]
    plain = not {"\\", "%"} & {*_FORMAT.sub("", shape)}
    if not plain or len(fields) != len(rest) or any([{"$", "`", HERE} & {*one} for one in words]):
        return None
    numbers = iter(rest)
    unknown = False

    def field(one: re.Match[str]) -> str:
        nonlocal unknown
        if one[1]:
            return "%"
        word = next(numbers)
        number = word.isascii() and word.isdigit() and (word == "0" or word[0] != "0")
        unknown = unknown or (one[4] != "s" and not number) or (one[4] == "s" and bool(one[2]))
        return word.rjust(int(one[3] or "0"), "0" if one[2] else " ")

    text = _FORMAT.sub(field, shape)
    return None if unknown else text


def _parted(raws: list[str], sign: str) -> list[list[str]]:
    """Words between signs that stand in no brackets."""
    parts: list[list[str]] = [[]]
    depth = 0
    for one in raws:
        depth += (one == "(") - (one == ")")
        if one == sign and not depth:
            parts.append([])
        else:
            parts[-1].append(one)
    return parts


def _matches(text: str, pattern: str, raw: str) -> bool | None:
    """Whether a text has what a regular expression looks for; None where POSIX and Python may read it differently."""
    if {"'", '"', "\\"} & {*raw} or "[:" in raw or len(pattern) > _SHORT or len(text) > _SHORT or "(?" in pattern:
        return None
    if re.search(r"[*+?}][*+?{]|\([^)]*[*+{][^)]*\)[*+{]", pattern):
        return None  # and where it would take long
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return None


def _is_open(words: list[str]) -> bool:
    """Whether one of some words is not known, which may become several."""
    return any([{"$", "`"} & {*word} for word in words])


def _parts(words: list[str], *, quoted: bool) -> list[str]:
    """The words that those of a list become."""
    return words if quoted else [part for one in words for part in one.split()]


def parsed(text: str) -> list[str]:
    """The words of a text that a shell reads once more, as `eval` has it."""
    return [one.text for command in commands(f": {text}".replace("\n", " ")) for one in command.words[1:]]


def _span(ends: list[str]) -> list[str]:
    """The numbers of `seq`."""
    first, step, last = (1, 1, int(ends[0])) if len(ends) == 1 else (int(ends[0]), 1, int(ends[-1]))
    step = int(ends[1]) or 1 if len(ends) == 3 else step
    return [str(at) for at in range(first, last + (1 if step > 0 else -1), step)[:_MOST]]


def _spanned(raw: str) -> list[str]:
    """A word for each of `{1..5}` and `{a,b}` that stands in no quotes; itself where it has none."""
    if "{" not in raw or {"'", '"', "\\", "`"} & {*raw} or len(raw) > _MOST:
        return [raw]
    span, choices = _SPAN.search(raw), _CHOICES.search(raw)
    found = min((one for one in (span, choices) if one is not None), key=re.Match.start, default=None)
    if found is None or raw[: found.start()].endswith("$"):
        return [raw]
    made = found[1].split(",") if found is choices else _numbered(found)
    behind = _spanned(raw[found.end() :])
    if len(made) * len(behind) > _MOST:
        return [raw]
    return [f"{raw[: found.start()]}{one}{rest}" for one in made for rest in behind]


def _numbered(span: re.Match[str]) -> list[str]:
    """The numbers of `{1..5}`, of one width where one of them begins with a zero, or the letters of `{a..e}`."""
    if span[4]:
        begin, end = ord(span[4]), ord(span[5])
        letters = [chr(at) for at in range(min(begin, end), max(begin, end) + 1)]
        plain = span[4].islower() is span[5].islower()
        return letters[:: 1 if begin <= end else -1] if plain else [span[0]]
    first, last = int(span[1]), int(span[2])
    step = (int(span[3] or 1) or 1) * (1 if first <= last else -1)
    if abs(last - first) // abs(step) >= _MOST:
        return [span[0]]
    padded = any(len(one.lstrip("-")) > 1 and one.lstrip("-")[0] == "0" for one in (span[1], span[2]))
    width = max(len(span[1]), len(span[2])) if padded else 0
    return [f"{number:0{width}d}" for number in range(first, last + (1 if step > 0 else -1), step)]


def _changed(value: str, how: str, making: _Making) -> str | None:
    """A value of which a part is cut off or replaced: `${X%.py}`, `${X##*/}`, `${X:0:2}`, `${X/a/b}`, `${X,,}`."""
    if how in (",,", "^^"):
        return value.lower() if how == ",," else value.upper()
    cut = _CUT.fullmatch(how)
    if cut is not None and len(value) < _MOST:
        pattern = making.shell.text(cut[2], making.deep + 1)
        front, longest = cut[1][0] == "#", len(cut[1]) == 2
        places = range(len(value) + 1)
        # where the part ends, or begins
        for at in reversed(places) if longest is front else places:
            if fnmatchcase(value[:at] if front else value[at:], pattern):
                return value[at:] if front else value[:at]
        return value
    part = _SLICE.fullmatch(how)
    if part is not None:
        at = int(part[1] or part[2])
        rest = value[at:] if at >= -len(value) else ""
        return rest[: int(part[3])] if part[3] is not None else rest
    replaced = _REPLACED.fullmatch(how)
    if replaced is not None and "$" not in how:
        old, new = replaced[2], replaced[3] or ""
        if replaced[1] == "/#":
            return new + value[len(old) :] if value.startswith(old) else value
        if replaced[1] == "/%":
            return value[: len(value) - len(old)] + new if value.endswith(old) else value
        return value.replace(old, new, -1 if replaced[1] == "//" else 1)
    return None
