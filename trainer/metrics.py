"""What was measured: JSON lines per rank, one line of text per interval, a Prometheus text file (T10)."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median
from typing import Any

from trainer.faults import Fault

PHASES = ("data", "fwd_bwd", "comm")


def utc() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def finite(value: Any) -> Any:
    """JSON has no NaN: what is not finite becomes null."""
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return value


class Log:
    """Text to stderr with the rank before it, and `events-<rank>.jsonl` once there is a directory."""

    def __init__(self, rank: int, host: str) -> None:
        self.rank, self.host, self.attempt = rank, host, 0
        self.files: dict[str, Any] = {}
        self.waiting: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        print(f"{utc()} rank {self.rank} {self.host}: {text}", file=sys.stderr, flush=True)

    def open(self, out: str, attempt: int) -> None:
        self.attempt = attempt
        for name in ("events", "metrics"):
            self.files[name] = open(os.path.join(out, f"{name}-{self.rank:05d}.jsonl"), "a", encoding="utf-8")  # noqa: SIM115
        for line in self.waiting:
            self._write("events", {**line, "attempt": attempt})

    def event(self, event: str, **fields: Any) -> None:
        line = {"time": utc(), "event": event, "attempt": self.attempt, **fields}
        if self.files:
            self._write("events", line)
        else:
            self.waiting.append(line)

    def metric(self, line: dict[str, Any]) -> None:
        if self.files:
            self._write("metrics", {"time": utc(), "attempt": self.attempt, **line})

    def _write(self, name: str, line: dict[str, Any]) -> None:
        self.files[name].write(json.dumps(finite(line), allow_nan=False) + "\n")
        self.files[name].flush()

    def close(self) -> None:
        for file in self.files.values():
            file.flush()
            os.fsync(file.fileno())


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Meter:
    """Milliseconds by phase since the last line."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    def add(self, name: str, milliseconds: float) -> None:
        self.values.setdefault(name, []).append(milliseconds)

    def median(self, name: str) -> float:
        return median(self.values[name]) if self.values.get(name) else 0.0

    def line(self) -> dict[str, float]:
        named: dict[str, float] = {}
        for name in ("step", *PHASES, "save"):
            named[f"{name}_ms"] = self.median(name)
            named[f"{name}_p95_ms"] = percentile(self.values.get(name, []), 0.95)
        return named

    def clear(self) -> None:
        self.values.clear()


def stragglers(by_rank: list[dict[str, float]], step_ms: float) -> list[tuple[float, int, str]]:
    """(score, rank, phase), worst first, where fastest / this is below 0.8 and the phase is a tenth of the step."""
    found = []
    for phase in ("data", "fwd_bwd"):
        fastest = min(times[phase] for times in by_rank)
        for rank, times in enumerate(by_rank):
            if times[phase] - fastest > 0.1 * step_ms and fastest / times[phase] < 0.8:
                found.append((fastest / times[phase], rank, phase))
    return sorted(found)


def prometheus(path: str, values: dict[str, Any], job: dict[str, str], culprits: list[tuple[float, str, str]]) -> None:
    """Text format 0.0.4, replaced in one step, for a node exporter or a sidecar."""
    label = ",".join(f'{key}="{escape(value)}"' for key, value in job.items())
    lines = []
    for name, value in values.items():
        if isinstance(value, (int, float)) and math.isfinite(value):
            lines += [f"# TYPE trainer_{name} gauge", f"trainer_{name}{{{label}}} {value:.9g}"]
    if culprits:
        lines.append("# TYPE trainer_straggler_score gauge")
        lines += [
            f'trainer_straggler_score{{{label},host="{escape(host)}",phase="{phase}"}} {score:.3f}'
            for score, host, phase in culprits
        ]
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(path + ".tmp", path)


def escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def last_words(path: str, fault: Fault, step: int, name: Callable[[int], str]) -> None:
    """The termination message of the pod: cause, culprit, step, remedy, at most 4 KiB."""
    if path and os.path.exists(path):
        words = {
            "code": fault.code,
            "cause": fault.reason[:2000],
            "culprits": [name(rank) for rank in fault.culprits[:16]],
            "step": step,
            "remedy": fault.remedy[:500],
        }
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(words)[:4095])


def tensorboard(out: str) -> Any:
    """A SummaryWriter where one can be imported, else nothing."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(os.path.join(out, "tensorboard"))
