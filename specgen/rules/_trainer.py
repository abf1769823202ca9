"""The trainer in a container's command line: which of its commands runs, behind what, and what it is told."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.trainer_line import GROUPED, GUARD, called, in_its_folder
from specgen.quantity import nano
from specgen.rules import _shell
from specgen.rules._trainer_arguments import Arguments, Said, Word, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Container, Workload
    from specgen.source import Path

_TORCHRUN = ("torchrun", "torch.distributed.run", "torch.distributed.launch")
_MPIRUN = ("mpirun", "mpiexec", "orterun")


class Call:
    """A call of the trainer in a container.

    ``command``: ``train``, …; ``entry``: the script that was called, empty for the package; ``word``: the one that
    names the trainer; ``before``: the words of the command line in front of it. ``shell``: the shell that is the
    container's own process, if it stands in the text of one; ``script``: that text's commands, the number of this one,
    and the text's path.
    """

    __slots__ = ("arguments", "before", "command", "container", "entry", "script", "shell", "word")

    def __init__(self, container: Container, command: str, entry: str, line: list[Word], number: int) -> None:
        self.container = container
        self.command = command
        self.entry = entry
        self.word = line[number]
        self.before = line[:number]
        self.shell: Word | None = None
        self.script: tuple[_shell.Script, int, Path] | None = None
        self.arguments: Arguments = read(command, entry, line[number + (1 if entry else 2) :], container)

    @property
    def sure(self) -> bool:
        """Whether it is this trainer, and no other program of that name.

        Scripts called ``main_mnist.py`` and ``main_allreduce.py`` are older than the trainer, which took their names
        and arguments over so that manifests written for them run with it unchanged. A script's name alone therefore
        says only what the program may be; what makes sure is the module ``trainer`` with a command of its own, a script
        in a folder ``trainer``, or a variable by which only the trainer is told an argument.
        """
        if not self.entry or any(said.word is None for said in self.arguments.said.values()):
            return True
        return in_its_folder(self.word.text, str(self.container.tree.get("workingDir", "")))

    @property
    def severity(self) -> str:
        """How much an error of the trainer weighs: a job that runs well must not be refused for a program's name."""
        return ERROR if self.sure else WARNING

    @property
    def doubts(self) -> list[str]:
        """The note that a finding has where the program may be another one."""
        return (
            [] if self.sure else [f"`{self.entry}` is taken for the trainer by its name; another program may have it"]
        )

    def behind(self, names: tuple[str, ...]) -> Word | None:
        """The word in front of the trainer that is one of these programs."""
        for word in self.before:
            if word.text in names or word.text.rpartition("/")[2] in names:
                return word
        return None

    @property
    def torchrun(self) -> Word | None:
        return self.behind(_TORCHRUN)

    @property
    def mpirun(self) -> Word | None:
        return self.behind(_MPIRUN)

    def argument(self, key: str) -> Said | None:
        """An argument, if it is said."""
        return self.arguments.said.get(key)

    @property
    def reads_images(self) -> bool:
        """Whether loader processes decode images: neither generated ones nor IDX files, which are read whole."""
        told = self.arguments
        if self.command not in ("train", "preflight") or "data" not in told.said or "dummy" in told.said:
            return False
        kind = told.text("format")
        return kind in ("folder", "tar") or (kind == "auto" and told.text("arch") not in (None, "mnist"))

    @property
    def homes(self) -> list[Container]:
        """The containers in which its processes run: this one, or under a Launcher's mpirun those of the Workers."""
        role = self.container.role
        if role.name != "Launcher" or self.mpirun is None:
            return [self.container]
        workers = [other.main for other in role.workload.roles if other.name == "Worker"]
        return [container for container in workers if container is not None]

    @property
    def processes(self) -> int | None:
        """Its processes in one pod; None where that is not known."""
        workload = self.container.role.workload
        if self.torchrun is not None:
            for number, word in enumerate(self.before):
                name, equals, value = word.text.partition("=")
                if name in ("--nproc_per_node", "--nproc-per-node"):
                    value = value if equals else "".join(next_.text for next_ in self.before[number + 1 : number + 2])
                    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None
            return workload.procs_per_pod
        if self.mpirun is not None:
            return workload.procs_per_pod
        if "spawn" in self.arguments.said:
            return self.arguments.number("spawn") or workload.procs_per_pod
        return 1


def cpus(container: Container) -> int | None:
    """Whole CPUs that a container may use, at least one; None without a limit (trainer/preflight.py, cpu_limit)."""
    amount = nano(mapping(mapping(container.tree.get("resources")).get("limits")).get("cpu"))
    return max(1, amount // 10**9) if amount is not None else None


_last: tuple[Workload | None, dict[Container, Call | None]] = (None, {})


def call(container: Container) -> Call | None:
    """The trainer's call in a container. Answers are kept for one workload: each rule asks for all its containers."""
    global _last
    if _last[0] is not container.role.workload:
        _last = (container.role.workload, {})
    known = _last[1]
    if container not in known:
        known[container] = None if container.init else _call(container)
    return known[container]


def guard(container: Container) -> Call | None:
    """The call of the trainer's guard in a container; its arguments end where the program begins, at `--`."""
    if GUARD not in container.line or container.init:
        return None
    return _call(container, (GUARD,))


def _call(container: Container, commands: tuple[str, ...] = GROUPED) -> Call | None:
    line = [
        Word(text, (*container.path, key, index), 0, len(text), "$" in text) for key, index, text in container.words()
    ]
    shell, text = _script(line)
    if not text:
        return _in(container, line, commands)
    script = _shell.parse(line[text].text)
    for number, (words, _) in enumerate(script.commands if script is not None else ()):
        own = []
        for word in words:
            if word.text == "$@":  # what follows the text, after the name that the shell takes
                own += line[text + 2 :]
            else:
                own.append(Word(word.text, line[text].path, word.start, word.end, word.open))
        found = _in(container, own, commands)
        if found is not None and script is not None:
            found.before[:0] = line[:shell]
            found.shell = line[shell] if shell == 0 else None
            found.script = (script, number, line[text].path)
            return found
    return None


def _script(line: list[Word]) -> tuple[int, int]:
    """The numbers of the word that is a shell, and of the one that is its text, ``sh … -c text``; zeros without."""
    for number, word in enumerate(line):
        if not word.text.endswith("sh") or word.text.rpartition("/")[2] not in _shell.SHELLS:
            continue
        after = number + 1
        while after + 1 < len(line) and line[after].text[:1] in ("-", "+"):
            option = line[after].text
            if not option.startswith("--") and "c" in option:
                return number, after + 1
            after += 2 if option.endswith("o") else 1  # `-o` takes a word
    return 0, 0


def _in(container: Container, line: list[Word], commands: tuple[str, ...]) -> Call | None:
    """The call in one command; around the trainer the guard may stand, as around any program."""
    where = called([word.text for word in line])
    if where is None:
        return None
    number, command, entry = where
    if not entry:
        if command == GUARD:
            end = next((at for at, word in enumerate(line) if at > number and word.text == "--"), len(line))
            if GUARD not in commands:
                inner = _in(container, line[end + 1 :], commands)
                if inner is not None:
                    inner.before[:0] = line[: end + 1]
                return inner
            line = line[:end]
        return Call(container, command, "", line, number) if command in commands else None
    if GUARD in commands:
        return None
    found = Call(container, command, entry, line, number)
    options = [said for said in found.arguments.unknown if said.text.startswith("-")]
    # one argument may be a slip; who is told several that the trainer does not know is another program
    return found if found.sure or len(options) < 2 else None
