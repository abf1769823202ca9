"""Ratios of the trainer, measured side by side: `python tests/bench/trainer_ratios.py [ROUNDS]`.

Two forked ranks over gloo, and two on links of a known rate where there can be namespaces. The variants take turns in
random order inside one process group; each round gives one ratio, and the median and quartiles are printed with the
load of the machine. Wall time of shared cores spreads, so only ratios are shown, and nothing here is a test.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench import shaped  # noqa: E402
from tests.trainer import netlab  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 15
STEPS = 5
Times = dict[str, list[float]]


def show(name: str, ratios: list[float], goal: str) -> None:
    low, _, high = quantiles(ratios, n=4)
    print(f"{name:<58} {median(ratios):6.3f}  [{low:.3f}, {high:.3f}]  goal {goal}", flush=True)


def paired(variants: dict[str, Callable[[], Any]], chance: random.Random, clock: Any = time.perf_counter) -> Times:
    """Times of every variant by round; all ranks draw the same order."""
    import torch.distributed as dist

    times: Times = {name: [] for name in variants}
    for call in variants.values():
        call()
    for _ in range(ROUNDS):
        for name in chance.sample(list(variants), len(variants)):
            dist.barrier()
            begin = clock()
            variants[name]()
            dist.barrier()
            times[name].append(clock() - begin)
    return times


def over(times: Times, a: str, b: str) -> list[float]:
    return [x / y for x, y in zip(times[a], times[b], strict=True)]


def measure(ctx: Any, args: Any) -> None:
    """Runs in both ranks in place of the training, with the watchdog and the groups of a real job."""
    import torch

    ctx.watch.started = True
    warnings.simplefilter("ignore", UserWarning)  # dcp's own, about the state it is given
    chance = random.Random(1)
    if ctx.place.rank == 0:
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, torch {torch.__version__}, {ROUNDS} rounds")
        print("ratio, median [quartiles]", flush=True)
    measure_steps(ctx, chance)
    measure_checkpoints(ctx, chance)


def variants(ctx: Any, steps: int) -> dict[str, Callable[[], None]]:
    """Some steps of the trainer, of bare DDP, of a model whose gradients go in one all-reduce by hand, and alone."""
    import torch
    import torch.distributed as dist
    from torch.nn.functional import cross_entropy
    from torch.nn.parallel import DistributedDataParallel

    from trainer import data, models
    from trainer.training import Training

    ours = Training(ctx, ctx.args)
    batches = ours.source.batches(data.plan(ours.source.count, ours.batch, 0, ctx.place.rank, ctx.place.world, 0, 0))
    _, _, x, y = next(batches)
    flat, bare = (models.build(ctx.args.arch, ours.source.classes) for _ in range(2))
    ddp = DistributedDataParallel(bare, gradient_as_bucket_view=True, bucket_cap_mb=ctx.args.bucket)
    optimizers = {
        id(model): torch.optim.SGD(model.parameters(), ctx.args.lr, ctx.args.momentum, weight_decay=ctx.args.wd)
        for model in (flat, bare)
    }

    def by_trainer() -> None:
        for _ in range(steps):
            ours.train_step(x, y, ours.batch)
            ours.clock.harvest(ours.meter)

    def by_ddp() -> None:
        for _ in range(steps):
            cross_entropy(ddp(x), y).backward()  # type: ignore[no-untyped-call]  # torch's
            optimizers[id(bare)].step()
            optimizers[id(bare)].zero_grad()

    def by_hand(exchange: bool = True) -> None:
        for _ in range(steps):
            cross_entropy(flat(x), y).backward()  # type: ignore[no-untyped-call]  # torch's
            if exchange:
                whole = torch.cat([p.grad.flatten() for p in flat.parameters() if p.grad is not None])
                dist.all_reduce(whole)
                whole /= ctx.place.world
                at = 0
                for p in flat.parameters():
                    assert p.grad is not None
                    p.grad.copy_(whole[at : at + p.numel()].view_as(p))
                    at += p.numel()
            optimizers[id(flat)].step()
            optimizers[id(flat)].zero_grad()

    return {"trainer": by_trainer, "ddp": by_ddp, "flat": by_hand, "alone": lambda: by_hand(False)}


def measure_steps(ctx: Any, chance: random.Random) -> None:
    ways = variants(ctx, STEPS)
    times = paired(ways, chance)
    cpu = paired({name: ways[name] for name in ("ddp", "alone")}, chance, time.process_time)
    if ctx.place.rank == 0:
        show("DDP step / hand-written flat all-reduce (loopback)", over(times, "ddp", "flat"), "<= 1.00")
        show("trainer step / bare DDP step", over(times, "trainer", "ddp"), "<= 1.03")
        extra = median(a - b for a, b in zip(times["trainer"], times["ddp"], strict=True)) / STEPS * 1e3
        print(f"{'  the same as difference':<58} {extra:6.2f} ms                  goal <= 2 ms")
        show("weak scaling, CPU time alone / with a peer", over(cpu, "alone", "ddp"), ">= 0.85")


def measure_checkpoints(ctx: Any, chance: random.Random) -> None:
    """ResNet-50 with momentum, replicated on both ranks. Both savers write beside what is there and then drop all but
    the newest two; each load ends with the values in the job's own tensors."""
    import torch
    import torch.distributed as dist
    from torch.distributed.checkpoint import state_dict_loader, state_dict_saver

    from trainer import models
    from trainer.ckpt import Store, load

    big = models.build("resnet50", 1000)
    state = {"model": dict(big.state_dict()), "momentum": {n: torch.rand_like(p) for n, p in big.named_parameters()}}
    box = [tempfile.mkdtemp() if ctx.place.rank == 0 else ""]
    dist.broadcast_object_list(box)
    store, ok = Store(box[0], 1, 1, print), torch.zeros(1)
    steps = {"save": 0, "dcp": 0}

    def save() -> None:
        steps["save"] += 1
        if ctx.place.rank == 0:
            store.save(steps["save"], state, {})
        dist.broadcast(ok, 0, group=ctx.control)

    def dcp_save() -> None:
        steps["dcp"] += 1
        state_dict_saver.save(state, checkpoint_id=f"{box[0]}/dcp-{steps['dcp']}")
        if ctx.place.rank == 0:
            shutil.rmtree(f"{box[0]}/dcp-{steps['dcp'] - 2}", ignore_errors=True)

    def fill(check: bool) -> None:
        if check:
            assert not store.flaw(steps["save"])
        read = load(store.path(steps["save"]))
        for part, values in state.items():
            for name, value in values.items():
                value.copy_(read[part][name])

    def dcp_load() -> None:
        state_dict_loader.load(state, checkpoint_id=f"{box[0]}/dcp-{steps['dcp']}")

    times = paired({"save": save, "dcp.save": dcp_save}, chance)
    cpu: list[Any] = [None] * ctx.place.world
    dist.all_gather_object(cpu, paired({"save": save, "dcp.save": dcp_save}, chance, time.process_time))
    both = {name: [sum(pair) for pair in zip(*(one[name] for one in cpu), strict=True)] for name in cpu[0]}
    times |= paired({"load": lambda: fill(False), "checked": lambda: fill(True), "dcp.load": dcp_load}, chance)
    if ctx.place.rank == 0:
        show("checkpoint save / dcp.save (205 MB, two ranks)", over(times, "save", "dcp.save"), "<= 0.8")
        show("  the same in CPU time, both ranks together", over(both, "save", "dcp.save"), "none")
        show("checkpoint load / dcp.load", over(times, "load", "dcp.load"), "<= 0.4")
        show("  the same with the SHA-256 before it", over(times, "checked", "dcp.load"), "none")
        shutil.rmtree(box[0])


def measure_shaped(ctx: Any, args: Any) -> None:
    """In place of the training on the shaped link: how much of the exchange is hidden behind the backward pass."""
    ctx.watch.started = True
    ways = variants(ctx, 1)
    times = paired({name: ways[name] for name in ("ddp", "flat", "alone")}, random.Random(1))
    if ctx.place.rank == 0:
        show("DDP step / flat all-reduce (1 Gbit/s, ResNet-18)", over(times, "ddp", "flat"), "<= 0.80")
        show("  computation alone / flat all-reduce", over(times, "alone", "flat"), "none")


def shaped_links() -> None:
    lack = netlab.lack()
    if lack:
        print(f"no shaped links here: {lack}")
        return
    print(
        f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores: the token buckets take processor time too", flush=True
    )
    for rate, ratios in shaped.busbw().items():
        show(f"busbw / wire rate ({rate} Mbit/s, all-reduce from 4 MiB)", ratios, "0.90 to 1.00")
    lab = netlab.Lab(2)
    try:
        lab.shape(1000)
        argv = ["train", "-a", "resnet18", "-b", "4", "--dummy", "--lr", "0.001", "--step-timeout", "300"]
        shaped.ranks(lab, argv, measure_shaped)
    finally:
        lab.close()


def start_up() -> None:
    """`contract` against the import of torch, in fresh processes."""
    ratios = []
    for _ in range(3):
        spans = []
        for argv in ([sys.executable, "-m", "trainer", "contract"], [sys.executable, "-c", "import torch"]):
            begin = time.perf_counter()
            subprocess.run(argv, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
            spans.append(time.perf_counter() - begin)
        ratios.append(spans[0] / spans[1])
    show("`trainer contract` / import of torch", ratios, "<= 0.15")


def main() -> None:
    start_up()
    shaped_links()
    import trainer.job
    import trainer.loop
    from trainer.cli import main as run

    assert trainer.job
    trainer.loop.train = measure
    run(["train", "--spawn", "2", "-a", "mnist", "-b", "64", "--dummy", "--lr", "0.001", "--step-timeout", "300"])


if __name__ == "__main__":
    main()
