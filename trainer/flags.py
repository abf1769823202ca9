"""One table of flags for the command line, the ``TRAINER_*`` variables and the contract. No torch here."""

from __future__ import annotations

from typing import Any, NamedTuple


class Flag(NamedTuple):
    """One flag, and the variable of its name."""

    names: tuple[str, ...]  # `-b` and `--batch-size`: the first long one names the variable, too
    type: type
    default: Any  # None: not given
    help: str
    choices: tuple[str, ...] = ()  # all that is taken; empty: any value of the type
    legacy: bool = False  # accepted and checked against the environment, without effect

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


def flag(names: str, kind: type, default: Any, text: str, choices: str = "", legacy: bool = False) -> Flag:
    return Flag(tuple(names.split()), kind, default, text, tuple(choices.split()), legacy)


FLAGS = (
    flag("-a --arch", str, "resnet50", "model", "resnet18 resnet34 resnet50 resnet101 mnist"),
    flag("-j --workers", int, 4, "loader processes per rank, capped by the CPU limit; for images only"),
    flag("-b --batch-size", int, 32, "samples per process and micro-batch (the imagenet example means per node)"),
    flag("--epochs", int, 1, "passes over the data, unless --iter is given"),
    flag("--iter", int, 0, "steps in all, through the data as often as that takes; 0 = whole epochs"),
    flag("--bucket", float, 25.0, "DDP gradient bucket in MB; at or above the gradient size nothing overlaps"),
    flag("--lr", float, 0.1, "learning rate, divided by 10 every 30 epochs"),
    flag("--momentum", float, 0.9, "SGD momentum"),
    flag("--wd", float, 1e-4, "weight decay"),
    flag("--seed", int, 0, "seed of weights, sample order and augmentation"),
    flag("--amp", str, "off", "mixed precision", "off bf16 fp16"),
    flag("--channels-last", bool, False, "NHWC memory format"),
    flag("--tf32", bool, False, "TF32 matrix products on GPU"),
    flag("--sync-bn", bool, False, "batch statistics over all ranks (GPU)"),
    flag("--static-graph", bool, False, "tell DDP that the graph never changes"),
    flag("--accum", int, 1, "micro-batches per step"),
    flag("--threads", int, 1, "CPU threads of one rank's operators"),
    flag("--backend", str, "auto", "transport; mpi only in a torch built with it", "auto nccl gloo mpi"),
    flag("--launcher", str, "auto", "whose variables count", "auto torchrun mpi pytorchjob pet slurm tfjob msjob"),
    flag("--spawn", int, -1, "start this pod's processes here: N, or 0 = as many as the environment counts"),
    flag("--data", str, "", "data directory"),
    flag("--dummy", bool, False, "generated images instead of data"),
    flag("--dummy-size", int, 1281167, "samples in one epoch of generated images"),
    flag("--classes", int, 0, "classes; 0 = as the data has, 1000 for generated images, 10 for mnist"),
    flag("--image-size", int, 224, "side of the training image in pixels"),
    flag("--format", str, "auto", "kind of data", "auto idx folder tar"),
    flag("--manifest", str, "", "file of hashes; default: trainer-manifest.tsv beside the data, if there"),
    flag("--data-wait", float, 0.0, "seconds to wait for a data mount that comes late"),
    flag("--read-timeout", float, 20.0, "seconds without progress before reading the data at start is given up"),
    flag("--out", str, "", "shared directory for checkpoints, metrics, report; empty = none of them"),
    flag("--ckpt-every", int, 500, "steps between checkpoints, 0 = only at the end"),
    flag("--ckpt-keep", int, 2, "checkpoints kept besides the newest"),
    flag("--resume", str, "auto", "auto, none, or a checkpoint file"),
    flag("--rdzv-timeout", float, 300.0, "seconds until all ranks must have joined"),
    flag("--start-timeout", float, 600.0, "seconds until the first step of this process must be done"),
    flag("--step-timeout", float, 120.0, "seconds a rank may stay in one phase of a step"),
    flag("--grace", float, 25.0, "seconds between SIGTERM and SIGKILL"),
    flag("--max-attempts", int, 3, "attempts without a new checkpoint before giving up for good"),
    flag("--expect-world", int, 0, "world size that must be found, 0 = any"),
    flag("--expect-nccl", str, "", "NCCL version that must be loaded, as 2.27.3"),
    flag("--expect-hca", int, 0, "active InfiniBand ports that must be found"),
    flag("-p --print-freq", int, 10, "steps between two lines of output"),
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
BENCH_FLAGS = (
    flag("-b --min-bytes", str, "8", "smallest size"),
    flag("-e --max-bytes", str, "128M", "largest size"),
    flag("-f --factor", int, 2, "factor between two sizes"),
    flag("-n --iters", int, 20, "timed calls per size"),
    flag("-w --warmup", int, 5, "calls before timing"),
    flag("--dtype", str, "float", "element type", "float half bfloat16 double int32"),
    flag("--op", str, "all_reduce", "comma list: all_reduce all_gather reduce_scatter broadcast alltoall"),
    flag("--blocking", bool, False, "wait for every call"),
    flag("--check", bool, True, "compare every value with the exact expected one"),
    flag("--json", str, "", "write the table to this file as JSON"),
    *(one for one in FLAGS if one.key in SHARED.split() or one.legacy),
)
PER_RANK = {"launcher", "spawn", "termination_log", "rank", "local_rank", "gpu", "json"}  # may differ between ranks
COMMANDS = ("train", "bench", "preflight", "index", "report", "contract")
# Of each network of --arch: what its gradients and checkpoints weigh is known without torch.
PARAMETERS = {"resnet18": 11689512, "resnet34": 21797672, "resnet50": 25557032, "resnet101": 44549160, "mnist": 431080}
