"""A queue, drawn: a bar for each sum of its quota, who is before whom, and the tree of domains with what is free.

Each bar is told in words beside it and in its title; colours only repeat them.
"""

from __future__ import annotations

from html import escape

from specgen.cli.queued import given, in_words, told
from specgen.diagnostics.model import plural
from specgen.schedulers.turns import ADMITTED, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kueue.topology import Room
    from specgen.schedulers.turns import Sum, Turn

# Where bars begin, how wide they are, and how wide the whole is.
_AT, _WIDE, WIDTH = 232, 240, 1040
_ROW, _STEP = 24, 14
# Sums and domains of a job that are drawn.
_SUMS, _ROOMS = 12, 48
_USED, _FREE, _SHORT = "#444444", "#ffffff", "#d55e00"
# Characters of a line, before the bars and in all.
_NAME, _LINE = 32, 150


def section(turn: Turn, called: str, colour: str, at: int) -> tuple[list[str], int]:
    """(the parts of a queue's drawing from a height downwards, the height below it)."""
    heading = f"{called}: queue {turn.queue}" + (f" of ClusterQueue {turn.cluster_queue}" if turn.cluster_queue else "")
    parts = [_text(16, at, heading, ' class="group"')]
    at += 10
    for one in turn.sums[:_SUMS]:
        parts.append(_sum(one, colour, at))
        at += _ROW
    lines = [f"and {plural(len(turn.sums) - _SUMS, 'sum')} more"] if len(turn.sums) > _SUMS else []
    for line in [*lines, *_lines(turn), *_evicted(turn)]:
        parts.append(_text(16, at + 14, line))
        at += _ROW
    if turn.tree:
        parts.append(_text(16, at + 14, f"room for its pods, by {turn.level}"))
        at += _ROW
    for room in turn.tree[:_ROOMS]:
        parts.append(_room(room, at))
        at += _ROW
    if len(turn.tree) > _ROOMS:
        parts.append(_text(16, at + 14, f"and {plural(len(turn.tree) - _ROOMS, 'domain')} more"))
        at += _ROW
    return parts, at + 24


def spoken(turn: Turn) -> str:
    """A queue in a sentence, for those who do not see it."""
    sums = [f"{_called(one)}: {in_words(one)}" for one in turn.sums[:_SUMS]]
    return "; ".join([f"queue {turn.queue}", *sums, *_lines(turn), *_evicted(turn)])


def _lines(turn: Turn) -> list[str]:
    return given(turn) if turn.verdict == ADMITTED else told(turn)


def _evicted(turn: Turn) -> list[str]:
    return [f"it {'may evict' if turn.verdict == UNKNOWN else 'evicts'} {one}" for one in turn.evicts]


def _sum(one: Sum, colour: str, at: int) -> str:
    """A sum as a bar: what is used, what is asked and has room, and, in a frame, what has none."""
    whole = max(one.most, one.used + one.asked, 1)
    room = one.asked if not one.short else max(0, one.asked - one.short)
    bars = [
        _bar(0, one.most, whole, at, _FREE),
        _bar(0, one.used, whole, at, _USED),
        _bar(one.used, room, whole, at, colour),
        _bar(one.used + room, one.asked - room, whole, at, _FREE, f'stroke="{_SHORT}" stroke-dasharray="3 2"'),
    ]
    mark = _AT + _WIDE * one.nominal // whole
    line = f'<path d="M{mark} {at - 2}v22" stroke="#000000" stroke-width="2"/>'
    words = in_words(one)
    return (
        f"<g><title>{escape(f'{_called(one)}: {words}')}</title>{_text(16, at + 14, _called(one)[:_NAME])}"
        f"{_text(_AT + _WIDE + 12, at + 14, words)}{''.join(bars)}{line}</g>"
    )


def _called(one: Sum) -> str:
    return f"{one.pods}, {one.flavor}: {one.resource}" if one.flavor else f"{one.pods}: {one.resource}"


def _room(room: Room, at: int) -> str:
    """A domain, below the one that it is in, as bars of what is free of each resource that pods ask for."""
    words = f"{plural(room.pods, 'pod')}: {', '.join(free_in_words(room))}"
    indent = 16 + _STEP * (len(room.values) - 1)
    names = [name for name in room.there if "/" in name] or list(room.there)[:1]
    bars = "".join(
        _bar(0, room.there[name], max(room.there[name], 1), at, _FREE)
        + _bar(0, room.there[name] - room.free[name], max(room.there[name], 1), at, _USED)
        for name in names[:1]
    )
    return (
        f"<g><title>{escape('/'.join(room.values))}: {escape(words)}</title>"
        f"{_text(indent, at + 14, room.values[-1][:_NAME])}{_text(_AT + _WIDE + 12, at + 14, words)}{bars}</g>"
    )


def free_in_words(room: Room) -> list[str]:
    """What of each resource is free in a domain."""
    from specgen.schedulers.kueue.quota import shown

    return [
        f"{shown(name, room.free[name])} of {shown(name, amount)} {name} free" for name, amount in room.there.items()
    ]


def _bar(first: int, amount: int, whole: int, at: int, fill: str, edge: str = 'stroke="#666666"') -> str:
    if amount <= 0:
        return ""
    left, right = (_AT + _WIDE * value // whole for value in (first, first + amount))
    return f'<rect x="{left}" y="{at}" width="{max(right - left, 1)}" height="18" fill="{fill}" {edge}/>'


def _text(x: int, y: int, text: str, more: str = "") -> str:
    return f'<text{more} x="{x}" y="{y}">{escape(text[:_LINE])}</text>'
