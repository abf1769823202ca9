"""What a shell's script says of a job: the program that it starts, and what it does beside that.

A batch script of Slurm, the text of `bash -c`, and a script that a line calls are read alike, by the commands in them.
"""

from __future__ import annotations

import os
import re
import shlex

from specgen.cli import slurm
from specgen.cli.brought import ARRAY, GIVEN, Brought, numbered, safe
from specgen.cli.called import Text, begins, helps, is_said_by_variable, may_run, name_of, runs, starts, trains
from specgen.cli.interpreter import MOST_STARTS, MOST_TURNS, Interpreter
from specgen.cli.substitution import LONGEST
from specgen.cli.sweep import Run, nodes_of_ranks, variants
from specgen.cli.variables import DECIDES, SCONTROL
from specgen.cli.wrapped import CONTAINERS, DOCKERS, contained, entered, in_docker, program_behind
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.kubernetes.script import TESTS
from specgen.operators.kubernetes.shell import assigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from specgen.cli.interpreter import Place, Step
    from specgen.cli.slurm import Asked, Said
    from specgen.operators.kubernetes.script import Command

# Programs that run another one in an environment of Python's, with `run` behind their names; options with a value.
_ENVIRONMENTS = ("uv", "poetry", "pdm", "pipenv", "hatch", "pixi", "rye", "conda", "mamba", "micromamba")
_OF_ENVIRONMENTS = ("-n", "-p", "-e", "--name", "--prefix", "--with", "--python", "--project", "--extra", "--group")
# Programs that run another one on some cores, or watch it.
_BINDERS = ("numactl", "taskset", "nsys", "ncu", "stdbuf", "nice", "ionice", "perf", "strace", "catchsegv")
_OF_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})")
_ONCE = "the program runs once: `variants` and `matrix` say what differs from run to run"
_AGAIN = "`lifecycle.restarts` begins it again after a failure."
_NOTHING = (":", "true", "false", "shift", "return", "break", "continue")
_TO_FILE = re.compile(r">>?(?!&)(?!\s*/dev/)")
# So many words of a program say which one it is.
_NAMED = 2
# So many files are named.
_NAMED_FILES = 3
# Deeper than this no script calls another one.
_DEEP = 4
_LARGEST = 1 << 20
_IMAGE = "the image holds it: `image`, or `prepare` for what is quickly installed"
_ENVIRONMENT = "the image holds it; `command` may name the Python of an environment: `/env/bin/python`"
_PREPARE = "`prepare` runs it in each pod before the program; what is to run once is a job of its own"
_FILE = "`files` puts a file into the pods: `files: {/PATH: {from: FILE}}`, with what stands in it here"
_GIVEN = "a shell hands it over, `command: [sh, -c, PROGRAM < FILE]`; `files` or `mounts` put it into the pods"
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
_STEP = "another step: `prepare` where each pod does it before, else a job of its own: `specgen init job -- …`"


def program_of(script: str, arguments: list[str], env: dict[str, str]) -> list[str]:
    """The words of what a script that lies here starts, with some variables; none where none is seen."""
    brought = Brought()
    brought.env = dict(env)
    return Script(_contents(script, "sh"), script, arguments, brought, 0).program(1) or []


def of_line(command: Sequence[str]) -> Asked:
    """A line that begins with srun, or with salloc in front of that."""
    said, at = slurm.options(command[1:])
    if command[0].rpartition("/")[2] in slurm.ALLOCATES and command[1 + at :][:1] == ["srun"]:
        command = command[1 + at :]
        step, at = slurm.options(command[1:])
        said = slurm.stronger(said, step)
    brought = Brought()
    brought.numbers = slurm.Asked(said, [], Brought()).numbers()
    program = inner(list(command[1 + at :]), brought)
    return slurm.Asked(said, program, brought)


def of_batch(command: Sequence[str], given: Sequence[str] = ()) -> Asked:
    """A line that begins with sbatch, behind variables that are ``given``, and its script. Raises BadQuestion."""
    said, at = slurm.options(command[1:])
    wrapped = said.pop("wrap", None)
    name, *rest = [*command[1 + at :], ""]
    if wrapped is not None:
        script = Script(wrapped[0], "`--wrap`", [])
    else:
        script = Script(_contents(name, command[0]), name, [one for one in rest if one])
    above = {**script.above, **said}
    return script.asked(above, given)


class Script:
    """A script's text. ``above``: what its `#SBATCH` lines ask for; ``arguments``: what it is called with."""

    __slots__ = ("_chosen", "_opened", "_steps", "_text", "above", "arguments", "brought", "name")

    def __init__(
        self, text: str, name: str, arguments: list[str], brought: Brought | None = None, line: int | None = None
    ) -> None:
        """``line``: of the script around it, where this text begins; 0 where its lines are of no text that is named."""
        self._text = Text(text, line)
        self._steps: list[Step] = []
        self._chosen: Step | None = None
        self._opened: dict[str, None] = {}
        self.name = name
        self.arguments = arguments
        self.brought = brought or Brought()
        self.above: Said = {}
        if brought is None:
            self.brought.source = name
            self._directives()

    def _directives(self) -> None:
        first = self._text.commands[0].line if self._text.commands else 1 << 30
        for number, line in enumerate(self._text.text.splitlines(), 1):
            if not line.startswith("#SBATCH"):
                continue
            words = _directive(line[len("#SBATCH") :])
            if number > first:
                self.brought.leave(line, "below the first command sbatch reads no such line", number)
                continue
            found, at = slurm.options(words, number)
            self.above |= found
            if words[at:]:
                self.brought.leave(line, "`roles` says what differs from pod to pod", number)

    def asked(self, above: Said, given: Sequence[str] = ()) -> Asked:
        """What the script asks of Slurm. ``above``: the options of the whole job; ``given``: variables before the line.

        Raises BadQuestion.
        """
        whole = step = slurm.Asked(above, [], Brought())
        if "array" in above:
            self.brought.array = numbered(above["array"][0])[0]
        for one in [*given, *above.get("export", ("", "", 0))[0].split(",")]:
            name, equals, value = one.partition("=")
            if equals and name.isidentifier():
                self.brought.shell[name] = value
        tasks = _of_array(self.brought.array)
        ended = self._rehearse({**whole.numbers(), **tasks})
        steps = [one for one in self._steps if one.words is not None]
        if steps and all([helps(_program_of(one)) for one in steps]) and self._direct(starts) is not None:
            steps = []
        chosen = max(steps, key=lambda one: (*_weight(one, above), one.place)) if steps else self._direct()
        if chosen is None:
            raise self._starts_nothing(ended)
        self._chosen = chosen
        chosen.alike = [one.place for one in self._steps if _is_like(one, chosen)]
        fresh = self.brought.other()
        said: Said = {}
        if chosen.words is not None:
            said, _ = _options(chosen.words[1:], Brought())
            step = slurm.Asked(slurm.stronger(above, said), [], Brought())
            self._one_of([*[one for one in steps if not _is_like(one, chosen)], chosen], chosen, above)
        else:
            self._on_the_first_node(step, chosen)
        self.brought.numbers = step.numbers()
        # the shell of the script knows the job's, where it says any
        numbers = {**(whole.numbers() if whole.tasks or whole.each else self.brought.numbers), **tasks}
        before = dict(self.brought.env)
        reader = self._reader(self.brought, numbers, chosen)
        self.brought.scripts = [name for name in self.brought.env if name not in before]
        self._tell(reader)
        self._redirected(chosen.command)
        program = reader.program
        if steps:
            said, behind = _options(program[1:], self.brought, chosen.line)
            program = program[1 + behind :]
            for name in slurm.unknown(said):
                self.brought.leave(said[name][1], "no number is known here: what the job says is taken", chosen.line)
            above = slurm.stronger(above, said)
        program = inner(program, self.brought, line=chosen.line)
        folder = self.brought.workdir
        asked = slurm.Asked(above, [], self.brought)
        if not steps:
            asked.nodes, asked.each, asked.tasks, asked.cpus = step.nodes, step.each, step.tasks, step.cpus
        elif asked.each == 1 and whole.gpus and asked.gpus is not None and not slurm.OF_GPUS & said.keys():
            # one task that starts the others by itself finds what the job has on its node
            asked.gpus = max(asked.gpus, whole.gpus)
        runs = self._all_starts(chosen, fresh, numbers, reader, steps=bool(steps))
        if not steps and chosen.behind and self.brought.visible and (asked.gpus or 0) > self.brought.visible:
            asked.gpus = self.brought.visible
        listed = said.get("nodelist", ("", "", 0))[1] if chosen.command.loops and asked.nodes == 1 else ""
        many = whole.nodes if steps and listed and whole.nodes else nodes_of_ranks(runs) if steps else 0
        if many:
            # a step for each node, one after the other
            asked.nodes, asked.each, asked.tasks, asked.gpus = many, 1, None, whole.gpus or asked.gpus
            self.brought.left = {one: None for one in self.brought.left if one[1] != listed}
            self.brought.loops = {}
            asked.program = runs[0].words if runs else program
        else:
            asked.program = variants(self.brought, program, runs, chosen, self.name, folder)
        lines = sorted({one.line for one in self._steps if _is_like(one, chosen)})
        if chosen.behind and len(lines) > 1 and not many:
            listed = f"{', '.join(map(str, lines[:-1]))} and {lines[-1]}"
            self.brought.notes.append(
                f"Lines {listed} start it beside each other, here as jobs of their own: `roles` says parts of one job."
            )
        self._tell_of_files()
        self.brought.flush()
        if self.brought.contained:
            entered(self.brought)
        asked.program = self.brought.literal(asked.program)
        self.brought.rests = [self.brought.literal(words) for words in self.brought.rests]
        if any(["$" in word for word in asked.program]) and len(chosen.place) == 1:
            from specgen.cli.decided import decided  # most programs have the same words at each start

            self.brought.decided = decided(self._text, asked.program, chosen.command.start, reader.values)
        if not steps and is_said_by_variable(chosen.command) and not begins(asked.program):
            raise self._starts_nothing(None)
        return asked

    def _starts_nothing(self, ended: Command | None) -> BadQuestion:
        if ended is not None:
            return BadQuestion(
                f"`{self.name}` ends in line {ended.line} before it starts anything, as it is called here",
                "with the arguments that it waits for behind its name, or `--array=…` where it asks for a task",
            )
        return BadQuestion(
            f"`{self.name}` has no line that begins with `srun`, nor one that calls torchrun, mpirun or python: "
            "nobody knows what it starts",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that the script runs",
        )

    def program(self, deep: int) -> list[str] | None:
        """The words of the program that it starts; None where none is seen."""
        numbers = self.brought.numbers
        self._rehearse(numbers)
        chosen = self._chosen = self._direct()
        if chosen is None:
            return None
        around = list(self.brought.loops)
        reader = self._reader(self.brought, numbers, chosen)
        self._tell(reader, around)
        for each in reader.once:
            self._left(each, reader)
        self._redirected(chosen.command)
        self._tell_of_files()
        found = inner(reader.program, self.brought, deep, chosen.line)
        if deep == 1:
            self.brought.flush()
        return found

    def _reader(
        self, brought: Brought, numbers: dict[str, str], chosen: Step | None, *, unrolls: bool = False
    ) -> Interpreter:
        """The script as it was read to its end."""
        # tasks share what is run in all
        most = max(MOST_TURNS // 8, min(MOST_TURNS, 4 * MOST_TURNS // max(len(self.brought.array), 1)))
        reader = Interpreter(
            self._text, brought, self.arguments, numbers, self._left, chosen, unrolls=unrolls, most=most
        )
        reader.read()
        self._opened |= reader.opened
        return reader

    def _rehearse(self, numbers: dict[str, str]) -> Command | None:
        """Reads the script once, or once for each task, for what runs and with which words; what ends it before."""
        brought = self.brought
        said = [(brought.other(), numbers)]
        if brought.array and len(self._text.text) <= LONGEST:
            said = [(brought.alone(), {**numbers, ARRAY: str(task)}) for task in brought.array]
        readers = [self._reader(own, known, None, unrolls=True) for own, known in said]
        steps: dict[Place, Step] = {}
        for reader in readers:
            steps = {**reader.steps, **steps}
        self._steps = sorted(steps.values(), key=lambda one: one.place)
        return readers[0].ended

    def _all_starts(
        self, chosen: Step, fresh: Brought, numbers: dict[str, str], symbolic: Interpreter, *, steps: bool
    ) -> list[Run]:
        """Every start of the program, of all tasks of the array and of all turns of loops; ``steps``: by `srun`.

        ``fresh``: what was brought before the script was read; ``symbolic``: the script with one turn for all.
        """
        brought = self.brought
        runs: list[Run] = []
        if len(self._text.text) > LONGEST:
            for each in symbolic.once:
                self._left(each, symbolic)
            return runs
        tasks: list[int | None] = [*brought.array] or [None]
        open_still: dict[tuple[int, str, str], None] = {}
        for task in tasks:
            given = numbers if task is None else {**numbers, ARRAY: str(task)}
            own = fresh.other() if task is None else fresh.alone()
            reader = self._reader(own, given, chosen, unrolls=True)
            open_still |= own.left
            # which devices one sees is often what its loop is at
            brought.visible = max(brought.visible, own.visible)
            if reader.uncounted is not None and name_of(reader.uncounted) != "for":
                note = f"How often line {reader.uncounted.line} has it started is not known here: once. {_AGAIN}"
                self.brought.notes += [note] if note not in self.brought.notes else []
            if reader.skips is not None:
                note = f"Line {reader.skips.line} may leave some of them out, by what nobody knows here: all are taken."
                self.brought.notes += [note] if note not in self.brought.notes else []
            for each in reader.once:
                self._left(each, reader)
            if reader.once:
                brought.left |= {one: None for one in own.left if one[2] == _ONCE}
            # of very many the first of each task is enough to see
            for one in reader.started if len(runs) <= MOST_STARTS else reader.started[:1]:
                words = one.words[1 + _options(one.words[1:], Brought())[1] :] if steps else one.words
                inside = own.other()
                inside.workdir, inside.written = one.workdir, one.written
                words = inner(words, inside, line=chosen.line)
                one.workdir = inside.workdir
                runs.append(Run(task, words, one))
        # what each task or turn decides is open to none of them
        brought.left = {one: None for one in brought.left if not one[2].startswith(DECIDES) or one in open_still}
        return runs

    def _tell_of_files(self) -> None:
        """Says which files are taken as they lie here."""
        names = [f"`{safe(one)}`" for one in [*self._opened][:_NAMED_FILES]]
        names += [f"{len(self._opened) - len(names)} more"] if len(self._opened) > len(names) else []
        if names:
            listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
            self.brought.notes.append(f"Read as it lies here: {listed}.")

    def _tell(self, reader: Interpreter, around: Sequence[str] = ()) -> None:
        """Names the variables that the program has nothing of; ``around``: loops around this text."""
        brought = self.brought
        brought.used |= reader.used
        brought.loops = {name: said for name, said in brought.loops.items() if name in (*reader.used, *around)}
        for name, (text, line) in reader.variables.own.items():
            if name not in reader.used:
                brought.leave(text, "the operator sets it" if name in GIVEN else _OF_SCRIPT, line)
            elif reader.values.get(name, "") is None and any([_refers(word, name) for word in reader.program]):
                said = any([one[:2] == (line, text) for one in brought.left])
                task = ", a variable in each task of `matrix`" if brought.array else ""
                if not said:
                    why = f"its value is not known here: write it in the place of `${name}`{task}"
                    brought.leave(text, why, line)

    def _direct(self, *kinds: Callable[[Command], bool]) -> Step | None:
        """The last command that starts processes, or else a program of one's own."""
        for kind in kinds or (starts, runs, is_said_by_variable, may_run):
            names = self._text.functions
            found = [one for one in self._steps if kind(one.command) and name_of(one.command) not in names]
            if found:
                chosen = max(found, key=lambda one: (one.sure, trains(_program_of(one)), one.place))
                if not kinds:
                    others = [one for one in found if not _is_like(one, chosen)]
                    self._one_of([*others, chosen], chosen, None)
                return chosen
        return None

    def _one_of(self, found: list[Step], chosen: Step, above: Said | None) -> None:
        """Says which of some lines is taken; ``above``: what the job asks for, where they are steps."""
        if len(found) < 2:
            return
        what, which = "that start a program" if above is None else "with `srun`", "the last is taken"
        if above is None and trains(_program_of(chosen)) and not all([trains(_program_of(one)) for one in found]):
            which = "the one that trains is taken, by its name"
        if above is not None:
            weights = [_weight(one, above) for one in found]
            names = len({one[3] for one in weights if one[:3] == max(weights)[:3]}) > 1
            which = "the one with most tasks is taken, the last of such"
            which = "the one that trains is taken, by its name" if names else which
        where = f"line {chosen.line}" if chosen.line else f"`{safe(shlex.join(_program_of(chosen)))}`"
        self.brought.notes.append(f"Of {len(found)} lines {what}, {which}: {where}.")

    def _on_the_first_node(self, asked: Asked, chosen: Step) -> None:
        many = asked.each or asked.tasks or 1
        if starts(chosen.command) or is_said_by_variable(chosen.command):
            return
        if asked.cpus or many > 1:
            asked.cpus = (asked.cpus or 1) * many  # the shell of the script has all that the job has on its node
        if (asked.nodes or 1) * many == 1:
            return
        self.brought.notes.append(
            f"Without `srun`, line {chosen.line} of the script runs once, on the first node: one pod."
        )
        asked.nodes, asked.each, asked.tasks = 1, None, None

    def _left(self, one: Command, reader: Interpreter) -> None:
        """Says of a command that is not brought over what takes its place."""
        name = name_of(one)
        chosen = self._chosen
        if chosen is None or name in self._text.functions or name in _NOTHING:
            return
        if name in (*TESTS, "case") and reader.decides(one):
            return
        if name in slurm.STARTERS:
            why = _STEP
        elif "scontrol show" in self._text.said(one):
            why = SCONTROL
        elif name in ("for", "select"):
            why = _ONCE
        elif name.startswith("((") or (name == "printf" and one.words[1:2] and one.words[1].text == "-v"):
            why = _OF_SCRIPT
        else:
            behind = one.start > chosen.command.start
            why = _WHY.get(name, "nothing runs behind the program: a job of its own does" if behind else _PREPARE)
            rest = self._text.behind(one)
            if one.redirected and name in ("cat", "echo", "printf", "tee") and _TO_FILE.search(rest):
                why = _FILE
        reader.brought.leave(self._text.said(one), why, reader.line_of(one))

    def _redirected(self, one: Command) -> None:
        if one.redirected:
            rest = self._text.behind(one).partition("|")[0].strip()
            given = rest.startswith("<") and ">" not in rest
            why = _GIVEN if given else _PRINTS
            self.brought.leave(rest or "<", why, one.line)


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
            before = dict(brought.left)
            program = _of_shell(words, brought, deep, line)
            if program is not None:
                brought.shelled = words, [one for one in brought.left if one not in before]
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
    if first is None or not (words[first] in brought.written or os.path.isfile(words[first])):
        return None
    text = brought.written.get(words[first]) if words[first] in brought.written else _contents(words[first], words[0])
    if text is None:
        return None
    return Script(text, words[first], words[first + 1 :], brought, 0).program(deep + 1)


def _refers(word: str, name: str) -> bool:
    """Whether a word has a variable in it."""
    return re.search(rf"\$(?:{name}\b|\{{{name}\b)", word) is not None


def _of_array(tasks: list[int]) -> dict[str, str]:
    """Slurm's variables of an array, but for the one of each task (sbatch(1), OUTPUT ENVIRONMENT VARIABLES)."""
    if not tasks:
        return {}
    found = {"COUNT": len(tasks), "MIN": min(tasks), "MAX": max(tasks)}
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in found.items()}


def _program_of(step: Step) -> list[str]:
    """The program that a step starts, or that a command is itself."""
    if step.words is None:
        return step.called or []
    words = step.words[1:]
    return words[_options(words, Brought())[1] :]


def _is_like(one: Step, chosen: Step) -> bool:
    """Whether a step is the chosen one with other arguments: by another call of a function, or in a line beside it."""
    if one is chosen:
        return True
    ours, theirs = _program_of(one), _program_of(chosen)
    # lines for which the shell does not wait run beside each other
    same = one.command is chosen.command or (one.behind and chosen.behind and len(theirs) >= _NAMED)
    return same and one.called is not None and ours[:_NAMED] == theirs[:_NAMED]


def _weight(step: Step, above: Said) -> tuple[bool, bool, int, bool]:
    """(whether it is more than a helper, whether it runs for certain, its tasks, whether its name says it trains)."""
    said, _ = _options((step.words or [])[1:], Brought())
    asked = slurm.Asked(slurm.stronger(above, said), [], Brought())
    program = _program_of(step)
    many = asked.tasks or (asked.nodes or 1) * (asked.each or 1)
    return not helps(program), step.sure, many, trains(program)


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


def _directive(text: str) -> list[str]:
    """The words of a line of options, in which no sign is a shell's but quotes (sbatch(1))."""
    text = re.sub(r"\s#.*", "", f" {text}")
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


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
