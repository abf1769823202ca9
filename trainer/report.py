"""``trainer report OUT``: report.md, report.json and SVG pictures of one job, all its attempts together."""

from __future__ import annotations

import glob
import itertools
import json
import os
from collections import Counter
from datetime import datetime
from statistics import fmean, median
from typing import Any

from trainer import svg
from trainer.faults import MEANING, USAGE, Fault
from trainer.files import json_lines, put

# Phases of the watchdog, as the reader of a report thinks of them.
SHARES = {"fwd": "productive", "bwd": "productive", "eval": "productive", "sync": "waiting", "init": "start"}
NAMES = ("productive", "waiting", "data", "save", "repeated", "start", "between")
PHASES = ("step", "data", "fwd_bwd", "comm", "save")
PAGE = """# Training report: {out}

| ranks | steps | loss | accuracy | images/s | step ms | p95 ms | gradient GB/exposed s | goodput | scaling efficiency |
|---|---|---|---|---|---|---|---|---|---|
| {world} | {steps} | {loss} | {accuracy} | {img_s} | {step_ms} | {step_p95_ms} | {grad_gb_per_exposed_s} \
| {goodput} | {efficiency} |

![Throughput](report-throughput.svg)

![Loss](report-loss.svg)

![Step time](report-steps.svg)

## Where the time went

![Time](report-time.svg)

| share | seconds | % |
|---|---|---|
{shares}

Rank 0's time: `productive` is forward, backward and evaluation, `waiting` is for other ranks, `between` is
from the end of an attempt to the start of the next one.

## Ranks

![Ranks and phases](report-ranks.svg)

{slow}

## Attempts

| attempt | start | seconds | steps | exit | cause |
|---|---|---|---|---|---|
{attempts}
"""


def lines(out: str, name: str) -> dict[int, list[dict[str, Any]]]:
    """{rank: lines}"""
    paths = sorted(glob.glob(os.path.join(glob.escape(out), f"{name}-*.jsonl")))
    return {int(path.rsplit("-", 1)[1][:5]): json_lines(path) for path in paths}


def attempt_of(number: int, told: list[dict[str, Any]], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One attempt of rank 0: when, which steps, how it ended, and where its time went."""
    told, rows = ([line for line in part if line["attempt"] == number] for part in (told, rows))
    both = sorted([*told, *rows], key=lambda line: str(line["time"]))
    begin, last = (datetime.fromisoformat(line["time"]) for line in (told[0], both[-1]))
    ends = {line["event"]: line for line in told if line["event"] in {"exit", "verdict", "end"}}
    end = ends.get("exit") or ends.get("verdict") or {"code": 0 if ends else None, "reason": ""}
    first = next((line["step"] for line in told if line["event"] == "resume"), 0)
    shares = dict.fromkeys(NAMES, 0.0)
    for phase, seconds in next((line["spent"] for line in reversed(both) if line.get("spent")), {}).items():
        shares[SHARES.get(phase, phase)] += seconds
    return {
        "attempt": number,
        "start": told[0]["time"],
        "elapsed_s": (last - begin).total_seconds(),
        "steps": [first + 1, rows[-1]["step"]] if rows else [],
        "code": end["code"],
        "cause": end["reason"] or ("" if ends else "ended without a word"),
        "shares_s": shares,
    }


def collect(out: str, base: str = "") -> dict[str, Any]:
    """What report.json holds. ``base`` is the --out of a run on one rank. Raises Fault(64) where there was no job."""
    metrics, events = lines(out, "metrics"), lines(out, "events")
    if not events.get(0):
        raise Fault(USAGE, f"`{out}` holds no job of this program: no events-00000.jsonl")
    mine, told = metrics.get(0, []), events[0]
    attempts = [attempt_of(number, told, mine) for number in sorted({line["attempt"] for line in told})]
    for before, after in itertools.pairwise(attempts):
        gap = datetime.fromisoformat(after["start"]) - datetime.fromisoformat(before["start"])
        after["shares_s"]["between"] = max(0.0, gap.total_seconds() - before["elapsed_s"])
    total = {name: sum(attempt["shares_s"][name] for attempt in attempts) for name in NAMES}
    middle = ("img_s", "step_ms", "step_p95_ms", "grad_gb_per_exposed_s")
    report = {
        "out": os.path.basename(os.path.abspath(out)),
        "world": len(events),
        "attempts": attempts,
        "shares_s": total,
        "steps": mine[-1]["step"] if mine else 0,
        "loss": mine[-1]["loss"] if mine else None,
        **{name: median([row.get(name, 0.0) for row in mine] or [0.0]) for name in middle},
        "goodput": (total["productive"] + total["waiting"]) / max(sum(total.values()), 1e-9),
        "ranks": {
            rank: {name: fmean(row[f"{name}_ms"] for row in rows) for name in PHASES}
            for rank, rows in metrics.items()
            if rows
        },
        "stragglers": [line for line in told if line["event"] == "straggler"],
        "accuracy": next((line["accuracy"] for line in reversed(told) if line["event"] == "eval"), None),
        "efficiency": None,
    }
    if base and report["img_s"]:
        one = collect(base)
        report["efficiency"] = report["img_s"] / (one["img_s"] * report["world"] / one["world"])
    return report


def markdown(report: dict[str, Any]) -> str:
    whole = max(sum(report["shares_s"].values()), 1e-9)
    slow = Counter((line["rank"], line["phase"]) for line in report["stragglers"])
    said = [f"- rank {rank} was slow in {phase}, intervals: {n}" for (rank, phase), n in sorted(slow.items())]
    rows = []
    for row in report["attempts"]:
        code = "killed" if row["code"] is None else f"{row['code']} ({MEANING.get(row['code'], '?')[0]})"
        cells = (row["attempt"], row["start"], f"{row['elapsed_s']:.1f}", " to ".join(map(str, row["steps"])) or "none")
        rows.append(f"| {' | '.join(map(str, cells))} | {code} | {row['cause'].replace('|', '/')} |")
    first = {name: "-" if value is None else f"{value:.6g}" for name, value in report.items() if _number(value)}
    shares = [f"| {name} | {value:.2f} | {100 * value / whole:.1f} |" for name, value in report["shares_s"].items()]
    parts = {"shares": shares, "slow": said or ["No rank fell below 0.8 of the fastest."], "attempts": rows}
    return PAGE.format(**first, out=report["out"], **{name: "\n".join(part) for name, part in parts.items()})


def _number(value: Any) -> bool:
    return value is None or isinstance(value, (int, float))


def run(out: str, base: str = "") -> None:
    """Writes the report beside what it is made of."""
    report, mine = collect(out, base), lines(out, "metrics").get(0, [])
    ranks = {f"rank {rank}": row for rank, row in report["ranks"].items()}
    spent = {f"attempt {row['attempt']}": row["shares_s"] for row in report["attempts"]}
    files = {
        "report-throughput.svg": svg.lines("Images per second", mine, {"img_s": "all ranks"}),
        "report-loss.svg": svg.lines("Loss", mine, {"loss": "last batch"}),
        "report-steps.svg": svg.lines("Step time in ms", mine, {"step_ms": "median", "step_p95_ms": "95 %"}),
        "report-time.svg": svg.heat("Rank 0's seconds by attempt", spent, NAMES, shares=True),
        "report-ranks.svg": svg.heat("Mean milliseconds by rank and phase", ranks, PHASES[1:]),
        "report.json": json.dumps(report, indent=1) + "\n",
        "report.md": markdown(report),
    }
    for name, text in files.items():
        put(os.path.join(out, name), text)
