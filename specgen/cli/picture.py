"""Where jobs stand, drawn: nodes by group with their devices, one letter a job; what waits stands beside it.

Where a queue has its say, the queue is drawn below them (``queue_picture``).

As text for terminals, as SVG, and as a page of HTML that needs no other file. Colours only repeat what letters say.
"""

from __future__ import annotations

from html import escape

from specgen.diagnostics.model import plural
from specgen.diagnostics.safe import log_line
from specgen.operators.kubernetes.room import asked
from specgen.quantity import NANO
from specgen.version import GENERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.schedulers.verdict import Answer
    from specgen.schedulers.world import Nodes, World

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# What stands there already, and what is free.
_OTHER, _FREE = "#", "."
# Okabe and Ito, "Color Universal Design": told apart by those who see fewer colours.
_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999")
# Nodes of a group that are drawn, and devices of a node.
_NODES, _DEVICES = 48, 16
# Jobs whose queue is drawn.
_QUEUED = 32
_CELL, _ROW, _NAME = 16, 24, 200


class Tile:
    """A node: its name, and a letter for each of its devices."""

    __slots__ = ("cells", "name")

    def __init__(self, name: str, cells: str) -> None:
        self.name = name
        self.cells = cells


class Field:
    """A group of nodes: what its cells are, the nodes that hold something or are drawn, and how many are not."""

    __slots__ = ("left", "name", "tiles", "what")

    def __init__(self, name: str, what: str, tiles: list[Tile], left: int) -> None:
        self.name = name
        self.what = what
        self.tiles = tiles
        self.left = left


def letters(answers: Sequence[Answer]) -> dict[str, str]:
    """Letter → job, as a line of the legend says it."""
    return {
        _LETTERS[at % len(_LETTERS)]: f"{one.kind} {one.name}: {one.verdict}: {one.reason}"
        for at, one in enumerate(answers)
    }


def fields(world: World, answers: Sequence[Answer]) -> list[Field]:
    """The groups of the world with what stands on them."""
    return [_field(nodes, world, answers) for nodes in world.nodes]


def _field(nodes: Nodes, world: World, answers: Sequence[Answer]) -> Field:
    devices = [name for name, amount in nodes.allocatable.items() if "/" in name and NANO <= amount <= _DEVICES * NANO]
    device = next((name for name in devices if "gpu" in name), next(iter(devices), ""))
    size = nodes.allocatable.get(device, 0) // NANO
    held: dict[str, str] = {}
    for tree in world.pods:
        spec = tree.get("spec") or {}
        name = str(spec.get("nodeName") or "")
        if nodes.names.place(name) is not None:
            held[name] = held.get(name, "") + _OTHER * (asked(spec).get(device, 0) // NANO if device else 1)
    for at, answer in enumerate(answers):
        each = {row.role: row.each // NANO for row in answer.rows if row.resource == device}
        # where nothing is known of a job, nothing is drawn
        for _, name, role, pods in answer.nodes if answer.verdict != "unknown" else ():
            if nodes.names.place(name) is not None:
                held[name] = (
                    held.get(name, "") + _LETTERS[at % len(_LETTERS)] * (each.get(role, 0) if device else 1) * pods
                )
    # those that hold something come first, in the order of their places
    names = sorted(held, key=lambda name: nodes.names.place(name) or 0)[:_NODES]
    at = 0
    while len(names) < min(_NODES, nodes.count) and at < nodes.count:
        if nodes.names[at] not in held:
            names.append(nodes.names[at])
        at += 1
    names.sort(key=lambda name: nodes.names.place(name) or 0)
    tiles = [Tile(name, (held.get(name, "") + _FREE * size)[: max(size, len(held.get(name, "")))]) for name in names]
    places = [
        f"{key}={value}" for key, value in nodes.labels.items() if key.rpartition("/")[2] in ("rack", "zone", "block")
    ]
    called = f"{nodes.group} ({', '.join(places)})" if places else nodes.group
    return Field(called, device or "pods", tiles, nodes.count - len(tiles))


def text(world: World, answers: Sequence[Answer]) -> str:
    """The picture in letters; nodes that look alike side by side are one line."""
    lines = []
    for field in fields(world, answers):
        lines += ["", f"{field.name}: {plural(len(field.tiles) + field.left, 'node')}, {field.what}"]
        run: list[Tile] = []
        for tile in [*field.tiles, None]:
            if run and (tile is None or tile.cells != run[0].cells):
                called = run[0].name if len(run) == 1 else f"{run[0].name} … {run[-1].name}"
                more = f"  x {len(run)}" if len(run) > 1 else ""
                lines.append(f"  [{run[0].cells}]  {called}{more}")
                run = []
            if tile is not None:
                run.append(tile)
        if field.left:
            lines.append(f"  and {plural(field.left, 'node')} more")
    lines += ["", *(f"  {letter}  {job}" for letter, job in letters(answers).items())]
    if any(_OTHER in tile.cells for field in fields(world, answers) for tile in field.tiles):
        lines.append(f"  {_OTHER}  what runs already")
    return "".join(log_line(line) + "\n" for line in lines)


def svg(world: World, answers: Sequence[Answer]) -> str:
    """The picture as SVG, with a title and a description for those who do not see it."""
    drawn = fields(world, answers)
    named = letters(answers)
    wide = max((len(tile.cells) for field in drawn for tile in field.tiles), default=1)
    width = max(_NAME + wide * _CELL + 40, 720)
    parts: list[str] = []
    at = 32
    for field in drawn:
        heading = f"{field.name}: {plural(len(field.tiles) + field.left, 'node')}, {field.what}"
        parts.append(f'<text class="group" x="16" y="{at}">{escape(heading)}</text>')
        at += 10
        for tile in field.tiles:
            parts.append(f"<g><title>{escape(_spoken(tile, named))}</title>")
            parts.append(f'<text x="16" y="{at + 14}">{escape(tile.name[:28])}</text>')
            for place, letter in enumerate(tile.cells):
                parts.append(_cell(_NAME + place * _CELL, at, letter))
            parts.append("</g>")
            at += _ROW
        if field.left:
            parts.append(f'<text x="16" y="{at + 14}">and {plural(field.left, "node")} more</text>')
            at += _ROW
        at += 24
    for letter, job in named.items():
        parts.append(f'<g class="job">{_cell(16, at - 12, letter)}<text x="40" y="{at}">{escape(job[:96])}</text></g>')
        at += _ROW
    told = list(named.values()) or ["no job"]
    queued = [(place, one.turn) for place, one in enumerate(answers) if one.turn is not None]
    if queued:
        from specgen.cli import queue_picture as queues  # most worlds have no queues

        width = max(width, queues.WIDTH)
        at += 24
        for place, turn in queued[:_QUEUED]:
            letter = _LETTERS[place % len(_LETTERS)]
            called = f"{letter}  {answers[place].kind} {answers[place].name}: {answers[place].verdict}"
            drawing, at = queues.section(turn, called, _COLOURS[place % len(_LETTERS) % len(_COLOURS)], at)
            parts += drawing
            told.append(f"{answers[place].name}: {queues.spoken(turn)}")
        if len(queued) > _QUEUED:
            parts.append(f'<text x="16" y="{at}">and {plural(len(queued) - _QUEUED, "job")} more in queues</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {at + 8}" width="{width}" height="{at + 8}"'
        f' role="img" {GENERATOR} aria-labelledby="title desc" font-family="sans-serif" font-size="12">'
        f'<title id="title">Where jobs stand</title><desc id="desc">{escape("; ".join(told))}</desc>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _cell(x: int, y: int, letter: str) -> str:
    fill = "#ffffff" if letter == _FREE else "#444444"
    if letter in _LETTERS:
        fill = _COLOURS[_LETTERS.index(letter) % len(_COLOURS)]
    ink = "#ffffff" if letter == _OTHER else "#000000"
    said = (
        "" if letter == _FREE else f'<text x="{x + 7}" y="{y + 13}" text-anchor="middle" fill="{ink}">{letter}</text>'
    )
    return f'<rect x="{x}" y="{y}" width="14" height="18" fill="{fill}" stroke="#666666"/>{said}'


def _spoken(tile: Tile, named: dict[str, str]) -> str:
    counts = {letter: tile.cells.count(letter) for letter in dict.fromkeys(tile.cells)}
    who = {_FREE: "free", _OTHER: "in use already", **{letter: job.partition(":")[0] for letter, job in named.items()}}
    return f"{tile.name}: " + (", ".join(f"{count} {who[letter]}" for letter, count in counts.items()) or "no devices")


def html(world: World, answers: Sequence[Answer], table: str) -> str:
    """The picture and the answers as a page that needs no other file."""
    return (
        f'<!doctype html>\n<html lang="en" {GENERATOR}>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<title>Where jobs stand</title>\n'
        "<style>body{font:14px/1.5 sans-serif;margin:2rem;color:#111;background:#fff}"
        "svg{max-width:100%;height:auto}pre{overflow-x:auto}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>Where jobs stand</h1>\n{svg(world, answers)}<h2>Answers</h2>\n<pre>{escape(table)}</pre>\n"
        "</main>\n</body>\n</html>\n"
    )
