"""Where a command line calls the trainer, and which variable names the node to it.

Read from `python -m trainer contract`: entries, environment.
"""

from __future__ import annotations

from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPTS: dict[str, str] = {name: said for name, said in CONTRACT["entries"].items() if isinstance(said, str)}
# Those that join a group of processes; the others read or write a folder.
GROUPED = ("train", "bench", "preflight")
GUARD = "guard"
# The variable by which its verdicts name a node, and the pod's field that holds the name.
NODE, NODE_FIELD = "NODE_NAME", "spec.nodeName"
_TORCHRUN = ("torchrun", "torch.distributed.run", "torch.distributed.launch")


def called(words: Sequence[str]) -> tuple[int, str, str] | None:
    """(the number of the word that names the trainer, its command, the script or nothing); None: it is not called.

    Behind Python or torchrun, and not as an argument of another program of Python's.
    """
    for number, word in enumerate(words):
        if word == "trainer" and number and words[number - 1] == "-m":
            return number, words[number + 1] if number + 1 < len(words) else "", ""
        if word.endswith(".py"):
            entry = word.rpartition("/")[2]
            if entry not in SCRIPTS or not _is_run(words[:number]):
                return None
            return number, SCRIPTS[entry], entry
    return None


def in_its_folder(script: str, workdir: str) -> bool:
    """Whether a script lies in a folder `trainer`, and is thus surely the trainer's."""
    folder = script.rpartition("/")[0] or workdir.rstrip("/")
    return folder.rpartition("/")[2] == "trainer"


def runs(words: Sequence[str], workdir: str) -> bool:
    """Whether a container surely runs the trainer or its guard, be it in the text of a shell, split at its blanks."""
    pieces = [piece.strip("\"';()") for piece in " ".join(words).split() if piece != "\\"]
    found = called(pieces)
    if found is None:
        return False
    number, command, entry = found
    return in_its_folder(pieces[number], workdir) if entry else command in (*GROUPED, GUARD)


def _is_run(before: Sequence[str]) -> bool:
    """Whether a script behind these words is run by Python, and no word of another module or of a text of Python's."""
    names = [word.rpartition("/")[2] for word in before if not word.startswith("-")]
    if names and not any(name.startswith("python") or name in _TORCHRUN for name in names):
        return False
    python = max((at for at, word in enumerate(before) if word.rpartition("/")[2].startswith("python")), default=-1)
    options = list(before[python + 1 :]) if python >= 0 else []
    if "-c" in options:
        return False
    return "-m" not in options or options[options.index("-m") + 1 : options.index("-m") + 2] in [
        [name] for name in _TORCHRUN
    ]
