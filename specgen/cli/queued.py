"""What a queue says of a job, as lines for people and as a tree for programs."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.diagnostics.safe import width
from specgen.schedulers.kueue.quota import shown
from specgen.schedulers.turns import ADMITTED, NEVER, few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.turns import Sum, Turn

_HEAD = ("PODS", "FLAVOR", "RESOURCE", "ASKED", "NOMINAL", "BORROWED", "AT MOST", "USED", "LEFT", "SHORT BY")
_WORDS = ("asked", "nominal", "borrowed", "most", "used", "left", "short")
_ROOMS = 8


def lines(turn: Turn) -> list[str]:
    """The queue, its sums, and who is before the job."""
    behind = f" of ClusterQueue {turn.cluster_queue}" if turn.cluster_queue else ""
    made = [f"queue: {turn.queue}{behind}"]
    if turn.verdict == ADMITTED:
        return made + given(turn)
    made += told(turn)
    if turn.level:
        rooms = _counted(turn.rooms[:_ROOMS])
        left = len(turn.rooms) - len(rooms)
        made.append(f"room by {turn.level}: {', '.join([*rooms, *([f'{left} more'] if left else [])]) or 'none'}")
    if turn.sums:
        short = [one for one in turn.sums if one.short] or turn.sums
        cells = [_HEAD, *(_row(one) for one in short)]
        widths = [max(width(line[at]) for line in cells) for at in range(len(_HEAD))]
        made += ["", *("  ".join(_padded(line, widths)).rstrip() for line in cells)]
    return made


def given(turn: Turn) -> list[str]:
    """What a job that begins is given."""
    flavors = [f"{pods}: {', '.join(names)}" for pods, names in turn.flavors.items() if names]
    domains = [f"{pods}: {few(_counted(found))}" for pods, found in turn.domains.items()]
    borrowed = {(one.flavor, one.resource): one for one in turn.sums if one.borrowed}
    return [
        *([f"flavors: {'; '.join(flavors)}"] if flavors else []),
        *([f"domains: {'; '.join(domains)}"] if domains else []),
        *(
            f"the queue borrows {shown(name, one.borrowed)} of {name}{f' in flavor {flavor}' if flavor else ''}"
            for (flavor, name), one in borrowed.items()
        ),
    ]


def told(turn: Turn) -> list[str]:
    """Whom a job that waits is behind."""
    return [
        *([f"before it in the queue: {few(turn.before)}"] if turn.before and turn.verdict != NEVER else []),
        *([f"the quota is held by: {few(turn.holders)}"] if turn.holders else []),
    ]


def in_words(one: Sum) -> str:
    """A sum of a queue."""
    said = {"most": "at most", "short": "short by"}
    words = [word for word in _WORDS if word != "short" or one.short]
    return ", ".join([f"{said.get(word, word)} {shown(one.resource, getattr(one, word))}" for word in words])


def _counted(domains: list[tuple[str, int]]) -> list[str]:
    return [f"{name} {plural(count, 'pod')}" for name, count in domains]


def _padded(line: tuple[str, ...], widths: list[int]) -> list[str]:
    return [cell + " " * (size - width(cell)) for cell, size in zip(line, widths, strict=True)]


def _row(one: Sum) -> tuple[str, ...]:
    amounts = (one.asked, one.nominal, one.borrowed, one.most, one.used, one.left, one.short)
    return (one.pods, one.flavor or "-", one.resource, *(shown(one.resource, amount) for amount in amounts))


def tree(turn: Turn) -> dict[str, Any]:
    """All that a queue says."""
    return {
        "queue": turn.queue,
        "clusterQueue": turn.cluster_queue,
        "verdict": turn.verdict,
        "message": turn.message,
        "flavors": turn.flavors,
        "domains": {
            pods: [{"domain": name, "pods": count} for name, count in found] for pods, found in turn.domains.items()
        },
        "before": turn.before,
        "heldBy": turn.holders,
        "evicts": turn.evicts,
        "level": turn.level,
        "rooms": [{"domain": name, "pods": count} for name, count in turn.rooms],
        "tree": [
            {
                "domain": "/".join(one.values),
                "pods": one.pods,
                "free": {name: shown(name, amount) for name, amount in one.free.items()},
                "there": {name: shown(name, amount) for name, amount in one.there.items()},
            }
            for one in turn.tree
        ],
        "sums": [
            {"pods": one.pods, "flavor": one.flavor, "resource": one.resource}
            | {word: shown(one.resource, getattr(one, word)) for word in _WORDS}
            for one in turn.sums
        ],
    }
