"""What a queue says of a job, as lines for people and as a tree for programs."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.diagnostics.safe import width
from specgen.schedulers.kueue.answer import NEVER, few
from specgen.schedulers.kueue.quota import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.kueue.answer import Turn

_HEAD = ("PODS", "FLAVOR", "RESOURCE", "ASKED", "NOMINAL", "AT MOST", "USED", "LEFT", "SHORT BY")
_ROOMS = 8


def lines(turn: Turn) -> list[str]:
    """The queue, its sums, and who is before the job."""
    behind = f" of ClusterQueue {turn.cluster_queue}" if turn.cluster_queue else ""
    made = [f"queue: {turn.queue}{behind}"]
    if turn.flavors:
        given = [f"{pods}: {', '.join(names)}" for pods, names in turn.flavors.items() if names]
        made += [f"flavors: {'; '.join(given)}"] if given else []
        return made
    if turn.before and turn.verdict != NEVER:
        made.append(f"before it in the queue: {few(turn.before)}")
    if turn.holders:
        made.append(f"the quota is held by: {few(turn.holders)}")
    if turn.level:
        rooms = [f"{name} {plural(count, 'pod')}" for name, count in turn.rooms[:_ROOMS]]
        left = len(turn.rooms) - len(rooms)
        made.append(f"room by {turn.level}: {', '.join([*rooms, *([f'{left} more'] if left else [])]) or 'none'}")
    if turn.sums:
        short = [one for one in turn.sums if one.short] or turn.sums
        cells = [_HEAD, *(_row(one) for one in short)]
        widths = [max(width(line[at]) for line in cells) for at in range(len(_HEAD))]
        made += ["", *("  ".join(_padded(line, widths)).rstrip() for line in cells)]
    return made


def _padded(line: tuple[str, ...], widths: list[int]) -> list[str]:
    return [cell + " " * (size - width(cell)) for cell, size in zip(line, widths, strict=True)]


def _row(one: Any) -> tuple[str, ...]:
    amounts = (one.asked, one.nominal, one.most, one.used, one.left, one.short)
    return (one.pods, one.flavor, one.resource, *(shown(one.resource, amount) for amount in amounts))


def tree(turn: Turn) -> dict[str, Any]:
    """All that a queue says."""
    words = ("asked", "nominal", "most", "used", "left", "short")
    return {
        "queue": turn.queue,
        "clusterQueue": turn.cluster_queue,
        "verdict": turn.verdict,
        "message": turn.message,
        "flavors": turn.flavors,
        "before": turn.before,
        "heldBy": turn.holders,
        "level": turn.level,
        "rooms": [{"domain": name, "pods": count} for name, count in turn.rooms],
        "sums": [
            {"pods": one.pods, "flavor": one.flavor, "resource": one.resource}
            | {word: shown(one.resource, getattr(one, word)) for word in words}
            for one in turn.sums
        ],
    }
