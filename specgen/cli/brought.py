"""What a line or a script says beside pods, devices and the program: what of it the profile says, and what it does not.

Nothing that was said is dropped in silence: what no word is written for stands in comments, with the word that says it.
"""

from __future__ import annotations

import re

from specgen.diagnostics.secrets import masked_words
from specgen.document.write import scalar
from specgen.plan.mpi_env import FORWARDED
from specgen.schema.wording import secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.substitution import Value
    from specgen.operators.kubernetes.script import Command

_MOST = 76
# The name of a job with that of its variant, behind which an operator writes more for each pod: 63 signs in all.
_MOST_OF_NAME = 44
# What every process is told by the operator or by who starts it.
GIVEN = ("MASTER_ADDR", "MASTER_PORT", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK")
# Variables that mean something to a container whatever is in it: no sweep takes such a name.
_TAKEN = (*GIVEN, "PATH", "HOME", "HOSTNAME", "LANG", "PWD", "SHELL", "TERM", "TMPDIR", "USER", "PYTHONPATH", "IFS")
# Those by which JAX meets, and what says the same in a pod.
OF_JAX = {
    "JAX_COORDINATOR_ADDRESS": "$MASTER_ADDR:$MASTER_PORT",
    "JAX_NUM_PROCESSES": "$WORLD_SIZE",
    "JAX_PROCESS_ID": "$RANK",
}
# Variables that follow from a fabric.
_OF_FABRIC = ("NCCL_IB_", "NCCL_SOCKET_IFNAME", "NCCL_NET", "GLOO_SOCKET_IFNAME", "FI_", "UCX_", "RCCL_", "HCCL_")
# Signs that stand for something in the words of a container, or of a profile.
_SIGNS = re.compile(r"(\$+)(?:\(([A-Za-z_]\w*)\)|(<))?", re.ASCII)
# So many tasks of an array are typed out.
MOST_TASKS = 64
OF_SHELL = "its value is a shell's: `prepare` with the line has it run in each pod"
# What a task has not, where others have it.
ABSENT = "\0"
ARRAY = "SLURM_ARRAY_TASK_ID"
# Which devices of a machine a program sees: a pod's are its own.
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


class Decided:
    """What a pod decides: ``lines`` of shell text, and ``commands`` of the script that they stand for."""

    __slots__ = ("commands", "lines")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.commands: list[Command] = []

    def says(self, line: int, text: str) -> bool:
        """Whether it says what stands in a line of the script."""
        first = text.split()[:1]
        return any([one.line == line and first == _first(one) for one in self.commands])


def _first(one: Command) -> list[str]:
    """The first word of a command, as it is named in a list."""
    return [word.text.split()[0] for word in (*one.sets, *one.words)[:1]]


class Brought:
    """What a line says.

    ``env``, ``memory``, ``deadline``, ``mounts`` (path → what appears there), ``files`` (path → the file here),
    ``workdir``, ``name`` and ``image`` are as the profile says them; ``why`` (path → why that appears there), where no
    line says it; ``array``, the numbers of an array's tasks, ``picked``, variable → what each of these has in it, and
    ``loops``, variable → what it is in turn; ``runs``, so many starts that are no tasks of an array, each with its own
    of ``picked`` (0: there are none; ``array`` has the task of each where it is not empty), and ``names``, theirs;
    ``rests``, the last words of each variant, where not all have as many, and ``folders``, its ``workdir``, where they
    differ;
    ``bind``, ``map_by``, ``forward`` and ``implementation``, words of ``start``.

    ``scripts``: names of ``env`` that a script exports; ``left``: (where it stands, what stands there, why it is not
    brought over or what to write); ``follows``: options that follow from the pods; ``notes``: what is to be known of
    the counts; ``asides``: of the program, and ``typed``, of one that waited for somebody to type; ``source``: the
    script's name; ``restarts``: how often Slurm would start it again, None where nobody says it; ``gpus``: those that a
    container is given, ``all_gpus``, the option that gives it those of a machine, and ``visible``, those that
    a variable shows, 0 where nobody says it; ``cpus``, ``shm`` and ``ports`` (name → number), what else a container is
    given; ``args``: whether the words are arguments of the image's entrypoint, and ``contained``, whether Apptainer
    starts the program; ``numbers``: Slurm's variables with the values that they have; ``written``: scripts that a
    script writes, with their texts; ``shell``: what a script exports, for the shells that it starts, and ``used``, the
    names that any of them put in place; ``shelled``: (the words of the shell in which the program stands, what of its
    text is not brought over), None where it stands in none; ``decided``: words that a pod is to decide at each start,
    with how, and ``prepare``, lines that do so; ``lines``: exported texts of several words (name, value, how it is
    written, line): those of a command line are no variables of the program.
    """

    # fmt: off
    __slots__ = (
        "all_gpus", "args", "array", "asides", "bind", "contained", "cpus", "deadline", "decided", "env", "files",
        "folders", "follows", "forward", "gpus", "image", "implementation", "left", "lines", "loops", "map_by",
        "memory", "mounts", "name", "names", "notes", "numbers", "picked", "ports", "prepare", "restarts", "rests",
        "runs", "scripts", "shell", "shelled", "shm", "source", "typed", "used", "visible", "why", "workdir",
        "written",
    )
    # fmt: on

    def __init__(self) -> None:
        self.env: dict[str, str] = {}
        self.mounts: dict[str, dict[str, object]] = {}
        self.why: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.ports: dict[str, int] = {}
        self.array: list[int] = []
        self.picked: dict[str, list[str]] = {}
        self.loops: dict[str, list[str]] = {}
        self.numbers: dict[str, str] = {}
        self.shell: dict[str, Value] = {}
        self.used: set[str] = set()
        self.decided: dict[str, Decided] = {}
        self.prepare: list[str] = []
        self.shelled: tuple[list[str], list[tuple[int, str, str]]] | None = None
        self.lines: list[tuple[str, str, str, int]] = []
        self.forward: list[str] = []
        self.left: dict[tuple[int, str, str], None] = {}
        self.names: list[str] = []
        self.written: dict[str, str | None] = {}
        self.rests: list[list[str]] = []
        self.folders: list[str] = []
        self.scripts: list[str] = []
        self.follows: list[str] = []
        self.notes: list[str] = []
        self.asides: list[str] = []
        self.typed: list[str] = []
        self.restarts: int | None = None
        self.gpus = self.visible = self.runs = 0
        self.args = self.contained = False
        self.all_gpus = ""
        self.cpus = self.shm = ""
        self.source = self.memory = self.deadline = self.workdir = self.name = self.image = ""
        self.bind = self.map_by = self.implementation = ""

    def other(self) -> Brought:
        """One that knows as much of the script, and of which nothing is told."""
        other = Brought()
        other.array, other.workdir, other.source = self.array, self.workdir, self.source
        other.env, other.shell, other.written = dict(self.env), dict(self.shell), self.written
        return other

    def alone(self) -> Brought:
        """Another one for a single task of the array."""
        other = self.other()
        other.array = []
        return other

    def flush(self) -> None:
        """Takes the texts that no command line was made of for variables of the program."""
        for name, value, written, line in self.lines:
            if name not in self.used and name.upper() not in self.picked:
                self.variable(name, value, written, line)
        self.lines = []

    def leave(self, text: str, why: str, line: int = 0) -> None:
        """Names what is not brought over; ``line``: of the script, 0 where it stands in the command line."""
        text = " ".join(masked_words(text.split()))
        self.left[line, text, why] = None

    def variable(self, name: str, value: str, written: str, line: int = 0) -> None:
        """A variable that the program is to have."""
        if not (name.isascii() and name.isidentifier()):
            self.leave(written, "no name of a variable", line)
        elif name == "NODE_RANK":
            why = "each pod has its own, and torchrun knows it; for other programs `explain NODE_RANK`"
            self.leave(written, why, line)
        elif name == "TF_CONFIG":
            self.leave(f"{name}=…", "the operator tells each pod its own", line)
        elif name in OF_JAX:
            why = f"each pod has its own: `prepare: export {name}={OF_JAX[name]}`"
            self.leave(written, why, line)
        elif name in GIVEN:
            self.leave(written, "the operator or the starter tells each process its own", line)
        elif name in _VISIBLE and re.search(r"\$\{?\w*(RANK|LOCALID)", value):
            why = (
                "each process has its own: keep the shell that sets it, `command: [bash, -c, …]`, or pick by local rank"
            )
            self.leave(written, why, line)
        elif name in _VISIBLE and re.match("[0-9$`]|GPU-|MIG-|all", value):
            listed = value.split(",")
            self.visible = len(listed) if all([one.strip().isdigit() for one in listed]) else self.visible
            self.leave(written, "a pod sees the GPUs that it asks for: `resources.gpu` says how many", line)
        elif secret(name):
            self.leave(f"{name}=…", f"write `env: {{{name}: {{secret: NAME, key: KEY}}}}`, with a Secret", line)
        elif "$" in value or "`" in value or "\0" in value:
            self.leave(written, OF_SHELL, line)
        else:
            before = self.env.get(name, value)
            if before != value:
                self.leave(f"{name}={before}", "said again with another value, which is taken", line)
            self.env[name] = value

    def of_task(self, name: str, words: list[str]) -> str:
        """The reference to a variable that has, in each task of the array, its own word of a list; "" where none can.

        The name is the list's in capitals: each task has one word of it.
        """
        return self.of_tasks(name, [words[at] for at in self.array] if max(self.array, default=0) < len(words) else [])

    def of_tasks(self, name: str, values: list[str]) -> str:
        """The reference to a variable that has another value in each task of the array; "" where none can."""
        variable = name.upper()
        named = variable.isascii() and variable.isidentifier() and variable not in (*_TAKEN, ARRAY, *self.env)
        many = self.runs or len(self.array)
        if not many or len(values) != many or not named or secret(variable):
            return ""
        if self.picked.get(variable, values) != values:
            return ""
        self.picked[variable] = values
        return f"${{{variable}}}"

    def of_loop(self, name: str, words: list[str]) -> str:
        """The reference to the variable of a loop, of which each value becomes a variant; "" where none can.

        Its name is in capitals, as that of each other variable of a container.
        """
        variable = name.upper()
        values = list(dict.fromkeys(words))
        many = len(self.array or [0]) * len(values)
        for others in self.loops.values():
            many *= len(others)
        plain = all(not {"$", "`", "*", "{"} & {*value} for value in values)
        names = {named(name, value) for value in values}
        if (
            not (plain and values and len(names) == len(values) and 1 < many <= MOST_TASKS)
            or not all(names)
            or variable in (*_TAKEN, ARRAY, *self.env)
            or secret(variable)
        ):
            return ""
        self.loops[name] = values
        return f"${{{variable}}}"

    def literal(self, words: list[str]) -> list[str]:
        """Words of a shell's as a container is to be given them, whose signs are Kubernetes' and the profile's own.

        The kubelet puts `$(NAME)` in place, and one `$` for two of them (third_party/forked/golang/expansion).
        """
        names = {*self.env, *self.picked, *[name.upper() for name in self.loops], *GIVEN, ARRAY}

        def escaped(found: re.Match[str]) -> str:
            signs, name, rest = found[1], found[2], found[3] or ""
            twice = len(signs) > 1 or (name is not None and name in names)
            return signs * (1 + twice) + ("$<" if rest == "<" else f"({name})" if name is not None else "")

        return [_SIGNS.sub(escaped, word) if "$" in word else word for word in words]

    def variables(self) -> list[str]:
        """Lines of ``env``."""
        lines = []
        for name, value in self.env.items():
            said = f"  {name}: {scalar(value, '  ')}"
            if name.startswith(_OF_FABRIC):
                said = f"{said:<30} # of the fabric: a cluster profile says it for every job"
            lines.append(said)
        return lines

    def mount_lines(self) -> list[str]:
        """Lines of ``mounts``."""
        from specgen.schema.remedies import flow  # help needs none of it

        lines = []
        for path, mount in self.mounts.items():
            said = f"  {flow(path)}: {flow(mount)}"
            lines.append(_line(f"{said:<30} # {self.why[path]}") if path in self.why else said)
        return lines

    def file_lines(self) -> list[str]:
        """Lines of ``files``."""
        from specgen.schema.remedies import flow  # help needs none of it

        return [f"  {flow(path)}: {flow({'from': name})}" for path, name in self.files.items()]

    def prepare_lines(self, said: str) -> list[str]:
        """Lines of ``prepare``, behind what is ``said`` of it beside them."""
        texts = [*([said] if said else []), *self.prepare]
        if texts[1:] and self.prepare and self.prepare[0][:2] == "#!":
            texts = [self.prepare[0], *[one for one in texts if one != self.prepare[0]]]
        return ["prepare: |", *[f"  {line}" for text in texts for line in text.split("\n")]] if self.prepare else []

    def start(self, by: str, own: list[str]) -> dict[str, object]:
        """The words of ``start`` beside the starter itself."""
        if by != "mpirun":
            return {"options": own} if own else {}
        # what a list of one's own says takes the place of the usual one
        forward = [*FORWARDED, *(name for name in self.forward if name not in self.env)]
        words = {
            "implementation": self.implementation,
            "bind": self.bind,
            "mapBy": self.map_by,
            "options": own,
            "forward": forward if len(forward) > len(FORWARDED) else [],
        }
        return {name: value for name, value in words.items() if value}

    def task_lines(self) -> list[str]:
        """The tasks of an array, and the turns of loops, as variants."""
        if not self.array and not self.loops and not self.runs:
            return []
        from specgen.schema.remedies import flow  # few scripts have an array

        axis = "run" if self.runs else "task"
        lines = ["variantsOnly: true", "matrix:", *([f"  {axis}:"] if self.array or self.runs else [])]
        for number in range(self.runs or len(self.array)):
            env = {ARRAY: str(self.array[number])} if self.array else {}
            env |= {name: words[number] for name, words in self.picked.items() if words[number] != ABSENT}
            name = self.names[number] if self.runs else f"t{self.array[number]}"
            said: dict[str, object] = {"env": env} if env else {}
            said |= {"workdir": self.folders[number]} if self.folders and self.folders[number] else {}
            said |= {"args": self.rests[number]} if self.rests and self.rests[number] else {}
            lines.append(f"    {name}: {flow(said)}")
        longest = sum([max([len(named(name, one)) + 1 for one in values]) for name, values in self.loops.items()])
        short = len(self.name) + longest + (self.array != []) * 4 > _MOST_OF_NAME
        for name, values in self.loops.items():
            lines.append(f"  {flow(named('', name))}:")
            for number, one in enumerate(values, 1):
                variant = f"{named('', name)[:1]}{number}" if short else named(name, one)
                lines.append(f"    {flow(variant)}: {{env: {flow({name.upper(): one})}}}")
        return lines

    def said_of_counts(self) -> list[str]:
        """What is to be known of the counts, without the sign of a comment."""
        return [_line(one) for one in self.notes]

    def said_of_program(self) -> list[str]:
        """What is to be known of the program, without the sign of a comment."""
        return [_line(one) for one in (*self.typed, *self.asides)]

    def lifecycle_lines(self, never: str, endless: str, again: int) -> list[str]:
        """Slurm's ends of a job, with what is other there; ``never``: the words by which its kind starts nothing again.

        ``endless``: the kind, where that has no deadline; ``again``: how often a launcher was to start its processes.

        sbatch(1), `--requeue`: after the failure of a node alone, and never after one of the program itself.
        """
        words, lines = [f"restarts: {again}"] if again else [], []
        if self.restarts == 0:
            words.append(never)
            lines.append("# As without `--requeue`: it ends with its first failure. `restarts: 3` alone goes on after.")
        elif self.restarts:
            words.append(f"restarts: {self.restarts}")
            lines.append("# `--requeue` is for nodes that fail; here failures of the program count as well.")
        if self.deadline and endless:
            lines.append(f"# `--time` is not brought over: a {endless} has no deadline. It was {self.deadline}.")
        elif self.deadline:
            words.append(f"deadline: {self.deadline}")
            lines.append("# `deadline` counts while pods wait for nodes as well, `--time` does not: add the wait.")
        return [*lines, f"lifecycle: {{{', '.join(words)}}}"] if words else lines

    def comments(self) -> list[str]:
        """What is not brought over, a line each."""
        lines = []
        if self.follows:
            words = ", ".join(f"`{safe(one)}`" for one in self.follows)
            lines += ["", f"# Left out, as it follows from the pods: {words}"]
        if self.left:
            lines += ["", f"# Not brought over{f' from {safe(self.source)}' if self.source else ''}:"]
        for line, text, why in sorted(self.left, key=lambda one: one[0]):
            where = f"line {line} " if line else ""
            lines.append(_line(f"#   {where}`{safe(text)}`: {why}"))
        return lines


def named(name: str, value: str) -> str:
    """The name of a variant by a value; with the variable's in front of a number."""
    text = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")[:30].strip("-")
    return text if text[:1].isalpha() or not text else named("", f"{name or 'x'}-{text}")


def numbered(text: str) -> tuple[list[int], str]:
    """(the numbers of an array, how many may run at once) of `1-10`, `0-9:3`, `1,4` and `1-10%2`; none: too many."""
    said, _, throttle = text.partition("%")
    numbers: list[int] = []
    for part in said.split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        ends = (first, last or first, step or "1")
        if not all(one.isascii() and one.isdigit() and len(one) < 7 for one in ends) or int(ends[2]) < 1:
            return [], throttle
        numbers += range(int(ends[0]), min(int(ends[1]), int(ends[0]) + 1000 * int(ends[2])) + 1, int(ends[2]))
    return (sorted(set(numbers)) if len(set(numbers)) <= MOST_TASKS else []), throttle


def _line(text: str) -> str:
    """Text in a comment: one line, of signs that can be printed."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def safe(text: str) -> str:
    """Text of somebody else's between backticks."""
    line = _line(" ".join(text.split())).replace("`", "'")
    return line if len(line) <= _MOST else line[: _MOST - 1] + "…"
