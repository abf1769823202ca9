"""`trainer report OUT`: report.md, report.json and SVG pictures of one job, all its attempts together (T10)."""

from __future__ import annotations

import glob
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
SHARES = {
    "fwd": "productive",
    "bwd": "productive",
    "eval": "productive",
    "sync": "waiting",
    "data": "data",
    "save": "save",
    "repeated": "repeated",
    "init": "start",
}
# Column, key and form of the first table.
SUMMARY = (
    ("ranks", "world", "d"),
    ("steps", "steps", "d"),
    ("loss", "loss", ".4f"),
    ("accuracy", "accuracy", ".4f"),
    ("images/s", "img_s", ".1f"),
    ("step ms", "step_ms", ".1f"),
    ("p95 ms", "step_p95_ms", ".1f"),
    ("busbw GB/s", "busbw_gbs", ".2f"),
    ("goodput", "goodput", ".2f"),
)


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
    spent: dict[str, float] = next((line["spent"] for line in reversed(both) if line.get("spent")), {})
    shares = dict.fromkeys(SHARES.values(), 0.0)
    for phase, seconds in spent.items():
        shares[SHARES[phase]] += seconds
    return {
        "attempt": number,
        "start": told[0]["time"],
        "elapsed_s": (last - begin).total_seconds(),
        "steps": [rows[0]["step"], rows[-1]["step"]] if rows else [],
        "code": end["code"],
        "cause": end["reason"] or ("" if ends else "ended without a word"),
        "shares_s": shares,
    }


def collect(out: str, base: str = "") -> dict[str, Any]:
    metrics, events = lines(out, "metrics"), lines(out, "events")
    if not events.get(0):
        raise Fault(USAGE, f"`{out}` holds no job of this program: no events-00000.jsonl")
    mine, told = metrics.get(0, []), events[0]
    attempts = [attempt_of(number, told, mine) for number in sorted({line["attempt"] for line in told})]
    total = {name: sum(attempt["shares_s"][name] for attempt in attempts) for name in attempts[0]["shares_s"]}
    evals = [line["accuracy"] for line in told if line["event"] == "eval"]
    report = {
        "out": os.path.basename(os.path.abspath(out)),
        "world": len(events),
        "attempts": attempts,
        "shares_s": total,
        "steps": mine[-1]["step"] if mine else 0,
        "loss": mine[-1]["loss"] if mine else None,
        **{
            name: median([row[name] for row in mine] or [0.0])
            for name in ("img_s", "step_ms", "step_p95_ms", "busbw_gbs")
        },
        "goodput": (total["productive"] + total["waiting"]) / max(sum(total.values()), 1e-9),
        "ranks": {
            rank: {
                name: fmean(row[f"{name}_ms"] for row in rows) for name in ("step", "data", "fwd_bwd", "comm", "save")
            }
            for rank, rows in metrics.items()
            if rows
        },
        "stragglers": [line for line in told if line["event"] == "straggler"],
        "accuracy": evals[-1] if evals else None,
    }
    if base:
        one = collect(base)
        alike = one["img_s"] * report["world"] / one["world"]
        report["efficiency"] = report["img_s"] / alike if alike else None
    return report


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    bars = [f"| {' | '.join(cells)} |" for cells in [head, *rows]]
    return [bars[0], "|---" * len(head) + "|", *bars[1:], ""]


def markdown(report: dict[str, Any]) -> str:
    whole = max(sum(report["shares_s"].values()), 1e-9)
    slow = Counter((line["rank"], line["phase"]) for line in report["stragglers"])
    summary = ["-" if report[key] is None else f"{report[key]:{form}}" for _, key, form in SUMMARY]
    text = [f"# Training report: {report['out']}", "", *table([name for name, *_ in SUMMARY], [summary])]
    if report.get("efficiency") is not None:
        text += [f"Scaling efficiency against the one-rank run: {report['efficiency']:.3f}", ""]
    text += ["![Throughput](report-throughput.svg)", "", "![Step time](report-steps.svg)", ""]
    text += ["## Where the time went", "", "![Time](report-time.svg)", ""]
    shares = [[name, f"{value:.2f}", f"{100 * value / whole:.1f}"] for name, value in report["shares_s"].items()]
    text += table(["share", "seconds", "%"], shares)
    text += ["Rank 0's time: `productive` is forward, backward and evaluation, `waiting` is for other ranks.", ""]
    text += ["## Ranks", "", "![Ranks and phases](report-ranks.svg)", ""]
    text += [f"- rank {r} was slow in {phase} in {n} interval{'s' * (n > 1)}" for (r, phase), n in sorted(slow.items())]
    text += ["", "## Attempts", ""] if slow else ["No rank fell below 0.8 of the fastest.", "", "## Attempts", ""]
    rows = []
    for row in report["attempts"]:
        code = "killed" if row["code"] is None else f"{row['code']} ({MEANING.get(row['code'], '?')[0]})"
        steps = " to ".join(map(str, row["steps"])) or "none"
        cause = row["cause"].replace("|", "/")
        rows.append([str(row["attempt"]), row["start"], f"{row['elapsed_s']:.1f}", steps, code, cause])
    return "\n".join(text + table(["attempt", "start", "seconds", "steps", "exit", "cause"], rows))


def run(out: str, base: str = "") -> None:
    report, mine = collect(out, base), lines(out, "metrics").get(0, [])
    breaks = [i for i in range(1, len(mine)) if mine[i]["attempt"] != mine[i - 1]["attempt"]]
    xs, rate, half, most = ([row[name] for row in mine] for name in ("step", "img_s", "step_ms", "step_p95_ms"))
    phases, ranks = ("data", "fwd_bwd", "comm", "save"), {f"rank {rank}": row for rank, row in report["ranks"].items()}
    spent = {f"attempt {row['attempt']}": row["shares_s"] for row in report["attempts"]}
    files = {
        "report-throughput.svg": svg.lines("Images per second", xs, {"all ranks": rate}, breaks),
        "report-steps.svg": svg.lines("Step time in ms", xs, {"median": half, "95 %": most}, breaks),
        "report-time.svg": svg.heat("Rank 0's seconds by attempt", spent, tuple(report["shares_s"])),
        "report-ranks.svg": svg.heat("Mean milliseconds by rank and phase", ranks, phases),
        "report.json": json.dumps(report, indent=1) + "\n",
        "report.md": markdown(report),
    }
    for name, text in files.items():
        put(os.path.join(out, name), text)
