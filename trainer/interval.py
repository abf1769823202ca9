"""What happens every `--print-freq` steps: one line of text, one of JSON, the slow ranks by name (T10)."""

from __future__ import annotations

import os
import resource
import time
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from trainer import metrics

if TYPE_CHECKING:
    from trainer.loop import Training


class Interval:
    def __init__(self, training: Training) -> None:
        self.t, self.begin, self.from_step = training, time.monotonic(), training.step
        self.warned = False
        out = training.args.out
        self.board = metrics.tensorboard(out) if out and training.place.rank == 0 else None
        if training.place.rank == 0:
            print(
                f"{'step':>9} {'epoch':>5} {'loss':>9} {'img/s':>10} {'step ms':>9} {'data ms':>8} {'comm ms':>8} "
                f"{'busbw':>7} {'goodput':>7}",
                flush=True,
            )

    def close(self) -> None:
        """Medians of this interval from all ranks; the exchange is one small gather on the control group."""
        t, meter, now = self.t, self.t.meter, time.monotonic()
        t.watch.phase("sync")
        mine = torch.tensor([meter.median(name) for name in (*metrics.PHASES, "step")], dtype=torch.float64)
        every = [torch.zeros_like(mine) for _ in range(t.place.world)]
        dist.all_gather(every, mine, group=t.ctx.control)
        t.watch.phase("data")
        by_rank = [dict(zip((*metrics.PHASES, "step"), row.tolist(), strict=True)) for row in every]
        steps, seconds = t.step - self.from_step, max(now - self.begin, 1e-9)
        rank_rate = steps * t.batch / t.place.world / seconds
        spent = t.watch.spent
        productive = sum(spent.get(name, 0.0) for name in ("fwd", "bwd", "sync"))
        comm, world = meter.median("comm"), t.place.world
        line = {
            "step": t.step,
            "epoch": t.epoch,
            "loss": t.loss,
            "lr": t.optimizer.param_groups[0]["lr"],
            "img_s": rank_rate * world,
            "img_s_rank": rank_rate,
            **meter.line(),
            "grad_bytes": t.grad_bytes,
            "busbw_gbs": t.grad_bytes * 2 * (world - 1) / world / (comm * 1e6) if world > 1 and comm else 0.0,
            "peak_bytes": torch.cuda.max_memory_allocated()
            if t.ctx.device.type == "cuda"
            else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "goodput": productive / max(sum(spent.values()), 1e-9),
        }
        t.ctx.log.metric({**line, "spent": {name: round(value, 4) for name, value in spent.items()}})
        if t.place.rank == 0:
            self._print(line, metrics.stragglers(by_rank, line["step_ms"])[:3])
        meter.clear()
        self.begin, self.from_step = time.monotonic(), t.step

    def _print(self, line: dict[str, float], slow: list[tuple[float, int, str]]) -> None:
        t = self.t
        print(
            f"{t.step:>9} {t.epoch:>5} {line['loss']:>9.4f} {line['img_s']:>10.1f} {line['step_ms']:>9.1f} "
            f"{line['data_ms']:>8.1f} {line['comm_ms']:>8.1f} {line['busbw_gbs']:>7.2f} {line['goodput']:>7.2f}",
            flush=True,
        )
        for score, rank, phase in slow:
            t.ctx.log.say(f"{t.ctx.board.name(rank)} is slow in {phase}: score {score:.2f} of the fastest rank's 1.00")
        if t.args.out:
            names = [(score, f"{t.ctx.board.who[rank]['host']} rank {rank}", phase) for score, rank, phase in slow]
            metrics.prometheus(os.path.join(t.args.out, "metrics.prom"), line, {"arch": t.args.arch}, names)
            for score, rank, phase in slow:
                t.ctx.log.event("straggler", step=t.step, rank=rank, phase=phase, score=score)
        if self.board:
            for name in ("loss", "img_s", "step_ms", "comm_ms"):
                self.board.add_scalar(name, line[name], t.step)

    def check_grace(self) -> None:
        """A save that does not fit between SIGTERM and SIGKILL is said once, while there is time to change it."""
        t = self.t
        step_s = metrics.percentile(t.meter.values.get("step", []), 0.95) / 1e3
        if not self.warned and t.place.rank == 0 and step_s + t.save_s > t.args.grace:
            self.warned = True
            t.ctx.log.say(
                f"a step and a save take {step_s + t.save_s:.1f} s, --grace is {t.args.grace:g} s: "
                "raise terminationGracePeriodSeconds and --grace"
            )

    def finish(self) -> None:
        t = self.t
        if self.board:
            self.board.close()
        t.watch.phase("save")
        if t.place.rank == 0 and t.args.out:
            t.ctx.log.event("end", step=t.step, spent=t.watch.spent)
            from trainer.report import run

            run(t.args.out)
