"""Collectives timed in the columns of nccl-tests (T11): algbw = S/t, busbw = algbw times the operation's factor.

S is the whole message: for gather and scatter the bytes of all ranks together (nccl-tests a0b82b2, PERFORMANCE.md).
Decimal gigabytes. One rank gives busbw 0, as there.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor

from trainer.faults import DISAGREE, USAGE, Fault

if TYPE_CHECKING:
    from trainer.job import Context

TYPES = {
    "float": torch.float32,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "double": torch.float64,
    "int32": torch.int32,
}
OPS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall")
HEAD = (
    f"{'size':>12} {'count':>12} {'type':>9} {'redop':>6} {'root':>5}"
    + f" {'time':>9} {'algbw':>7} {'busbw':>7} {'#wrong':>6}" * 2
    + f" {'max':>9} {'p99':>9}"
)


def size_of(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG]?)", text.upper())
    if not match:
        raise Fault(USAGE, f"`{text}` is no size: a number, or one with K, M or G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]


def factor(op: str, n: int) -> float:
    if n == 1:
        return 0.0
    return {"all_reduce": 2 * (n - 1) / n, "broadcast": 1.0}.get(op, (n - 1) / n)


def values(count: int, rank: int, kind: torch.dtype, device: torch.device) -> Tensor:
    """Small whole numbers, exact in every type and different on every rank: (i mod 7) + rank mod 5."""
    return (torch.arange(count, device=device) % 7 + rank % 5).to(kind)


def build(
    op: str,
    count: int,
    n: int,
    rank: int,
    kind: torch.dtype,
    device: torch.device,
    inside: bool,
) -> tuple[Callable[[bool], Any], Callable[[], None], Tensor, Tensor]:
    """(call, reset, output, expected). `count` is the elements of the whole message; `inside` is in place."""
    whole, part = [values(count, r, kind, device) for r in range(n)], count // n
    if op == "all_reduce" or op == "broadcast":
        buffer = whole[rank].clone()
        expected = torch.stack([w.double() for w in whole]).sum(0).to(kind) if op == "all_reduce" else whole[0]
        source = whole[rank] if op == "all_reduce" or rank == 0 else torch.zeros_like(buffer)

        def call(later: bool) -> Any:
            if not inside:
                buffer.copy_(source)
            return (
                dist.all_reduce(buffer, async_op=later)
                if op == "all_reduce"
                else dist.broadcast(buffer, 0, async_op=later)
            )

        return call, lambda: buffer.copy_(source), buffer, expected  # type: ignore[return-value]
    if op == "all_gather":
        out = torch.zeros(count, dtype=kind, device=device)
        mine = whole[rank][rank * part : (rank + 1) * part].clone()
        send = out[rank * part : (rank + 1) * part] if inside else mine
        expected = torch.cat([whole[r][r * part : (r + 1) * part] for r in range(n)])
        return (
            lambda later: dist.all_gather_into_tensor(out, send, async_op=later),
            lambda: send.copy_(mine),
            out,
            expected,
        )  # type: ignore[return-value]
    source = whole[rank].clone()
    if op == "reduce_scatter":
        out = source[rank * part : (rank + 1) * part] if inside else torch.zeros(part, dtype=kind, device=device)
        expected = torch.stack([w.double()[rank * part : (rank + 1) * part] for w in whole]).sum(0).to(kind)
        return (
            lambda later: dist.reduce_scatter_tensor(out, source, async_op=later),
            lambda: source.copy_(whole[rank]),
            out,
            expected,
        )  # type: ignore[return-value]
    out = torch.zeros(count, dtype=kind, device=device)
    expected = torch.cat([whole[r][rank * part : (rank + 1) * part] for r in range(n)])
    return (
        lambda later: dist.all_to_all_single(out, source, async_op=later),
        lambda: source.copy_(whole[rank]),
        out,
        expected,
    )  # type: ignore[return-value]


def measure(ctx: Context, op: str, count: int, kind: torch.dtype, inside: bool) -> dict[str, float]:
    """Mean over ranks in µs, worst rank, p99 of single calls where they are waited for, and wrong values of all."""
    args, n = ctx.args, ctx.place.world
    device = ctx.device if ctx.backend == "nccl" else torch.device("cpu")
    call, reset, out, expected = build(op, count, n, ctx.place.rank, kind, device, inside)
    wrong, single = 0, []
    if args.check:
        reset()
        call(False)
        wrong = int((out != expected).sum())
    for _ in range(args.warmup):
        call(False)
    dist.barrier(ctx.control)
    _wait(device)
    begin = time.perf_counter()
    works = []
    for _ in range(args.iters):
        since = time.perf_counter()
        work = call(not args.blocking)
        if args.blocking:
            _wait(device)
            single.append((time.perf_counter() - since) * 1e6)
        else:
            works.append(work)
    for work in works:
        work.wait()
    _wait(device)
    micro = (time.perf_counter() - begin) / args.iters * 1e6
    told = torch.tensor(
        [micro, wrong, sorted(single)[int(0.99 * (len(single) - 1))] if single else micro], dtype=torch.float64
    )
    every = [torch.zeros_like(told) for _ in range(n)]
    dist.all_gather(every, told, group=ctx.control)
    mean = sum(float(row[0]) for row in every) / n
    size = count * out.element_size()
    return {
        "time_us": mean,
        "max_us": max(float(row[0]) for row in every),
        "p99_us": max(float(row[2]) for row in every),
        "algbw": size / mean / 1e3,
        "busbw": size / mean / 1e3 * factor(op, n),
        "wrong": sum(float(row[1]) for row in every),
    }


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def bench(ctx: Context) -> None:
    """One table per operation on rank 0; a wrong value ends the run with 76."""
    args, n, rank = ctx.args, ctx.place.world, ctx.place.rank
    torch.set_num_threads(args.threads)
    ops = args.op.split(",")
    for op in ops:
        if op not in OPS:
            raise Fault(USAGE, f"`--op={op}` is none of {', '.join(OPS)}")
    kind = TYPES[args.dtype]
    width = torch.empty(0, dtype=kind).element_size()
    least, most = size_of(args.min_bytes), size_of(args.max_bytes)
    if args.factor < 2:
        raise Fault(USAGE, f"`--factor={args.factor}` is less than 2")
    rows: list[dict[str, Any]] = []
    bad = 0.0
    for op in ops:
        if rank == 0:
            print(
                f"# {op}, {n} ranks, {ctx.backend}, {args.iters} iterations, {args.warmup} warm-up, "
                f"{'blocking' if args.blocking else 'non-blocking'}; out of place, then in place; µs, GB/s\n{HEAD}",
                flush=True,
            )
        size = least
        while size <= most:
            count = size // width if op in {"all_reduce", "broadcast"} else size // width // n * n
            if count:
                ctx.watch.phase("fwd", len(rows) + 1)
                both = [measure(ctx, op, count, kind, inside) for inside in (False, True)]
                ctx.watch.started = True
                bad += both[0]["wrong"] + both[1]["wrong"]
                redop = "sum" if op in {"all_reduce", "reduce_scatter"} else "none"
                rows.append(
                    {
                        "op": op,
                        "size": count * width,
                        "count": count,
                        "type": args.dtype,
                        "redop": redop,
                        "root": 0 if op == "broadcast" else -1,
                        "out_of_place": both[0],
                        "in_place": both[1],
                    }
                )
                if rank == 0:
                    print(line(rows[-1], args.check), flush=True)
            size *= args.factor
    if rank == 0:
        large = [row["out_of_place"]["busbw"] for row in rows]
        print(
            f"# out of bounds values: {int(bad)} {'OK' if not bad else 'FAILED'}\n# average bus bandwidth: "
            f"{sum(large) / max(1, len(large)):.4f} GB/s",
            flush=True,
        )
        if args.json:
            with open(args.json, "w", encoding="utf-8") as file:
                json.dump(
                    {"ranks": n, "backend": ctx.backend, "torch": torch.__version__, "rows": rows}, file, indent=1
                )
    if bad:
        raise Fault(DISAGREE, f"{int(bad)} wrong values in the collectives", (), "compare NCCL and driver versions")


def line(row: dict[str, Any], checked: bool) -> str:
    text = f"{row['size']:>12} {row['count']:>12} {row['type']:>9} {row['redop']:>6} {row['root']:>5}"
    for half in (row["out_of_place"], row["in_place"]):
        wrong = f"{half['wrong']:.0f}" if checked else "N/A"
        text += f" {half['time_us']:>9.2f} {half['algbw']:>7.2f} {half['busbw']:>7.2f} {wrong:>6}"
    return text + f" {row['out_of_place']['max_us']:>9.2f} {row['out_of_place']['p99_us']:>9.2f}"
