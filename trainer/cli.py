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


F = Flag
FLAGS = (
    F(("-a", "--arch"), str, "resnet50", "model", ("resnet18", "resnet34", "resnet50", "resnet101", "mnist")),
    F(
        ("-j", "--workers"),
        int,
        4,
        "loader processes per rank, capped by the CPU limit; not used for IDX and dummy data",
    ),
    F(("-b", "--batch-size"), int, 32, "samples per process and micro-batch (the imagenet example means per node)"),
    F(("--epochs",), int, 1, "passes over the data, unless --iter is given"),
    F(("--iter",), int, 0, "steps in all, through the data as often as that takes; 0 = whole epochs"),
    F(("--bucket",), float, 25.0, "DDP gradient bucket in MB; at or above the gradient size nothing overlaps"),
    F(("--lr",), float, 0.1, "learning rate, divided by 10 every 30 epochs"),
    F(("--momentum",), float, 0.9, "SGD momentum"),
    F(("--wd",), float, 1e-4, "weight decay"),
    F(("--seed",), int, 0, "seed of weights, sample order and augmentation"),
    F(("--amp",), str, "off", "mixed precision", ("off", "bf16", "fp16")),
    F(("--channels-last",), bool, False, "NHWC memory format"),
    F(("--tf32",), bool, False, "TF32 matrix products on GPU"),
    F(("--sync-bn",), bool, False, "batch statistics over all ranks (GPU)"),
    F(("--static-graph",), bool, False, "tell DDP that the graph never changes"),
    F(("--accum",), int, 1, "micro-batches per step"),
    F(("--threads",), int, 1, "CPU threads of one rank's operators"),
    F(("--backend",), str, "auto", "transport; mpi only in a torch built with it", ("auto", "nccl", "gloo", "mpi")),
    F(
        ("--launcher",),
        str,
        "auto",
        "whose variables count",
        ("auto", "torchrun", "mpi", "pytorchjob", "pet", "slurm", "tfjob", "msjob"),
    ),
    F(("--spawn",), int, -1, "start this pod's processes here: N, or 0 = as many as the environment counts"),
    F(("--data",), str, "", "data directory"),
    F(("--dummy",), bool, False, "generated images instead of data"),
    F(("--dummy-size",), int, 1281167, "samples in one epoch of generated images"),
    F(("--classes",), int, 0, "classes; 0 = as the data has, 1000 for generated images, 10 for mnist"),
    F(("--image-size",), int, 224, "side of the training image in pixels"),
    F(("--format",), str, "auto", "kind of data", ("auto", "idx", "folder", "tar")),
    F(("--manifest",), str, "", "file of hashes; default: trainer-manifest.tsv beside the data, if there"),
    F(("--data-wait",), float, 0.0, "seconds to wait for a data mount that comes late"),
    F(("--read-timeout",), float, 20.0, "seconds without progress before reading the data at start is given up"),
    F(("--out",), str, "", "shared directory for checkpoints, metrics, report; empty = none of them"),
    F(("--ckpt-every",), int, 500, "steps between checkpoints, 0 = only at the end"),
    F(("--ckpt-keep",), int, 2, "checkpoints kept besides the newest"),
    F(("--resume",), str, "auto", "auto, none, or a checkpoint file"),
    F(("--rdzv-timeout",), float, 300.0, "seconds until all ranks must have joined"),
    F(("--start-timeout",), float, 600.0, "seconds until the first step of this process must be done"),
    F(("--step-timeout",), float, 120.0, "seconds a rank may stay in one phase of a step"),
    F(("--grace",), float, 25.0, "seconds between SIGTERM and SIGKILL"),
    F(("--max-attempts",), int, 3, "attempts without a new checkpoint before giving up for good"),
    F(("--expect-world",), int, 0, "world size that must be found, 0 = any"),
    F(("--expect-nccl",), str, "", "NCCL version that must be loaded, as 2.27.3"),
    F(("--expect-hca",), int, 0, "active InfiniBand ports that must be found"),
    F(("-p", "--print-freq"), int, 10, "steps between two lines of output"),
    F(("--eval",), bool, False, "evaluate after every epoch and at the end"),
    F(("--termination-log",), str, "/dev/termination-log", "file for the last words, written if it exists"),
    F(("--preflight-only",), bool, False, "check everything, train nothing"),
    F(("--world-size",), int, None, "legacy: checked against the environment", legacy=True),
    F(("--rank",), int, None, "legacy: checked against the environment", legacy=True),
    F(("--local-rank", "--local_rank"), int, None, "legacy: checked against the environment", legacy=True),
    F(("--gpu",), int, None, "legacy: checked against the local rank", legacy=True),
    F(("--dist-url",), str, None, "legacy: checked against MASTER_ADDR and MASTER_PORT", legacy=True),
    F(("--dist-backend",), str, None, "legacy: checked against --backend", legacy=True),
    F(("--multiprocessing-distributed",), bool, None, "legacy: no effect", legacy=True),
)
SHARED = {
    "backend",
    "launcher",
    "spawn",
    "threads",
    "out",
    "rdzv_timeout",
    "start_timeout",
    "step_timeout",
    "grace",
    "expect_world",
    "expect_nccl",
    "expect_hca",
    "termination_log",
    "read_timeout",
}
BENCH_FLAGS = (
    F(("-b", "--min-bytes"), str, "8", "smallest size"),
    F(("-e", "--max-bytes"), str, "128M", "largest size"),
    F(("-f", "--factor"), int, 2, "factor between two sizes"),
    F(("-n", "--iters"), int, 20, "timed calls per size"),
    F(("-w", "--warmup"), int, 5, "calls before timing"),
    F(("--dtype",), str, "float", "element type", ("float", "half", "bfloat16", "double", "int32")),
    F(("--op",), str, "all_reduce", "comma list: all_reduce all_gather reduce_scatter broadcast alltoall"),
    F(("--blocking",), bool, False, "wait for every call"),
    F(("--check",), bool, True, "compare every value with the exact expected one"),
    F(("--json",), str, "", "write the table to this file as JSON"),
    *(flag for flag in FLAGS if flag.key in SHARED or flag.legacy),
)
PER_RANK = {"launcher", "spawn", "termination_log", "rank", "local_rank", "gpu", "json"}  # may differ between ranks
COMMANDS = ("train", "bench", "preflight", "index", "report", "contract")


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Fault(USAGE, message.replace("argument ", ""))


def parse(
    command: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    changed: Mapping[str, Any] | None = None,
) -> tuple[argparse.Namespace, dict[str, str]]:
    """Values and where each came from: default, `TRAINER_<NAME>` or command line. Raises Fault(64)."""
    flags = BENCH_FLAGS if command == "bench" else FLAGS
    parser = Parser(prog=f"trainer {command}", allow_abbrev=False, argument_default=argparse.SUPPRESS)
    if command != "bench":
        parser.add_argument("path", nargs="?", metavar="DATA", help="data directory, as --data")
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for flag in flags:
        extra: dict[str, Any] = {"choices": flag.choices} if flag.choices else {}
        if flag.type is bool:
            parser.add_argument(
                *flag.names,
                dest=flag.key,
                help=flag.help,
                action=argparse.BooleanOptionalAction if flag.default is True else "store_true",
            )
        elif flag.key == "spawn":
            parser.add_argument(*flag.names, dest=flag.key, help=flag.help, type=int, nargs="?", const=0)
        else:
            parser.add_argument(*flag.names, dest=flag.key, help=flag.help, type=flag.type, **extra)
        values[flag.key], origin[flag.key] = (changed or {}).get(flag.key, flag.default), "default"
        text = env.get(f"TRAINER_{flag.key.upper()}")
        if text is not None:
            values[flag.key], origin[flag.key] = _from_text(flag, text), f"TRAINER_{flag.key.upper()}"
    given, unknown = parser.parse_known_args(list(argv))
    if unknown:
        word = unknown[0].split("=")[0]
        near = difflib.get_close_matches(word, [name for flag in flags for name in flag.names], 1, 0.5)
        raise Fault(USAGE, f"unknown argument `{word}`" + (f", the nearest known one is `{near[0]}`" if near else ""))
    for key, value in vars(given).items():
        values["data" if key == "path" else key], origin["data" if key == "path" else key] = value, "command line"
    return argparse.Namespace(**values), origin


def _from_text(flag: Flag, text: str) -> Any:
    try:
        value = text.lower() in {"1", "true", "yes"} if flag.type is bool else flag.type(text)
    except ValueError:
        raise Fault(USAGE, f"`TRAINER_{flag.key.upper()}={text}` is not of type {flag.type.__name__}") from None
    if flag.choices and value not in flag.choices:
        raise Fault(USAGE, f"`TRAINER_{flag.key.upper()}={text}` is none of {', '.join(flag.choices)}")
    return value


def check(args: argparse.Namespace, place: Place) -> None:
    """Refuses arguments that contradict each other or the environment. Raises Fault(64)."""
    said = f"({place.source})"
    for flag, value, real, name in (
        ("--world-size", args.world_size, place.world, "WORLD_SIZE"),
        ("--rank", args.rank, place.rank, "RANK"),
        ("--local-rank", args.local_rank, place.local_rank, "LOCAL_RANK"),
        ("--gpu", args.gpu, place.local_rank, "LOCAL_RANK"),
        ("--expect-world", args.expect_world or None, place.world, "WORLD_SIZE"),
    ):
        # Before the pod's processes are started, rank and local rank are the pod's, not yet a process's.
        if value is not None and value != real and not (place.spawn and name != "WORLD_SIZE"):
            raise Fault(USAGE, f"`{flag}={value}`, but `{name}={real}` {said}")
    url = args.dist_url
    if url and url.startswith("tcp://") and place.port and url[6:] != f"{place.master}:{place.port}":
        raise Fault(USAGE, f"`--dist-url={url}`, but the master is `{place.master}:{place.port}` {said}")
    if args.dist_backend and args.backend not in {"auto", args.dist_backend}:
        raise Fault(USAGE, f"`--dist-backend={args.dist_backend}` contradicts `--backend={args.backend}`")
    if args.dist_backend and args.backend == "auto":
        if args.dist_backend not in {"nccl", "gloo", "mpi"}:
            raise Fault(USAGE, f"`--dist-backend={args.dist_backend}` is none of nccl, gloo, mpi")
        args.backend = args.dist_backend
    for name in ("batch_size", "accum", "threads", "epochs", "print_freq", "factor", "iters"):
        if getattr(args, name, 1) < 1:
            raise Fault(USAGE, f"`--{name.replace('_', '-')}={getattr(args, name)}` is less than 1")
    if "data" in vars(args) and args.data and args.dummy:
        raise Fault(USAGE, f"`--dummy` contradicts the data path `{args.data}`")


def main(argv: Sequence[str] | None = None, defaults: Mapping[str, Any] | None = None) -> NoReturn:
    """Runs one command and ends the process with its exit code."""
    argv = list(sys.argv[1:] if argv is None else argv)
    command, rest = (argv[0], argv[1:]) if argv else ("", [])
    if command in {"", "-h", "--help"} or command not in COMMANDS:
        print(f"trainer {__version__}: python -m trainer {{{','.join(COMMANDS)}}} [--help]", flush=True)
        raise SystemExit(0 if command in {"-h", "--help"} else USAGE)
    try:
        if command == "contract":
            from trainer.contract import run as contract

            contract(rest)
        elif command in {"index", "report"}:
            if len(rest) < 1 or rest[0].startswith("-"):
                raise Fault(USAGE, f"`trainer {command}` needs a directory")
            if command == "index":
                from trainer.files import make_index

                make_index(rest[0])
            else:
                from trainer.report import run as report

                report(rest[0], rest[1] if len(rest) > 1 else "")
        else:
            _job(command, rest, dict(defaults or {}))
    except Fault as fault:
        print(f"trainer: {fault.reason}" + (f" ({fault.remedy})" if fault.remedy else ""), file=sys.stderr, flush=True)
        raise SystemExit(fault.code) from None
    raise SystemExit(0)


def _job(command: str, argv: list[str], defaults: dict[str, Any]) -> None:
    dummy = defaults.pop("dummy_without_data", False)
    wrong: Fault | None = None
    try:
        args, origin = parse(command, argv, os.environ, defaults)
    except Fault as fault:
        args, origin = parse(command, [], {}, defaults)
        wrong = fault
    place = resolve(os.environ, args.launcher, args.spawn >= 0)
    if args.spawn > 0 and place.problem is None:
        from trainer.spawn import on_this_machine

        place = on_this_machine(place, args.spawn)
    try:
        if wrong is None and place.problem is None:
            check(args, place)
            if command == "train" and not args.data and not args.dummy:
                if not dummy:
                    raise Fault(USAGE, "no data: give a directory or `--dummy`")
                args.dummy, origin["dummy"] = True, "no data path"
    except Fault as fault:
        wrong = fault
    place.problem = wrong or place.problem
    if place.spawn and place.problem is None:
        from trainer.spawn import start

        place = start(place)
    from trainer.job import run

    run(command, args, origin, place)
