"""What happens every ``--print-freq`` steps: measurements of all ranks become a line of text, JSON lines and gauges."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from typing import Any

import torch

from trainer.group import gather
from trainer.metrics import in_a_row, prometheus, stragglers, tensorboard
from trainer.training import Training

# Title, width and form of the columns of rank 0's line, by the key of the JSON line.
COLUMNS = {
    "step": ("step", 9, "d"),
    "epoch": ("epoch", 5, "d"),
    "loss": ("loss", 9, ".4f"),
    "img_s": ("img/s", 10, ".1f"),
    "step_ms": ("step ms", 9, ".1f"),
    "data_ms": ("data ms", 8, ".1f"),
    "comm_ms": ("comm ms", 8, ".1f"),
    "grad_gb_per_exposed_s": ("grad/exp", 9, ".2f"),
    "goodput": ("goodput", 7, ".2f"),
}

# One slow interval is chance: of ordinary runs on a busy machine every other one has some.
IN_A_ROW = 3


class Interval:
    """The steps since the last line; what ranks tell each other of them is one small gather on the control group."""

    def __init__(self, training: Training) -> None:
        self.t = training
        self.begin = time.monotonic()
        self.from_seen = training.seen
        self.warned = False  # of a --grace that is too short
        self.step_s = 0.0  # the 95th percentile of the last interval
        self.slow: dict[tuple[int, str], int] = {}  # (rank, phase) -> intervals in a row in which it was the slow one
        self.board: Any = None  # TensorBoard's writer
        if training.place.rank == 0:
            self.board = tensorboard(training.ctx.store.folder if training.ctx.store else "", training.step)
            print(" ".join(f"{title:>{width}}" for title, width, _ in COLUMNS.values()), flush=True)

    def close(self) -> None:
        """All ranks come here after the same step; rank 0 says who is slow."""
        t, world, said = self.t, self.t.place.world, self.t.meter.line()
        seconds = max(time.monotonic() - self.begin, 1e-9)
        t.watch.phase("sync")
        every = gather([said["data_ms"], said["fwd_bwd_ms"]], t.ctx.control)
        t.watch.phase("data")
        rate = (t.seen - self.from_seen) / world / seconds
        spent, comm = t.watch.spent, said["comm_ms"]
        productive = sum(spent.get(name, 0.0) for name in ("fwd", "bwd", "sync"))
        gpu = t.ctx.device.type == "cuda"
        peak = torch.cuda.max_memory_allocated() if gpu else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        line = {
            "step": t.step,
            "epoch": t.epoch,
            "cursor": t.cursor,
            "loss": t.loss,
            "lr": t.optimizer.param_groups[0]["lr"],
            "img_s": rate * world,
            "img_s_rank": rate,
            **said,
            "grad_bytes": t.grad_bytes,
            # gradients over the part of the exchange that nothing hides: no bandwidth, which `bench` measures
            "grad_gb_per_exposed_s": t.grad_bytes / (comm * 1e6) if comm else 0.0,
            "peak_bytes": peak,
            "goodput": productive / max(sum(spent.values()), 1e-9),
        }
        t.ctx.log.metric({**line, "spent": dict(spent)})
        if t.place.rank == 0:
            rows = [dict(zip(("data", "fwd_bwd"), row, strict=True)) for row in every]
            found = stragglers(rows, line["step_ms"])
            self.slow = in_a_row(self.slow, found)
            self._show(line, [one for one in found if self.slow[one[1:]] >= IN_A_ROW][:3])
        t.meter.values.clear()
        self.begin, self.from_seen, self.step_s = time.monotonic(), t.seen, line["step_p95_ms"] / 1e3

    def _show(self, line: dict[str, Any], slow: list[tuple[float, int, str]]) -> None:
        t, log = self.t, self.t.ctx.log
        print(" ".join(f"{line[key]:>{width}{form}}" for key, (_, width, form) in COLUMNS.items()), flush=True)
        for score, rank, phase in slow:
            log.say(f"{t.ctx.board.name(rank)} is slow in {phase}: score {score:.2f} of the fastest rank's 1.00")
            log.event("straggler", step=t.step, rank=rank, phase=phase, score=score)
        if t.args.out:
            names = [(score, t.ctx.board.name(rank), phase) for score, rank, phase in slow]
            with contextlib.suppress(OSError):
                prometheus(os.path.join(t.args.out, "metrics.prom"), line, {"arch": t.args.arch}, names)
                if self.board:
                    for key in [*COLUMNS][1:]:
                        self.board.add_scalar(key, line[key], t.step)
                    self.board.flush()  # the way out is `os._exit`

    def check_grace(self) -> None:
        """A save that does not fit between SIGTERM and SIGKILL is said once, while there is time to change it."""
        t = self.t
        need = max(self.step_s, t.meter.at("step") / 1e3) + t.save_seconds
        if not self.warned and t.place.rank == 0 and need > t.args.grace:
            self.warned, remedy = True, "raise terminationGracePeriodSeconds and --grace"
            t.ctx.log.say(f"a step and a save take {need:.1f} s, --grace is {t.args.grace:g} s: {remedy}")
