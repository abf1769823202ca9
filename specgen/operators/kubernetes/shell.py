"""Words by which a command line is worth a closer look: those of shells, and the names of launchers.

Every build asks for them; what has one goes on to ``argv`` and ``launchers``, which few need.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh")
# Builtins of shells for which there is no program, or one that starts nothing (POSIX has one for cd).
BUILTINS = ("cd", "source", "export", "set", "unset", "eval", "exec", "alias", "ulimit", ".", ":", "shopt", "pushd")
JOINS = ("&&", "||", ";", "|", "&")
REDIRECTIONS = (">", ">>", "<", "2>", "2>>", "2>&1", "&>", "1>", "<<<", ">&2")
# What starts the processes of a pod, by how its program or its module begins.
LAUNCHERS = ("torchrun", "torch.distributed.", "accelerate", "deepspeed")
_SIGNS = frozenset((*JOINS, *REDIRECTIONS, "-c"))


def is_plain(words: Sequence[str], *, program: bool = True) -> bool:
    """Whether a command line is a program and its arguments alone: no shell, no launcher, nothing to fill in.

    ``program``: whether the first word is the program, and not an argument of the image's own.
    """
    # all words at once, as mostly none is of any interest
    line, first = "".join(words), words[0] if words else ""
    if " " in line or "$" in line or "\n" in line or not _SIGNS.isdisjoint(words):
        return False
    if first in BUILTINS or "sh" in first or "=" in first or (program and first[:1] == "-"):
        return False
    named = [name for name in LAUNCHERS if name in line]
    return not named or not any([name in first or word.startswith(name) for name in named for word in words])


def names_launcher(words: Sequence[str]) -> bool:
    """Whether a command line says a launcher's name anywhere, in a shell's text too."""
    line = " ".join(words)
    return any([name in line for name in LAUNCHERS])


def assigned(word: str) -> str:
    """The variable that a shell would set by this word in front of a program; empty where it is no assignment."""
    name, equals, _ = word.partition("=")
    plain = name.replace("_", "a")
    return name if equals and plain.isascii() and plain.isalnum() and not plain[0].isdigit() else ""


def script_at(words: Sequence[str]) -> int | None:
    """Where the text stands that a shell runs, the first word's or one's that another program starts."""
    for at, word in enumerate(words):
        if word.rpartition("/")[2] not in SHELLS:
            continue
        named = False
        for following in range(at + 1, len(words) - 1):
            option = words[following]
            if named:
                named = False  # the name of a setting, as in `-o pipefail`
                continue
            if option[:1] != "-" or option.startswith("--"):
                break
            if "c" in option:
                return following + 1
            named = option[-1:] in ("o", "O")
    return None
