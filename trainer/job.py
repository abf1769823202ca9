"""The course of a job: signals, rendezvous, checks, process group, work, and the one way out."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from errno import EDQUOT, EIO, ENOSPC, EROFS
from typing import Any, NoReturn

# Before torch is loaded: gloo and the store print pages of C++ frames for what the verdict says in one line.
os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")

import torch
import torch._dynamo  # DDP's constructor imports it lazily, for seconds, inside the start limit
import torch.distributed as dist

from trainer import __version__, files, history, preflight
from trainer.agree import Board, Verdict, majority, serve, tell_peers
from trainer.ckpt import Store
from trainer.config import BenchConfig, Config, PreflightConfig, TrainConfig
from trainer.context import Context
from trainer.env import Place
from trainer.faults import DATA, DONE, OUTPUT, PEER, PROGRAM, USAGE, Fault, first_line, is_hardware, is_peer_error
from trainer.flags import PARAMETERS, contradiction, shm_bytes
from trainer.group import backend, environment, facts, group, mpi_address
from trainer.metrics import last_words
from trainer.signals import Signals
from trainer.watch import Watch, dump_flight

ABSENT = "absent"  # what one rank has and another does not


def run(args: Config, origin: dict[str, str], place: Place, signals: Signals) -> NoReturn:
    """One command from start to exit; never returns. ``signals`` has heard what came while torch was loaded."""
    ctx = Context(args, origin, place, signals)
    ctx.log.event("start", command=args.command, source=place.source, host=ctx.log.host, pid=os.getpid())
    try:
        _start(ctx)
    except Fault as error:
        fault = error
    except BaseException as error:
        watch: Watch | None = getattr(ctx, "watch", None)
        if is_peer_error(error):
            fault = watch.cause(error) if watch else Fault(PEER, f"lost rank 0: {first_line(error)}", (0,))
        elif args.out and isinstance(error, OSError) and error.errno in {ENOSPC, EDQUOT, EROFS, EIO}:
            fault = Fault(OUTPUT, f"output: {error}", (place.rank,), "make room or repair the mount of --out")
        elif is_hardware(str(error)):
            traceback.print_exc()
            who = f"{watch.board.name(place.rank)}: " if watch else ""
            fault = Fault(PEER, f"{who}{first_line(error)}", (place.rank,), "another node may help")
        else:
            traceback.print_exc()
            hint = "lower -b, raise --accum, or use --amp bf16" if isinstance(error, torch.OutOfMemoryError) else ""
            who = f"{watch.board.name(place.rank)}: " if watch else ""
            fault = Fault(PROGRAM, f"{who}{first_line(error)}", (place.rank,), hint)
    if hasattr(ctx, "watch"):
        ctx.watch.leave(fault)
    _close_attempt(ctx, fault)
    if not isinstance(fault, Verdict):
        tell_peers(place, fault)
    last_words(args.termination_log, fault, 0, str)
    who = f"rank {place.rank} ({ctx.log.host}): " if place.world > 1 and not fault.culprits else ""
    print(f"trainer: {who}{fault.line()}", file=sys.stderr, flush=True)
    os._exit(fault.code)


def _start(ctx: Context) -> NoReturn:
    """Everything up to the end of the work. Raises the Fault to leave with, the good one too."""
    args, place, began = ctx.args, ctx.place, time.monotonic()
    warnings.filterwarnings("ignore", category=FutureWarning)  # torch renames its collectives between releases
    for name, value in environment(args).items():
        os.environ.setdefault(name, value)
    if place.problem:
        raise place.problem
    if place.role == "scheduler":
        raise serve(place, args.rdzv_timeout, ctx.signals.stop)
    reader = preflight.Reader(args) if isinstance(args, TrainConfig) and args.data else None
    ctx.attempts = history.begin(args, place, os.environ)
    mpi_address(place, args.out)
    ctx.board = Board(place, args.rdzv_timeout, ctx.signals.stop, ctx.log.say)
    ctx.watch = Watch(ctx.board, args.start_timeout, args.step_timeout, lambda fault: _last(ctx, fault))
    ctx.watch.spent["init"] = time.monotonic() - began  # the attempt was counted and rank 0 was looked for
    backend(ctx)
    ctx.board.join(facts(ctx))
    ctx.log.event("rendezvous", world=place.world)
    ctx.watch.start()
    _checks(ctx, reader)
    if args.out:
        _output(ctx)
    group(ctx)
    args = ctx.args
    if isinstance(args, PreflightConfig) and args.pairs:
        from trainer.pairs import run as pairs

        pairs(ctx, args)
    if isinstance(args, BenchConfig):
        from trainer.bench import bench

        bench(ctx, args)
    elif isinstance(args, PreflightConfig) or args.preflight_only:
        raise Fault(DONE, "preflight passed")
    else:
        from trainer.loop import train

        train(ctx, args)
    ctx.watch.phase("sync")
    dist.barrier(ctx.control)
    raise Fault(DONE, "all steps done")


def _checks(ctx: Context, reader: preflight.Reader | None) -> None:
    """Local verdicts, exchanged by the store and never by a collective; then one table on rank 0."""
    args, place, board = ctx.args, ctx.place, ctx.board
    read, shm, room = [], 0, 0
    if reader:

        def said_by(reader: preflight.Reader) -> str:
            ctx.data = reader.result(args.read_timeout, board.look)
            if text := contradiction({**vars(args), "format": ctx.data["kind"]}):
                raise Fault(USAGE, f"`{reader.path}` holds {ctx.data['kind']}: {text}")
            return f"{ctx.data['kind']} in `{reader.path}`"

        read = [preflight.tried("data", said_by, reader)]
    if isinstance(args, TrainConfig):
        room = 3 * 2 * 4 * PARAMETERS[args.arch]
        if ctx.data.get("kind") in {"folder", "tar"}:
            cpus = preflight.cpu_limit()
            if args.workers > cpus:
                ctx.log.say(f"-j {args.workers} is above the CPU limit of {cpus:g}: {max(1, int(cpus))} workers")
                ctx.args = dataclasses.replace(args, workers=max(1, int(cpus)))
            shm = shm_bytes(vars(ctx.args)) * place.local_world  # the pod's processes share one
    hosts = len({who["host"] for who in board.who.values()})
    checks = preflight.run(args, place, ctx.backend, shm, room, torch.cuda.device_count(), hosts) + read
    for check in checks:
        if not check.ok:
            ctx.log.say(f"{check.name}: {check.found}" + (f"; {check.remedy}" if check.remedy else ""))

    def judge(got: dict[int, dict[str, Any]]) -> None:
        print("preflight\n" + preflight.table(got, board.name), flush=True)
        for rank, said in sorted(got.items()):
            for name, ok, what, remedy, code in said["checks"]:
                if not ok:
                    raise Fault(code, f"{board.name(rank)}: {name}: {what}", (rank,), remedy)
        fault = different({rank: said["prints"] for rank, said in got.items()}, board.name)
        if fault:
            raise fault

    said = {"checks": checks, "prints": {**ctx.data.get("counts", {}), **ctx.data.get("prints", {})}}
    board.round("check", said, args.start_timeout, judge)
    ctx.log.event("preflight", checks=[check.name for check in checks])


def different(prints: dict[int, dict[str, str]], name: Callable[[int], str]) -> Fault | None:
    """Fault(65) naming the rank and what it has otherwise, where one rank's data is not that of the others."""

    def shown(value: str) -> str:
        if value == ABSENT:
            return "is absent"
        return f"has {value}" if " " in value else f"has SHA-256 {value[:16]}"

    for file in dict.fromkeys(key for said in prints.values() for key in said):
        values = {rank: said.get(file, ABSENT) for rank, said in sorted(prints.items())}
        usual, odd = majority(values)
        if odd:
            text = f"`{file}` {shown(values[odd[0]])}, elsewhere it {shown(usual)}"
            return Fault(DATA, f"{name(odd[0])}: {text}", odd, "copy the data anew")
    return None


def _output(ctx: Context) -> None:
    """The directory must be one and the same for all ranks; then the log is opened there."""
    args, board, place = ctx.args, ctx.board, ctx.place
    path, mark = os.path.join(args.out, "seen-by-rank-0"), f"{board.prefix}{board.who[0]['pid']}"
    if place.rank == 0:
        files.put(path, mark)
    end = time.monotonic() + 5.0
    while files.text_of(path) != mark and time.monotonic() < end:  # network mounts cache directory entries for a while
        time.sleep(0.05)

    def judge(got: dict[int, bool]) -> tuple[int, str]:
        blind = [rank for rank, sees in sorted(got.items()) if not sees]
        if blind:
            text = f"{board.name(blind[0])} does not see rank 0's file in `{args.out}`: not the same directory"
            raise Fault(OUTPUT, text, blind, "mount one shared volume at --out, or leave it out")
        attempts = ctx.attempts
        if attempts is None or attempts.lineage is None:
            raise Fault(OUTPUT, f"the attempt could not be counted in `{args.out}`", (0,), "check the mount of --out")
        lineage = attempts.lineage
        Store(args.out, 0, attempts.number, ctx.log.say, lineage.folder).clean()
        ctx.committed = next(iter(lineage.steps(args.out)), 0)
        return attempts.number, lineage.folder

    number, lineage = board.round("output", files.text_of(path) == mark, args.start_timeout, judge)
    ctx.store = Store(args.out, args.ckpt_keep if isinstance(args, TrainConfig) else 0, number, ctx.log.say, lineage)
    ctx.log.open(args.out, number)
    if place.rank == 0:
        ctx.watch.poll_file = lambda: ctx.signals.stop_file(os.path.join(args.out, "stop"))
        said = {"trainer": __version__, "torch": torch.__version__, "world": place.world, "source": place.source}
        said["environment"] = place.said
        said["arguments"] = {name: {"value": value, "origin": ctx.origin[name]} for name, value in vars(args).items()}
        said["hosts"] = {str(rank): who["host"] for rank, who in board.who.items()}
        files.put(os.path.join(args.out, "run.json"), json.dumps(said, indent=1) + "\n")


def _last(ctx: Context, fault: Fault) -> None:
    """Everything that is written at the end, whatever the reason."""
    name, step, _ = ctx.watch.now
    ctx.watch.phase(name)
    said = {"code": fault.code, "reason": fault.reason, "culprits": list(fault.culprits), "step": step}
    ctx.log.event("verdict" if fault.code else "exit", **said, spent=ctx.watch.spent)
    if fault.code == PEER and ctx.store:
        dump_flight(os.path.join(ctx.args.out, f"flight-{ctx.place.rank}.json"))
    _close_attempt(ctx, fault)
    last_words(ctx.args.termination_log, fault, step, ctx.board.name)
    ctx.log.close()


def _close_attempt(ctx: Context, fault: Fault) -> None:
    """How it ended decides whether it counts against ``--max-attempts``."""
    if ctx.attempts:
        with contextlib.suppress(OSError):
            ctx.attempts.add(event="end", code=fault.code, reason=fault.reason, committed=ctx.committed)
    ctx.attempts = None
