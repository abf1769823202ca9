"""What rules read from a container: its command line word by word, its variables, and the devices that it asks for."""

from __future__ import annotations

from specgen.devices import EFA, HCA_PARTS, is_gpu, is_turn, names_of
from specgen.diagnostics.model import shown as shown
from specgen.document.tree import Document
from specgen.manifest.origins import Copied, Origins
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Container, Workload
    from specgen.operators.kubernetes.launchers import Line
    from specgen.rules._context import Context
    from specgen.source import Path

_EDGES = "\"'`;&|()\\"
# Words of these signs alone hold no blank, quote or separator: most arguments.
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=./:,+@%"


class Word:
    """A word of a command line: its text, the path of the scalar that holds it, and where it begins in that scalar."""

    __slots__ = ("path", "start", "text")

    def __init__(self, text: str, path: Path, start: int) -> None:
        self.text = text
        self.path = path
        self.start = start


def words(container: Container) -> list[Word]:
    """The words of ``command`` and ``args``, scripts split at blanks; quotes and separators of a shell are cut off."""
    found: list[Word] | None = container.split
    if found is not None:
        return found
    found = container.split = []
    for key, index, text in container.words():
        path = (*container.path, key, index)
        # `strip` leaves nothing exactly where every character is one of the set
        if text.isalnum() or (text and not text.strip(_PLAIN)):
            found.append(Word(text, path, 0))
            continue
        for start, word in _split(text):
            found.append(Word(word, path, start))
    return found


def _split(text: str) -> Iterator[tuple[int, str]]:
    line = text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
    after = commented = 0
    for word in line.split(" "):
        at, after = after, after + len(word) + 1
        if not word or at < commented:
            continue
        if word[0] == "#":
            commented = text.find("\n", at)
            if commented < 0:
                return
            continue
        bare = word.lstrip(_EDGES)
        cut = bare.rstrip(_EDGES)
        if "$(" in cut and cut.count("(") > cut.count(")") and bare[len(cut) : len(cut) + 1] == ")":
            cut += ")"  # it closes a reference
        if cut:
            yield at + len(word) - len(bare), cut


def options(
    container: Container, names: tuple[str, ...], line: Line | None = None
) -> Iterator[tuple[str, str, str, Word, int]]:
    """(name, value, as written, word of the value, its start in that word) of ``--name=value`` and ``--name value``.

    Of all that the container's words run, or of one launcher's own options. A value without its quotes stands within
    them.
    """
    if not any([name in container.line for name in names]):
        return
    from specgen.operators.kubernetes.calls import calls  # most lines have none of them

    texts = container.words()
    for number, call in enumerate(calls([text for _, _, text in texts])):
        if call.idle or (line is not None and number != line.call):
            continue
        pieces = call.pieces
        for at, piece in enumerate(pieces):
            name, equals, value = piece.text.partition("=")
            if name not in names:
                continue
            if line is not None and (at >= line.program or name.lstrip("-").replace("-", "_") not in line.options):
                continue
            holder = piece if equals else pieces[at + 1] if at + 1 < len(pieces) else None
            if holder is None:
                continue
            key, index, text = texts[holder.at]
            value = value if equals else holder.text
            written = holder.text if equals else f"{name} {value}"
            start = text.find(value, holder.start + (len(name) + 1 if equals else 0), holder.end)
            start = max(start - holder.start, 0)
            yield name, value, written, Word(holder.text, (*container.path, key, index), holder.start), start


def run(container: Container) -> list[Word]:
    """The words of all that the command line runs, as a shell splits them."""
    from specgen.operators.kubernetes.calls import calls

    texts = container.words()
    paths = [(*container.path, key, index) for key, index, _ in texts]
    found = [call.pieces for call in calls([text for _, _, text in texts]) if not call.idle]
    return [Word(piece.text, paths[piece.at], piece.start) for pieces in found for piece in pieces]


def told_at(container: Container, line: Line, option: str) -> Word:
    """The word by which a launcher is told an option."""
    from specgen.operators.kubernetes.calls import calls

    texts = container.words()
    piece = calls([text for _, _, text in texts])[line.call].pieces[line.options[option][1]]
    key, index, _ = texts[piece.at]
    return Word(piece.text, (*container.path, key, index), piece.start)


def variables(container: Container, context: Context) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Variable → (path of its entry, the entry), with those that were filed under ``volumeMounts`` (SG111)."""
    known = context.variables.get(container)
    if known is not None:
        return known
    found = context.variables[container] = {
        name: ((*container.path, "env", index), entry) for name, (index, entry) in container.env.items()
    }
    if not context.misplaced_env:
        return found
    mounts = sequence(container.tree.get("volumeMounts"))
    for path in context.misplaced_env:
        last = path[-1]
        if path[:-2] == container.path and isinstance(last, int) and last < len(mounts):
            entry = mapping(mounts[last])
            named = entry.get("name")
            if isinstance(named, str) and named not in found:
                found[named] = (path, entry)
    return found


def written_by_hand(workload: Workload) -> bool:
    """Whether somebody wrote the manifest: what was compiled, its profile is told of."""
    return isinstance(workload.manifest.where, Document)


def same_rank_program(one: Container, other: Container) -> bool:
    """Whether Master and Worker of a PyTorchJob somebody wrote start one program: each is then ranks like the other."""
    workload = one.role.workload
    if workload.kind != "PyTorchJob" or {one.role.name, other.role.name} != {"Master", "Worker"}:
        return False
    first, second = ([text for _, _, text in container.words()] for container in (one, other))
    image = one.tree.get("image")
    alike = first == second and isinstance(image, str) and image == other.tree.get("image")
    return alike and bool(first) and written_by_hand(workload)


def patched(container: Container) -> bool:
    """Whether a container is as somebody wrote it into a manifest: of what was compiled, one that a patch changed.

    What the planner made of a profile it has judged by itself.
    """
    where, path = container.role.workload.manifest.where, container.path
    if not isinstance(where, Origins) or isinstance(where, Copied):
        return True
    judged = [(*path, key) for key in ("command", "args") if key in container.tree]
    judged += [at for _, at in container.amounts().values()]
    said = [where.of(at) for at in judged]
    return any(origin is not None and origin[2].startswith("`patch.") for origin in said)


def carried(container: Container) -> Iterator[tuple[str, str | None, Word]]:
    """(name, value, its word) of ``-x NAME`` and ``-x NAME=VALUE`` behind an ``mpirun``.

    ``value`` None: mpirun takes it from its own environment.
    """
    text = container.line
    if "-x" not in text or not ("mpirun" in text or "mpiexec" in text or "orterun" in text):
        return
    line = words(container)
    behind = False
    for number, word in enumerate(line):
        if word.text.rpartition("/")[2] in ("mpirun", "mpiexec", "orterun"):
            behind = True
        elif behind and word.text == "-x" and number + 1 < len(line):
            after = line[number + 1]
            name, equals, value = after.text.partition("=")
            if name.isascii() and name.isidentifier():
                yield name, value.strip("\"'") if equals else None, after


def hcas(container: Container, context: Context) -> list[tuple[str, Path]]:
    """(resource, path of its amount) of the HCAs that a container asks for. EFAs are none: they need no verbs memory.

    The cluster's pools say which resources are HCAs; without a cluster, the parts of the name do.
    """
    asked = _devices(container)
    known = None
    if asked and context.cluster is not None:
        pools = context.cluster.pools.values()
        known = [pool.hca.resource for pool in pools if pool.hca is not None and pool.hca.resource]
    return [
        (name, path) for name, path in asked if (name in known if known else not HCA_PARTS.isdisjoint(names_of(name)))
    ]


def _devices(container: Container) -> list[tuple[str, Path]]:
    """(resource, path of its amount) of everything that somebody's plugin hands out, EFAs aside."""
    return [
        (name, path)
        for name, (amount, path) in container.amounts().items()
        if "/" in name and amount not in (0, "0") and name != EFA
    ]


def gpus(container: Container, context: Context) -> tuple[int, Path]:
    """How many GPUs a container asks for, and the path of the amount; 0 where that is none or no plain number."""
    named: list[str] = []
    if context.cluster is not None:
        pools = context.cluster.pools.values()
        named += [pool.gpu.resource for pool in pools if pool.gpu is not None and pool.gpu.resource]
    for name, (amount, path) in container.amounts().items():
        if name in named or (is_gpu(str(name)) and not is_turn(str(name))):
            text = str(amount)
            return (int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0), path
    return 0, container.path


def asks_for_device(container: Container, context: Context) -> bool:
    """Whether a container asks for any device besides HCAs, whatever its name: a GPU, a part of one, an NPU.

    A name that a tool still fills in may be one.
    """
    resources = mapping(container.tree.get("resources"))
    if sequence(resources.get("claims")) or any(["$" in name or "{{" in name for name in container.amounts()]):
        return True
    return len(_devices(container)) > len(hcas(container, context))
