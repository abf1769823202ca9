"""What a command of a script does: it starts processes, runs a program of one's own, or helps beside the job."""

from __future__ import annotations

import re
import shlex

from specgen.cli import slurm
from specgen.cli.wrapped import CONTAINERS
from specgen.operators.kubernetes.argv import SHELLS
from specgen.operators.kubernetes.launchers import of_words
from specgen.operators.kubernetes.script import commands
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.kubernetes.script import Command, Word

# Programs of a step that are no job, and how one is called that is; among so many words stands its name.
_HELPERS = (
    *("hostname", "nvidia-smi", "rocm-smi", "echo", "printf", "date", "env", "printenv", "ls", "mkdir", "rm", "cp"),
    *("mv", "tar", "rsync", "cat", "touch", "sleep", "true", "df", "free", "lscpu", "ibstat", "ibv_devinfo", "sbcast"),
)
# Programs that make a place ready, look at it, or are the shell's own.
_BESIDE = (
    *("module", "ml", "spack", "conda", "mamba", "micromamba", "pyenv", "source", ".", "set", "wait", "trap"),
    *("exit", "shopt", "unset", "alias", "shift", "return", "break", "continue", "read", "mapfile", "readarray"),
    *("let", "eval", "export", "declare", "typeset", "local", "readonly", "cd", "pushd", "popd", "ulimit", "umask"),
    *("test", "for", "case", "select", "getopts", "type", "command", "which", "python", "python3", "pip", "pip3"),
    *("git", "wget", "curl", "unzip", "gunzip", "gzip", "chmod", "chown", "ln", "find", "sed", "awk", "grep"),
    *("sort", "wc", "tee", "head", "tail", "cut", "tr", "scontrol", "squeue", "sacct", "sstat", "seff", "sbatch"),
    *("scancel", "scp", "ssh", "gcc", "make", "cmake", "nvcc", "apt", "apt-get", "yum", "kill", "pkill", "pwd"),
    *("whoami", "uname", "false", "bc", "seq", "basename", "dirname", "mktemp", "rmdir", "hash", "time", "uv"),
    *("poetry", "npm", "id", "ps", "top", "clear", "docker", "podman", "bash", "sh", "zsh", "srun", "salloc"),
    *("rclone", "aws", "gsutil", "huggingface-cli", "hf", "wandb", "xargs", "parallel", "stty", "du", "stat"),
    *("md5sum", "sha256sum", "ray", "deactivate", "activate"),
)
_SETS = ("export", "declare", "typeset", "local", "readonly")
_TRAINS = re.compile(r"train|tun(?:e|ing)|(?:^|_)(?:sft|dpo|ppo|grpo|main|run)(?:[_.]|$)")
_NAMES = 12


def helps(program: list[str]) -> bool:
    """Whether a step does something beside the job alone."""
    return not program or program[0].rpartition("/")[2] in _HELPERS


def trains(program: list[str]) -> bool:
    """Whether a program's name says that it trains."""
    return any([_TRAINS.search(word.rpartition("/")[2]) for word in program[:_NAMES]])


def is_said_by_variable(one: Command) -> bool:
    """Whether a variable holds the line: `$CMD`, or `eval "$CMD"`."""
    words = [word.text for word in called_words(one)]
    if words[:1] == ["eval"]:
        words = words[1:]
    return bool(words) and "$(" not in words[0] and words[0][:1] == "$"


def begins(program: list[str]) -> bool:
    """Whether words begin with what starts processes, or with a program of one's own."""
    return any([starts(one) or runs(one) for one in commands(shlex.join(program))][:1])


def called_words(one: Command) -> list[Word]:
    """The words from the program on."""
    words = one.words[one.program or 0 :]
    if words and words[0].text.rpartition("/")[2] == "timeout":
        # options, and how long it may take
        at = next((at for at, word in enumerate(words[1:], 1) if word.text[:1] != "-"), len(words))
        return words[at + 1 :] or words
    return words


def name_of(one: Command) -> str:
    called = called_words(one)
    return called[0].text.rpartition("/")[2] if called else ""


def starts(one: Command) -> bool:
    """Whether a command calls what starts processes."""
    words = [word.text for word in called_words(one)]
    return bool(words) and (name_of(one) in mpirun.STARTERS or of_words(words) is not None)


def runs(one: Command) -> bool:
    """Whether a command runs a program of one's own: Python with a file or a module, a path, a container."""
    words = [word.text for word in called_words(one)]
    if not words or one.piped:
        return False
    name = name_of(one)
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
    return name in CONTAINERS or ("/" in words[0] and words[0][0] in "./$") or name.endswith(".sh")


def may_run(one: Command) -> bool:
    """Whether a command may be a program of one's own, of which nothing but its name is known."""
    name = name_of(one)
    own = bool(name) and name[0] not in "$([:" and name not in (*_HELPERS, *_BESIDE)
    return own and not one.piped and not one.tests


def is_step(one: Command) -> bool:
    """Whether a command may be the one that the job is."""
    return name_of(one) in slurm.STARTERS or starts(one) or runs(one)


class Text:
    """A script's text: its commands, and ``functions``, name → the first command of its body and where that ends."""

    __slots__ = ("commands", "forks", "functions", "names", "starting", "text")

    def __init__(self, text: str, line: int | None = None) -> None:
        """``line``: of the script around it, where this text begins; 0 where its lines are of no text that is named."""
        self.text = text
        self.commands = list(commands(text))
        self.functions: dict[str, tuple[int, int]] = {}
        for at, one in enumerate(self.commands):
            if line is not None:
                one.line = line + one.line - 1 if line else 0
            if one.function:
                self.functions[one.function] = self.functions.get(one.function, (at,))[0], at + 1
        # ways of a choice behind which there is another one
        self.forks = {id(way.before) for one in self.commands for way in one.under if way.before is not None}
        # variables that it sets, by an assignment or by a command that does
        self.names = frozenset(
            [
                word.text.partition("=")[0].removesuffix("+")
                for one in self.commands
                for word in (*one.sets, *(one.words[1:] if name_of(one) in _SETS else ()))
                if "=" in word.text
            ]
        )
        # functions whose bodies start something, by themselves or by what they call
        self.starting: list[str] = []
        many = -1
        while many < len(self.starting):
            many = len(self.starting)
            for one in self.commands:
                starts_one = is_step(one) or name_of(one) in self.starting
                if one.function and starts_one and one.function not in self.starting:
                    self.starting.append(one.function)

    def said(self, one: Command) -> str:
        """A command as it is written, in one line."""
        return self.text[one.start : one.end].replace("\\\n", " ")

    def raw(self, word: Word) -> str:
        return self.text[word.start : word.end]

    def behind(self, one: Command) -> str:
        """What stands behind a command in its line."""
        return self.line(one.end)

    def line(self, at: int) -> str:
        """The rest of a line."""
        end = self.text.find("\n", at)
        return self.text[at : len(self.text) if end < 0 else end]
