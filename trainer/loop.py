"""The loop over the steps: checkpoints and evaluations between them, and a stop that all ranks make together."""

from __future__ import annotations

import contextlib
import os
import time

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy

from trainer import data, report
from trainer.config import TrainConfig
from trainer.context import Context
from trainer.faults import OUTPUT, Fault
from trainer.group import gather, shorten_timeout
from trainer.interval import Interval
from trainer.resume import commit, resume
from trainer.signals import STOP_FILE, name_of
from trainer.training import Training

MOST_NAMED = 4  # of the ranks that were asked to stop


def train(ctx: Context, args: TrainConfig) -> None:
    """All steps that are left; ends early, with a Fault, where a rank was asked to stop."""
    t = Training(ctx, args)
    watch, place = t.watch, t.place
    resume(t)
    interval = Interval(t)
    steps = data.plan(t.source.count, t.batch, args.seed, place.rank, place.world, t.epoch, t.cursor)
    batches = t.source.batches(steps)
    first = saved = t.step
    t.model.train()
    while not t.done:
        begin = time.perf_counter()
        watch.repeating = t.step < t.reached
        watch.phase("data", t.step + 1)
        epoch, cursor, x, y = next(batches)
        t.meter.values["data"].append((time.perf_counter() - begin) * 1e3)
        t.train_step(x, y, cursor - (t.cursor if epoch == t.epoch else 0))
        t.step, t.epoch, t.cursor = t.step + 1, epoch, cursor
        watch.phase("data")
        if t.progress:
            with contextlib.suppress(OSError):
                os.pwrite(t.progress, b"%012d" % t.step, 0)
        if not watch.started:
            shorten_timeout(2 * args.step_timeout)
            watch.started = True
        t.meter.values["step"].append((time.perf_counter() - begin) * 1e3)
        t.clock.harvest(t.meter)
        if t.step % args.print_freq == 0 or t.done:
            interval.close()
        due = args.ckpt_every and t.step % args.ckpt_every == 0
        if t.stopping or t.saving or due or t.done:
            saved = t.step if commit(t) else saved
            interval.check_grace()
        if t.stopping:
            stopped(t, saved)
        if args.eval and (t.cursor == t.source.count or t.done):
            evaluate(t, saved)
    if ctx.store and first < t.step and saved != t.step:
        raise Fault(OUTPUT, f"the final checkpoint of step {t.step} could not be written", (0,))
    watch.phase("save")
    if place.rank == 0 and args.out:
        ctx.log.event("end", step=t.step, spent=watch.spent)
        report.run(args.out)


def stopped(t: Training, saved: int) -> None:
    """All ranks come here after the same step, and say alike who was asked."""
    state = f"saved at step {saved}" if saved == t.step else f"not saved, the last checkpoint is of step {saved}"
    t.watch.phase("sync")
    numbers = [int(number) for (number,) in gather([float(t.ctx.signals.number)], t.ctx.control)]
    asked = [rank for rank, number in enumerate(numbers) if number]
    name = name_of(numbers[asked[0]])
    who = ", ".join(t.ctx.board.name(rank) for rank in asked[:MOST_NAMED])
    who += f" and {len(asked) - MOST_NAMED} more" if len(asked) > MOST_NAMED else ""
    if len(asked) == t.place.world:
        who = "all ranks"
    stop_file = os.path.join(t.args.out, "stop")
    if t.place.rank == 0 and t.ctx.store and os.path.exists(stop_file):
        os.unlink(stop_file)
    state = state if t.ctx.store else "nothing saved: no --out"
    came = f", which came to {who}," if t.place.world > 1 and numbers[asked[0]] != STOP_FILE else ""
    raise Fault(t.stopping, f"stopped by {name}{came} after step {t.step}, {state}")


@torch.no_grad()
def evaluate(t: Training, saved: int) -> None:
    """Mean loss and top-1 share over the evaluation set; the stop flags are read between batches."""
    t.watch.phase("eval")
    source, sums = t.samples("val"), torch.zeros(3, dtype=torch.float64)  # loss, hits, samples
    steps = data.evaluation(source.count, t.args.batch_size, t.place.rank, t.place.world)
    t.model.eval()
    for _, _, x, y in source.batches(steps):
        if len(y):
            with t.autocast():
                z = t.model(t.laid_out(x))
            z = z.float()  # a sum over a batch has more digits than bf16
            hits = (z.argmax(1) == y).sum()
            sums += torch.tensor([float(cross_entropy(z, y, reduction="sum")), float(hits), float(len(y))])
        t.watch.phase("sync")
        note = t.note()
        dist.all_reduce(note, group=t.ctx.control)
        t.read(note, note)
        t.watch.phase("eval")
        if t.stopping:
            stopped(t, t.step if saved == t.step or commit(t) else saved)
    t.model.train()
    source.close()
    t.watch.phase("sync")
    dist.all_reduce(sums, group=t.ctx.control)
    t.watch.phase("data")
    loss, share, count = float(sums[0] / sums[2]), float(sums[1] / sums[2]), int(sums[2])
    t.ctx.log.event("eval", step=t.step, loss=loss, accuracy=share, samples=count)
    if t.place.rank == 0:
        text = f"evaluation at step {t.step}: loss {loss:.4f}, accuracy {share:.4f}, {count} samples"
        print(text, flush=True)
