"""What a shell's script says of a job: the program that it starts, and what it does beside that.

A batch script of Slurm, the text of `bash -c`, and a script that a line calls are read alike, by the commands in them.
Apptainer's options as in its manual (1.3, `apptainer exec`).
"""

from __future__ import annotations

import os
import re
import shlex

from specgen.cli import slurm
from specgen.cli.brought import ARRAY, GIVEN, MOST_TASKS, Brought, numbered
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.kubernetes.launchers import count, of_words
from specgen.operators.kubernetes.script import commands
from specgen.operators.kubernetes.shell import assigned
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.cli.slurm import Asked, Said
    from specgen.operators.kubernetes.script import Command, Word

_CONTAINERS = ("apptainer", "singularity")
DOCKERS = ("docker", "podman", "nerdctl")
# Flags of `docker run`: every other option has a value. And what says the same here.
_DOCKER_FLAGS = ("--rm", "-i", "-t", "-it", "-ti", "-d", "-itd", "-dit", "--init", "--interactive", "--tty", "--detach")
_DOCKER_WHY = {
    "--shm-size": "`resources.shm`, with the amount",
    "--ipc": "`resources: {shm: auto}` is the memory that processes share",
    "--network": "`network: {host: true}`, where the fabric needs it: `specgen explain network.host`",
    "--net": "`network: {host: true}`, where the fabric needs it: `specgen explain network.host`",
    "--privileged": "`security: {privileged: true}`, where it is allowed",
    "--cap-add": "`security.capabilities`",
    "--ulimit": "limits of a shell do not travel: `specgen explain ulimit`",
    "--device": "`resources` asks for devices",
    "--cpus": "`resources.cpu`",
    "--memory": "`resources.memory`",
    "-m": "`resources.memory`",
    "--user": "`security.user`",
    "-u": "`security.user`",
    "--env-file": "`envFrom`, with a ConfigMap",
}
# Programs that run another one in an environment of Python's, with `run` behind their names; options with a value.
_ENVIRONMENTS = ("uv", "poetry", "pdm", "pipenv", "hatch", "pixi", "rye", "conda", "mamba", "micromamba")
_OF_ENVIRONMENTS = ("-n", "-p", "-e", "--name", "--prefix", "--with", "--python", "--project", "--extra", "--group")
# Options of `apptainer exec` with a value, of those that are no word of profiles.
# fmt: off
_VALUED = (
    "--overlay", "-o", "--scratch", "-S", "--network", "--app", "--fusemount", "--security", "--dns", "--memory",
    "--env-file", "--hostname", "--cpus", "--workdir", "-W", "--home", "-H", "--add-caps", "--drop-caps",
)
# fmt: on
# Programs that run another one on some cores, or watch it.
_BINDERS = ("numactl", "taskset", "nsys", "ncu", "stdbuf", "nice", "ionice", "perf", "strace", "catchsegv")
_DEVICES = ("--nv", "--rocm", "--nvccli")
# A variable, one with a default, all of a list, and a sum of two numbers.
_VARIABLE = re.compile(r"\$(?:\{(\w+|[@*])(?:\[[@*]\]|:?-([^{}$`]*))?\}|(\w+|[@*]))")
_SUM = re.compile(r"\$\((?:\(|expr )\s*\$?\{?(\w+)\}?\s*\\?([-+*/])\s*\$?\{?(\w+)\}?\s*\)?\)")
# `{1..5}`, `$(seq 5)`, `$(seq 1 5)`, `$(seq 1 2 5)`: first, step and last.
_SPAN = re.compile(r"\{(\d{1,6})()\.\.(\d{1,6})\}|\$\(seq (?:(?:(\d{1,6}) )(?:(\d{1,3}) )?)?(\d{1,6})\)")
# What an array's task picks from a list.
_PICKED = re.compile(r"\$\{(\w+)\[\$?\{?" + ARRAY + r"\}?\]\}")
# What is there where a variable has a value: `${RESUME:+--resume "$RESUME"}`.
_WHERE_SET = re.compile(r"\$\{(\w+):?\+([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", re.DOTALL)
# The folder that a script runs in, or lies in: that of the program, whose path in the image it does not say.
_FOLDER = re.compile(
    r"\$\(pwd(?: -P)?\)|`pwd(?: -P)?`|\$PWD\b|\$\{PWD\}"
    r'|\$\(cd (?:-- )?"?\$\(dirname (?:-- )?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\)"?[^()]*pwd[^()]*\)'
)
_HERE = "\0"
# A remark among the words of a list.
_LONG = 1024
_REMARK = re.compile(r"(?:^|\s)#[^'\"]*$")
# A value that is longer stays a variable.
_LONGEST = 1 << 14
# Deeper than this no script calls another one.
_DEEP = 4
_LARGEST = 1 << 20
_IMAGE = "the image holds it: `image`, or `prepare` for what is quickly installed"
_ENVIRONMENT = "the image holds it; `command` may name the Python of an environment: `/env/bin/python`"
_PREPARE = "`prepare` runs it in each pod before the program"
_SHELLS_OWN = "it is of the script's shell"
_WHY = {
    **dict.fromkeys(("module", "ml", "spack", "conda", "mamba", "micromamba", "pyenv"), _IMAGE),
    **dict.fromkeys(("source", "."), _ENVIRONMENT),
    **dict.fromkeys(("set", "wait", "trap", "exit", "shopt", "unset", "alias", "shift", "return"), _SHELLS_OWN),
    **dict.fromkeys(("[", "[[", "test"), "a condition, of which all that depends on it is taken"),
    "ulimit": "limits of a shell do not travel: `specgen explain ulimit`",
    "tee": "`kubectl logs` prints what a pod wrote",
}
_SCONTROL = "the operator sets MASTER_ADDR; `specgen expand` lists the pods by their names"
_STEP = "another step: `prepare` where each pod does it before, else a job of its own: `specgen init job -- …`"
_OF_SCRIPT = "a variable of the script alone; `env` gives one to the program"
_FUNCTION = "a function of the script: what stands in it is read as if it stood outside"


def program_of(script: str, arguments: list[str]) -> list[str]:
    """The words of what a script that lies here starts; none where none is seen."""
    return Script(_contents(script, "sh"), script, arguments, Brought(), 0).program(1) or []


def of_line(command: Sequence[str]) -> Asked:
    """A line that begins with srun."""
    said, at = slurm.options(command[1:])
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


class Script:
    """A script's text. ``above``: what its `#SBATCH` lines ask for; ``arguments``: what it is called with."""

    __slots__ = ("_commands", "_text", "_used", "above", "arguments", "brought", "name")

    def __init__(
        self, text: str, name: str, arguments: list[str], brought: Brought | None = None, line: int | None = None
    ) -> None:
        """``line``: of the script around it, where this text begins; 0 where its lines are of no text that is named."""
        self._text = text
        self._commands = list(commands(text))
        for one in self._commands if line is not None else ():
            one.line = line + one.line - 1 if line else 0
        self._used: set[str] = set()
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
        steps = [one for one in self._commands if _name(one) in slurm.STARTERS]
        chosen = max(steps, key=lambda one: (self._own(one, above), one.start)) if steps else self._direct()
        if chosen is None:
            raise self._starts_nothing()
        whole = step = slurm.Asked(above, [], Brought())
        behind = 0
        if steps:
            said, _ = slurm.options([word.text for word in _called(chosen)][1:])
            step = slurm.Asked(slurm.stronger(above, said), [], Brought())
            if len(steps) > 1:
                self.brought.notes.append(
                    f"Of {len(steps)} lines with `srun`, the one with most tasks is taken, the last of such: "
                    f"line {chosen.line}."
                )
        else:
            self._on_the_first_node(step, chosen)
        if "array" in above:
            self.brought.array = numbered(above["array"][0])[0]
        self.brought.numbers = step.numbers()
        program = self._walk(chosen, self.brought.numbers)
        if steps:
            # once more, as variables of the script hold options, too
            said, behind = slurm.options(program[1:], chosen.line)
            above, behind = slurm.stronger(above, said), behind + 1
        asked = slurm.Asked(above, [], self.brought)
        if not steps:
            asked.nodes, asked.each, asked.tasks = step.nodes, step.each, step.tasks
        elif asked.each == 1 and whole.gpus and asked.gpus is not None:
            # one task that starts the others by itself finds what the job has on its node
            asked.gpus = max(asked.gpus, whole.gpus)
        asked.program = inner(program[behind:], self.brought, line=chosen.line)
        if not steps and _is_said_by_variable(chosen) and not _begins(asked.program):
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
        chosen = self._direct()
        if chosen is None:
            return None
        return inner(self._walk(chosen, self.brought.numbers), self.brought, deep, chosen.line)

    def _own(self, step: Command, above: Said) -> int:
        """The tasks of a step."""
        said, _ = slurm.options([word.text for word in _called(step)[1:]])
        asked = slurm.Asked(slurm.stronger(above, said), [], Brought())
        return asked.tasks or (asked.nodes or 1) * (asked.each or 1)

    def _direct(self) -> Command | None:
        """The last command that starts processes, or else a program of one's own."""
        for kind in (_starts, _runs, _is_said_by_variable):
            found = [one for one in self._commands if kind(one)]
            if found:
                return found[-1]
        return None

    def _on_the_first_node(self, asked: Asked, chosen: Command) -> None:
        alone = (asked.nodes or 1) * (asked.each or asked.tasks or 1) == 1
        if alone or _starts(chosen) or _is_said_by_variable(chosen):
            return
        self.brought.notes.append(
            f"Without `srun`, line {chosen.line} of the script runs once, on the first node: one pod."
        )
        asked.nodes, asked.each, asked.tasks = 1, None, None

    def _walk(self, chosen: Command, numbers: dict[str, str]) -> list[str]:
        """The words of the chosen command; what the others say is brought over, or named."""
        values = {**self.brought.env, **numbers, "@": shlex.join(self.arguments), "PWD": self.brought.workdir or _HERE}
        values |= {str(at): one for at, one in enumerate(self.arguments, 1)}
        own: dict[str, tuple[str, int]] = {}
        # exported texts of several words: those of a command line are no variables of the program
        lines: list[tuple[str, str, str, int]] = []
        words: list[str] = []
        used = self._used
        for one in self._commands:
            if one is chosen:
                for word in one.sets:
                    name, _, value = self._resolved(word, values).partition("=")
                    self.brought.variable(name, value, word.text, one.line)
                words = self._words(_called(one), values, set(numbers))
                if one.program:
                    runners = " ".join(word.text for word in one.words[: one.program])
                    self.brought.leave(runners, "what runs the program stands in `command`, before it", one.line)
                self._redirected(one)
            elif not one.words:
                for word in one.sets:
                    name, _, value = self._resolved(word, values).partition("=")
                    own[name] = (word.text, one.line)
                    if _is_known(value):
                        values[name] = _flat(value.strip("()")) if value.startswith("(") else value
                    elif "scontrol" in value:
                        self.brought.leave(word.text, _SCONTROL, one.line)
                        del own[name]
            elif _name(one) in ("export", "declare", "typeset"):
                self._exported(one, values, own, lines)
            elif _name(one) == "cd":
                self._entered(one, values)
            elif _name(one) == "for" and (looped := self._looped(one, values)):
                values[one.words[1].text] = looped
            else:
                self._left(one, chosen)
        self.brought.loops = {name: said for name, said in self.brought.loops.items() if name in used}
        for name, value, text, line in lines:
            if name not in used:
                self.brought.variable(name, value, text, line)
        for name, (text, line) in own.items():
            if name not in used:
                self.brought.leave(text, "the operator sets it" if name in GIVEN else _OF_SCRIPT, line)
        return words

    def _words(self, called: list[Word], values: dict[str, str], numbers: set[str]) -> list[str]:
        """Words with the script's own variables in place; Slurm's numbers, in the options of a starter alone."""
        texts = [word.text for word in called]
        line = of_words(texts)
        mpi = mpirun.call(texts) if texts[0].rpartition("/")[2] in mpirun.STARTERS else None
        until = line.program if line is not None else mpi.behind if mpi is not None else 0
        found: list[str] = []
        for at, word in enumerate(called):
            known = values if at < until else {name: one for name, one in values.items() if name not in numbers}
            match = _VARIABLE.fullmatch(word.text)
            name = (match[1] or match[3]).replace("*", "@") if match else ""
            # in quotes one word stays one, but for all arguments and all of a list
            quoted = self._text[word.start] in "\"'" and not word.text.endswith(("@}", "@]}", "$@"))
            where_set = _WHERE_SET.fullmatch(word.text)
            if match and name in known and not quoted:
                self._used.add(name)
                found += _split(known[name])
            elif where_set and not quoted:
                self._used.add(where_set[1])
                if known.get(where_set[1]):
                    found += _split(self._in_place(where_set[2], known))
                elif where_set[1] not in known:
                    self.brought.leave(word.text, f"the script sets no `{where_set[1]}`: the words are left out")
            else:
                found.append(self._resolved(word, known))
        return [one.replace(_HERE, ".") for one in found]

    def _resolved(self, word: Word, values: dict[str, str]) -> str:
        """A word with the variables that are known; not in single quotes."""
        return word.text if "'" in self._text[word.start : word.end] else self._in_place(word.text, values)

    def _in_place(self, text: str, values: dict[str, str]) -> str:
        """A text with the variables that are known."""

        def value(one: re.Match[str]) -> str:
            name = (one[1] or one[3]).replace("*", "@")
            self._used.add(name if name in values else "")
            return values.get(name, one[0] if one[2] is None else one[2])

        def result(one: re.Match[str]) -> str:
            left, right = (count(values.get(name, name)) for name in (one[1], one[3]))
            if left is None or right is None or (one[2] == "/" and not right):
                return one[0]
            self._used.update((one[1], one[3]))
            return str({"+": left + right, "-": left - right, "*": left * right}.get(one[2], left // (right or 1)))

        def picked(one: re.Match[str]) -> str:
            found = values.get(one[1], "")
            variable = self.brought.of_task(one[1], _split(found)) if "$" not in found and "`" not in found else ""
            self._used.add(one[1] if variable else "")
            return variable or one[0]

        text = _FOLDER.sub(lambda one: values.get("PWD", _HERE) if "dirname" not in one[0] else _HERE, text)
        return _VARIABLE.sub(value, _SUM.sub(result, _PICKED.sub(picked, text)))

    def _exported(
        self,
        one: Command,
        values: dict[str, str],
        own: dict[str, tuple[str, int]],
        lines: list[tuple[str, str, str, int]],
    ) -> None:
        for word in one.words[1:]:
            name, equals, value = self._resolved(word, values).partition("=")
            if name.startswith("-"):
                continue
            if not equals:
                # it was set before
                own.pop(name, None)
                value = values.get(name, "$")
            elif _is_known(value):
                values[name] = value
            if "scontrol" in value:
                self.brought.leave(word.text, _SCONTROL, one.line)
            elif " " in value.strip():
                lines.append((name, value, f"export {word.text}", one.line))
            else:
                self.brought.variable(name, value, f"export {word.text}", one.line)

    def _looped(self, one: Command, values: dict[str, str]) -> str:
        """The reference to a loop's variable, which has another value in each variant; "" where nobody knows them."""
        if len(one.words) < 4 or one.words[2].text != "in":
            return ""
        name, found = one.words[1].text, []
        for text in self._words(one.words[3:], values, set()):
            span = _SPAN.fullmatch(text)
            if span is None:
                found.append(text)
            else:
                first, step, last = (int(span[at] or span[at + 3] or 1) for at in (1, 2, 3))
                found += [str(at) for at in range(first, min(last, first + step * MOST_TASKS) + 1, step)]
        return self.brought.of_loop(name, found)

    def _entered(self, one: Command, values: dict[str, str]) -> None:
        path = self._resolved(one.words[1], values) if len(one.words) > 1 else ""
        if path.startswith("/") and "$" not in path and _HERE not in path:
            self.brought.workdir = values["PWD"] = path
        else:
            self.brought.leave(self._said(one), "`workdir`, with the whole path in the image or in `mounts`", one.line)

    def _left(self, one: Command, chosen: Command) -> None:
        name = _name(one)
        if name in slurm.STARTERS:
            why = _STEP
        elif "scontrol" in self._said(one):
            why = _SCONTROL
        elif self._text[one.end :].lstrip()[:2] == "()":
            why = _FUNCTION
        elif name in ("for", "case", "select"):
            why = "the program runs once: `variants` and `matrix` say what differs from run to run"
        else:
            behind = one.start > chosen.start
            why = _WHY.get(name, "nothing runs behind the program: a job of its own does" if behind else _PREPARE)
        self.brought.leave(self._said(one), why, one.line)

    def _redirected(self, one: Command) -> None:
        if one.redirected:
            rest = self._text[one.end :].partition("\n")[0].partition("|")[0].strip()
            self.brought.leave(rest or "<", "`kubectl logs` prints what a pod wrote", one.line)

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
        elif name in ("exec", "nohup", "time", "command") or (name == "env" and words[1:2] and words[1][:1] != "-"):
            if name in ("nohup", "time"):
                brought.leave(name, _SHELLS_OWN, line)
            words.pop(0)
        elif name in _BINDERS and (behind := _behind(words)):
            brought.leave(" ".join(words[:behind]), "what runs the program stands in `command`, before it", line)
            words = words[behind:]
        elif name in _CONTAINERS and words[1:2] and words[1] in ("exec", "run"):
            words = _contained(words, brought)
        elif name in DOCKERS and words[1:2] == ["run"]:
            words = _in_docker(words, brought)
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
            behind = 0 if program is not None or name in SHELLS else _behind(words, scripts=False)
            if not behind:
                return program if program is not None else words
            brought.leave(" ".join(words[:behind]), "what runs the program stands in `command`, before it", line)
            words = words[behind:]
        else:
            break
    return words


def _behind(words: list[str], *, scripts: bool = True) -> int:
    """Where the program begins behind one that runs it with options of its own; 0 where that is not seen.

    ``scripts``: whether a script may be one; behind another one it may be what that reads.
    """
    for at, word in enumerate(words[1:], 1):
        name = word.rpartition("/")[2]
        if name.startswith("python") or (scripts and (name.endswith((".py", ".sh")) or word.startswith("./"))):
            return at
        if name in (*SHELLS, *mpirun.STARTERS) or of_words(words[at:]) is not None:
            return at
    return 0


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


def _contained(words: list[str], brought: Brought) -> list[str]:
    """What Apptainer starts in its container."""
    at = 2
    while at < len(words) and words[at].startswith("-"):
        option, equals, value = words[at].partition("=")
        at += 1
        if not equals and (option in ("-B", "--bind", "--env", "--pwd", "--cwd") or option in _VALUED):
            value, at = "".join(words[at : at + 1]), at + 1
        if option in ("-B", "--bind"):
            slurm.mounts(brought, value, option)
        elif option == "--env":
            for one in value.split(","):
                name, _, text = one.partition("=")
                brought.variable(name, text, f"--env {one}")
        elif option in ("--pwd", "--cwd") and value.startswith("/"):
            brought.workdir = value
        elif option not in _DEVICES:
            brought.leave(f"{option} {value}".strip(), f"of {words[0].rpartition('/')[2]}: a pod has its own container")
    if at >= len(words):
        return []
    slurm.image(brought, words[at], words[at])
    if at + 1 >= len(words):
        raise BadQuestion(
            f"`{words[0]} {words[1]}` starts the program of `{words[at]}` itself, which is not seen here",
            "`specgen init job -- …` with the program that it starts",
        )
    return words[at + 1 :]


def _in_docker(words: list[str], brought: Brought) -> list[str]:
    """What `docker run` starts in its container (docker-cli 29, `docker container run`)."""
    at, first = 2, []
    while at < len(words) and words[at].startswith("-"):
        option, equals, value = words[at].partition("=")
        at += 1
        flag = option in _DOCKER_FLAGS or option == "--privileged"
        if not equals and not flag:
            value, at = "".join(words[at : at + 1]), at + 1
        written = f"{option} {value}".strip()
        if option in ("-v", "--volume"):
            slurm.mounts(brought, value, option)
        elif option in ("-e", "--env") and "=" in value:
            name, _, text = value.partition("=")
            brought.variable(name, text, written)
        elif option in ("-e", "--env"):
            brought.leave(written, "no variable of a shell travels, `env` says each")
        elif option in ("-w", "--workdir") and value.startswith("/"):
            brought.workdir = value
        elif option == "--gpus":
            brought.gpus = count(value) or len(re.findall(r"\d+", value.partition("device=")[2]))
        elif option == "--entrypoint":
            first = [value]
        elif not flag or option == "--privileged":
            brought.leave(written, _DOCKER_WHY.get(option, f"of {words[0]}: a pod has its own container"))
    if at >= len(words):
        return []
    slurm.image(brought, words[at], words[at])
    if not first and at + 1 >= len(words):
        raise BadQuestion(
            f"`{words[0]} run` starts the program of `{words[at]}` itself, which is not seen here",
            "`specgen init job -- …` with the program that it starts",
        )
    return [*first, *words[at + 1 :]]


def _is_known(value: str) -> bool:
    """Whether a shell would find no command in a value."""
    return "$(" not in value and "`" not in value and len(value) < _LONGEST


def _flat(text: str) -> str:
    """The words of a list in one line, without remarks."""
    lines = [line.rstrip("\\") for line in text.split("\n")]
    return " ".join([(_REMARK.sub("", line) if len(line) < _LONG else line).strip() for line in lines]).strip()


def _split(text: str) -> list[str]:
    """The words that a value becomes without quotes around it."""
    return [one.text for command in commands(f": {text}".replace("\n", " ")) for one in command.words[1:]]


def _is_said_by_variable(one: Command) -> bool:
    """Whether a variable holds the line: `$CMD`, or `eval "$CMD"`."""
    words = [word.text for word in _called(one)]
    if words[:1] == ["eval"]:
        words = words[1:]
    return bool(words) and "$(" not in words[0] and words[0][:1] == "$"


def _begins(program: list[str]) -> bool:
    """Whether words begin with what starts processes, or with a program of one's own."""
    return any([_starts(one) or _runs(one) for one in commands(shlex.join(program))][:1])


def _called(one: Command) -> list[Word]:
    """The words from the program on."""
    return one.words[one.program or 0 :]


def _name(one: Command) -> str:
    called = _called(one)
    return called[0].text.rpartition("/")[2] if called else ""


def _starts(one: Command) -> bool:
    """Whether a command calls what starts processes."""
    words = [word.text for word in _called(one)]
    return bool(words) and (_name(one) in mpirun.STARTERS or of_words(words) is not None)


def _runs(one: Command) -> bool:
    """Whether a command runs a program of one's own: Python with a file or a module, a path, a container."""
    words = [word.text for word in _called(one)]
    if not words or one.piped:
        return False
    name = _name(one)
    if name.startswith("python"):
        rest = [word for word in words[1:] if not word.startswith("-") or word in ("-m", "-c")]
        return (
            bool(rest)
            and rest[0] != "-c"
            and rest[:2] not in (["-m", "pip"], ["-m", "venv"])
            and "setup.py" not in rest
        )
    if name in SHELLS:
        return len(words) > 1
    return name in _CONTAINERS or ("/" in words[0] and words[0][0] in "./$") or name.endswith(".sh")


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
