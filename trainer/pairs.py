"""``preflight --pairs``: which node is slow or unlike the others, found before a job finds it.

Nodes send to each other in pairs, all pairs of a round at the same time, each local rank with its like over there.
After log2 n rounds of n nodes (one more where n is odd) each has met different others: who was slow with all of them is
slow itself, and who was slow with one of them only has met a slow one. Beside that each rank multiplies matrices and
copies memory, and says what it runs on. What nobody could judge has not passed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from trainer.config import PreflightConfig
from trainer.context import Context
from trainer.faults import DONE, Fault
from trainer.suspects import Said, facts, judge, rounds, seats, table

MIB = 1 << 20
LONG_S = 0.3  # what one measured exchange is to take, so that its start does not count
LARGEST = 256 * MIB
REPEATS = 3  # of which the fastest counts: what others do to the machine makes nothing faster


def run(ctx: Context, args: PreflightConfig) -> None:
    """Measures, prints the table on rank 0, and raises the Fault of the bad nodes, or Fault(0)."""
    place, board = ctx.place, ctx.board
    torch.set_num_threads(args.threads)
    cuda = ctx.device.type == "cuda"
    ctx.watch.phase("fwd", 0)
    own: Said = {"facts": facts(ctx.device.index or 0 if cuda else None), "pairs": []}
    own["matmul"], own["copy"] = matmul(ctx.device), copy(ctx.device)
    sat = seats(board.who)
    mine = next(number for number, seat in enumerate(sat) if place.rank in seat.ranks)
    index = sat[mine].ranks.index(place.rank)
    device = ctx.device if ctx.backend == "nccl" else torch.device("cpu")
    for number, pairs in enumerate(rounds(len(sat)), 1):
        ctx.watch.phase("fwd", number)
        dist.barrier(ctx.control)
        other = next((b if a == mine else a for a, b in pairs if mine in (a, b)), None)
        if other is not None and index < len(sat[other].ranks):
            own["pairs"].append([mine, other, exchange(sat[other].ranks[index], mine < other, device)])
        ctx.watch.started = True
    ctx.watch.phase("fwd")

    def verdict(got: dict[int, Said]) -> None:
        verdicts, fault = judge(sat, got, args.min_busbw)
        print(table(sat, got, verdicts, ctx.backend), flush=True)
        if fault:
            raise fault

    board.round("pairs", own, args.start_timeout, verdict)
    raise Fault(DONE, "preflight passed")


def exchange(peer: int, first: bool, device: torch.device) -> float:
    """GB/s at which data came from the peer. The two send in turns; ``first``: whether this rank begins."""
    token, other = (torch.zeros(1, dtype=torch.float64, device=device) for _ in range(2))

    def meet(value: float = 0.0) -> float:
        """Both are here, and each has the other's value."""
        token.fill_(value)
        both = [dist.P2POp(dist.isend, token, peer), dist.P2POp(dist.irecv, other, peer)]
        for work in dist.batch_isend_irecv(both):
            work.wait()
        return float(other)

    def receive(block: torch.Tensor) -> float:
        """Seconds. The receiver's clock counts: what is sent may wait in buffers of this side."""
        took = 0.0
        for sends in (first, not first):
            meet()
            if sends:
                dist.send(block, peer)
            else:
                begin = time.perf_counter()
                dist.recv(block, peer)
                _finish(device)
                took = time.perf_counter() - begin
        return took

    took = receive(torch.zeros(MIB, dtype=torch.uint8, device=device))
    size = min(LARGEST, max(MIB, int(MIB * LONG_S / max(took, meet(took)))))
    block = torch.zeros(size, dtype=torch.uint8, device=device)
    return size / min(receive(block) for _ in range(REPEATS)) / 1e9


def matmul(device: torch.device) -> float:
    """TFLOP/s of one product of square matrices: in bfloat16 on a GPU, in float32 by one thread elsewhere."""
    side, kind = (8192, torch.bfloat16) if device.type == "cuda" else (256, torch.float32)
    left = torch.ones(side, side, dtype=kind, device=device)
    return 2 * side**3 / _fastest(lambda: left @ left, device) / 1e12


def copy(device: torch.device) -> float:
    """GB/s from the host's memory into the GPU's, or within the host's."""
    cuda = device.type == "cuda"
    size = 256 * MIB if cuda else 4 * MIB
    source = torch.zeros(size, dtype=torch.uint8, pin_memory=cuda)
    target = torch.empty(size, dtype=torch.uint8, device=device)
    return size / _fastest(lambda: target.copy_(source, non_blocking=True), device) / 1e9


def _fastest(work: Callable[[], Any], device: torch.device, seconds: float = 0.5) -> float:
    """Seconds of the fastest of many calls, the first of which is not counted."""
    work()
    _finish(device)
    best, end = float("inf"), time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        work()
        _finish(device)
        best = min(best, time.perf_counter() - begin)
    return best


def _finish(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
