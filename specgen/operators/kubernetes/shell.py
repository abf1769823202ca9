"""Words by which a command line is worth a closer look: those of shells, and the names of launchers.

Every build asks for them; what has one goes on to ``argv`` and ``launchers``, which few need.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Builtins of shells for which there is no program, or one that starts nothing (POSIX has one for cd).
BUILTINS = ("cd", "source", "export", "set", "unset", "eval", "exec", "alias", "ulimit", ".", ":", "shopt", "pushd")
JOINS = ("&&", "||", ";", "|", "&")
REDIRECTIONS = (">", ">>", "<", "2>", "2>>", "2>&1", "&>", "1>", "<<<", ">&2")
# What starts the processes of a pod, by how its program or its module begins.
LAUNCHERS = ("torchrun", "torch.distributed.", "accelerate", "deepspeed")
_SIGNS = (*JOINS, *REDIRECTIONS, "-c")


def is_plain(words: Sequence[str]) -> bool:
    """Whether a command line is a program and its arguments alone: no shell, no launcher, nothing to fill in."""
    for word in words:
        if " " in word or "$" in word or "\n" in word or word in _SIGNS or word.startswith(LAUNCHERS):
            return False
    first = words[0] if words else ""
    return first not in BUILTINS and "sh" not in first and not any([name in first for name in LAUNCHERS])


def names_launcher(words: Sequence[str]) -> bool:
    """Whether a command line says a launcher's name anywhere, in a shell's text too."""
    line = " ".join(words)
    return any([name in line for name in LAUNCHERS])
