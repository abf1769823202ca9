"""What a shell's script says of a job: the program that it starts, and what it does beside that.

A batch script of Slurm, the text of `bash -c`, and a script that a line calls are read alike, by the commands in them.
"""

from __future__ import annotations

import os
import re
import shlex

from specgen.cli import slurm
from specgen.cli.brought import ARRAY, GIVEN, Brought, numbered, safe
from specgen.cli.called import begins, called_words, helps, is_said_by_variable, name_of, runs, starts, trains
from specgen.cli.substitution import HERE, LONGEST, Shell
from specgen.cli.wrapped import CONTAINERS, DOCKERS, contained, in_docker, program_behind
from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.secrets import masked
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.kubernetes.launchers import of_words
from specgen.operators.kubernetes.script import TESTS, commands
from specgen.operators.kubernetes.shell import assigned
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from specgen.cli.slurm import Asked, Said
    from specgen.cli.substitution import Value
    from specgen.operators.kubernetes.script import Branch, Command, Word

# Programs that run another one in an environment of Python's, with `run` behind their names; options with a value.
_ENVIRONMENTS = ("uv", "poetry", "pdm", "pipenv", "hatch", "pixi", "rye", "conda", "mamba", "micromamba")
_OF_ENVIRONMENTS = ("-n", "-p", "-e", "--name", "--prefix", "--with", "--python", "--project", "--extra", "--group")
# Programs that run another one on some cores, or watch it.
_BINDERS = ("numactl", "taskset", "nsys", "ncu", "stdbuf", "nice", "ionice", "perf", "strace", "catchsegv")
_COUNTED = re.compile(r"([A-Za-z_]\w*)\s*(?:(\+\+|--)|([-+*/%]?)=([^=].*))")
_FOR = re.compile(r"\(\(\s*(\w+)\s*=([^;<>=]+);\s*\1\s*(<=?)([^;<>=]+);\s*(?:\1\+\+|\+\+\1|\1\s*\+=([^;<>=]+))\s*\)\)")
_OF_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})")
_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
# So many commands are run in loops.
_MOST_TURNS = 4096
_DECLARES = ("export", "declare", "typeset", "local", "readonly")
# Deeper than this no script calls another one.
_DEEP = 4
_LARGEST = 1 << 20
_IMAGE = "the image holds it: `image`, or `prepare` for what is quickly installed"
_ENVIRONMENT = "the image holds it; `command` may name the Python of an environment: `/env/bin/python`"
_PREPARE = "`prepare` runs it in each pod before the program; what is to run once is a job of its own"
_FILE = "`files` puts a file into the pods: `files: {/PATH: {from: FILE}}`, with what stands in it here"
_SHELLS_OWN = "it is of the script's shell"
_PRINTS = "`kubectl logs` prints what a pod wrote"
_OF_SCRIPT = "a variable of the script alone; `env` gives one to the program"
_SAYS = (
    *("echo", "printf", "clear", "date", "hostname", "nvidia-smi", "rocm-smi", "env", "printenv", "pwd", "which", "ls"),
)
_WHY = {
    **dict.fromkeys(("module", "ml", "spack", "conda", "mamba", "micromamba", "pyenv"), _IMAGE),
    **dict.fromkeys(("source", "."), _ENVIRONMENT),
    **dict.fromkeys(("set", "wait", "trap", "exit", "shopt", "unset", "alias", "shift", "return"), _SHELLS_OWN),
    **dict.fromkeys((*TESTS, "case"), "a condition, of which all that depends on it is taken"),
    **dict.fromkeys(("read", "mapfile", "readarray", "let"), _OF_SCRIPT),
    "scontrol": "`lifecycle: {restarts: 3}` starts a job again, and `kubectl` asks about it",
    "ulimit": "limits of a shell do not travel: `specgen explain ulimit`",
    "tee": _PRINTS,
    **dict.fromkeys(_SAYS, "it prints, and the program needs nothing of it"),
}
_SCONTROL = "the operator sets MASTER_ADDR; `specgen expand` lists the pods by their names"
_STEP = "another step: `prepare` where each pod does it before, else a job of its own: `specgen init job -- …`"


def program_of(script: str, arguments: list[str]) -> list[str]:
    """The words of what a script that lies here starts; none where none is seen."""
    return Script(_contents(script, "sh"), script, arguments, Brought(), 0).program(1) or []


def of_line(command: Sequence[str]) -> Asked:
    """A line that begins with srun, or with salloc in front of that."""
    said, at = slurm.options(command[1:])
    if command[0].rpartition("/")[2] in slurm.ALLOCATES and command[1 + at :][:1] == ["srun"]:
        command = command[1 + at :]
        step, at = slurm.options(command[1:])
        said = slurm.stronger(said, step)
    brought = Brought()
    program = inner(list(command[1 + at :]), brought)
    return slurm.Asked(said, program, brought)


def of_batch(command: Sequence[str]) -> Asked:
    """A line that begins with sbatch, and the script that it names. Raises BadQuestion."""
    said, at = slurm.options(command[1:])
    wrapped = said.pop("wrap", None)
    name, *rest = [*command[1 + at :], ""]
    if wrapped is not None:
        script = Script(wrapped[0], "`--wrap`", [])
    else:
        script = Script(_contents(name, command[0]), name, [one for one in rest if one])
    above = {**script.above, **said}
    return script.asked(above)


class _Reading:
    """How far a script is read. ``own``: its variables, with how they are written and where; ``words``: the program's.

    ``calls``: what its functions are called with, and ``starting``, those of them that may start the program;
    ``turns``: commands that its loops ran.
    """

    __slots__ = ("calls", "chosen", "numbers", "own", "starting", "turns", "words")

    def __init__(self, chosen: Command | None, numbers: dict[str, str], calls: dict[str, list[list[str]]]) -> None:
        self.chosen = chosen
        self.numbers = numbers
        self.calls = calls
        self.own: dict[str, tuple[str, int]] = {}
        self.words: list[str] = []
        self.starting: set[str] = set()
        self.turns = 0


class Script:
    """A script's text. ``above``: what its `#SBATCH` lines ask for; ``arguments``: what it is called with."""

    # fmt: off
    __slots__ = (
        "_alive", "_around", "_calls", "_commands", "_functions", "_resolved", "_shell", "_text", "_turned",
        "_verdicts", "above", "arguments", "brought", "name",
    )
    # fmt: on

    def __init__(
        self, text: str, name: str, arguments: list[str], brought: Brought | None = None, line: int | None = None
    ) -> None:
        """``line``: of the script around it, where this text begins; 0 where its lines are of no text that is named."""
        self._text = text
        self._commands = list(commands(text))
        for one in self._commands if line is not None else ():
            one.line = line + one.line - 1 if line else 0
        self._functions = {one.function for one in self._commands if one.function}
        # where a step stands → its words; function → the words of its calls
        self._resolved: dict[int, list[str]] = {}
        self._calls: dict[str, list[list[str]]] = {}
        self._alive: list[Command] = []
        # loops whose turns are run, one after the other, and those around the program
        self._turned: tuple[int, ...] = ()
        self._around: tuple[int, ...] = ()
        self._verdicts: dict[int, tuple[bool | None, bool, bool]] = {}
        self._shell = Shell({}, ARRAY, lambda name, words: "")
        self.name = name
        self.arguments = arguments
        self.brought = brought or Brought()
        self.above: Said = {}
        if brought is None:
            self.brought.source = name
            self._directives()

    def _directives(self) -> None:
        first = self._commands[0].line if self._commands else 1 << 30
        for number, line in enumerate(self._text.splitlines(), 1):
            if not line.startswith("#SBATCH"):
                continue
            words = next((one.words for one in commands(f"sbatch {line[len('#SBATCH') :]}")), [])
            if number > first:
                self.brought.leave(line, "below the first command sbatch reads no such line", number)
                continue
            found, at = slurm.options([word.text for word in words[1:]], number)
            self.above |= found
            if words[1 + at :]:
                self.brought.leave(line, "`roles` says what differs from pod to pod", number)

    def asked(self, above: Said) -> Asked:
        """What the script asks of Slurm. ``above``: the options of the whole job. Raises BadQuestion."""
        whole = step = slurm.Asked(above, [], Brought())
        if "array" in above:
            self.brought.array = numbered(above["array"][0])[0]
        self._rehearse(whole.numbers())
        steps = [one for one in self._alive if one.start in self._resolved]
        if steps and all([helps(self._step(one)) for one in steps]) and self._direct(starts) is not None:
            steps = []
        chosen = max(steps, key=lambda one: (*self._weight(one, above), one.start)) if steps else self._direct()
        if chosen is None:
            raise self._starts_nothing()
        behind = 0
        said: Said = {}
        if steps:
            said, _ = _options(self._resolved[chosen.start][1:], Brought())
            step = slurm.Asked(slurm.stronger(above, said), [], Brought())
            self._one_of(steps, chosen, "with `srun`", "the one with most tasks")
        else:
            self._on_the_first_node(step, chosen)
        self.brought.numbers = step.numbers()
        # the shell of the script knows the job's, where it says any
        numbers = whole.numbers() if whole.tasks or whole.each else self.brought.numbers
        program = self._of_tasks(chosen, numbers, self._walk(chosen, numbers))
        if steps:
            said, behind = _options(program[1:], self.brought, chosen.line)
            for name in slurm.unknown(said):
                self.brought.leave(said[name][1], "no number is known here: what the job says is taken", chosen.line)
            above, behind = slurm.stronger(above, said), behind + 1
        asked = slurm.Asked(above, [], self.brought)
        if not steps:
            asked.nodes, asked.each, asked.tasks = step.nodes, step.each, step.tasks
        elif asked.each == 1 and whole.gpus and asked.gpus is not None:
            # one task that starts the others by itself finds what the job has on its node
            asked.gpus = max(asked.gpus, whole.gpus)
        if steps and "nodelist" in said and chosen.loops and asked.nodes == 1 and whole.nodes:
            # a step for each node, one after the other
            asked.nodes, asked.each, asked.tasks, asked.gpus = whole.nodes, 1, None, whole.gpus
            self.brought.left = [one for one in self.brought.left if one[1] != said["nodelist"][1]]
        asked.program = inner(program[behind:], self.brought, line=chosen.line)
        self.brought.flush()
        if not steps and is_said_by_variable(chosen) and not begins(asked.program):
            raise self._starts_nothing()
        return asked

    def _starts_nothing(self) -> BadQuestion:
        return BadQuestion(
            f"`{self.name}` has no line that begins with `srun`, nor one that calls torchrun, mpirun or python: "
            "nobody knows what it starts",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that the script runs",
        )

    def program(self, deep: int) -> list[str] | None:
        """The words of the program that it starts; None where none is seen."""
        self._rehearse(self.brought.numbers)
        chosen = self._direct()
        if chosen is None:
            return None
        found = inner(self._walk(chosen, self.brought.numbers), self.brought, deep, chosen.line)
        if deep == 1:
            self.brought.flush()
        return found

    def _rehearse(self, numbers: dict[str, str]) -> None:
        """Reads the script once, for what runs and with which words, and lets nothing of it be known."""
        brought, self.brought = self.brought, self.brought.other()
        self._walk(None, numbers)
        self.brought = brought

    def _step(self, step: Command) -> list[str]:
        """The program that a step starts."""
        words = self._resolved[step.start][1:]
        return words[_options(words, Brought())[1] :]

    def _weight(self, step: Command, above: Said) -> tuple[bool, int, bool]:
        """(whether it is more than a helper, its tasks, whether its name says that it trains)."""
        said, _ = _options(self._resolved[step.start][1:], Brought())
        asked = slurm.Asked(slurm.stronger(above, said), [], Brought())
        program = self._step(step)
        return not helps(program), asked.tasks or (asked.nodes or 1) * (asked.each or 1), trains(program)

    def _direct(self, *kinds: Callable[[Command], bool]) -> Command | None:
        """The last command that starts processes, or else a program of one's own."""
        for kind in kinds or (starts, runs, is_said_by_variable):
            found = [one for one in self._alive if kind(one)]
            if found:
                if not kinds:
                    self._one_of(found, found[-1], "that start a program", "")
                return found[-1]
        return None

    def _one_of(self, found: list[Command], chosen: Command, what: str, which: str) -> None:
        if len(found) > 1:
            last = f"{which} is taken, the last of such" if which else "the last is taken"
            self.brought.notes.append(f"Of {len(found)} lines {what}, {last}: line {chosen.line}.")

    def _on_the_first_node(self, asked: Asked, chosen: Command) -> None:
        alone = (asked.nodes or 1) * (asked.each or asked.tasks or 1) == 1
        if alone or starts(chosen) or is_said_by_variable(chosen):
            return
        self.brought.notes.append(
            f"Without `srun`, line {chosen.line} of the script runs once, on the first node: one pod."
        )
        asked.nodes, asked.each, asked.tasks = 1, None, None

    def _of_tasks(self, chosen: Command, numbers: dict[str, str], program: list[str]) -> list[str]:
        """The words of a program, where a variable stands for what differs from task to task of the array."""
        brought = self.brought
        if not brought.array or len(self._text) > LONGEST:
            return program
        found: list[list[str]] = []
        variables: list[dict[str, str]] = []
        for task in brought.array:
            self.brought = brought.other()
            self.brought.array = []
            found.append(self._walk(chosen, {**numbers, ARRAY: str(task)}))
            variables.append(self.brought.env)
        self.brought = brought
        for name in variables[0]:
            said = [one.get(name, "") for one in variables]
            if name.isupper() and brought.env.get(name) != said[0] and all([name in one for one in variables]):
                brought.env.pop(name, None)
                brought.of_tasks(name, said)
        if any([len(words) != len(program) for words in found]):
            return program
        done: list[str] = []
        for at, word in enumerate(program):
            said = [words[at] for words in found]
            same = all([one == said[0] for one in said])
            if same or any([_is_open(one) for one in said]) or (_is_open(word) and _of_array(word, brought)):
                if not same and not _is_open(word):
                    brought.leave(word, "it differs from task to task of the array: `matrix` says what of each")
                done.append(word)
                continue
            before = word.partition("$")[0]
            front = before if all([one.startswith(before) for one in said]) else ""
            name = _name_for(word, program[at - 1] if at else "")
            reference = brought.of_tasks(name, [one[len(front) :] for one in said])
            done.append(front + reference if reference else word)
        brought.left = [one for one in brought.left if not _is_said(one[1], brought.picked)]
        return done

    def _walk(self, chosen: Command | None, numbers: dict[str, str]) -> list[str]:
        """The words of the chosen command; what the others say is brought over, or named. None: it is a rehearsal."""
        brought = self.brought
        values: dict[str, Value] = {**brought.shell, **brought.env, **numbers, "@": list(self.arguments)}
        values |= {str(at): one for at, one in enumerate(self.arguments, 1)}
        if brought.workdir:
            values["PWD"] = brought.workdir
        shell = self._shell = Shell(values, ARRAY if brought.array or not self.brought.source else "", brought.of_task)
        calls, self._calls = self._calls, {}
        self._verdicts, self._alive = {}, []
        reading = _Reading(chosen, numbers, calls)
        reading.starting = {chosen.function} - {""} if chosen is not None else self._functions
        self._read(0, len(self._commands), reading)
        if chosen is None:
            return []
        used = shell.used
        brought.used |= used
        brought.loops = {name: said for name, said in brought.loops.items() if name in used}
        for name, (text, line) in reading.own.items():
            if name not in used:
                brought.leave(text, "the operator sets it" if name in GIVEN else _OF_SCRIPT, line)
        return reading.words

    def _read(self, at: int, end: int, reading: _Reading) -> None:
        """Reads the commands from one to before another."""
        while at < end:
            one = self._commands[at]
            at += 1
            standing = self._standing(one)
            if standing is False:
                if not self._turned:
                    self.brought.leave(self._said(one), "its condition does not hold here", one.line)
                continue
            self._alive.append(one)
            kept = self._in_function(one, reading.calls)
            if name_of(one) == "for":
                at = self._looped(one, at, standing, reading)
            elif one.asks and (not at - 1 or not self._commands[at - 2].asks):
                at = self._while(one, at, standing, reading)
            else:
                self._does(one, standing, reading)
            self._shell.values |= kept

    def _does(self, one: Command, standing: bool | None, reading: _Reading) -> None:
        """What a command does; ``standing``: whether it runs for certain."""
        chosen, numbers = reading.chosen, reading.numbers
        name = name_of(one)
        if one is chosen:
            for word in one.sets:
                variable, value, _ = self._value(word)
                self.brought.variable(variable, value, word.text, one.line)
            reading.words = self._words(called_words(one), numbers)
            if one.program and one.words[0].text != "exec":
                runners = " ".join(word.text for word in one.words[: one.program])
                self.brought.leave(runners, "what runs the program stands in `command`, before it", one.line)
            self._redirected(one)
        elif not one.words:
            for word in one.sets:
                self._assigned(one, word, standing, reading.own)
        elif name in _DECLARES:
            self._exported(one, standing, reading.own)
        elif name == "cd":
            self._entered(one)
        else:
            if name == ":":
                self._words(called_words(one), numbers, said=False)
            elif name == "shift":
                many = self._shell.summed(one.words[1].text) if len(one.words) > 1 else 1
                lost = standing is None or many is None or self._repeats(one)
                self._shell.pass_on(1 << 30 if many is None else many)
                self._shell.values |= {"@": None, **dict.fromkeys(map(str, range(1, 10)))} if lost else {}
            elif name.startswith("(("):
                self._counted(one, standing)
            if name in ("read", "mapfile", "readarray", "let", "getopts"):
                self._shell.values |= {word.text.partition("=")[0]: None for word in one.words[1:]}
                if name == "read" and "-d" in [word.text for word in one.words]:
                    self._shell.values[one.words[-1].text] = self._document(one)
            if name in self._functions:
                self._calls.setdefault(name, []).append(self._words(called_words(one), numbers, said=False)[1:])
            elif chosen is None and name in slurm.STARTERS:
                self._resolved[one.start] = self._words(called_words(one), numbers, said=False)
            self._left(one, chosen)

    def _document(self, one: Command) -> Value:
        """The text that a command reads, which stands in the script behind it; None where it reads another one."""
        line, _, rest = self._text[one.end :].partition("\n")
        mark = _DOCUMENT.search(line)
        if mark is None:
            return None
        lines: list[str] = []
        for text in rest.split("\n"):
            if text.lstrip("\t") == mark[2]:
                break
            lines.append(text)
        return self._shell.document("\n".join(lines), plain=bool(mark[1]))

    def _in_function(self, one: Command, calls: dict[str, list[list[str]]]) -> dict[str, Value]:
        """Gives the body of a function what its one call says, and returns what was there before."""
        if not one.function:
            return {}
        called = calls.get(one.function, [])
        values = self._shell.values
        names = ["@", *(str(at) for at in range(1, 10))]
        kept = {name: values.pop(name) for name in names if name in values}
        if len(called) == 1:
            values |= {"@": list(called[0]), **{str(at): word for at, word in enumerate(called[0], 1)}}
        else:
            values |= dict.fromkeys(names)
        return {**dict.fromkeys(names, ""), **kept} if "@" in kept else kept

    def _standing(self, one: Command) -> bool | None:
        """Whether a command runs; None where that depends on what nobody knows."""
        found: bool | None = True
        for branch in one.under:
            verdict = self._verdict(branch)
            if verdict is False:
                return False
            found = found if verdict else None
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
            raws = [self._text[word.start : word.end] for word in way.patterns]
            return self._shell.matches(self._text[way.subject.start : way.subject.end], raws)
        if not way.tests:
            return True
        joins = [*way.joins, "||" if way.negated else "&&"]
        found: bool | None = None
        if len(joins) != len(way.tests):
            return None  # commands of which the last one decides
        for at, (one, behind) in enumerate(zip(way.tests, joins, strict=True)):
            holds = self._shell.holds(one, self._text)
            if holds is None and not one.tests and name_of(one) not in TESTS and behind == "&&":
                holds = True  # what follows on a command that is no test is meant to
            if not at:
                found = holds
            elif joins[at - 1] == "&&":
                found = False if False in (found, holds) else None if None in (found, holds) else True
            else:
                found = True if True in (found, holds) else None if None in (found, holds) else False
        return None if found is None else found is not way.negated

    def _words(self, called: list[Word], numbers: dict[str, str], *, said: bool = True) -> list[str]:
        """Words with the script's own variables in place; Slurm's numbers, in the options of a starter alone."""
        texts = [word.text for word in called]
        line = of_words(texts)
        name = texts[0].rpartition("/")[2]
        mpi = mpirun.call(texts) if name in mpirun.STARTERS else None
        until = line.program if line is not None else mpi.behind if mpi is not None else 0
        if name in slurm.STARTERS:
            until = 1 + slurm.options(texts[1:])[1]
        shell = self._shell
        found: list[str] = []
        for at, word in enumerate(called):
            if at == until:
                hidden = {one: value for one, value in numbers.items() if shell.values.get(one) == value}
                shell.numbers |= hidden
                shell.values = {one: value for one, value in shell.values.items() if one not in hidden}
            found += shell.words(self._text[word.start : word.end])
        if until <= len(called):
            shell.values |= {one: value for one, value in shell.numbers.items() if one not in shell.values}
        if said:
            for raw in shell.sought:
                self.brought.leave(raw, "a shell alone makes paths of it: write them, or their folder")
            for written, name in shell.lost:
                self.brought.leave(written, f"the script sets no `{name}`: the words are left out")
        shell.sought, shell.lost = [], []
        return [one.replace(HERE, ".") for one in found]

    def _value(self, word: Word) -> tuple[str, str, Value]:
        """(name, value as a text, value) of an assignment; the value is None where a command is to say it."""
        raw = self._text[word.start : word.end]
        name, _, written = raw.partition("=")
        appends = name.endswith("+")
        name = name.removesuffix("+")
        if not assigned(f"{name}="):
            # the whole of it stands in quotes
            name, _, text = self._shell.text(raw).partition("=")
            return name, text, text if _is_known(text) else None
        if written[:1] == "(":
            sought = len(self._shell.sought)
            listed = self._shell.listed(written)
            before = self._shell.values.get(name, []) if appends else []
            listed = [*(before if isinstance(before, list) else [] if before is None else [before]), *listed]
            # of an element that a command prints nothing but its place is known
            known = len(listed) < LONGEST and before is not None and len(self._shell.sought) == sought
            return name, shlex.join(listed), listed if known else None
        text = self._shell.text(written)
        if appends:
            before = self._shell.values.get(name, "")
            text = f"{before}{text}" if isinstance(before, str) else f"${name}{text}"
            if before is None or isinstance(before, list):
                return name, text, None
        return name, text, text if _is_known(text) else None

    def _assigned(self, one: Command, word: Word, standing: bool | None, own: dict[str, tuple[str, int]]) -> None:
        """Takes an assignment."""
        name, text, value = self._value(word)
        own[name] = (word.text, one.line)
        if "scontrol" in text:
            self.brought.leave(word.text, _SCONTROL, one.line)
            own.pop(name, None)
            value = None
        # of a loop whose turns nobody counts, what follows from the turn before is not known
        itself = "+=" in word.text or re.search(rf"\b{name}\b", word.text.partition("=")[2]) is not None
        self._take(one, name, value, word.text, perhaps=standing is None or (itself and self._repeats(one)))

    def _repeats(self, one: Command) -> bool:
        """Whether a command stands in a loop whose turns nobody counts."""
        return any([loop not in self._turned for loop in one.loops])

    def _take(self, one: Command, name: str, value: Value, written: str, *, perhaps: bool) -> bool:
        """Gives a variable its value, unless another one may stay; whether it has it."""
        values = self._shell.values
        if perhaps and name in values and values[name] != value:
            before = values[name]
            if before is not None:
                said = masked(f"{name}={before if isinstance(before, str) else shlex.join(before)}")
                why = f"a condition decides between it and `{safe(said)}`: write the one that is meant"
                self.brought.leave(written, why, one.line)
            values[name] = None
            return False
        values[name] = value
        return True

    def _exported(
        self,
        one: Command,
        standing: bool | None,
        own: dict[str, tuple[str, int]],
    ) -> None:
        flags = "".join([word.text for word in one.words[1:] if word.text[:1] == "-"])
        if name_of(one) != "export" and "x" not in flags:
            for word in one.words[1:]:
                if assigned(word.text.replace("+=", "=", 1)):
                    self._assigned(one, word, standing, own)
            return
        values = self._shell.values
        for word in one.words[1:]:
            if word.text.startswith("-"):
                continue
            if "=" not in word.text:
                # it was set before
                name = word.text
                own.pop(name, None)
                before = values.get(name)
                value = before if isinstance(before, str) else "$"
            else:
                name, value, known = self._value(word)
                exported = self.brought.env.get(name, value)
                if not self._take(one, name, known, f"export {word.text}", perhaps=standing is None):
                    self.brought.env.pop(name, None)
                    continue
                if standing is None and exported != value:
                    continue
            self.brought.shell[name] = values.get(name)
            if "scontrol" in value:
                self.brought.leave(word.text, _SCONTROL, one.line)
            elif " " in value.strip():
                self.brought.lines.append((name, value, f"export {word.text}", one.line))
            else:
                self.brought.variable(name, value, f"export {word.text}", one.line)

    def _counted(self, one: Command, standing: bool | None) -> None:
        """`((i = i + 1))`, `((i += 2))` and `((i++))`; what else stands there is not known."""
        text = one.words[0].text[2:-2].strip()
        match = _COUNTED.fullmatch(text)
        if match is None:
            self._shell.values |= dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text))
            return
        name, step, sign, rest = match.groups()
        value = self._shell.summed(rest if not sign and not step else f"{name} {sign or step[0]} ({rest or 1})")
        lost = standing is None or self._repeats(one)
        self._shell.values[name] = None if value is None or lost else str(value)

    def _body(self, one: Command, at: int) -> tuple[int, int]:
        """(where the body of a loop ends, the loop's number); ``at``: where it begins."""
        depth, end = len(one.loops), at
        body = self._commands[at].loops[depth : depth + 1] if at < len(self._commands) else ()
        while body and end < len(self._commands) and self._commands[end].loops[depth : depth + 1] == body:
            end += 1
        return end, body[0] if body else 0

    def _is_around(self, at: int, end: int, reading: _Reading) -> bool:
        """Whether the program is started between two places, or may be."""
        return any([
            each is reading.chosen
            or (reading.chosen is None and _is_step(each))
            or name_of(each) in (reading.starting if each.words else ())
            for each in self._commands[at:end]
        ])  # fmt: skip

    def _may_turn(self, at: int, end: int, standing: bool | None, reading: _Reading) -> bool:
        """Whether the body of a loop can be run as often as it says."""
        ends = any([name_of(each) in ("break", "continue") for each in self._commands[at:end]])
        return bool(standing) and not ends and not self._is_around(at, end, reading)

    def _turn(self, at: int, end: int, loop: int, reading: _Reading) -> None:
        """Runs the body of a loop once."""
        known = {*self._verdicts}
        self._turned = (*self._turned, loop)
        self._read(at, end, reading)
        self._turned = self._turned[:-1]
        self._verdicts = {key: each for key, each in self._verdicts.items() if key in known}
        reading.turns += end - at + 1

    def _looped(self, one: Command, at: int, standing: bool | None, reading: _Reading) -> int:
        """Runs a loop whose values are known, and says where the text goes on behind it.

        Around the program its variable is the reference to what differs from variant to variant.
        """
        found = self._turns(one)
        end, loop = self._body(one, at)
        name, values = found if found is not None else ("", [])
        # those of a pattern are files, which nobody sees here
        known = all([_is_known(each) and not {"*", "?"} & {*each} for each in values])
        known = known and len(values) * (end - at) + reading.turns < _MOST_TURNS
        if found is not None and known and self._may_turn(at, end, standing, reading):
            for value in values:
                self._shell.values[name] = value
                self._turn(at, end, loop, reading)
            return end
        around = self._is_around(at, end, reading)
        value = values[0] if len(values) == 1 and known else self.brought.of_loop(name, values) if name else ""
        if name:
            self._shell.values[name] = value if value and (standing or around) else None
        if not value:
            self._left(one, reading.chosen)
        self._around = (*self._around, loop) if around else self._around
        self._read(at, end, reading)
        self._around = self._around[:-1] if around else self._around
        return end

    def _turns(self, one: Command) -> tuple[str, list[str]] | None:
        """(the variable of a loop, its values), those of a shell's and of C's form; None where they are not known."""
        texts = [word.text for word in one.words]
        if len(texts) > 3 and texts[2] == "in":
            return texts[1], self._words(one.words[3:], {}, said=False)
        counted = _FOR.fullmatch(texts[1]) if len(texts) == 2 else None
        if counted is None:
            return None
        name, begin, sign, end, step = counted.groups()
        first, last, by = self._shell.summed(begin), self._shell.summed(end), self._shell.summed(step or "1")
        if first is None or last is None or not by or by < 0 or last - first > _MOST_TURNS:
            self._shell.values[name] = None
            return None
        return name, [str(each) for each in range(first, last + (sign == "<="), by)]

    def _while(self, one: Command, at: int, standing: bool | None, reading: _Reading) -> int:
        """Runs a loop as long as its condition holds; where nobody knows that, its body is read once."""
        end, loop = self._body(one, at)
        if end > at and self._may_turn(at, end, standing, reading):
            while (holds := self._shell.holds(one, self._text)) is not None and reading.turns < _MOST_TURNS:
                if holds is (one.asks == "until"):
                    return end
                self._turn(at, end, loop, reading)
        self._does(one, standing, reading)
        return at

    def _entered(self, one: Command) -> None:
        path = self._shell.text(self._text[one.words[1].start : one.words[1].end]) if len(one.words) > 1 else ""
        if path.startswith("/") and "$" not in path and HERE not in path:
            self.brought.workdir = self._shell.values["PWD"] = path
        else:
            self.brought.leave(self._said(one), "`workdir`, with the whole path in the image or in `mounts`", one.line)

    def _left(self, one: Command, chosen: Command | None) -> None:
        name = name_of(one)
        if chosen is None or name in self._functions or name in (":", "shift"):
            return
        if name in TESTS and self._shell.holds(one, self._text) is not None:
            return
        if (
            name == "case"
            and len(one.words) > 1
            and self._shell.known(self._text[one.words[1].start : one.words[1].end]) is not None
        ):
            return
        if name in slurm.STARTERS:
            why = _STEP
        elif "scontrol show" in self._said(one):
            why = _SCONTROL
        elif name in ("for", "select"):
            why = "the program runs once: `variants` and `matrix` say what differs from run to run"
        else:
            behind = one.start > chosen.start
            why = _WHY.get(name, "nothing runs behind the program: a job of its own does" if behind else _PREPARE)
            rest = self._text[one.end :].partition("\n")[0]
            if one.redirected and name in ("cat", "echo", "printf", "tee") and ">" in rest and "/dev/" not in rest:
                why = _FILE
        self.brought.leave(self._said(one), why, one.line)

    def _redirected(self, one: Command) -> None:
        if one.redirected:
            rest = self._text[one.end :].partition("\n")[0].partition("|")[0].strip()
            given = rest.startswith("<") and ">" not in rest
            why = "`files` puts a file into the pods, which the program opens" if given else _PRINTS
            self.brought.leave(rest or "<", why, one.line)

    def _said(self, one: Command) -> str:
        return self._text[one.start : one.end].replace("\\\n", " ")


def inner(words: list[str], brought: Brought, deep: int = 0, line: int = 0, *, shells: bool = True) -> list[str]:
    """The program that words start in the end: inside a container, in a shell's text, behind what only runs it.

    ``line``: of the script that they stand in, 0 where they stand in none. ``shells``: whether their texts are read.
    """
    words = list(words)
    while words and deep <= _DEEP:
        name = words[0].rpartition("/")[2]
        if assigned(words[0]):
            variable, _, value = words[0].partition("=")
            brought.variable(variable, value, words.pop(0), line)
        elif name in ("exec", "nohup", "time", "command", "sudo") or (
            name == "env" and words[1:2] and words[1][:1] != "-"
        ):
            if name in ("nohup", "time"):
                brought.leave(name, _SHELLS_OWN, line)
            words.pop(0)
        elif name in _BINDERS and (behind := program_behind(words)):
            brought.leave(" ".join(words[:behind]), "what runs the program stands in `command`, before it", line)
            words = words[behind:]
        elif name in CONTAINERS and words[1:2] and words[1] in ("exec", "run"):
            words = contained(words, brought)
        elif name in DOCKERS and words[1:2] == ["run"]:
            words = in_docker(words, brought)
        elif name in _ENVIRONMENTS and words[1:2] == ["run"] and len(words) > 2:
            at = 2
            while at + 1 < len(words) and words[at].startswith("-"):
                at += 2 if words[at] in _OF_ENVIRONMENTS else 1
            brought.leave(" ".join(words[:at]), _ENVIRONMENT, line)
            words = words[at:]
        elif not shells and (name in SHELLS or name.endswith((".sh", ".bash"))):
            break
        elif name == "eval" and len(words) > 1:
            program = Script(" ".join(words[1:]), "", [], brought, line).program(deep + 1)
            return program if program is not None else words
        elif name in SHELLS or name.endswith((".sh", ".bash")):
            program = _of_shell(words, brought, deep, line)
            behind = 0 if program is not None or name in SHELLS else program_behind(words, scripts=False)
            if not behind:
                return program if program is not None else words
            brought.leave(" ".join(words[:behind]), "what runs the program stands in `command`, before it", line)
            words = words[behind:]
        else:
            break
    return words


def _of_shell(words: list[str], brought: Brought, deep: int, line: int) -> list[str] | None:
    """The program of a shell's text, or of a script that lies here."""
    at = script_at(words)
    if at is not None:
        return Script(words[at], "", words[at + 2 :], brought, line).program(deep + 1)
    is_shell = words[0].rpartition("/")[2] in SHELLS
    first = next((at for at, word in enumerate(words) if at >= is_shell and not word.startswith("-")), None)
    if first is None or not os.path.isfile(words[first]):
        return None
    text = _contents(words[first], words[0])
    return Script(text, words[first], words[first + 1 :], brought, 0).program(deep + 1)


def _is_known(value: str) -> bool:
    """Whether a shell would find no command in a value."""
    return "$(" not in value and "`" not in value and len(value) < LONGEST


def _options(words: list[str], brought: Brought, line: int = 0) -> tuple[Said, int]:
    """The options of a step and where its program begins, behind variables of which nobody knows what they ask for."""
    said, at = slurm.options(words, line)
    while at + 1 < len(words) and _OF_VARIABLE.fullmatch(words[at]):
        more, behind = slurm.options(words[at + 1 :], line)
        rest = words[at + 1 + behind :]
        if not behind and not begins(rest) and not _OF_VARIABLE.fullmatch(rest[0]):
            break
        brought.leave(words[at], "its value is not known here: what it asks of `srun` is left out", line)
        said, at = {**said, **more}, at + 1 + behind
    return said, at


def _is_step(one: Command) -> bool:
    """Whether a command may be the one that the job is."""
    return name_of(one) in slurm.STARTERS or starts(one) or runs(one)


def _is_open(word: str) -> bool:
    """Whether a shell would still replace a part of a word."""
    return "$" in word or "`" in word


def _of_array(word: str, brought: Brought) -> bool:
    """Whether a word is whole, but for variables that each variant has."""
    for name in (ARRAY, *brought.picked, *[one.upper() for one in brought.loops]):
        word = re.sub(rf"\$(?:{name}\b|\{{{name}\}})", "", word)
    return not _is_open(word)


def _is_said(text: str, picked: dict[str, list[str]]) -> bool:
    """Whether variants say what an assignment or a condition would decide."""
    name = re.match(r"(?:export )?(\w+)\+?=", text)
    return bool(picked) and (name[1].upper() in picked if name is not None else ARRAY in text)


def _name_for(word: str, before: str) -> str:
    """What a variable in the place of a word is called: as the first in it, or as its option."""
    inside = [one for one in re.findall(r"[A-Za-z_]\w*", word.partition("$")[2]) if one != ARRAY]
    option = (word if "=" in word and word[:1] == "-" else before).lstrip("-").partition("=")[0]
    return inside[0] if inside and word.count("$") == 1 else re.sub(r"\W", "_", option)


def _contents(name: str, by: str) -> str:
    """The text of a script. Raises BadQuestion."""
    try:
        with open(name, encoding="utf-8") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError) as error:
        raise BadQuestion(
            f"`{by}` hands a script to Slurm, and `{name or 'none'}` cannot be read here",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that the script runs",
        ) from error
