"""The course of a job: signals, rendezvous, checks, process group, work, and the one way out."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from trainer import __version__, files, preflight
from trainer.env import Place
from trainer.faults import (
    DATA,
    DONE,
    NO_PROGRESS,
    OUTPUT,
    PEER,
    PROGRAM,
    Fault,
    is_peer_error,
)

# Before torch is loaded: gloo and the store print pages of C++ frames for what the verdict says in one line.
os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")

import torch
import torch._dynamo  # DDP's constructor imports it lazily, for seconds, inside the start limit
import torch.distributed as dist

from trainer.agree import Board, Refused, Verdict, describe, serve, tell_peers
from trainer.ckpt import Attempts, Store
from trainer.contract import contract
from trainer.group import backend, environment, facts, group, mpi_address
from trainer.metrics import Log, last_words
from trainer.signals import Signals
from trainer.watch import Watch, dump_flight, first_line


class Context:
    """What the commands share."""

    def __init__(self, args: argparse.Namespace, origin: dict[str, str], place: Place) -> None:
        self.args, self.origin, self.place = args, origin, place
        self.signals = Signals()
        self.log = Log(place.rank, socket.gethostname())
        self.backend = "gloo"
        self.device = torch.device("cpu")
        self.board: Board
        self.watch: Watch
        self.control: Any = None
        self.store: Store | None = None
        self.attempts: Attempts | None = None
        self.data: dict[str, Any] = {}
        self.committed = 0


def run(command: str, args: argparse.Namespace, origin: dict[str, str], place: Place) -> NoReturn:
    """One command from start to exit; never returns."""
    ctx = Context(args, origin, place)
    ctx.signals.install()
    ctx.log.event("start", command=command, source=place.source, host=ctx.log.host, pid=os.getpid())
    try:
        _start(command, ctx)
    except Fault as fault:
        if not isinstance(fault, (Verdict, Refused)) and not hasattr(ctx, "board"):
            tell_peers(place, fault)
        if hasattr(ctx, "watch"):
            ctx.watch.leave(fault)
        last_words(args.termination_log, fault, 0, str)
        who = f"rank {place.rank} ({ctx.log.host}): " if place.world > 1 and not fault.culprits else ""
        print(f"trainer: {who}{describe(fault)}", file=sys.stderr, flush=True)
        os._exit(fault.code)
    except BaseException as error:
        _crash(ctx, error)
    os._exit(PROGRAM)  # not reached: every way above leaves


def _crash(ctx: Context, error: BaseException) -> NoReturn:
    if not hasattr(ctx, "watch"):
        traceback.print_exc()
        tell_peers(ctx.place, Fault(PROGRAM, first_line(error)))
        os._exit(PROGRAM)
    if is_peer_error(error):
        ctx.watch.peer_error(error)
    traceback.print_exc()
    hint = ""
    if isinstance(error, torch.OutOfMemoryError):
        hint = "lower -b, raise --accum, or use --amp bf16"
    ctx.watch.leave(Fault(PROGRAM, f"{ctx.board.name(ctx.place.rank)}: {first_line(error)}", (ctx.place.rank,), hint))


def _start(command: str, ctx: Context) -> None:
    args, place = ctx.args, ctx.place
    warnings.filterwarnings("ignore", category=FutureWarning)  # torch renames its collectives between releases
    for name, value in environment(args.out).items():
        os.environ.setdefault(name, value)
    if place.problem:
        raise place.problem
    if place.role == "scheduler":
        raise serve(place, args.rdzv_timeout, ctx.signals.stop)
    reader = None
    if command != "bench" and args.data:
        splits = ("train", "val") if args.eval else ("train",)
        reader = files.Reader(
            args.data_wait,
            lambda alive: files.verify(args.data, args.format, args.manifest, args.seed, splits, alive),
            args.data,
        )
    mpi_address(place, args.out)
    ctx.board = Board(place, args.rdzv_timeout, ctx.signals.stop, ctx.log.say)
    ctx.watch = Watch(ctx.board, args.start_timeout, args.step_timeout, lambda fault: _last(ctx, fault))
    backend(ctx)
    ctx.board.join(facts(ctx))
    ctx.log.event("rendezvous", world=place.world)
    ctx.watch.start()
    _checks(command, ctx, reader)
    if getattr(args, "preflight_only", False) or command == "preflight":
        group(ctx)
        ctx.watch.leave(Fault(DONE, "preflight passed"))
    group(ctx)
    if command == "bench":
        from trainer.bench import bench

        bench(ctx)
    else:
        from trainer.loop import train

        train(ctx)
    ctx.watch.phase("sync")
    dist.barrier(ctx.control)
    ctx.watch.leave(Fault(DONE, "all steps done"))


def _checks(command: str, ctx: Context, reader: files.Reader | None) -> None:
    """Local verdicts, exchanged by the store and never by a collective; then one table on rank 0."""
    args, place, board = ctx.args, ctx.place, ctx.board
    limit = preflight.cpu_limit()
    need_shm = need_out = 0
    if command != "bench":
        if args.workers > limit and not args.dummy and args.format != "idx":
            ctx.log.say(f"-j {args.workers} is above the CPU limit of {limit:g}: {max(1, int(limit))} workers")
            args.workers = max(1, int(limit))
        parameters = contract()["parameters"][args.arch]
        need_out = 3 * 2 * 4 * parameters if args.out else 0
        if args.data and args.format != "idx":
            need_shm = args.workers * 2 * args.batch_size * args.accum * 3 * args.image_size**2
    checks = preflight.run(args, place, ctx.backend, 0, need_out, torch.cuda.device_count(), ctx.log.say)
    if reader:
        try:
            ctx.data = reader.result(args.read_timeout, board.look)
            checks.append(preflight.Check("data", True, f"{ctx.data['kind']} in `{args.data}`", "", DATA))
        except Verdict:
            raise
        except Fault as fault:
            if fault.code != DATA:
                raise
            checks.append(preflight.Check("data", False, fault.reason, fault.remedy, DATA))
            ctx.log.say(f"data: {fault.reason}")
        if ctx.data.get("kind") != "idx":
            checks[0] = preflight.shm(need_shm)
    if args.out and place.rank == 0 and checks[7].ok:
        with open(os.path.join(args.out, "seen-by-rank-0"), "w", encoding="utf-8") as file:
            file.write(board.prefix + str(os.getpid()))

    def judge(got: dict[int, dict[str, Any]]) -> str:
        print("preflight\n" + preflight.table(got, board.name), flush=True)
        for rank, said in sorted(got.items()):
            for name, ok, found, remedy, code in said["checks"]:
                if not ok:
                    raise Fault(code, f"{board.name(rank)}: {name}: {found}", (rank,), remedy)
        fault = different({rank: said["prints"] for rank, said in got.items()}, board.name)
        if fault:
            raise fault
        return board.prefix + str(os.getpid())

    mark = board.round("check", {"checks": checks, "prints": ctx.data.get("prints", {})}, judge, args.start_timeout)
    ctx.log.event("preflight", checks=[check.name for check in checks])
    if args.out:
        _output(ctx, mark)


def different(prints: dict[int, dict[str, str]], name: Callable[[int], str]) -> Fault | None:
    """Fault(65) naming the rank, the file and both hashes, where one rank's data is not that of the others."""
    for file in dict.fromkeys(key for said in prints.values() for key in said):
        values = {rank: said.get(file, "absent") for rank, said in sorted(prints.items())}
        if len(set(values.values())) > 1:
            usual = max(set(values.values()), key=lambda v: (list(values.values()).count(v), v == values[0]))
            odd = [rank for rank, value in values.items() if value != usual]
            return Fault(
                DATA,
                f"{name(odd[0])}: `{file}` has SHA-256 {values[odd[0]][:16]}, elsewhere it is {usual[:16]}",
                tuple(odd),
                "copy the data anew",
            )
    return None


def _output(ctx: Context, mark: str) -> None:
    """The directory must be one and the same for all ranks; then the attempt is counted and the log opened."""
    args, board, place = ctx.args, ctx.board, ctx.place
    path, text, end = os.path.join(args.out, "seen-by-rank-0"), "", time.monotonic() + 5.0
    while text != mark and time.monotonic() < end:  # directory entries are cached for a while on network mounts
        text = preflight.text_of(path)
        time.sleep(0 if text == mark else 0.05)

    def judge(got: dict[int, bool]) -> Any:
        blind = [rank for rank, sees in sorted(got.items()) if not sees]
        if blind:
            raise Fault(
                OUTPUT,
                f"{board.name(blind[0])} does not see rank 0's file in `{args.out}`: not the same directory",
                tuple(blind),
                "mount one shared volume at --out, or leave it out",
            )
        return Attempts(args.out).number

    number: int = board.round("output", text == mark, judge, args.start_timeout)
    key = {name: getattr(args, name, "") for name in ("arch", "classes", "seed", "format")}
    config = hashlib.sha256(json.dumps([key, ctx.data.get("prints", {})], sort_keys=True).encode()).hexdigest()[:16]
    ctx.store = Store(args.out, getattr(args, "ckpt_keep", 2), number, config, ctx.log.say)
    ctx.log.open(args.out, number)
    if place.rank == 0:
        attempts = Attempts(args.out)
        ctx.store.clean()
        committed = next(iter(ctx.store.steps()), 0)
        tries = attempts.fruitless(committed)
        limit = getattr(args, "max_attempts", 0)
        if limit and tries >= limit:
            raise Fault(
                NO_PROGRESS,
                f"{tries} attempts have ended at step {committed} without a new checkpoint",
                (),
                "read attempts.jsonl for the causes, then remove it to try again",
            )
        attempts.add(event="start", committed=committed, world=place.world)
        ctx.attempts, ctx.committed = attempts, committed
        effective = {
            name: {"value": value, "origin": ctx.origin.get(name, "default")} for name, value in vars(args).items()
        }
        files.write(
            os.path.join(args.out, "run.json"),
            json.dumps(
                {
                    "trainer": __version__,
                    "torch": torch.__version__,
                    "world": place.world,
                    "source": place.source,
                    "environment": place.said,
                    "arguments": effective,
                    "hosts": {str(rank): said["host"] for rank, said in board.who.items()},
                },
                indent=1,
            )
            + "\n",
        )
        ctx.watch.poll_file = lambda: ctx.signals.stop_file(os.path.join(args.out, "stop"))
    board.round("attempt", True, lambda got: True, args.start_timeout)


def _last(ctx: Context, fault: Fault) -> None:
    """Everything that is written at the end, whatever the reason."""
    step = ctx.watch.now[1]
    ctx.watch.phase(ctx.watch.now[0])
    ctx.log.event(
        "exit" if fault.code == DONE else "verdict",
        code=fault.code,
        reason=fault.reason,
        culprits=list(fault.culprits),
        step=step,
        spent=ctx.watch.spent,
    )
    if fault.code == PEER and ctx.args.out and os.path.isdir(ctx.args.out):
        dump_flight(os.path.join(ctx.args.out, f"flight-{ctx.place.rank}.json"))
    if ctx.attempts:
        ctx.attempts.add(event="end", code=fault.code, reason=fault.reason, committed=ctx.committed)
    last_words(ctx.args.termination_log, fault, step, ctx.board.name)
    ctx.log.close()
