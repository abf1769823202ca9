"""Three small pictures as SVG text: lines over steps, one divided bar, a heat strip."""

from __future__ import annotations

from html import escape

COLOURS = ("#1f6f8b", "#d9822b", "#7a9e3f", "#8e5ea2", "#b3423a", "#8a8a8a")
WIDTH, LEFT, RIGHT, TOP = 760, 70, 20, 44


def page(title: str, height: int, body: list[str]) -> str:
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
                'font-family="sans-serif" font-size="12">',
                f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
                text(LEFT, 20, title, size=15),
                *body,
                "</svg>",
            ]
        )
        + "\n"
    )


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 12, fill: str = "#222222") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{escape(words)}</text>'
    )


def ticks(high: float) -> list[float]:
    """About four round values from 0 to at least `high`."""
    if high <= 0:
        return [0.0, 1.0]
    unit = 10.0 ** (len(f"{int(high)}") - 1) if high >= 1 else 0.1
    while high / unit < 3:
        unit /= 2
    while high / unit > 6:
        unit *= 2
    return [unit * i for i in range(int(high / unit) + 2)]


def short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def lines(title: str, xs: list[int], series: dict[str, list[float]], breaks: list[int]) -> str:
    """Values over steps; a dashed line where a new attempt begins."""
    height, bottom = 260, 220
    marks = ticks(max((value for row in series.values() for value in row), default=0.0))
    low, high = (min(xs), max(xs)) if xs else (0, 1)

    def place(x: float, y: float) -> tuple[float, float]:
        wide = (x - low) / max(1, high - low)
        return LEFT + wide * (WIDTH - LEFT - RIGHT), bottom - y / marks[-1] * (bottom - TOP)

    body = []
    for mark in marks:
        _, y = place(low, mark)
        body += [
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>',
            text(LEFT - 8, y + 4, short(mark), "end"),
        ]
    body += [text(LEFT, bottom + 18, f"step {low}"), text(WIDTH - RIGHT, bottom + 18, f"step {high}", "end")]
    for at in breaks:
        x, _ = place(xs[at], 0)
        body.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="#b3423a" stroke-dasharray="4 3"/>'
        )
    for number, (name, row) in enumerate(series.items()):
        colour = COLOURS[number]
        for begin, end in zip([0, *breaks], [*breaks, len(xs)], strict=True):
            points = [place(x, y) for x, y in zip(xs[begin:end], row[begin:end], strict=True)]
            body.append(
                f'<polyline fill="none" stroke="{colour}" stroke-width="1.8" points="'
                + " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
                + '"/>'
            )
            body += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{colour}"/>' for x, y in points if len(points) < 60
            ]
        body += [
            f'<rect x="{LEFT + number * 120}" y="{bottom + 26}" width="10" height="10" fill="{colour}"/>',
            text(LEFT + number * 120 + 15, bottom + 35, name),
        ]
    return page(title, height, body)


def bar(title: str, shares: dict[str, float]) -> str:
    """One bar divided by share, with a legend of seconds and per cent."""
    whole, x, body = max(sum(shares.values()), 1e-9), float(LEFT), []
    for number, (name, value) in enumerate(shares.items()):
        wide = value / whole * (WIDTH - LEFT - RIGHT)
        colour = COLOURS[number]
        body.append(f'<rect x="{x:.1f}" y="{TOP}" width="{wide:.1f}" height="36" fill="{colour}"/>')
        at, down = LEFT + number % 3 * 225, TOP + 56 + number // 3 * 22
        body += [
            f'<rect x="{at}" y="{down}" width="10" height="10" fill="{colour}"/>',
            text(at + 15, down + 9, f"{name}: {value:.1f} s, {100 * value / whole:.1f} %"),
        ]
        x += wide
    return page(title, TOP + 110, body)


def heat(title: str, rows: dict[int, dict[str, float]], columns: tuple[str, ...]) -> str:
    """A cell per rank and phase, shaded by its share of the column's largest."""
    wide, body = (WIDTH - LEFT - RIGHT) / len(columns), []
    tall = 24 if len(rows) <= 32 else 6
    for column, name in enumerate(columns):
        body.append(text(LEFT + (column + 0.5) * wide, TOP + 4, name.replace("_", " + "), "middle"))
        high = max((row[name] for row in rows.values()), default=0.0) or 1.0
        for line, (rank, row) in enumerate(sorted(rows.items())):
            y, share = TOP + 12 + line * tall, row[name] / high
            tone = f"rgb({int(255 - 224 * share)},{int(255 - 144 * share)},{int(255 - 116 * share)})"
            body.append(
                f'<rect x="{LEFT + column * wide:.1f}" y="{y}" width="{wide - 2:.1f}" height="{tall - 2}" '
                f'fill="{tone}"/>'
            )
            if tall > 12:
                body.append(
                    text(
                        LEFT + (column + 0.5) * wide,
                        y + 15,
                        f"{row[name]:.1f}",
                        "middle",
                        fill="#ffffff" if share > 0.6 else "#222222",
                    )
                )
                if column == 0:
                    body.append(text(LEFT - 8, y + 15, f"rank {rank}", "end"))
    return page(title, TOP + 24 + tall * max(1, len(rows)), body)
