"""`trainer report OUT`: report.md, report.json and SVG pictures of one job, all its attempts together (T10)."""

from __future__ import annotations

import glob
import json
import os
from datetime import datetime
from typing import Any

from trainer import svg
from trainer.faults import MEANING, USAGE, Fault

# Phases of the watchdog, as the reader of a report thinks of them.
SHARES = {
    "init": "start",
    "data": "data",
    "fwd": "productive",
    "bwd": "productive",
    "eval": "productive",
    "sync": "waiting",
    "save": "save",
    "repeated": "repeated",
}
ORDER = ("productive", "waiting", "data", "save", "repeated", "start")


def lines(pattern: str) -> dict[int, list[dict[str, Any]]]:
    """{rank: lines}; a line cut off by a kill is left out."""
    found: dict[int, list[dict[str, Any]]] = {}
    for path in sorted(glob.glob(pattern)):
        with open(path, encoding="utf-8") as file:
            found[int(path.rsplit("-", 1)[1][:5])] = [json.loads(line) for line in file if line.endswith("}\n")]
    return found


def seconds(a: str, b: str) -> float:
    return (datetime.fromisoformat(b) - datetime.fromisoformat(a)).total_seconds()


def spent(metrics: list[dict[str, Any]], events: list[dict[str, Any]], attempt: int) -> dict[str, float]:
    """Seconds by share in one attempt: the last account that was written before its end."""
    last: dict[str, float] = {}
    for line in sorted([*metrics, *events], key=lambda line: str(line["time"])):
        if line["attempt"] == attempt and line.get("spent"):
            last = line["spent"]
    shares = dict.fromkeys(ORDER, 0.0)
    for phase, value in last.items():
        shares[SHARES[phase]] += value
    return shares


def collect(out: str, base: str = "") -> dict[str, Any]:
    metrics, events = lines(os.path.join(out, "metrics-*.jsonl")), lines(os.path.join(out, "events-*.jsonl"))
    if not events.get(0):
        raise Fault(USAGE, f"`{out}` holds no job of this program: no events-00000.jsonl")
    mine, told = metrics.get(0, []), events[0]
    attempts = []
    for number in sorted({line["attempt"] for line in told}):
        of = [line for line in told if line["attempt"] == number]
        end = next((line for line in reversed(of) if line["event"] in {"exit", "verdict"}), None)
        steps = [line["step"] for line in mine if line["attempt"] == number]
        last = max([line["time"] for line in of] + [line["time"] for line in mine if line["attempt"] == number])
        attempts.append(
            {
                "attempt": number,
                "start": of[0]["time"],
                "elapsed_s": seconds(of[0]["time"], last),
                "steps": [min(steps), max(steps)] if steps else [],
                "code": end["code"] if end else 0 if any(line["event"] == "end" for line in of) else None,
                "cause": end["reason"]
                if end
                else ""
                if any(line["event"] == "end" for line in of)
                else "ended without a word",
                "shares_s": spent(mine, of, number),
            }
        )
    total = {name: sum(attempt["shares_s"][name] for attempt in attempts) for name in ORDER}
    ranks = {}
    for rank, rows in metrics.items():
        if rows:
            ranks[rank] = {
                name: sum(row[f"{name}_ms"] for row in rows) / len(rows)
                for name in ("step", "data", "fwd_bwd", "comm", "save")
            }
    evals = [line for line in told if line["event"] == "eval"]
    report = {
        "out": os.path.basename(os.path.abspath(out)),
        "world": len(events),
        "attempts": attempts,
        "shares_s": total,
        "steps": mine[-1]["step"] if mine else 0,
        "loss": mine[-1]["loss"] if mine else None,
        "img_s": middle([row["img_s"] for row in mine]),
        "step_ms": middle([row["step_ms"] for row in mine]),
        "step_p95_ms": middle([row["step_p95_ms"] for row in mine]),
        "busbw_gbs": middle([row["busbw_gbs"] for row in mine]),
        "goodput": (total["productive"] + total["waiting"]) / max(sum(total.values()), 1e-9),
        "ranks": ranks,
        "stragglers": [line for line in told if line["event"] == "straggler"],
        "accuracy": evals[-1]["accuracy"] if evals else None,
    }
    if base:
        one = collect(base)
        report["efficiency"] = (
            report["img_s"] / (one["img_s"] * report["world"] / one["world"]) if one["img_s"] else None
        )
    return report


def middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


def markdown(report: dict[str, Any]) -> str:
    whole = max(sum(report["shares_s"].values()), 1e-9)
    text = [
        f"# Training report: {report['out']}",
        "",
        "| ranks | steps | loss | accuracy | images/s | step ms | p95 ms | busbw GB/s | goodput |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        f"| {report['world']} | {report['steps']} | {known(report['loss'], '.4f')} | "
        f"{known(report['accuracy'], '.4f')} | {report['img_s']:.1f} | "
        f"{report['step_ms']:.1f} | {report['step_p95_ms']:.1f} | {report['busbw_gbs']:.2f} | "
        f"{report['goodput']:.2f} |",
        "",
    ]
    if "efficiency" in report:
        text += [f"Scaling efficiency against the one-rank run: {known(report['efficiency'], '.3f')}", ""]
    text += [
        "![Throughput](report-throughput.svg)",
        "",
        "![Step time](report-steps.svg)",
        "",
        "## Where the time went",
        "",
        "![Time](report-time.svg)",
        "",
        "| share | seconds | % |",
        "|---|--:|--:|",
    ]
    text += [f"| {name} | {value:.2f} | {100 * value / whole:.1f} |" for name, value in report["shares_s"].items()]
    text += [
        "",
        "Rank 0's time: `productive` is forward, backward and evaluation, `waiting` is for other ranks.",
        "",
        "## Ranks",
        "",
        "![Ranks and phases](report-ranks.svg)",
        "",
    ]
    slow: dict[tuple[int, str], int] = {}
    for line in report["stragglers"]:
        slow[line["rank"], line["phase"]] = slow.get((line["rank"], line["phase"]), 0) + 1
    text += [
        f"- rank {rank} was slow in {phase} in {count} interval{'s' if count > 1 else ''}"
        for (rank, phase), count in sorted(slow.items())
    ] or ["No rank fell below 0.8 of the fastest."]
    text += ["", "## Attempts", "", "| attempt | start | seconds | steps | exit | cause |", "|--:|---|--:|---|---|---|"]
    for row in report["attempts"]:
        code = "killed" if row["code"] is None else f"{row['code']} ({MEANING.get(row['code'], ('?', ''))[0]})"
        steps = f"{row['steps'][0]} to {row['steps'][1]}" if row["steps"] else "none"
        text.append(
            f"| {row['attempt']} | {row['start']} | {row['elapsed_s']:.1f} | {steps} | {code} | "
            f"{row['cause'].replace('|', '/')} |"
        )
    return "\n".join(text) + "\n"


def known(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def run(out: str, base: str = "") -> None:
    report = collect(out, base)
    mine = lines(os.path.join(out, "metrics-00000.jsonl"))[0] if report["steps"] else []
    breaks = [i for i in range(1, len(mine)) if mine[i]["attempt"] != mine[i - 1]["attempt"]]
    xs = [row["step"] for row in mine]
    pictures = {
        "throughput": svg.lines("Images per second", xs, {"all ranks": [row["img_s"] for row in mine]}, breaks),
        "steps": svg.lines(
            "Step time in ms",
            xs,
            {"median": [row["step_ms"] for row in mine], "95 %": [row["step_p95_ms"] for row in mine]},
            breaks,
        ),
        "time": svg.bar("Rank 0's time in seconds", report["shares_s"]),
        "ranks": svg.heat("Mean milliseconds by rank and phase", report["ranks"], ("data", "fwd_bwd", "comm", "save")),
    }
    for name, picture in pictures.items():
        write(os.path.join(out, f"report-{name}.svg"), picture)
    write(os.path.join(out, "report.json"), json.dumps(report, indent=1) + "\n")
    write(os.path.join(out, "report.md"), markdown(report))


def write(path: str, text: str) -> None:
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".tmp", path)
