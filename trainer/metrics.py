"""What was measured: JSON lines per rank, one line of text per interval, a Prometheus text file (T10)."""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING, Any

import torch

from trainer.faults import Fault
from trainer.files import put
from trainer.group import gather

if TYPE_CHECKING:
    from trainer.loop import Training

PHASES = ("data", "fwd_bwd", "comm")
# Title, width and form of the columns of rank 0's line, by the key of the JSON line.
COLUMNS = {
    "step": ("step", 9, "d"),
    "epoch": ("epoch", 5, "d"),
    "loss": ("loss", 9, ".4f"),
    "img_s": ("img/s", 10, ".1f"),
    "step_ms": ("step ms", 9, ".1f"),
    "data_ms": ("data ms", 8, ".1f"),
    "comm_ms": ("comm ms", 8, ".1f"),
    "busbw_gbs": ("busbw", 7, ".2f"),
    "goodput": ("goodput", 7, ".2f"),
}


def utc() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def finite(value: Any) -> Any:
    """JSON has no NaN: what is not finite becomes null."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return value if not isinstance(value, float) else round(value, 6) if math.isfinite(value) else None


class Log:
    """Text to stderr with the rank before it, and `events-<rank>.jsonl` once there is a directory."""

    def __init__(self, rank: int) -> None:
        self.rank, self.host, self.attempt = rank, socket.gethostname(), 0
        self.files: dict[str, Any] = {}
        self.deaf = False  # a line could not be written, and that was said
        self.waiting: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        print(f"{utc()} rank {self.rank} {self.host}: {text}", file=sys.stderr, flush=True)

    def open(self, out: str, attempt: int) -> None:
        self.attempt = attempt
        for name in ("events", "metrics"):
            path = os.path.join(out, f"{name}-{self.rank:05d}.jsonl")
            self.files[name] = open(path, "a", encoding="utf-8")  # noqa: SIM115
        for line in self.waiting:
            self._write("events", {**line, "attempt": attempt})

    def event(self, event: str, **fields: Any) -> None:
        self._write("events", {"time": utc(), "event": event, "attempt": self.attempt, **fields})

    def metric(self, line: dict[str, Any]) -> None:
        self._write("metrics", {"time": utc(), "attempt": self.attempt, **line})

    def _write(self, name: str, line: dict[str, Any]) -> None:
        if self.files:
            try:
                self.files[name].write(json.dumps(finite(line), allow_nan=False) + "\n")
                self.files[name].flush()
            except OSError as error:  # a full disk costs lines: whether it costs the job, the checkpoints decide
                if not self.deaf:
                    self.deaf = True
                    self.say(f"cannot write `{self.files[name].name}`: {error.strerror}")
        elif name == "events":
            self.waiting.append(line)

    def close(self) -> None:
        for file in self.files.values():
            os.fsync(file.fileno())


class Meter:
    """Milliseconds by phase since the last line."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = defaultdict(list)

    def at(self, name: str, share: float = 0.95) -> float:
        ordered = sorted(self.values[name] or [0.0])
        return median(ordered) if share == 0.5 else ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def line(self) -> dict[str, float]:
        ends = (("_ms", 0.5), ("_p95_ms", 0.95))
        return {f"{name}{end}": self.at(name, share) for name in ("step", *PHASES, "save") for end, share in ends}


class Interval:
    """What happens every `--print-freq` steps; the exchange is one small gather on the control group."""

    def __init__(self, training: Training) -> None:
        self.t, self.begin, self.from_step, self.warned = training, time.monotonic(), training.step, False
        self.step_s = 0.0  # the 95th percentile of the last interval
        self.board: Any = None
        if training.place.rank == 0:
            self.board = tensorboard(training.args.out, training.step)
            print(" ".join(f"{title:>{width}}" for title, width, _ in COLUMNS.values()), flush=True)

    def close(self) -> None:
        t, world, said = self.t, self.t.place.world, self.t.meter.line()
        seconds = max(time.monotonic() - self.begin, 1e-9)
        t.watch.phase("sync")
        every = gather([said["data_ms"], said["fwd_bwd_ms"]], t.ctx.control)
        t.watch.phase("data")
        rate = (t.step - self.from_step) * t.batch / world / seconds
        spent, comm = t.watch.spent, said["comm_ms"]
        productive = sum(spent.get(name, 0.0) for name in ("fwd", "bwd", "sync"))
        gpu = t.ctx.device.type == "cuda"
        peak = torch.cuda.max_memory_allocated() if gpu else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        line = {
            "step": t.step,
            "epoch": t.epoch,
            "loss": t.loss,
            "lr": t.optimizer.param_groups[0]["lr"],
            "img_s": rate * world,
            "img_s_rank": rate,
            **said,
            "grad_bytes": t.grad_bytes,
            "busbw_gbs": t.grad_bytes * 2 * (world - 1) / world / (comm * 1e6) if comm else 0.0,
            "peak_bytes": peak,
            "goodput": productive / max(sum(spent.values()), 1e-9),
        }
        t.ctx.log.metric({**line, "spent": dict(spent)})
        if t.place.rank == 0:
            rows = [dict(zip(("data", "fwd_bwd"), row, strict=True)) for row in every]
            self._show(line, stragglers(rows, line["step_ms"])[:3])
        t.meter.values.clear()
        self.begin, self.from_step, self.step_s = time.monotonic(), t.step, line["step_p95_ms"] / 1e3

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
        need = max(self.step_s, t.meter.at("step") / 1e3) + t.save_s
        if not self.warned and t.place.rank == 0 and need > t.args.grace:
            self.warned, remedy = True, "raise terminationGracePeriodSeconds and --grace"
            t.ctx.log.say(f"a step and a save take {need:.1f} s, --grace is {t.args.grace:g} s: {remedy}")


def stragglers(by_rank: list[dict[str, float]], step_ms: float) -> list[tuple[float, int, str]]:
    """(score, rank, phase), worst first, where fastest / this is below 0.8 and the phase is a tenth of the step."""
    fastest = {phase: min(times[phase] for times in by_rank) for phase in ("data", "fwd_bwd")}
    return sorted(
        (fastest[phase] / times[phase], rank, phase)
        for rank, times in enumerate(by_rank)
        for phase in fastest
        if times[phase] - fastest[phase] > 0.1 * step_ms and fastest[phase] < 0.8 * times[phase]
    )


def prometheus(path: str, values: dict[str, Any], job: dict[str, str], culprits: list[tuple[float, str, str]]) -> None:
    """Text format 0.0.4, replaced in one step, for a node exporter or a sidecar."""

    def sample(name: str, value: float, **more: str) -> str:
        # A JSON string escapes what the format wants escaped.
        labels = ",".join(f"{key}={json.dumps(text, ensure_ascii=False)}" for key, text in {**job, **more}.items())
        return f"trainer_{name}{{{labels}}} {value:.9g}\n"

    text = ""
    for name, value in values.items():
        if math.isfinite(value):
            text += f"# TYPE trainer_{name} gauge\n" + sample(name, value)
    text += "# TYPE trainer_straggler_score gauge\n" if culprits else ""
    put(path, text + "".join(sample("straggler_score", score, rank=who, phase=phase) for score, who, phase in culprits))


def tensorboard(out: str, step: int) -> Any:
    """A writer of event files below --out where TensorBoard is installed, else None; what an earlier attempt wrote
    after `step` is withdrawn, because it is about to be repeated."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    writer: Any = SummaryWriter  # it has no types, and none at all where TensorBoard is absent
    return writer(os.path.join(out, "tensorboard"), purge_step=step + 1) if out else None


def last_words(path: str, fault: Fault, step: int, name: Callable[[int], str]) -> None:
    """The termination message of the pod: cause, culprit, step, remedy, at most 4 KiB."""
    if path and os.path.exists(path):
        culprits = [name(rank) for rank in fault.culprits[:16]]
        words = {"code": fault.code, "cause": fault.reason[:2000], "culprits": culprits, "step": step}
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({**words, "remedy": fault.remedy[:500]})[:4095])
