"""How measurements are kept and written: JSON lines of every rank, Prometheus text, TensorBoard, a pod's last words."""

from __future__ import annotations

import json
import math
import os
import socket
import sys
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median
from typing import Any

from trainer.faults import Fault
from trainer.files import put

PHASES = ("data", "fwd_bwd", "comm")


def utc() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def finite(value: Any) -> Any:
    """JSON has no NaN: what is not finite becomes null. Nine digits tell all values of a float32 apart."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return value if not isinstance(value, float) else float(f"{value:.9g}") if math.isfinite(value) else None


class Log:
    """Text to stderr with the rank before it, and ``events-<rank>.jsonl`` once there is a directory."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.host = socket.gethostname()
        self.attempt = 0  # counted in --out, so not known before that is open
        self.files: dict[str, Any] = {}  # open, by the first word of their names
        self.deaf = False  # a line could not be written, and that was said
        self.waiting: list[dict[str, Any]] = []  # events from before there was a file

    def say(self, text: str) -> None:
        print(f"{utc()} rank {self.rank} {self.host}: {text}", file=sys.stderr, flush=True)

    def open(self, out: str, attempt: int) -> None:
        """From here on events are written, those from before first."""
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
        """The value that this share of all do not exceed."""
        ordered = sorted(self.values[name] or [0.0])
        return median(ordered) if share == 0.5 else ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def line(self) -> dict[str, float]:
        ends = (("_ms", 0.5), ("_p95_ms", 0.95))
        return {f"{name}{end}": self.at(name, share) for name in ("step", *PHASES, "save") for end, share in ends}


def stragglers(by_rank: list[dict[str, float]], step_ms: float) -> list[tuple[float, int, str]]:
    """(score, rank, phase), worst first, where fastest / this is below 0.8 and the phase is a tenth of the step."""
    fastest = {phase: min(times[phase] for times in by_rank) for phase in ("data", "fwd_bwd")}
    return sorted(
        (fastest[phase] / times[phase], rank, phase)
        for rank, times in enumerate(by_rank)
        for phase in fastest
        if times[phase] - fastest[phase] > 0.1 * step_ms and fastest[phase] < 0.8 * times[phase]
    )


def in_a_row(before: dict[tuple[int, str], int], found: list[tuple[float, int, str]]) -> dict[tuple[int, str], int]:
    """{(rank, phase): intervals in a row in which it was slow}, one interval after ``before``."""
    return {(rank, phase): before.get((rank, phase), 0) + 1 for _, rank, phase in found}


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
    after ``step`` is withdrawn, because it is about to be repeated."""
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
