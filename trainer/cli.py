"""Command line: one table of flags for argparse, for `TRAINER_*` variables and for the contract (T0). No torch here."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from trainer import __version__
from trainer.env import Place, resolve
from trainer.faults import USAGE, Fault


class Flag(NamedTuple):
    names: tuple[str, ...]
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    legacy: bool = False  # accepted and checked against the environment, without effect

    @property
    def key(self) -> str:
        return next(name for name in self.names if name.startswith("--"))[2:].replace("-", "_")

    def read(self, text: str) -> Any:
        """The value of a `TRAINER_*` variable. Raises ValueError."""
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


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Fault(USAGE, message.replace("argument ", ""))


def parse(
    command: str, argv: Sequence[str], env: Mapping[str, str], changed: Mapping[str, Any] | None = None
) -> tuple[argparse.Namespace, dict[str, str]]:
    """Values and where each came from: default, `TRAINER_<NAME>` or command line. Raises Fault(64)."""
    flags = BENCH_FLAGS if command == "bench" else FLAGS
    parser = Parser(prog=f"trainer {command}", allow_abbrev=False, argument_default=argparse.SUPPRESS)
    if command != "bench":
        parser.add_argument("data", nargs="?", metavar="DATA", help="data directory, as --data")
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for one in flags:
        how: dict[str, Any] = {"type": one.type, "choices": one.choices or None}
        if one.type is bool:
            how = {"action": argparse.BooleanOptionalAction if one.default else "store_true"}
        elif one.key == "spawn":
            how |= {"nargs": "?", "const": 0}
        parser.add_argument(*one.names, dest=one.key, help=one.help, **how)
        values[one.key], origin[one.key] = (changed or {}).get(one.key, one.default), "default"
        name = f"TRAINER_{one.key.upper()}"
        if name in env:
            try:
                values[one.key], origin[one.key] = one.read(env[name]), name
            except ValueError:
                wanted = ", ".join(one.choices) or one.type.__name__
                raise Fault(USAGE, f"`{name}={env[name]}` is none of: {wanted}") from None
    given, unknown = parser.parse_known_args(list(argv))
    if unknown:
        word = unknown[0].split("=")[0]
        near = difflib.get_close_matches(word, [name for one in flags for name in one.names], 1, 0.5)
        raise Fault(USAGE, f"unknown argument `{word}`" + (f", the nearest known one is `{near[0]}`" if near else ""))
    values |= vars(given)
    origin |= dict.fromkeys(vars(given), "command line")
    return argparse.Namespace(**values), origin


def check(args: argparse.Namespace, place: Place) -> None:
    """Refuses arguments that contradict each other or the environment. Raises Fault(64)."""
    said, url, transport = f"({place.source})", args.dist_url or "", args.dist_backend
    for name, value, real, variable in (
        ("--world-size", args.world_size, place.world, "WORLD_SIZE"),
        ("--expect-world", args.expect_world or None, place.world, "WORLD_SIZE"),
        ("--rank", args.rank, place.rank, "RANK"),
        ("--local-rank", args.local_rank, place.local_rank, "LOCAL_RANK"),
        ("--gpu", args.gpu, place.local_rank, "LOCAL_RANK"),
    ):
        # Before the pod's processes are started, rank and local rank are the pod's, not yet a process's.
        if value is not None and value != real and not (place.spawn and variable != "WORLD_SIZE"):
            raise Fault(USAGE, f"`{name}={value}`, but `{variable}={real}` {said}")
    if url.startswith("tcp://") and place.port and url[6:] != f"{place.master}:{place.port}":
        raise Fault(USAGE, f"`--dist-url={url}`, but the master is `{place.master}:{place.port}` {said}")
    if transport and transport not in {"nccl", "gloo", "mpi"}:
        raise Fault(USAGE, f"`--dist-backend={transport}` is none of nccl, gloo, mpi")
    if transport and args.backend not in {"auto", transport}:
        raise Fault(USAGE, f"`--dist-backend={transport}` contradicts `--backend={args.backend}`")
    args.backend = transport or args.backend
    for key in ("batch_size", "accum", "threads", "epochs", "print_freq", "iters"):
        if getattr(args, key, 1) < 1:
            raise Fault(USAGE, f"`--{key.replace('_', '-')}={getattr(args, key)}` is less than 1")
    if getattr(args, "data", "") and args.dummy:
        raise Fault(USAGE, f"`--dummy` contradicts the data path `{args.data}`")


def main(argv: Sequence[str] | None = None, defaults: Mapping[str, Any] | None = None) -> NoReturn:
    """Runs one command and ends the process with its exit code."""
    command, *rest = list(sys.argv[1:] if argv is None else argv) or [""]
    if command not in COMMANDS:
        print(f"trainer {__version__}: python -m trainer {{{','.join(COMMANDS)}}} [--help]", flush=True)
        raise SystemExit(0 if command in {"-h", "--help"} else USAGE)
    try:
        if command in {"train", "bench", "preflight"}:
            _job(command, rest, dict(defaults or {}))
        elif command == "contract":
            from trainer.contract import run as contract

            contract(rest)
        elif not rest or rest[0].startswith("-"):
            raise Fault(USAGE, f"`trainer {command}` needs a directory")
        elif command == "index":
            from trainer.files import make_index

            make_index(rest[0])
        else:
            from trainer.report import run as report

            report(*rest[:2])
    except Fault as fault:
        print(f"trainer: {fault.reason}" + (f" ({fault.remedy})" if fault.remedy else ""), file=sys.stderr, flush=True)
        raise SystemExit(fault.code) from None
    raise SystemExit(0)


def _job(command: str, argv: list[str], defaults: dict[str, Any]) -> None:
    """What is wrong goes with the place as its `problem`, because the other ranks must hear of it too."""
    wrong = None
    try:
        args, origin = parse(command, argv, os.environ, defaults)
    except Fault as fault:
        wrong, (args, origin) = fault, parse(command, [], {}, defaults)
    place = resolve(os.environ, args.launcher, args.spawn)
    place.problem = wrong or place.problem
    if not place.problem:
        if command != "bench" and args.data and origin["dummy"] == "default":
            args.dummy = False
        try:
            check(args, place)
            if command == "train" and not args.data and not args.dummy:
                raise Fault(USAGE, "no data: give a directory or `--dummy`")
        except Fault as fault:
            place.problem = fault
    if place.spawn and not place.problem:
        from trainer.spawn import start

        place = start(place)
    from trainer.job import run

    run(command, args, origin, place)
