"""Verdicts about jobs, as lines and tables for people and as a tree for programs."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.diagnostics.safe import log_line, width
from specgen.quantity import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.model import Region
    from specgen.schedulers.sums import Row
    from specgen.schedulers.verdict import Answer
    from specgen.schedulers.walk import Walk

_HEAD = ("ROLE", "NODES", "RESOURCE", "ASKED", "THERE", "FREE", "FITTING")
# Rows of a job that are shown.
_ROWS = 24
# Roles that ask alike are named up to so many.
_LISTED = 5
_BYTES = ("memory", "ephemeral-storage")


def table(answers: Sequence[Answer], *, explain: bool = False) -> str:
    """A line a job, and below it, where it does not fit, the sums and what would help; the last line is ended."""
    lines: list[str] = []
    for at, answer in enumerate(answers):
        fits = answer.verdict == "fits"
        if at and (lines[-1].startswith(" ") or not fits):
            lines.append("")
        lines.append(f"{answer.kind} {_name(answer)}: {answer.verdict}: {_said(answer)}")
        evicts = "may evict" if answer.verdict == "unknown" else "evicts"
        lines += [f"  it {evicts} pods of {one}" for one in answer.evicts]
        lines += [f"  {note}" for note in answer.notes]
        if answer.turn is not None:
            from specgen.cli.queued import lines as said  # most jobs have no queue

            lines += [f"  {line}".rstrip() for line in said(answer.turn)]
        if not fits:
            lines += [f"  {line}".rstrip() for line in _sums(answer)]
            lines += [f"  {_line(one)}" for one in answer.lines]
            lines += [f"  would help: {one}" for one in answer.helps]
        if explain:
            lines += [f"  {line}" for line in _explained(answer)]
    return "".join(log_line(line) + "\n" for line in lines)


def tree(answer: Answer) -> dict[str, Any]:
    """All of an answer."""
    queued: dict[str, Any] = {}
    if answer.turn is not None:
        from specgen.cli.queued import tree as said  # most jobs have no queue

        queued["queue"] = said(answer.turn)
    return {
        "kind": answer.kind,
        "name": answer.name,
        "namespace": answer.namespace,
        "verdict": answer.verdict,
        "reason": answer.reason,
        "pods": answer.pods,
        "bound": answer.bound,
        "placed": answer.placed,
        "waiting": [
            {
                "role": one.role,
                "pods": one.pods,
                "message": one.message,
                "nodes": [{"group": group, "nodes": nodes, "reason": reason} for group, nodes, reason in one.by],
            }
            for one in answer.waiting
        ],
        "evicts": answer.evicts,
        **queued,
        "filters": [
            {
                "roles": walk.roles,
                "nodes": walk.nodes,
                "before": walk.before,
                "steps": [
                    {
                        "filter": step.name,
                        "left": step.left,
                        "refused": [{"nodes": nodes, "reason": reason} for nodes, reason in step.refused],
                    }
                    for step in walk.steps
                ],
            }
            for walk in answer.walks
        ],
        "sums": [
            {
                "role": row.role,
                "group": row.group,
                "nodes": row.nodes,
                "away": row.away,
                "resource": row.resource,
                "asked": _amount(row.each, row.resource),
                "pods": row.pods,
                "there": _amount(row.there, row.resource),
                "free": _amount(row.free, row.resource),
                "fitting": row.fitting,
                "barred": row.barred,
            }
            for row in answer.rows
        ],
        "cluster": [
            {"file": at["file"], "line": at["start"]["line"], "column": at["start"]["column"], "says": at["label"]}
            for at in answer.lines
        ],
        "helps": answer.helps,
        "notes": answer.notes,
    }


def _line(at: Region) -> str:
    return f"the cluster profile: {at['file']}:{at['start']['line']}:{at['start']['column']}: {at['label']}"


def _name(answer: Answer) -> str:
    return answer.name if answer.namespace == "default" else f"{answer.namespace}/{answer.name}"


def _said(answer: Answer) -> str:
    return f"{plural(answer.pods, 'pod')}, {answer.reason}" if answer.verdict == "fits" else answer.reason


def _sums(answer: Answer) -> list[str]:
    """The rows of the sums, those that decide first, as columns."""
    if not answer.rows:
        return []
    from specgen.schedulers.sums import deciding

    short = deciding(answer.rows)
    rows = sorted(short, key=lambda row: (bool(row.barred), row.role))[:_ROWS]
    cells = [_HEAD, *(_row(row) for row in rows)]
    widths = [max(width(line[at]) for line in cells) for at in range(len(_HEAD))]
    lines = [
        "  ".join(cell + " " * (size - width(cell)) for cell, size in zip(line, widths, strict=True)) for line in cells
    ]
    left = len(short) - len(rows)
    return ["", *(line.rstrip() for line in lines), *([f"and {left} more rows"] if left else []), ""]


def _row(row: Row) -> tuple[str, ...]:
    there, free = (_amount(one, row.resource) for one in (row.there, row.free))
    asked = f"{row.pods} x {_amount(row.each, row.resource)}"
    fitting = row.barred or plural(row.fitting, "pod")
    away = f", {row.away} away" if row.away else ""
    return row.role, f"{row.nodes} of {row.group}{away}", row.resource, asked, there, free, fitting


def _amount(value: int, resource: str) -> str:
    binary = resource in _BYTES or resource.startswith("hugepages-")
    return canonical(value, "1Ki" if binary else "")


def _walked(walk: Walk) -> list[str]:
    """What each filter leaves, as far as any node is left."""
    roles = walk.roles if len(walk.roles) <= _LISTED else [*walk.roles[:_LISTED], f"{len(walk.roles) - _LISTED} more"]
    lines = [f"{', '.join(roles)}: {plural(walk.nodes, 'node')} before the filters"]
    if walk.before:
        return [*lines, f"  none is asked: {walk.before}"]
    asked = walk.steps[: next((at + 1 for at, step in enumerate(walk.steps) if not step.left), None)]
    widest = max((len(step.name) for step in asked), default=0)
    for step in asked:
        why = "".join(f", {nodes} {reason}" for nodes, reason in step.refused)[2:]
        lines.append(f"  {step.name:{widest}}  {step.left} left" + (f"  ({why})" if why else ""))
    return lines


def _explained(answer: Answer) -> list[str]:
    lines = [line for walk in answer.walks for line in _walked(walk)]
    for role, groups in answer.placed.items():
        for group, counts in groups.items():
            lines.append(f"{role}: {plural(sum(counts), 'pod')} on {plural(len(counts), 'node')} of {group}")
    for one in answer.waiting:
        lines.append(f"{one.role}: {plural(one.pods, 'pod')} without a node")
        lines += [f"  {group}: {plural(nodes, 'node')}: {reason}" for group, nodes, reason in one.by]
        lines.append(f"  the pod is told: {one.message}")
    return lines
