"""A shell's script read as its shell would run it: what each command does to variables, and which of them are reached.

Nothing is run. What nobody knows here stays open: of a condition both ways are taken, of a loop one turn.
"""

from __future__ import annotations

import os
import re

from specgen.cli import slurm
from specgen.cli.arithmetic import Sum
from specgen.cli.brought import ARRAY, Brought
from specgen.cli.called import Text, called_words, is_said_by_variable, is_step, name_of
from specgen.cli.substitution import FOLDER, HERE, LONGEST, Shell, parsed, printed, said_by
from specgen.cli.variables import POSITIONAL, Lines, Variables, is_known
from specgen.operators.kubernetes.argv import SHELLS
from specgen.operators.kubernetes.script import TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from specgen.cli.substitution import Value
    from specgen.operators.kubernetes.script import Branch, Command

    # Where a command stands, behind the calls of functions that lead to it.
    Place: TypeAlias = "tuple[int, ...]"

# The head of a loop of C's form.
_FOR = re.compile(r"\(\(([^;]*);([^;]*);([^;]*)\)\)")
_ELEMENT = re.compile(r"([A-Za-z_]\w*)\[([^\]]+)\](\+?)=(.*)", re.ASCII | re.DOTALL)
# So many commands are run in loops and functions, and of so many starts of the program each is looked at.
MOST_TURNS = 4096
MOST_STARTS = 1024
# Tests that a file is there.
_OF_FILES = ("-d", "-e", "-f", "-L", "-r", "-s")
OF_FOLDER = "`workdir`, with the whole path in the image or in `mounts`"
# Deeper than this no function calls another one.
_DEEP = 6
_DECLARES = ("export", "declare", "typeset", "local", "readonly")
# Those that print nothing, and where else a command may print.
_QUIET = (
    *(":", "true", "false", "shift", "set", "let", "unset", "return", "exit", "break", "continue", "shopt", "trap"),
    *("read", "mapfile", "readarray", "getopts", "case", *TESTS),
)
_ELSEWHERE = re.compile(r"\s*(?:1?>\s*&\s*2|(?:1|&)?>>?\s*/dev/null)")
# Redirections behind a command, and those of what it prints; commands that change the files that they name.
_REDIRECTED = re.compile(
    r"\s*(?:(?:\d|&)?(?:<<<|<<-?|>>?|<)&?\s*(?:\"[^\"]*\"|'[^']*'|[^\s;|&<>()\"'])+\s*)*", re.DOTALL
)
_OUTPUT = re.compile(r"(?<![\d&>])(?:1|&)?(>>?)\s*((?:\"[^\"]*\"|'[^']*'|[^\s;|&<>()\"'])+)")
_CHANGES = ("sed", "rm", "mv", "cp", "tee", "ln", "dd", "install", "touch", "truncate")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\+?=", re.ASCII)
_READS = ("read", "mapfile", "readarray", "getopts")


class Step:
    """A command that is reached. ``words``: those of what starts a step, None of every other one; ``called``: these, or
    those of what starts a program without one.

    ``sure``: whether it is reached for certain; ``line``: of it, or of the call that leads there; ``behind``: whether
    the shell does not wait for it; ``alike``: its own place, and those where the same command has other arguments.
    """

    __slots__ = ("alike", "behind", "called", "command", "line", "place", "sure", "words")

    def __init__(self, command: Command, place: Place, line: int) -> None:
        self.command = command
        self.place = place
        self.line = line
        self.behind = command.behind
        self.sure = False
        self.alike: list[Place] = [place]
        self.words: list[str] | None = None
        self.called: list[str] | None = None


class Started:
    """One start of the program: its ``words``, its ``env`` and ``workdir``; ``loops``: what those around it are at.

    ``written``: scripts among its words that the script writes before, with their texts.
    """

    __slots__ = ("env", "loops", "words", "workdir", "written")

    def __init__(self, words: list[str], env: dict[str, str], workdir: str, loops: dict[str, str]) -> None:
        self.words = words
        self.env = env
        self.workdir = workdir
        self.loops = loops
        self.written: dict[str, str | None] = {}


class _Unsure(Exception):
    """Nobody knows whether a loop goes on."""

    def __init__(self, command: Command) -> None:
        super().__init__()
        self.command = command


class Interpreter:
    """Reads a script once.

    ``steps``: the commands that are reached, by their places; ``program``: the words of the chosen one, and ``started``
    each of its starts, where all turns of loops are run. ``uncounted``: the command by which nobody knows how often it
    starts; ``once``: heads of loops around it of which one turn stands for all; ``ended``: what ends the script;
    ``skips``: what may leave a turn out, which is not taken to.
    """

    # fmt: off
    __slots__ = (
        "_around", "_called", "_chosen", "_fed", "_function", "_held", "_inner", "_inside", "_leave", "_leaving",
        "_left", "_lines", "_listed", "_loops", "_most", "_now", "_numbers", "_output", "_perhaps", "_places",
        "_prints", "_repeating", "_shell", "_text", "_turned", "_turns", "_unrolls", "_verdicts", "brought", "ended",
        "once", "program", "skips", "started", "steps", "uncounted", "variables",
    )
    # fmt: on

    def __init__(
        self,
        text: Text,
        brought: Brought,
        arguments: list[str],
        numbers: dict[str, str],
        leave: Callable[[Command, Interpreter], None],
        chosen: Step | None = None,
        *,
        unrolls: bool = False,
        most: int = MOST_TURNS,
    ) -> None:
        """``numbers``: Slurm's; ``leave``: is told of commands that do nothing here; ``unrolls``: runs all turns.

        ``most``: so many commands are run in loops and functions.
        """
        self._most = most
        self._text = text
        self.brought = brought
        self._chosen = chosen
        self._numbers = numbers
        self._leave = leave
        self._unrolls = unrolls
        values: dict[str, Value] = {**brought.shell, **brought.env, **numbers, "@": list(arguments)}
        values |= {str(at): one for at, one in enumerate(arguments, 1)}
        if brought.workdir:
            values["PWD"] = brought.workdir
        # a variable of each task, unless its number is known or there is no array
        task = ARRAY if ARRAY not in numbers and (brought.array or not brought.source) else ""
        self._shell = Shell(values, task, brought.of_task)
        self._shell.names = text.names - {*brought.shell, *brought.env, *numbers}
        self._shell.functions, self._shell.call = text.functions, self._printed_by
        self.variables = Variables(self._shell, text, brought, numbers)
        self._verdicts: dict[int, tuple[bool | None, bool, bool]] = {}
        self._held: dict[int, bool | None] = {}
        # loops whose turns are run, one after the other; those around the program; what each of the former is at
        self._turned: tuple[int, ...] = ()
        self._around: tuple[int, ...] = ()
        self._loops: dict[str, str] = {}
        self._turns = 0
        # the function whose body is read, the calls that lead there, and those functions that are called at all
        self._function = ""
        self._places: Place = ()
        self._lines: tuple[int, ...] = ()
        # whether that call is not certain, and whether it stands in a loop whose turns nobody counts
        self._perhaps = self._repeating = False
        # those of them whose values are listed, and what loops are given to read
        self._listed: tuple[int, ...] = ()
        self._fed: list[Lines | None] = []
        # what a function prints whose output is asked for; None: none is asked for, or nobody knows it
        self._output: list[str] | None = None
        self._prints = False
        # where the command stands that is read
        self._now = 0
        self._inner: Interpreter | None = None
        # shells of their own in which a place is
        self._inside: tuple[int, ...] = ()
        self._called: set[str] = set()
        # `break`, `continue`, `return` or `exit` that is on its way, and how many loops it still leaves
        self._leaving = ""
        self._left = 0
        self.steps: dict[Place, Step] = {}
        self.program: list[str] = []
        self.started: list[Started] = []
        self.uncounted: Command | None = None
        self.skips: Command | None = None
        self.once: list[Command] = []
        self.ended: Command | None = None

    @property
    def used(self) -> set[str]:
        """The names that were put in place."""
        return self._shell.used

    @property
    def values(self) -> dict[str, Value]:
        """The variables behind all of it, None: not known here."""
        return self._shell.values

    @property
    def opened(self) -> dict[str, None]:
        """The files, and patterns of files, that are taken as they lie here."""
        return self._shell.opened

    def read(self) -> None:
        """Reads all of it, and functions that nobody calls here where nothing else starts anything."""
        self._read(0, len(self._text.commands))
        done = bool(self.started) if self._chosen is not None else self._starts_something()
        for name in [] if done or self.ended is not None else self._text.starting:
            if name not in self._called:
                self._leaving = ""
                self._perhaps = True
                self._enter(name, None)

    def _starts_something(self) -> bool:
        return any([one.words is not None or is_step(one.command) for one in self.steps.values()])

    def _read(self, at: int, end: int) -> None:
        """Reads the commands from one to before another."""
        text = self._text.commands
        while at < end and not self._leaving:
            one = text[at]
            if one.function != self._function:
                at += 1
                continue
            apart = [each for each in one.shells if each not in self._inside]
            if apart:
                at = self._apart(at, end, apart[0])
                continue
            at += 1
            self._now = one.start
            standing = self._standing(one)
            if standing is False:
                if not self._turned and not self._places:
                    self.brought.leave(self._text.said(one), "its condition does not hold here", one.line)
                continue
            if name_of(one) in TESTS or name_of(one).startswith("(("):
                # what follows on it may come behind other values
                self._held[one.start] = self._shell.holds(one, self._text.text)
            step = self._step(one)
            step.sure = step.sure or bool(standing)
            if name_of(one) == "for":
                at = self._looped(one, at, standing)
            elif one.asks and (at < 2 or not text[at - 2].asks):
                at = self._while(one, at, standing)
            else:
                self._does(one, step, standing)

    def _step(self, one: Command) -> Step:
        """A command as it is reached here."""
        place = (*self._places, one.start)
        if place not in self.steps:
            self.steps[place] = Step(one, place, self.line_of(one))
        return self.steps[place]

    def _apart(self, at: int, end: int, shell: int) -> int:
        """Reads what a shell of its own does, of whose variables none stays."""
        last = at
        while last < end and shell in self._text.commands[last].shells:
            last += 1
        values, env, workdir = dict(self._shell.values), dict(self.brought.env), self.brought.workdir
        self._inside = (*self._inside, shell)
        self._read(at, last)
        self._inside = self._inside[:-1]
        self._shell.values = values
        if self._unrolls:
            self.brought.env, self.brought.workdir = env, workdir
        if self._leaving == "exit":
            self._leaving, self.ended = "", None
        return last

    def _does(self, one: Command, step: Step, standing: bool | None) -> None:
        """What a command does; ``standing``: whether it runs for certain."""
        name = name_of(one)
        if name in _CHANGES or (one.redirected and ">" in self._text.behind(one)):
            self._writes(one, name, standing)
        if self._chosen is not None and step.place in self._chosen.alike:
            self._start(one)
        elif not one.words:
            for word in one.sets:
                self.variables.assign(one, word, standing, again=self._repeats(one))
        elif name in _DECLARES:
            self.variables.export(one, standing, again=self._repeats(one))
        elif name == "cd":
            self._entered(one)
        elif name in self._text.functions:
            self._enter(name, self.variables.words(called_words(one), said=False)[1:], one, standing)
        else:
            if self._prints:
                self._print(one, name, standing)
            done = self._changes(one, name, standing)
            if self._chosen is None:
                step.words = step.called = self._of_step(one)
                if step.words is None and is_step(one):
                    step.called = self.variables.words(called_words(one), said=False)
            if not done:
                self._leave(one, self)

    def _changes(self, one: Command, name: str, standing: bool | None) -> bool:
        """What a command of the shell's own does to variables, and to what is read next; whether that is all of it."""
        shell = self._shell
        element = _ELEMENT.fullmatch(self._text.raw(one.words[0]))
        if name == ":":
            self.variables.words(called_words(one), said=False)
        elif name == "shift":
            many = shell.summed(one.words[1].text) if len(one.words) > 1 else 1
            lost = standing is None or many is None or self._repeats(one)
            self.variables.shift(None if lost or many is None else many)
        elif name == "set" and (at := self._arguments(one)):
            given = self.variables.words(one.words[at:], said=False)
            self.variables.give(None if standing is None or self._repeats(one) else given)
            return True
        elif name == "let":
            for word in one.words[1:]:
                self.variables.counted(word.text, one, standing, again=self._repeats(one))
            return True
        elif name.startswith("(("):
            self.variables.count(one, standing, again=self._repeats(one))
        elif element is not None:
            return self.variables.element(one, element, standing, again=self._repeats(one))
        elif name == "printf" and len(one.words) > 3 and one.words[1].text == "-v":
            text = printed(self.variables.words(one.words[3:], said=False))
            return self.variables.take(one, one.words[2].text, text, "", perhaps=standing is None) and text is not None
        elif name == "unset":
            for word in one.words[1:]:
                self.variables.unset(word.text, standing)
        elif name in _READS:
            sure = bool(standing) and not self._repeats(one)
            lines = self._fed[-1] if self._fed and not one.piped else None
            return self.variables.read(one, name, lines, sure=sure) is not None
        elif name == "eval":
            return self._evaluated(one, standing)
        elif name in (".", "source") and len(one.words) == 2:
            return self._sourced(one, standing)
        elif name in ("exit", "return") and standing:
            self._leaving = "return" if name == "return" and self._places else "exit"
            self.ended = one if self._leaving == "exit" else self.ended
        elif name in ("break", "continue") and one.loops and one.loops[-1] in self._turned:
            levels = one.words[1].text if len(one.words) > 1 else ""
            many = int(levels) if levels.isdecimal() and len(levels) < 3 else 1
            left = one.loops[-many:]
            again = any([is_step(test) for way in one.under for test in way.tests])
            may = name == "continue" or (not again and all([each in self._listed for each in left]))
            if not standing and may and all([each in self._around for each in left]):
                self.skips = one  # mostly what was done before, or what ends with a failure: nothing was, or did
                return True
            if not standing:
                raise _Unsure(one)
            self._leaving, self._left = name, many
        return False

    def _arguments(self, one: Command) -> int:
        """Where the arguments begin that `set` gives; 0 where it gives none."""
        at = 1
        while at < len(one.words):
            text = one.words[at].text
            if text == "--":
                return at + 1
            if text[:1] not in ("-", "+"):
                return at
            at += 2 if text[-1] == "o" else 1
        return 0

    def _start(self, one: Command) -> None:
        """The program itself."""
        before = dict(self.brought.env)
        for word in one.sets:
            variable, value, _ = self.variables.value(word)
            self.brought.variable(variable, value, word.text, one.line)
        self.program = self.variables.words(called_words(one))
        if self._chosen is not None and self._chosen.words is not None and self.program[:1] == ["eval"]:
            self.program = parsed(" ".join(self.program[1:]))
        self.program = self._with_document(self.program, one)
        paths = {word: self._shell.path(word) for word in self.program if word.endswith((".sh", ".bash"))}
        written = {word: self._shell.written[path] for word, path in paths.items() if path in self._shell.written}
        self.brought.written = written
        if self._unrolls:
            started = Started(self.program, self.brought.env, self.brought.workdir, dict(self._loops))
            started.written = written
            self.started.append(started)
            self.brought.env = before
            if len(self.started) > MOST_STARTS:
                self._leaving = "exit"
            return
        self.started.append(Started(self.program, {}, "", {}))
        if one.program and one.words[0].text != "exec":
            runners = " ".join(word.text for word in one.words[: one.program])
            self.brought.leave(runners, "what runs the program stands in `command`, before it", one.line)

    def _with_document(self, words: list[str], one: Command) -> list[str]:
        """A program whose text stands in the script behind it is handed that as a word."""
        at = 1 + slurm.options(words[1:])[1] if words and words[0].rpartition("/")[2] in slurm.STARTERS else 0
        name = words[at].rpartition("/")[2] if at < len(words) else ""
        alone = [word for word in words[at + 1 :] if word not in ("-", "-s", "-u", "-l")] == []
        text = self.variables.document(one) if alone and one.redirected else None
        if not isinstance(text, str) or (name not in SHELLS and not name.startswith("python")):
            return words
        return [*words[: at + 1], "-c", text]

    def _of_step(self, one: Command) -> list[str] | None:
        """The words of what starts a step, also where a variable holds the starter; None of everything else."""
        name = name_of(one)
        if name in slurm.STARTERS:
            return self.variables.words(called_words(one), said=False)
        if name != "eval" and not is_said_by_variable(one):
            return None
        words = self.variables.words(called_words(one), said=False)
        words = parsed(" ".join(words[1:])) if words[:1] == ["eval"] else words
        return words if words and words[0].rpartition("/")[2] in slurm.STARTERS else None

    def _sourced(self, one: Command, standing: bool | None) -> bool:
        """Takes what a file sets that lies here, or that the script writes before."""
        path = self._shell.known(self._text.raw(one.words[1]))
        text = self._shell.contents(path) if path and standing and len(self._places) <= _DEEP else None
        if text is None:
            return False
        self._taken(Text(text, 0), one)
        return True

    def _writes(self, one: Command, name: str, standing: bool | None) -> None:
        """Takes what a command writes into files, for those that read them behind it."""
        used, self._shell.used = self._shell.used, set()
        words = self.variables.words(called_words(one), said=False)
        found = _REDIRECTED.match(self._text.behind(one))
        written = _OUTPUT.findall(found[0]) if found is not None and one.redirected else []
        text = self.variables.document(one) if name == "cat" and len(words) == 1 else said_by(words)
        text = f"{text}\n" if name == "cat" and isinstance(text, str) else text
        sure = standing and not self._repeats(one) and isinstance(text, str)
        for sign, raw in written:
            path = self._shell.path(self._shell.text(raw))
            before = self._shell.contents(path) if path is not None and sign == ">>" and os.path.isfile(path) else ""
            before = self._shell.written.get(path, before) if path is not None and sign == ">>" else before
            known = isinstance(text, str) and before is not None and len(before) + len(text) < LONGEST
            if path is not None and not path.startswith("/dev/"):
                self._shell.written[path] = f"{before}{text}" if sure and known else None
        for word in words[1:] if name in _CHANGES else []:
            path = self._shell.path(word)
            if path is not None and word[:1] != "-":
                self._shell.written[path] = None
        self._shell.used = used  # the program has nothing of them by this

    def _evaluated(self, one: Command, standing: bool | None) -> bool:
        """`eval` of assignments alone."""
        said = " ".join(self.variables.words(one.words[1:], said=False))
        text = Text(said, 0) if said and standing and not self._repeats(one) else None
        plain = text is not None and all([not each.words and not each.under for each in text.commands])
        if text is None or not plain:
            for name in _ASSIGNED.findall(said):
                self._shell.values[name] = None
            return False
        self._taken(text, one)
        return True

    def _taken(self, text: Text, one: Command) -> None:
        """Takes what another text sets, which this shell reads."""
        inner = Interpreter(text, self.brought, [], self._numbers, _unheard)
        inner._shell.values, inner._shell.written = self._shell.values, self._shell.written
        inner._places = (*self._places, one.start)
        inner._read(0, len(inner._text.commands))
        self._shell.values = inner._shell.values

    def _printed_by(self, name: str, arguments: list[str]) -> str | None:
        """What a function prints in a shell of its own, of which nothing stays; None where nobody knows it."""
        inner, begin = self._inner, self._text.commands[self._text.functions[name][0]]
        if not self._places and begin.start > self._now:
            return None  # it is made later
        if inner is None:
            inner = Interpreter(self._text, self.brought.other(), [], self._numbers, _unheard, unrolls=True)
            self._inner = inner
        inner._shell.values, inner._turns, inner._most = dict(self._shell.values), self._turns, self._most
        inner._shell.numbers, inner._shell.written = self._shell.numbers, self._shell.written
        inner._shell.opened = self._shell.opened
        inner._places, inner._leaving, inner.steps = (*self._places, 0), "", {}
        before, inner._output, inner._prints = (inner._output, inner._prints), [], True
        inner._enter(name, arguments, begin, True)
        found = inner._output
        inner._output, inner._prints = before
        self._turns = inner._turns
        return None if found is None else "".join(found)

    def _print(self, one: Command, name: str, standing: bool | None) -> None:
        """What a command of a function adds to what that prints."""
        behind = self._text.behind(one)
        quiet = name in _QUIET or name.startswith("((") or _ELEMENT.fullmatch(one.words[0].text) is not None
        if self._output is None or quiet or _ELSEWHERE.match(behind):
            return
        words = self.variables.words(called_words(one), said=False)
        text = said_by(words) if standing and not self._repeats(one) and not one.piped else None
        known = text is not None and not {"$", "`", HERE} & {*text} and behind.lstrip()[:1] not in ("|", ">", "<")
        self._output = [*self._output, text] if text is not None and known else None

    def _enter(
        self, name: str, arguments: list[str] | None, one: Command | None = None, standing: bool | None = None
    ) -> None:
        """Reads the body of a function as one call has it; ``arguments``: None where nobody knows them."""
        self._called.add(name)
        begin, end = self._text.functions[name]
        self._turns += end - begin
        if len(self._places) >= _DEEP or self._turns > self._most:
            self._output = None
            self.uncounted = one if name in self._text.starting else self.uncounted
            return
        values = self._shell.values
        kept = {each: values[each] for each in ("@", *self.variables.positional()) if each in values}
        before = self._function, self._places, self._lines, self._perhaps, self._repeating
        known = {*self._verdicts}
        self.variables.give(arguments)
        if arguments is not None:
            # all others are empty there
            for each in POSITIONAL:
                self._shell.values.setdefault(each, "")
        self._function = name
        if one is not None:
            self._places, self._lines = (*self._places, one.start), (*self._lines, one.line)
            self._perhaps = self._perhaps or standing is None
            self._repeating = self._repeats(one)
        env = dict(self.brought.env)
        self.variables.locals.append({})
        self._read(begin, end)
        for each, value in self.variables.locals.pop().items():
            if each in self.brought.env and self._unrolls:
                self.brought.env |= {each: env[each]} if each in env else {}
                if each not in env:
                    del self.brought.env[each]
            if value is False:
                self._shell.values.pop(each, None)
            elif not isinstance(value, bool):
                self._shell.values[each] = value
        self._function, self._places, self._lines, self._perhaps, self._repeating = before
        self._verdicts = {key: each for key, each in self._verdicts.items() if key in known}
        if self._leaving == "return":
            self._leaving = ""
        self.variables.give([])
        self._shell.values |= kept

    def _standing(self, one: Command) -> bool | None:
        """Whether a command runs; None where that depends on what nobody knows."""
        found: bool | None = None if self._perhaps else True
        self.variables.of_file = False
        for branch in one.under:
            verdict = self._verdict(branch)
            if verdict is False:
                return False
            found = found if verdict else None
            if verdict is None:
                self.variables.of_file = _asks_for_file(branch) and id(branch) not in self._text.forks
        return found

    def _verdict(self, branch: Branch) -> bool | None:
        """Whether a way is taken, with the values that are known where its condition is first asked for."""
        ways: list[Branch] = []
        at: Branch | None = branch
        while at is not None and id(at) not in self._verdicts:
            ways.append(at)
            at = at.before
        for way in reversed(ways):
            _, taken, perhaps = self._verdicts[id(way.before)] if way.before is not None else (None, False, False)
            holds = self._holds(way)
            found = False if taken or holds is False else None if perhaps else holds
            self._verdicts[id(way)] = found, taken or holds is True, perhaps or holds is None
        return self._verdicts[id(branch)][0]

    def _holds(self, way: Branch) -> bool | None:
        """The condition of a way alone."""
        if any([loop not in self._turned and loop not in self._around for loop in way.loops]):
            return None  # it may be other in the next turn
        if way.subject is not None:
            return self._shell.matches(self._text.raw(way.subject), [self._text.raw(word) for word in way.patterns])
        if not way.tests:
            return True
        joins = [*way.joins, "||" if way.negated else "&&"]
        found: bool | None = None
        if len(joins) != len(way.tests):
            return None  # commands of which the last one decides
        for at, (one, behind) in enumerate(zip(way.tests, joins, strict=True)):
            holds = self._held[one.start] if one.start in self._held else self._shell.holds(one, self._text.text)
            tests = name_of(one) in TESTS or name_of(one).startswith("((")
            if holds is None and not one.tests and not tests and behind == "&&" and not way.doubts:
                holds = True  # what follows on a command that is no test is meant to
            if not at:
                found = holds
            elif joins[at - 1] == "&&":
                found = False if False in (found, holds) else None if None in (found, holds) else True
            else:
                found = True if True in (found, holds) else None if None in (found, holds) else False
        return None if found is None else found is not way.negated

    def line_of(self, one: Command) -> int:
        """The line of a command, or of the call that leads to it."""
        return self._lines[0] if self._lines else one.line

    def decides(self, one: Command) -> bool:
        """Whether a condition holds or does not for all that is known here."""
        if name_of(one) == "case":
            return len(one.words) > 1 and self._shell.known(self._text.raw(one.words[1])) is not None
        return self._shell.holds(one, self._text.text) is not None

    def _repeats(self, one: Command) -> bool:
        """Whether a command stands in a loop whose turns nobody counts."""
        return self._repeating or any([loop not in self._turned for loop in one.loops])

    def _body(self, one: Command, at: int) -> tuple[int, int]:
        """(where the body of a loop ends, the loop's number); ``at``: where it begins."""
        text = self._text.commands
        depth, end = len(one.loops), at
        body = text[at].loops[depth : depth + 1] if at < len(text) else ()
        while body and end < len(text) and text[end].loops[depth : depth + 1] == body:
            end += 1
        return end, body[0] if body else 0

    def _is_around(self, at: int, end: int) -> bool:
        """Whether the program is started between two places, or may be."""
        body = self._text.commands[at:end]
        if self._chosen is None:
            return any([is_step(one) or name_of(one) in self._text.starting for one in body])
        many = len(self._places)
        inside = [one for one in self._chosen.alike if one[:many] == self._places and len(one) > many]
        return any([one.start == place[many] for one in body for place in inside])

    def _turn(self, at: int, end: int, loop: int) -> bool:
        """Runs the body of a loop once, and says whether there may be another turn."""
        known = {*self._verdicts}
        self._turned = (*self._turned, loop)
        self._read(at, end)
        self._turned = self._turned[:-1]
        self._verdicts = {key: each for key, each in self._verdicts.items() if key in known}
        self._turns += end - at + 1
        if self._leaving not in ("break", "continue"):
            return not self._leaving
        self._left -= 1
        ends = self._leaving == "break" or self._left > 0
        if self._left <= 0:
            self._leaving = ""
        return not ends

    def _runs(self, at: int, end: int, loop: int, turns: Callable[[], bool | None], name: str) -> bool:
        """Runs the turns of a loop as long as there are any; False, and nothing is changed, where nobody counts them.

        ``turns``: makes the next turn ready, and says whether there is one.
        """
        shell, before, env = self._shell, dict(self._shell.values), dict(self.brought.env)
        kept = self._turned, dict(self._verdicts), self._inside, len(self.started), dict(self._loops), self._around
        lost: Command | None = None
        around = self._is_around(at, end)
        self._around = (*self._around, loop) if around else self._around
        try:
            while (more := turns()) and self._turns < self._most:
                if name:
                    self._loops[name] = str(shell.values.get(name))
                if not self._turn(at, end, loop):
                    break
        except _Unsure as unsure:
            more, lost = None, unsure.command
        self._around = kept[5]
        self._loops = kept[4]
        if more is not None and self._turns < self._most:
            return True
        self._turned, self._verdicts, self._inside = kept[:3]
        shell.values, self.brought.env = before, env
        del self.started[kept[3] :]
        self._leaving = ""
        if around:
            self.uncounted = lost or self._text.commands[at - 1]
        return False

    def _looped(self, one: Command, at: int, standing: bool | None) -> int:
        """Runs a loop whose values are known, and says where the text goes on behind it.

        Around the program its variable is the reference to what differs from variant to variant.
        """
        found = self._values_of(one)
        end, loop = self._body(one, at)
        name, values = found if found is not None else ("", [])
        # those of a pattern are files, which nobody sees here
        task = self._shell.array
        plain = [re.sub(rf"\$(?:{task}\b|\{{{task}\}})", "", each) for each in values] if task else values
        known = found is not None and all([is_known(each) and not {"*", "?", "$"} & {*each} for each in plain])
        known = known and len(values) * (end - at) + self._turns < self._most
        around = self._is_around(at, end)
        if known and standing and (self._unrolls or not around):
            turns = self._counts(one) or self._one_by_one(name, values)
            self._listed = (*self._listed, loop)
            counted = self._runs(at, end, loop, turns, name)
            self._listed = self._listed[:-1]
            if counted:
                return end
        value = values[0] if len(values) == 1 and known else self.brought.of_loop(name, values) if name else ""
        if name:
            self._shell.values[name] = value if value and (standing or around) else None
        if not value and around:
            self.once.append(one)
        elif not value:
            self._leave(one, self)
        self._shell.values |= dict.fromkeys(self._counters(one, at, end))
        self._around = (*self._around, loop) if around else self._around
        self._read(at, end)
        self._around = self._around[:-1] if around else self._around
        return end

    def _one_by_one(self, name: str, values: list[str]) -> Callable[[], bool]:
        """Gives a variable its values in turn."""
        rest = iter(values)

        def turns() -> bool:
            value = next(rest, None)
            self._shell.values |= {name: value} if value is not None else {}
            return value is not None

        return turns

    def _counters(self, one: Command, at: int, end: int) -> list[str]:
        """Variables that follow from the turn before, which nobody knows where one turn stands for all."""
        head = _FOR.fullmatch(one.words[1].text) if len(one.words) == 2 else None
        found: list[str] = [*_set_in(head[3])][1:] if head is not None else []
        for each in self._text.commands[at:end]:
            if name_of(each).startswith("(("):
                found += _set_in(each.words[0].text[2:-2])
            if name_of(each) == "let":
                found += [name for word in each.words[1:] for name in _set_in(word.text)]
            for word in each.sets:
                name, _, value = word.text.partition("=")
                if name[-1:] == "+" or re.search(rf"\b{name}\b", value):
                    found.append(name.removesuffix("+"))
        return [name for name in found if name in self._shell.values]

    def _counts(self, one: Command) -> Callable[[], bool | None] | None:
        """The turns of a loop of C's form, whose body may change what is counted."""
        head = _FOR.fullmatch(one.words[1].text) if len(one.words) == 2 else None
        if head is None:
            return None
        shell, first = self._shell, [True]
        begin, goes, step = head.groups()

        def turns() -> bool | None:
            shell.take(shell.reckoned(begin if first.pop() else step))
            first.append(False)
            asked = shell.reckoned(goes if goes.strip() else "1")
            shell.take(asked)
            return None if asked.value is None else asked.value != 0

        return turns

    def _values_of(self, one: Command) -> tuple[str, list[str]] | None:
        """(the variable of a loop, its values), those of a shell's and of C's form; None where they are not known."""
        texts = [word.text for word in one.words]
        if len(texts) > 3 and texts[2] == "in":
            return texts[1], self.variables.words(one.words[3:], said=False)
        if len(texts) == 2 and texts[1].isidentifier():
            listed = self._shell.values.get("@")
            return (texts[1], listed) if isinstance(listed, list) else None
        turns = self._counts(one)
        name = next(iter(_set_in(one.words[1].text[2:-2].partition(";")[0])), "") if turns is not None else ""
        if turns is None or not name:
            return None
        values: list[str] = []
        before = dict(self._shell.values)
        while (more := turns()) and len(values) < self._most:
            values.append(str(self._shell.values[name]))
        self._shell.values = before
        if more is not False:
            self._shell.values[name] = None
            return None
        return name, values

    def _while(self, one: Command, at: int, standing: bool | None) -> int:
        """Runs a loop as long as its condition holds; where nobody knows that, its body is read once."""
        text, last = self._text.commands, at - 2
        asked = [one]
        while at < len(text) and text[at].asks and text[at].loops == one.loops and not text[at].closed:
            asked.append(text[at])
            at += 1
        end, loop = self._body(one, at)
        around = self._is_around(at, end)
        before = dict(self._shell.values) if one.piped else None
        fed = self._fed_to(one, last)
        self._fed.append(Lines(fed) if fed is not None else None)
        counted = False
        if end > at and standing and (self._unrolls or not around):
            counted = self._runs(at, end, loop, lambda: self._goes_on(asked, standing), "")
        if not counted:
            self._fed[-1] = None
            for each in asked:
                if fed is None or name_of(each) != "read":
                    self._does(each, self._step(each), standing)
                else:
                    self.variables.read(each, "read", None, sure=False)
            if end > at:
                self._around = (*self._around, loop) if around else self._around
                self._read(at, end)
                self._around = self._around[:-1] if around else self._around
        self._fed.pop()
        if before is not None:
            self._shell.values = before  # what reads from another one is a shell of its own
        return end

    def _fed_to(self, one: Command, last: int) -> str | None:
        """The text that a loop is given to read; None where nobody knows it. ``last``: the command before it."""
        if not one.piped:
            return self.variables.fed(one.closed) if one.closed else None
        text = self._text.commands
        said = self._text.said(text[last]) if last >= 0 and not text[last].piped else ""
        printed = self._shell.known(f'"$({said})"') if said else None
        return f"{printed}\n" if printed else None

    def _goes_on(self, asked: list[Command], standing: bool | None) -> bool | None:
        """Whether a loop has another turn, by all commands of its condition."""
        found: bool | None = None
        for at, one in enumerate(asked):
            joined = one.under[-1] if at and one.under else None
            if at and (joined is None or asked[at - 1] not in joined.tests):
                return None  # commands of which the last one decides
            if joined is not None and (found is None or found is joined.negated):
                continue
            name = name_of(one)
            if name == "read":
                lines = self._fed[-1]
                holds = self.variables.read(one, name, lines, sure=bool(standing))
            else:
                holds = self._shell.holds(one, self._text.text)
            if name.startswith("(("):
                self.variables.count(one, standing, again=False)
            found = holds
        return None if found is None else found is (asked[0].asks == "while")

    def _entered(self, one: Command) -> None:
        """`cd`."""
        path = self._shell.text(self._text.raw(one.words[1])) if len(one.words) == 2 else ""
        values = self._shell.values
        known = bool(path) and not {"$", "`", "~", HERE} & {*path} and path[:1] != "-"
        if known and (path.startswith("/") or self.brought.workdir):
            self.brought.workdir = values["PWD"] = os.path.normpath(os.path.join(self.brought.workdir or "/", path))
        else:
            self.brought.leave(self._text.said(one), OF_FOLDER, one.line)
        folder = values.get(FOLDER, "")
        if known:
            values[FOLDER] = os.path.join(folder, path) if isinstance(folder, str) else None
        elif path not in ("$SLURM_SUBMIT_DIR", "${SLURM_SUBMIT_DIR}") and (path != HERE or "/" in self.brought.source):
            values[FOLDER] = None


def _unheard(one: Command, reader: Interpreter) -> None:
    """Nobody is told of what a shell does of which nothing stays."""


def _set_in(text: str) -> dict[str, int | None]:
    """The variables that a sum sets."""
    return Sum(text, lambda name, at: None).changes


def _asks_for_file(way: Branch) -> bool:
    """Whether a way is taken where a file is there, by nothing else."""
    tests = [[word.text for word in one.words] for one in way.tests]
    asked = len(tests) == 1 and len(tests[0]) > 2 and tests[0][0] in TESTS and tests[0][1] in _OF_FILES
    return asked and not way.negated and not way.tests[0].negated and way.before is None
