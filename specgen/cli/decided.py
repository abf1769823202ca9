"""Options of a program that a script decides by files: a pod decides them anew at each of its starts, in ``prepare``.

A checkpoint that is there after the first start is not there before it, so that no word of the line says it.
"""

from __future__ import annotations

import re
import shlex

from specgen.cli.beginning import MPI, facts
from specgen.cli.brought import Decided
from specgen.cli.called import name_of
from specgen.operators.kubernetes.argv import SHELLS
from specgen.operators.kubernetes.script import TESTS, commands
from specgen.schema.wording import secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from specgen.cli.called import Text
    from specgen.cli.substitution import Value
    from specgen.operators.kubernetes.script import Branch, Command

# A word that is options or nothing: `$RESUME`, `${CKPT:+--resume $CKPT}`.
_WORD = re.compile(r"\$(?:(\w+)|\{(\w+)\}|\{(\w+):?\+[\"']?-[^{}`]*\})", re.ASCII)
_REFERENCE = re.compile(r"\$\{?(\w+)", re.ASCII)
# Values that are options, or nothing.
_OPTIONS = re.compile(r"(?:-.*)?", re.DOTALL)
_PLAIN = re.compile(r"([\"']?)([\w./:=, -]+)\1", re.ASCII)
_FILES = ("-d", "-e", "-f", "-L", "-h", "-r", "-s")
_SET = ("-n", "-z")
# Commands that look at files, and change none.
# fmt: off
_LOOK = (
    "ls", "find", "head", "tail", "sort", "basename", "dirname", "readlink", "realpath", "cat", "wc", "grep", "cut",
)
# fmt: on
_SETTING = ("export", "declare", "local", "readonly", "typeset", "read", "unset", "eval", "let")
_MOST = 8


class _Unseen(Exception):
    """A pod may decide otherwise."""


def decided(text: Text, program: Sequence[str], until: int, values: Mapping[str, Value]) -> dict[str, Decided]:
    """Word of the program → by what a pod decides it; none where what decides is not in the pod.

    ``until``: where the program stands in the text; ``values``: those of variables behind it, None: not known here.
    """
    found: dict[str, Decided] = {}
    for at, word in enumerate(program):
        match = _WORD.fullmatch(word)
        behind = program[at + 1 : at + 2]
        if match is None or not at or (behind and behind[0][:1] not in ("-", "$")):
            continue
        name = match[1] or match[2] or match[3]
        try:
            one = _Reader(text, until, values).of(name, "" if match[3] is None else word)
        except _Unseen:
            continue
        if match[3] is None and len(one.lines) == 1 and (said := _at_once(one.lines[0], name)):
            one.lines = [said]
        else:
            one.lines.append(f'set -- "$@" {word}')
        if any(["[[" in line for line in one.lines]):
            one.lines.insert(0, "#!/bin/bash")
        found[word] = one
    return found


def take(options: Namespace) -> None:
    """Leaves such words out of the command, and has ``prepare`` say them; not where its shell runs none of them."""
    brought = options.brought
    by_mpi = options.start in MPI or (options.target is not None and facts(options.target).starter in MPI)
    if by_mpi or brought.args or options.command[0].rpartition("/")[2] in SHELLS:
        return
    for word, one in brought.decided.items():
        if word not in options.command:
            continue
        options.command.remove(word)
        brought.prepare += [line for line in one.lines if line not in brought.prepare]
        brought.left = {each: None for each in brought.left if not one.says(each[0], each[1])}


def _at_once(line: str, name: str) -> str:
    """A line that gives a variable one value, with the words themselves in place of that."""
    head, then, rest = line.partition(f"then {name}=")
    value = _PLAIN.fullmatch(rest.removesuffix("; fi"))
    return f'{head}then set -- "$@" {value[2]}; fi' if then and value is not None else ""


class _Reader:
    """Makes the lines that give variables the values which they have in a pod."""

    def __init__(self, text: Text, until: int, values: Mapping[str, Value]) -> None:
        self._text = text
        self._until = until
        self._values = values
        self._done: set[str] = set()
        self._found = Decided()

    def of(self, name: str, word: str) -> Decided:
        """``word``: what is made of it; where that is empty, its values are the options, or nothing. Raises _Unseen."""
        self._take(name, options=not word)
        self._known(word)
        return self._found

    def _take(self, name: str, *, options: bool = False) -> None:
        if name in self._done:
            return
        self._done.add(name)
        if len(self._done) > _MOST or not name.isidentifier() or name.startswith("SLURM_") or secret(name):
            raise _Unseen
        value = self._values.get(name, "")
        if isinstance(value, str) and name in self._values and not options:
            if "$" in value or "`" in value:
                raise _Unseen
            self._found.lines.append(f"{name}={shlex.quote(value)}")
            return
        setters = [one for one in self._text.commands if one.start < self._until and self._sets(one, name)]
        if not setters or (value is not None and name in self._values):
            raise _Unseen
        any_yet = False
        for one in setters:
            raw = next(self._text.raw(word) for word in one.sets if word.text.startswith((f"{name}=", f"{name}+=")))
            written = raw.partition("=")[2]
            if one.words or one.loops or one.function or one.shells or len(one.under) > 1 or raw.startswith(f"{name}+"):
                raise _Unseen
            if options and not _OPTIONS.fullmatch(written.strip("\"'")):
                raise _Unseen
            asked = self._condition(one.under[0]) if one.under else ""
            self._found.commands.append(one)
            if written.strip("\"'") or any_yet:
                any_yet = True
                self._known(raw, name)
                line = f"{raw} || :" if "$(" in raw or "`" in raw else raw
                self._found.lines.append(f"if {asked}; then {line}; fi" if asked else line)

    def _sets(self, one: Command, name: str) -> bool:
        """Whether a command sets a variable. Raises _Unseen where it does so in a way that is not read here."""
        named = any([re.search(rf"(?<![\w$/.{{-]){name}(?![\w/.-])", word.text) for word in one.words[1:]])
        if named and name_of(one) in _SETTING:
            raise _Unseen
        return any([word.text.startswith((f"{name}=", f"{name}+=")) for word in one.sets])

    def _known(self, text: str, own: str = "") -> None:
        """Takes what a text needs, and sees that its commands look at files alone. Raises _Unseen."""
        if "`" in text or "<(" in text or "$((" in text or "~" in text:
            raise _Unseen
        for inner in re.findall(r"\$\((.*)\)", text, re.DOTALL):
            if any([name_of(one) not in _LOOK for one in commands(inner)]) or "-delete" in inner or "-exec" in inner:
                raise _Unseen
        for name in _REFERENCE.findall(text):
            if name != own:
                self._take(name)

    def _condition(self, way: Branch) -> str:
        """The condition of a way, with those before it that did not hold. Raises _Unseen."""
        parts: list[str] = []
        before = way.before
        while before is not None:
            parts.insert(0, f"! {self._tests(before)}")
            before = before.before
        if way.tests:
            parts.append(f"{'! ' if way.negated else ''}{self._tests(way)}")
        if not parts:
            raise _Unseen
        return " && ".join(parts)

    def _tests(self, way: Branch) -> str:
        """One test of a file, or of a variable."""
        if way.subject is not None or len(way.tests) != 1 or way.tests[0].negated or way.tests[0].redirected:
            raise _Unseen
        one = way.tests[0]
        raws = [self._text.raw(word) for word in one.words]
        closing = {"[": "]", "[[": "]]"}.get(raws[0], "")
        inside = raws[1:-1] if closing else raws[1:]
        if raws[0] not in TESTS or len(inside) != 2 or inside[0] not in (*_FILES, *_SET):
            raise _Unseen
        path = inside[1].strip("\"'")
        if inside[0] in _FILES and path[:1] not in ("/", "$"):
            raise _Unseen
        self._known(inside[1])
        self._found.commands.append(one)
        return " ".join(raws)
