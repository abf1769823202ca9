"""One table of flags for the command line, the ``TRAINER_*`` variables and the contract. No torch here."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple


class Flag(NamedTuple):
    """One flag, and the variable of its name."""

    names: tuple[str, ...]  # `-b` and `--batch-size`: the first long one names the variable, too
    type: type
    default: Any  # None: not given
    help: str
    choices: tuple[str, ...] = ()  # all that is taken; empty: any value of the type
    legacy: bool = False  # accepted and checked against the environment, without effect
    minimum: float | None = None  # the smallest value of a number
    above: float | None = None  # a number must be larger than this
    pattern: str = ""  # of all that is taken, where it is no number and there are no choices

    @property
    def key(self) -> str:
        """Its name in the parsed arguments."""
        return next(name for name in self.names if name.startswith("--"))[2:].replace("-", "_")

    def read(self, text: str) -> Any:
        """The value of a ``TRAINER_*`` variable. Raises ValueError."""
        value = text.lower() in {"1", "true", "yes"} if self.type is bool else self.type(text)
        if self.choices and value not in self.choices:
            raise ValueError
        return value

    def flaw(self, value: Any) -> str:
        """Why this value is refused, as what follows it in a sentence; empty where it is not."""
        if value is None or self.type is bool:
            return ""
        if self.type is float and not math.isfinite(value):
            return "is no finite number"
        if self.minimum is not None and value < self.minimum:
            return f"is less than {self.minimum:g}"
        if self.above is not None and value <= self.above:
            return f"is not above {self.above:g}"
        return f"is not as `{self.pattern}`" if self.pattern and not re.fullmatch(self.pattern, value) else ""


def flag(names: str, kind: type, default: Any, text: str, choices: str = "", legacy: bool = False, **more: Any) -> Flag:
    return Flag(tuple(names.split()), kind, default, text, tuple(choices.split()), legacy, **more)


FLAGS = (
    flag("-a --arch", str, "resnet50", "model", "resnet18 resnet34 resnet50 resnet101 mnist"),
    flag("-j --workers", int, 4, "loader processes per rank, capped by the CPU limit; for images only", minimum=0),
    flag(
        "-b --batch-size",
        int,
        32,
        "samples per process and micro-batch (the imagenet example means per node)",
        minimum=1,
    ),
    flag("--epochs", int, 1, "passes over the data, each sample once in each, unless --iter is given", minimum=1),
    flag(
        "--iter",
        int,
        0,
        "steps in all, of whatever batch, through the data as often as that takes; 0 = whole epochs",
        minimum=0,
    ),
    flag("--bucket", float, 25.0, "DDP gradient bucket in MB; at or above the gradient size nothing overlaps", above=0),
    flag("--lr", float, 0.1, "learning rate, where --lr-warmup-epochs ends", minimum=0),
    flag(
        "--lr-scheduler",
        str,
        "step",
        "course of the rate: step, divided by 10 every 30 epochs; cosine, down to 0 at the end, which with --iter "
        "forbids another batch at a resume; or constant",
        "step cosine constant",
    ),
    flag(
        "--lr-warmup-epochs",
        float,
        0.0,
        "epochs, or a part of one, in which the rate rises from a hundredth; like its course by samples, "
        "not by steps, so that world size and batch may change",
        minimum=0,
    ),
    flag("--momentum", float, 0.9, "SGD momentum", minimum=0),
    flag("--wd", float, 1e-4, "weight decay", minimum=0),
    flag("--seed", int, 0, "seed of weights, sample order and augmentation", minimum=0),
    flag("--amp", str, "off", "mixed precision, in training and evaluation", "off bf16 fp16"),
    flag("--channels-last", bool, False, "NHWC memory format, in training and evaluation"),
    flag("--tf32", bool, False, "TF32 matrix products on GPU"),
    flag("--sync-bn", bool, False, "batch statistics over all ranks (GPU)"),
    flag("--static-graph", bool, False, "tell DDP that the graph never changes"),
    flag("--accum", int, 1, "micro-batches per step", minimum=1),
    flag("--threads", int, 1, "CPU threads of one rank's operators", minimum=1),
    flag("--backend", str, "auto", "transport; mpi only in a torch built with it", "auto nccl gloo mpi"),
    flag("--launcher", str, "auto", "whose variables count", "auto torchrun mpi pytorchjob pet tfjob msjob"),
    flag(
        "--spawn", int, -1, "start this pod's processes here: N, or 0 = as many as the environment counts", minimum=-1
    ),
    flag("--data", str, "", "data directory"),
    flag("--dummy", bool, False, "generated images instead of data"),
    flag("--dummy-size", int, 1281167, "samples in one epoch of generated images", minimum=1),
    flag("--classes", int, 0, "classes; 0 = as the data has, 1000 for generated images, 10 for mnist", minimum=0),
    flag("--image-size", int, 224, "side of the training image in pixels", minimum=1),
    flag("--format", str, "auto", "kind of data", "auto idx folder tar"),
    flag("--manifest", str, "", "file of hashes; default: trainer-manifest.tsv beside the data, if there"),
    flag("--data-wait", float, 0.0, "seconds to wait for a data mount that comes late", minimum=0),
    flag(
        "--read-timeout", float, 20.0, "seconds without progress before reading the data at start is given up", above=0
    ),
    flag("--out", str, "", "shared directory for checkpoints, metrics, report; empty = none of them"),
    flag("--ckpt-every", int, 500, "steps between checkpoints, 0 = only at the end", minimum=0),
    flag("--ckpt-keep", int, 2, "checkpoints kept besides the newest", minimum=0),
    flag(
        "--resume",
        str,
        "auto",
        "auto: go on in --out; none: begin anew beside what is there; a checkpoint file: begin from it",
    ),
    flag("--rdzv-timeout", float, 300.0, "seconds until all ranks must have joined", above=0),
    flag("--start-timeout", float, 600.0, "seconds until the first step of this process must be done", above=0),
    flag("--step-timeout", float, 120.0, "seconds a rank may stay in one phase of a step", above=0),
    flag("--grace", float, 25.0, "seconds between SIGTERM and SIGKILL", minimum=0),
    flag(
        "--max-attempts", int, 3, "attempts without a new checkpoint before giving up for good, 0 = no bound", minimum=0
    ),
    flag("--expect-world", int, 0, "world size that must be found, 0 = any", minimum=0),
    flag("--expect-nccl", str, "", "NCCL version that must be loaded, as 2.27.3"),
    flag("--expect-hca", int, 0, "active InfiniBand ports that must be found", minimum=0),
    flag("-p --print-freq", int, 10, "steps between two lines of output", minimum=1),
    flag("--eval", bool, False, "evaluate after every epoch and at the end"),
    flag("--termination-log", str, "/dev/termination-log", "file for the last words, written if it exists"),
    flag("--preflight-only", bool, False, "check everything, train nothing"),
    flag("--world-size", int, None, "legacy: checked against the environment", legacy=True),
    flag("--rank", int, None, "legacy: checked against the environment", legacy=True),
    flag("--local-rank --local_rank", int, None, "legacy: checked against the environment", legacy=True),
    flag("--gpu", int, None, "legacy: checked against the local rank", legacy=True),
    flag("--dist-url", str, None, "legacy: checked against MASTER_ADDR and MASTER_PORT", legacy=True),
    flag("--dist-backend", str, None, "legacy: checked against --backend", legacy=True),
    flag("--multiprocessing-distributed", bool, None, "legacy: no effect", legacy=True),
)
# What `bench` has of them, beside its own and the legacy ones.
SHARED = """
backend launcher spawn threads out rdzv_timeout start_timeout step_timeout grace expect_world expect_nccl expect_hca
termination_log read_timeout
"""
SIZE = "0*[1-9][0-9]*[KMGkmg]?"
OPS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall")
BENCH_FLAGS = (
    flag("-b --min-bytes", str, "8", "smallest size", pattern=SIZE),
    flag("-e --max-bytes", str, "128M", "largest size", pattern=SIZE),
    flag("-f --factor", int, 2, "factor between two sizes", minimum=2),
    flag("-n --iters", int, 20, "timed calls per size", minimum=1),
    flag("-w --warmup", int, 5, "calls before timing", minimum=0),
    flag("--dtype", str, "float", "element type", "float half bfloat16 double int32"),
    flag(
        "--op",
        str,
        "all_reduce",
        "comma list: all_reduce all_gather reduce_scatter broadcast alltoall",
        pattern=f"(({'|'.join(OPS)})(,(?=.)|$))+",
    ),
    flag("--blocking", bool, False, "wait for every call"),
    flag("--check", bool, True, "compare every value with the exact expected one"),
    flag("--json", str, "", "write the table to this file as JSON"),
    *(one for one in FLAGS if one.key in SHARED.split() or one.legacy),
)
# What `preflight` has besides all that `train` has.
PREFLIGHT_OWN = (
    flag("--pairs", bool, False, "measure the network pair by pair, each rank's GPU, and name the node that is slow"),
    flag("--min-busbw", float, 0.0, "with --pairs: GB/s between any two nodes, 0 = as the others have", minimum=0),
)
PREFLIGHT_FLAGS = (*FLAGS, *PREFLIGHT_OWN)
PER_RANK = {"launcher", "spawn", "termination_log", "rank", "local_rank", "gpu", "json"}  # may differ between ranks
# All ranks have them or none; what lies there is compared by itself: hashes of the data, a file that rank 0 writes.
PATHS = {"data", "manifest", "out"}
# Bytes of shared memory of one process that has loader workers, as a sum of products of arguments: each worker has two
# batches under way and one is in use; the second set of workers is that of the evaluation, whose batches are one
# micro-batch. The last two terms are labels, queues and what rounding to pages costs (measured with torch 2.13).
SHM = (
    "2 * workers * accum * batch_size * 3 * image_size^2",
    "accum * batch_size * 3 * image_size^2",
    "eval * 2 * workers * batch_size * 3 * image_size^2",
    "eval * batch_size * 3 * image_size^2",
    "131072 * workers",
    "131072",
)
# What is refused together: of each argument `True` (it is given), the values that it has, or the smallest number.
REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"data": True, "format": ("idx",), "arch": ("resnet18", "resnet34", "resnet50", "resnet101")},
        "the network takes pictures in colour, IDX files have one channel",
    ),
    (
        {"data": True, "format": ("folder", "tar"), "arch": ("mnist",)},
        "the network takes one channel of 28 x 28 pixels, as IDX files have it",
    ),
    ({"static_graph": True, "accum": 2}, "of a static graph every backward pass exchanges gradients"),
)
COMMANDS = ("train", "bench", "preflight", "index", "report", "contract", "guard")
# Of each network of --arch: what its gradients and checkpoints weigh is known without torch.
PARAMETERS = {"resnet18": 11689512, "resnet34": 21797672, "resnet50": 25557032, "resnet101": 44549160, "mnist": 431080}


def shm_bytes(values: dict[str, Any]) -> int:
    """The sum of `SHM` for these arguments; 0 without workers."""
    total = 0
    for product in SHM if values["workers"] else ():
        factor = 1
        for word in product.split(" * "):
            name, _, power = word.partition("^")
            factor *= int(values.get(name, 0) if not name.isdigit() else name) ** int(power or 1)
        total += factor
    return total


def contradiction(values: dict[str, Any]) -> str:
    """Which two arguments are refused together, and why; empty where none are."""
    for when, why in REFUSED:
        if all(key in values and _is(values[key], wanted) for key, wanted in when.items()):
            one, other = (_written(key, values[key]) for key in when if key != "data")
            return f"`{one}` contradicts `{other}`: {why}"
    return ""


def _is(value: Any, wanted: Any) -> bool:
    if wanted is True:
        return bool(value)
    return value in wanted if isinstance(wanted, tuple) else value >= wanted


def _written(key: str, value: Any) -> str:
    name = "--" + key.replace("_", "-")
    return name if value is True else f"{name}={value}"
