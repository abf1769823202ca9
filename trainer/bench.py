"""Collectives, timed and checked, in the columns of nccl-tests: algbw = S/t, busbw = algbw times a factor by operation.

t is the time of one call; S is the whole message, for gather and scatter the bytes of all ranks together (nccl-tests
a0b82b2, PERFORMANCE.md). Decimal gigabytes. One rank gives busbw 0, as there.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from trainer.config import BenchConfig
from trainer.context import Context
from trainer.faults import DISAGREE, USAGE, Fault
from trainer.group import gather

TYPES = {name: getattr(torch, name) for name in ("float", "half", "bfloat16", "double", "int32")}
HALF = f" {'time':>9} {'algbw':>7} {'busbw':>7} {'#wrong':>6}"
HEAD = f"{'size':>12} {'count':>12} {'type':>9} {'redop':>6} {'root':>5}{HALF}{HALF} {'max':>9} {'p99':>9}"


def size_of(text: str) -> int:
    """Bytes of ``8`` or ``128M``. Raises Fault(64)."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.upper())
    if not match:
        raise Fault(USAGE, f"`{text}` is no size: a number, or one with K, M or G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]


def factor(op: str, n: int) -> float:
    """busbw / algbw on n ranks."""
    usual = (n - 1) / n
    return {"all_reduce": 2 * usual, "broadcast": 1.0 if n > 1 else 0.0}.get(op, usual)


def build(
    op: str, count: int, n: int, rank: int, kind: torch.dtype, device: torch.device, inside: bool
) -> tuple[Callable[[bool], Any], Callable[[], Any], Tensor, Tensor]:
    """(call, reset, output, expected). ``count`` is the elements of the whole message; ``inside`` is in place.

    The values are small whole numbers, exact in every type and different on every rank: i mod 7 + rank mod 5.
    """
    whole = [(torch.arange(count, device=device) % 7 + r % 5).to(kind) for r in range(n)]
    total = torch.stack([values.double() for values in whole]).sum(0).to(kind)
    part, mine, own = count // n, whole[rank], slice(rank * (count // n), (rank + 1) * (count // n))
    send, out = mine.clone(), torch.zeros(count, dtype=kind, device=device)
    start: Callable[..., Any]
    if op in {"all_reduce", "broadcast"}:  # torch has them in place only: out of place is a copy and the call
        source = mine if op == "all_reduce" or rank == 0 else out
        start = dist.all_reduce if op == "all_reduce" else partial(dist.broadcast, src=0)

        def call(later: bool) -> Any:
            if not inside:
                send.copy_(source)
            return start(send, async_op=later)

        return call, lambda: send.copy_(source), send, total if op == "all_reduce" else whole[0]
    if op == "all_gather":
        start, give = dist.all_gather_into_tensor, out[own] if inside else mine[own].clone()
        expected = torch.cat([whole[r][r * part : (r + 1) * part] for r in range(n)])
        return lambda later: start(out, give, async_op=later), lambda: give.copy_(mine[own]), out, expected
    if op == "reduce_scatter":
        start, out, expected = dist.reduce_scatter_tensor, send[own] if inside else out[own].clone(), total[own]
    else:
        start, expected = dist.all_to_all_single, torch.cat([values[own] for values in whole])
    return lambda later: start(out, send, async_op=later), lambda: send.copy_(mine), out, expected


def measure(ctx: Context, args: BenchConfig, op: str, count: int, kind: torch.dtype, inside: bool) -> dict[str, Any]:
    """Mean over ranks in µs, worst rank, wrong values of all, and the p99 of single calls: without --blocking none is
    waited for, and there is none."""
    n = ctx.place.world
    device = ctx.device if ctx.backend == "nccl" else torch.device("cpu")
    call, reset, out, expected = build(op, count, n, ctx.place.rank, kind, device, inside)
    wrong = 0

    def timed(calls: int, later: bool) -> float:
        """Microseconds of one call."""
        begin = time.perf_counter()
        works = [call(later) for _ in range(calls)]
        for work in works if later else ():
            work.wait()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        return (time.perf_counter() - begin) / calls * 1e6

    if args.check:
        reset()
        call(False)
        wrong = int((out != expected).sum())
    for _ in range(args.warmup):
        call(False)
    dist.barrier(ctx.control)
    times = [timed(1, False) for _ in range(args.iters)] if args.blocking else [timed(args.iters, True)]
    mine = [sum(times) / len(times), sorted(times)[int(0.99 * (len(times) - 1))], float(wrong)]
    means, tails, wrongs = zip(*gather(mine, ctx.control), strict=True)
    mean = sum(means) / n
    algbw = count * kind.itemsize / mean / 1e3
    said = {"time_us": mean, "max_us": max(means), "p99_us": max(tails) if args.blocking else None}
    return {**said, "algbw": algbw, "busbw": algbw * factor(op, n), "wrong": sum(wrongs)}


def bench(ctx: Context, args: BenchConfig) -> None:
    """One table per operation on rank 0; a wrong value ends the run with 76."""
    n, rank, kind = ctx.place.world, ctx.place.rank, TYPES[args.dtype]
    torch.set_num_threads(args.threads)
    rows: list[dict[str, Any]] = []
    for op in args.op.split(","):
        how = f"{args.iters} iterations, {args.warmup} warm-up, {'blocking' if args.blocking else 'non-blocking'}"
        if rank == 0:
            print(f"# {op}, {n} ranks, {ctx.backend}, {how}; out of place, then in place; µs, GB/s\n{HEAD}")
        size, split = size_of(args.min_bytes), 1 if op in {"all_reduce", "broadcast"} else n
        while size <= size_of(args.max_bytes):
            count, size = size // kind.itemsize // split * split, size * args.factor
            if count:
                ctx.watch.phase("fwd", len(rows) + 1)
                row: dict[str, Any] = {"op": op, "size": count * kind.itemsize, "count": count, "type": args.dtype}
                row["redop"] = "sum" if op in {"all_reduce", "reduce_scatter"} else "none"
                row["root"] = 0 if op == "broadcast" else -1
                for half in ("out_of_place", "in_place"):
                    row[half] = measure(ctx, args, op, count, kind, half == "in_place")
                ctx.watch.started = True
                rows.append(row)
                if rank == 0:
                    print(line(row, args.check), flush=True)
    bad = int(sum(row[half]["wrong"] for row in rows for half in ("out_of_place", "in_place")))
    if rank == 0:
        # of both halves, as nccl-tests counts it (src/common.cu, `BenchTime`)
        each = [row[half]["busbw"] for row in rows for half in ("out_of_place", "in_place")]
        mean = sum(each) / max(1, len(each))
        print(f"# out of bounds values: {bad} {'FAILED' if bad else 'OK'}\n# average bus bandwidth: {mean:.4f} GB/s")
        if args.json:
            with open(args.json, "w", encoding="utf-8") as file:
                said = {"ranks": n, "backend": ctx.backend, "torch": torch.__version__, "rows": rows}
                json.dump(said, file, indent=1)
    if bad:
        raise Fault(DISAGREE, f"{bad} wrong values in the collectives", (), "compare NCCL and driver versions")


def line(row: dict[str, Any], checked: bool) -> str:
    text = f"{row['size']:>12} {row['count']:>12} {row['type']:>9} {row['redop']:>6} {row['root']:>5}"
    for half in (row["out_of_place"], row["in_place"]):
        wrong = f"{half['wrong']:.0f}" if checked else "N/A"
        text += f" {half['time_us']:>9.2f} {half['algbw']:>7.2f} {half['busbw']:>7.2f} {wrong:>6}"
    slowest, tail = row["out_of_place"]["max_us"], row["out_of_place"]["p99_us"]
    return text + f" {slowest:>9.2f} {'N/A' if tail is None else f'{tail:.2f}':>9}"
