"""Programs that start the processes of a pod by themselves, and what a line says that is right in one pod alone.

Read from Lightning 2.6.6, fabric/cli.py (`--node-rank` and `--main-address` have values on every line, 0 and this
host); pytorch/torchtune, torchtune/_cli/run.py (torchrun's options); mosaicml/composer, composer/cli/launcher.py
(options, else NODE_RANK, MASTER_ADDR and MASTER_PORT); hiyouga/LLaMA-Factory, src/llamafactory/cli.py, and
modelscope/ms-swift, swift/cli/main.py (NNODES, NODE_RANK, NPROC_PER_NODE, MASTER_ADDR, MASTER_PORT);
InternLM/xtuner, xtuner/entry_point.py (ADDR and PORT in place of the last two); Paddle,
python/paddle/distributed/launch/context/args_envs.py; facebookresearch/detectron2, engine/launch.py
(`--machine-rank`, `--dist-url`); pytorch/examples, imagenet/main.py (`--multiprocessing-distributed`: a process for
each GPU, and `--rank` and `--world-size` count machines).
"""

from __future__ import annotations

import re
from itertools import pairwise

from specgen.operators.kubernetes.argv import script_at
from specgen.operators.kubernetes.launchers import count
from specgen.operators.kubernetes.lightning import USUAL, is_fabrics, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# fmt: off
PROGRAMS = (
    "axolotl", "colossalai", "composer", "fabric", "lightning", "litgpt", "llamafactory-cli", "msrun", "oumi", "ray",
    "sglang", "swift", "trl", "tune", "vllm", "xtuner", "yolo",
)
MODULES = (
    "axolotl", "composer", "llamafactory", "oumi", "paddle.distributed.launch", "sglang", "verl", "vllm",
)
# fmt: on
# Programs of one's own that say by an option that they start a process for each GPU.
_SPAWNS = "--multiprocessing-distributed"
_MACHINES = ("--num-machines", "--num_machines")
# Options by which a pod is told its number, and where it meets the others, whatever program has them; `--rank` is as
# often the size of an adapter.
_RANKS = ("--node_rank", "--node-rank", "--machine_rank", "--machine-rank", "--process_id", "--process-id")
_RANK = "--rank"
_BESIDE_RANK = (
    "--world-size",
    "--world_size",
    "--dist-url",
    "--dist_url",
    "--init-method",
    "--init_method",
    "--nnodes",
)
_HOSTS = ("--master_addr", "--master-addr", "--main-address", "--main_address")
_ENDPOINTS = (
    *("--rdzv_endpoint", "--rdzv-endpoint", "--coordinator_address", "--coordinator-address"),
    *("--dist-init-addr", "--dist_init_addr", "--master"),
)
_URLS = ("--dist-url", "--dist_url", "--init-method", "--init_method")
# Those of programs that share data out: which part is this one's, and how many there are.
_PARTS = (
    *("--shard", "--shard_id", "--shard-id", "--shard_index", "--shard-index", "--shard_idx", "--shard-idx"),
    *("--part", "--part_id", "--part-id", "--part_index", "--part-index"),
)
_OF_PARTS = (
    *("--num_shards", "--num-shards", "--n_shards", "--n-shards", "--nshards", "--total_shards", "--total-shards"),
    *("--of", "--num_parts", "--num-parts", "--n_parts", "--n-parts", "--nparts", "--total_parts", "--total-parts"),
)
# Those that do so where a variable that is another one in each pod says which part it is.
_FIRSTS, _STEPS = ("--start_index", "--start-index"), ("--stride", "--step")
_SIZES = ("--world", "--world_size", "--world-size")
# A file of each one's own; names of options that say where it goes, but for those of logs and of what a trainer saves.
_OUT = re.compile(r"--out(put)?([-_](file|path|name))?")
_OF_RANK = re.compile(r"\$(\((RANK|JOB_COMPLETION_INDEX)\)|\{?(RANK|SLURM_PROCID|JOB_COMPLETION_INDEX)\b\}?)")
_FILE = re.compile(r".*\.(?!log$|out$|err$)[a-z0-9]{1,8}(\.[a-z0-9]{1,4})?")
# What counts those that are to meet, or to share the work.
_COUNTS = (
    *("--nnodes", "--num_nodes", "--num-nodes", "--num_machines", "--num-machines"),
    *("--world_size", "--world-size", "--worker_num", *_OF_PARTS),
)
_VARIABLE = re.compile(r"\$(\w+|\{\w+\})")
_PORT = re.compile(r"(.*?)(:[0-9]{1,5})?")
_URL = re.compile(r"tcp://([^:/]+)(?::[0-9]+)?")
# Of programs that take each pod for the first unless their line says another: what it says in several pods, and behind
# what.
_OF_FABRIC = ("--node-rank={rank}", "--main-address={host}", "--main-port={port}")
_OPTIONS = {
    "fabric": (("fabric", "run"), _OF_FABRIC),
    "lightning": (("lightning", "run", "model"), _OF_FABRIC),
    "paddle.distributed.launch": (("paddle.distributed.launch",), ("--rank={rank}", "--master={host}:{port}")),
    "tune": (("tune", "run"), ("--rdzv_endpoint={host}:{port}",)),
}
# Variables of others that do: of the number, of where they meet.
_VARIABLES = {
    **dict.fromkeys(("composer", "litgpt", "llamafactory", "llamafactory-cli", "swift"), USUAL),
    "xtuner": ("NODE_RANK", "ADDR", "PORT"),
}
# Those that number machines by their options.
COUNTS_PODS = (*_OPTIONS, "composer", "msrun")
# Those whose variables count pods, and processes of each, as well.
COUNTED = ("llamafactory", "llamafactory-cli", "swift", "xtuner")
RANK, HOST = "rank", "host"
# Each pod's own place.
HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]")


class Own:
    """What all pods have and one alone may: ``word``, the number of the word, and where in it from ``start`` to
    ``end``; ``option`` and ``value`` as they are written; ``what``: ``RANK`` or ``HOST``.
    """

    __slots__ = ("end", "option", "start", "value", "what", "word")

    def __init__(self, option: str, value: str, word: int, start: int, what: str) -> None:
        self.option = option
        self.value = value
        self.word = word
        self.start = start
        self.end = start + len(value)
        self.what = what


def called(words: Sequence[str]) -> str:
    """What a line calls that starts processes by itself, such as `vllm`; empty where it calls none that is known."""
    if not words:
        return ""
    name = words[0].rpartition("/")[2]
    if name in PROGRAMS:
        return name
    if not name.startswith("python") or "-m" not in words[:-1]:
        return ""
    module = words[list(words).index("-m") + 1]
    return next((module if one in _OPTIONS else one for one in MODULES if module == one or _in(module, one)), "")


def _in(module: str, package: str) -> bool:
    return module.startswith(f"{package}.")


def in_shell(words: Sequence[str]) -> list[str]:
    """The words of a line, or those of the text that a shell runs in it, from the last program on that is known."""
    at = script_at(words)
    if at is None:
        return list(words)
    pieces = [piece.strip("\"';&|()") for piece in words[at].split()]
    return next((pieces[one:] for one in range(len(pieces)) if called(pieces[one:])), [])


def spawns(words: Sequence[str]) -> bool:
    """Whether a program of one's own says that it starts processes itself: an example of PyTorch's, or detectron2."""
    return _SPAWNS in words or any([word.partition("=")[0] in _MACHINES for word in words])


def shards(words: Sequence[str]) -> int | None:
    """Over how many processes a line shares data out, which need not meet; 0 where a variable says it, None: none."""
    if part_at(words) is None:
        return None
    said = _said(words)
    return next((count(said[name]) or 0 for name in (*_OF_PARTS, *_STEPS, *_SIZES) if name in said), 0)


def part_at(words: Sequence[str]) -> int | None:
    """The number of the word by which a line says which part of the data a process has; None where it shares none.

    Beside options for that, a file of its own that bears its number does, where the line names no place to meet.
    """
    said = _said(words)
    counted, stepped = not said.keys().isdisjoint(_OF_PARTS), not said.keys().isdisjoint(_STEPS)
    meets = not said.keys().isdisjoint((*_URLS, *_HOSTS, *_ENDPOINTS))
    for at, word in enumerate(words):
        name = word.partition("=")[0]
        ranked = _OF_RANK.search(said.get(name, "")) is not None
        if (counted and name in _PARTS and name in said) or (stepped and ranked and name in _FIRSTS):
            return at
        if ranked and not meets and _OUT.fullmatch(name) and _FILE.fullmatch(said[name].rpartition("/")[2]):
            return at
    return None


def _said(words: Sequence[str]) -> dict[str, str]:
    """Options and their values, of which a part may be one's own."""
    said = dict([(name, value) for name, _, value in [word.partition("=") for word in words] if value])
    return said | {one: after for one, after in pairwise(words) if one[:2] == "--" and "=" not in one}


def owns(words: Sequence[str]) -> Iterator[Own]:
    """What a line says of one pod: a number, or a machine to meet at; neither where a variable says it."""
    pieces = list(_pieces(words))
    parted = shards(words) is not None
    ranked = any([name.partition("=")[0] in _BESIDE_RANK for _, _, name in pieces])
    for number, (word, start, text) in enumerate(pieces):
        option, equals, value = text.partition("=")
        begin = start + len(option) + 1
        if not equals and number + 1 < len(pieces):
            word, begin, value = pieces[number + 1]
        if parted and option in _PARTS and (count(value) is not None or _VARIABLE.fullmatch(value)):
            yield Own(option, value, word, begin, RANK)
        if not value or "$" in value:
            continue
        if option in _RANKS or (option == _RANK and ranked):
            if count(value) is not None:
                yield Own(option, value, word, begin, RANK)
        elif option in _URLS:
            found = _URL.match(value)
            if found is not None:
                yield Own(option, found[1], word, begin + found.start(1), HOST)
        elif option in _ENDPOINTS and (option != "--master" or ":" in value):
            host = _PORT.fullmatch(value)
            if host is not None and host[1]:
                yield Own(option, host[1], word, begin, HOST)
        elif option in _HOSTS:
            yield Own(option, value, word, begin, HOST)


def _pieces(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(which word, where in it, text) of a line, with the text of its shell split at blanks."""
    script = script_at(words)
    for at, word in enumerate(words):
        if at != script:
            yield at, 0, word
            continue
        for piece in re.finditer(r"[^\s\"';&|()]+", word):
            yield at, piece.start(), piece[0]


def has_others(words: Sequence[str]) -> bool:
    """Whether a line counts several pods, or processes of several, or a variable does."""
    pieces = [text for _, _, text in _pieces(words)]
    for at, piece in enumerate(pieces):
        option, equals, value = piece.partition("=")
        if option in _COUNTS:
            value = value if equals else "".join(pieces[at + 1 : at + 2])
            if "$" in value or (count(value) or 0) > 1:
                return True
    return False


def told(words: Sequence[str], meets: tuple[str, str, str]) -> tuple[list[str], list[Own]]:
    """(a line in which each pod is told its own number and where they meet, what was replaced of it).

    ``meets``: the variables that say it in a pod. The kubelet replaces `$(NAME)`.
    """
    rank, host, port = (f"$({name})" for name in meets)
    line, found = list(words), list(owns(words))
    for one in reversed(found):
        said = rank if one.what == RANK else host
        line[one.word] = line[one.word][: one.start] + said + line[one.word][one.end :]
    inside = in_shell(line)
    name = called(inside)
    if name == "composer":
        # two numbers that differ would be taken as they are
        line = _without(line, "--base_rank")
    behind, options = _OPTIONS.get(name, ((), ()))
    said_there = {word.partition("=")[0].replace("-", "_") for word in inside}
    if "__main_address" in said_there:
        said_there.add("__main_port")  # the port that it has where it is not said is the same in all
    added = [
        one.format(rank=rank, host=host, port=port)
        for one in options
        if one.partition("=")[0].replace("-", "_") not in said_there
    ]
    script = script_at(line)
    if added and script is not None:
        pattern = r"\s+".join([re.escape(word) for word in behind])
        line[script] = re.sub(pattern, lambda found: " ".join([found[0], *added]), line[script], count=1)
    elif added:
        first = next((at for at in range(len(line)) if _begins(line[at:], behind)), None)
        at = first + len(behind) if first is not None else len(line)
        line[at:at] = added if first is not None else []
    return line, found


def _begins(line: Sequence[str], words: Sequence[str]) -> bool:
    return [one.rpartition("/")[2] for one in line[: len(words)]] == list(words)


def _without(line: list[str], option: str) -> list[str]:
    found = []
    words = iter(line)
    for word in words:
        if word == option:
            next(words, None)
        elif word.partition("=")[0] != option:
            found.append(word)
    return found


def exported(words: Sequence[str], meets: tuple[str, str, str]) -> str:
    """Shell text by which a pod tells a program that reads variables its number, and where they meet; else empty."""
    line = in_shell(words)
    names = USUAL if is_fabrics(line) else _VARIABLES.get(called(line), ())
    return numbered(*meets, names) if names else ""
