"""The configuration of each command, typed: one field a flag, with what its help, its check and the contract say of it.

The command line makes it once; from then on nothing is put in. No torch here.
"""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

TYPES = {"str": str, "int": int, "float": float, "bool": bool}
SIZE = "0*[1-9][0-9]*[KMGkmg]?"
C = TypeVar("C", bound="TrainConfig | BenchConfig")
OPS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall")


class Flag(NamedTuple):
    """One flag, and the variable of its name."""

    key: str  # the field's name: `batch_size`
    names: tuple[str, ...]  # `-b` and `--batch-size`
    type: type
    default: Any  # None: not given
    help: str
    choices: tuple[str, ...] = ()  # all that is taken; empty: any value of the type
    legacy: bool = False  # accepted and checked against the environment, without effect
    minimum: float | None = None  # the smallest value of a number
    above: float | None = None  # a number must be larger than this
    pattern: str = ""  # of all that is taken, where it is no number and there are no choices

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


def flag(default: Any, text: str, also: str = "", choices: str = "", **more: Any) -> Any:
    """A field; ``also`` is another spelling of its flag, and ``more`` is as in ``Flag``."""
    return dataclasses.field(
        default=default, metadata={"help": text, "also": also, "choices": tuple(choices.split()), **more}
    )


def same(key: str) -> Any:
    """A field as that of ``TrainConfig``."""
    field = TrainConfig.__dataclass_fields__[key]
    return dataclasses.field(default=field.default, metadata=field.metadata)


def flags_of(config: type[C]) -> tuple[Flag, ...]:
    """The flags of a command, in the order of its fields."""
    flags = []
    for field in dataclasses.fields(config):
        more, long = dict(field.metadata), "--" + field.name.replace("_", "-")
        also = more.pop("also")
        names = (long, also) if also.startswith("--") else (also, long) if also else (long,)
        kind = TYPES[str(field.type).removesuffix(" | None")]
        flags.append(Flag(field.name, names, kind, field.default, **more))
    return tuple(flags)


@dataclass(frozen=True)
class TrainConfig:
    """Of ``train``."""

    command: ClassVar[str] = "train"

    arch: str = flag("resnet50", "model", also="-a", choices="resnet18 resnet34 resnet50 resnet101 mnist")
    workers: int = flag(4, "loader processes per rank, capped by the CPU limit; for images only", also="-j", minimum=0)
    batch_size: int = flag(
        32, "samples per process and micro-batch (the imagenet example means per node)", also="-b", minimum=1
    )
    epochs: int = flag(1, "passes over the data, each sample once in each, unless --iter is given", minimum=1)
    iter: int = flag(
        0, "steps in all, of whatever batch, through the data as often as that takes; 0 = whole epochs", minimum=0
    )
    bucket: float = flag(25.0, "DDP gradient bucket in MB; at or above the gradient size nothing overlaps", above=0)
    lr: float = flag(0.1, "learning rate, where --lr-warmup-epochs ends", minimum=0)
    lr_scheduler: str = flag(
        "step",
        "course of the rate: step, divided by 10 every 30 epochs; cosine, down to 0 at the end, which with --iter "
        "forbids another batch at a resume; or constant",
        choices="step cosine constant",
    )
    lr_warmup_epochs: float = flag(
        0.0,
        "epochs, or a part of one, in which the rate rises from a hundredth; like its course by samples, "
        "not by steps, so that world size and batch may change",
        minimum=0,
    )
    momentum: float = flag(0.9, "SGD momentum", minimum=0)
    wd: float = flag(1e-4, "weight decay", minimum=0)
    seed: int = flag(0, "seed of weights, sample order and augmentation", minimum=0)
    amp: str = flag("off", "mixed precision, in training and evaluation", choices="off bf16 fp16")
    channels_last: bool = flag(False, "NHWC memory format, in training and evaluation")
    tf32: bool = flag(False, "TF32 matrix products on GPU")
    sync_bn: bool = flag(False, "batch statistics over all ranks (GPU)")
    static_graph: bool = flag(False, "tell DDP that the graph never changes")
    accum: int = flag(1, "micro-batches per step", minimum=1)
    threads: int = flag(1, "CPU threads of one rank's operators", minimum=1)
    backend: str = flag("auto", "transport; mpi only in a torch built with it", choices="auto nccl gloo mpi")
    launcher: str = flag("auto", "whose variables count", choices="auto torchrun mpi pytorchjob pet tfjob msjob")
    spawn: int = flag(-1, "start this pod's processes here: N, or 0 = as many as the environment counts", minimum=-1)
    data: str = flag("", "data directory")
    dummy: bool = flag(False, "generated images instead of data")
    dummy_size: int = flag(1281167, "samples in one epoch of generated images", minimum=1)
    classes: int = flag(0, "classes; 0 = as the data has, 1000 for generated images, 10 for mnist", minimum=0)
    image_size: int = flag(224, "side of the training image in pixels", minimum=1)
    format: str = flag("auto", "kind of data", choices="auto idx folder tar")
    manifest: str = flag("", "file of hashes; default: trainer-manifest.tsv beside the data, if there")
    data_wait: float = flag(0.0, "seconds to wait for a data mount that comes late", minimum=0)
    read_timeout: float = flag(20.0, "seconds without progress before reading the data at start is given up", above=0)
    out: str = flag("", "shared directory for checkpoints, metrics, report; empty = none of them")
    ckpt_every: int = flag(500, "steps between checkpoints, 0 = only at the end", minimum=0)
    ckpt_keep: int = flag(2, "checkpoints kept besides the newest", minimum=0)
    resume: str = flag(
        "auto", "auto: go on in --out; none: begin anew beside what is there; a checkpoint file: begin from it"
    )
    rdzv_timeout: float = flag(300.0, "seconds until all ranks must have joined", above=0)
    start_timeout: float = flag(600.0, "seconds until the first step of this process must be done", above=0)
    step_timeout: float = flag(120.0, "seconds a rank may stay in one phase of a step", above=0)
    grace: float = flag(25.0, "seconds between SIGTERM and SIGKILL", minimum=0)
    max_attempts: int = flag(3, "attempts without a new checkpoint before giving up for good, 0 = no bound", minimum=0)
    expect_world: int = flag(0, "world size that must be found, 0 = any", minimum=0)
    expect_nccl: str = flag("", "NCCL version that must be loaded, as 2.27.3")
    expect_hca: int = flag(0, "active InfiniBand ports that must be found", minimum=0)
    print_freq: int = flag(10, "steps between two lines of output", also="-p", minimum=1)
    eval: bool = flag(False, "evaluate after every epoch and at the end")
    termination_log: str = flag("/dev/termination-log", "file for the last words, written if it exists")
    preflight_only: bool = flag(False, "check everything, train nothing")
    world_size: int | None = flag(None, "legacy: checked against the environment", legacy=True)
    rank: int | None = flag(None, "legacy: checked against the environment", legacy=True)
    local_rank: int | None = flag(None, "legacy: checked against the environment", also="--local_rank", legacy=True)
    gpu: int | None = flag(None, "legacy: checked against the local rank", legacy=True)
    dist_url: str | None = flag(None, "legacy: checked against MASTER_ADDR and MASTER_PORT", legacy=True)
    dist_backend: str | None = flag(None, "legacy: checked against --backend", legacy=True)
    multiprocessing_distributed: bool | None = flag(None, "legacy: no effect", legacy=True)


@dataclass(frozen=True)
class PreflightConfig(TrainConfig):
    """Of ``preflight``: all that ``train`` has, because what is checked goes by it."""

    command: ClassVar[str] = "preflight"

    pairs: bool = flag(False, "measure the network pair by pair, each rank's GPU, and name the node that is slow")
    min_busbw: float = flag(0.0, "with --pairs: GB/s between any two nodes, 0 = as the others have", minimum=0)


@dataclass(frozen=True)
class BenchConfig:
    """Of ``bench``: its own flags, and those of ``train`` by which the ranks meet."""

    command: ClassVar[str] = "bench"

    min_bytes: str = flag("8", "smallest size", also="-b", pattern=SIZE)
    max_bytes: str = flag("128M", "largest size", also="-e", pattern=SIZE)
    factor: int = flag(2, "factor between two sizes", also="-f", minimum=2)
    iters: int = flag(20, "timed calls per size", also="-n", minimum=1)
    warmup: int = flag(5, "calls before timing", also="-w", minimum=0)
    dtype: str = flag("float", "element type", choices="float half bfloat16 double int32")
    op: str = flag(
        "all_reduce",
        "comma list: all_reduce all_gather reduce_scatter broadcast alltoall",
        pattern=f"(({'|'.join(OPS)})(,(?=.)|$))+",
    )
    blocking: bool = flag(False, "wait for every call")
    check: bool = flag(True, "compare every value with the exact expected one")
    json: str = flag("", "write the table to this file as JSON")
    threads: int = same("threads")
    backend: str = same("backend")
    launcher: str = same("launcher")
    spawn: int = same("spawn")
    read_timeout: float = same("read_timeout")
    out: str = same("out")
    rdzv_timeout: float = same("rdzv_timeout")
    start_timeout: float = same("start_timeout")
    step_timeout: float = same("step_timeout")
    grace: float = same("grace")
    expect_world: int = same("expect_world")
    expect_nccl: str = same("expect_nccl")
    expect_hca: int = same("expect_hca")
    termination_log: str = same("termination_log")
    world_size: int | None = same("world_size")
    rank: int | None = same("rank")
    local_rank: int | None = same("local_rank")
    gpu: int | None = same("gpu")
    dist_url: str | None = same("dist_url")
    dist_backend: str | None = same("dist_backend")
    multiprocessing_distributed: bool | None = same("multiprocessing_distributed")


Config = TrainConfig | BenchConfig
CONFIGS: dict[str, type[Config]] = {one.command: one for one in (TrainConfig, PreflightConfig, BenchConfig)}
