"""Commands that fetch something from outside the pod: by which program, and by which words behind it."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.operators.kubernetes.argv import script_at
from specgen.rules._shell import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.manifest.views import Container

# Programs that download by these words behind them; none: whatever follows.
_PROGRAMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "wget": ((),),
    "git": (("clone",),),
    "aws": (("s3", "cp"), ("s3", "sync")),
    "gsutil": (("cp",), ("rsync",), ("-m", "cp"), ("-m", "rsync")),
    "gcloud": (("storage", "cp"), ("storage", "rsync")),
    "huggingface-cli": (("download",),),
    "hf": (("download",),),
}
_STORES = ("aws", "gsutil", "gcloud")
_INTO_FILES = ("-O", "-o", "--output", "--remote-name", "-LO", "-OL", "-sO", "-sLO", "-fsSLO", "-Lo", "-sLo")


def fetches(container: Container) -> tuple[Place, str] | None:
    """(where, the words) of the first command of a container that downloads; None: none is seen to."""
    line = container.words()
    texts = [text for _, _, text in line]
    at = script_at(texts)
    if at is None:
        what = downloads(texts) if texts else ""
        return (Place((*container.path, line[0][0], line[0][1])), what) if what else None
    key, index, text = line[at]
    script = parse(text)
    for said, _ in script.commands if script is not None else ():
        what = downloads([word.text for word in said])
        if what:
            return Place((*container.path, key, index), inside=(said[0].start, said[0].end)), what
    return None


def downloads(said: Sequence[str]) -> str:
    """The words of a command by which it downloads; empty where it does not."""
    name = said[0].rpartition("/")[2]
    if name == "curl":
        return name if any([word in _INTO_FILES for word in said]) else ""
    for behind in _PROGRAMS.get(name, ()):
        rest = [word for word in said[1 + len(behind) :] if not word.startswith("-")]
        if tuple(said[1 : 1 + len(behind)]) != behind or not rest:
            continue
        # what comes from the node goes there
        if name not in _STORES or "://" in rest[0]:
            return " ".join([name, *behind])
    return ""
