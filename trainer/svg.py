"""Two small pictures as SVG text: lines over steps, and a heat strip."""

from __future__ import annotations

from html import escape

COLOURS = ("#1f6f8b", "#d9822b")
WIDTH, LEFT, RIGHT, TOP = 760, 70, 740, 44


def page(title: str, height: int, body: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
    ground = [head + 'font-family="sans-serif" font-size="12">', box(0, 0, WIDTH, height, "#ffffff")]
    return "\n".join([*ground, words(LEFT, 20, title), *body, "</svg>\n"])


def words(x: float, y: float, text: str, anchor: str = "start", fill: str = "#222222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def box(x: float, y: float, wide: float, high: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{fill}"/>'


def path(points: list[tuple[float, float]], colour: str, more: str = "") -> str:
    at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline fill="none" stroke="{colour}" stroke-width="1.8" points="{at}"{more}/>'


def lines(title: str, xs: list[int], series: dict[str, list[float]], breaks: list[int]) -> str:
    """Values over steps, from 0 to the largest; a dashed line where a new attempt begins."""
    bottom, high = 220, max((value for row in series.values() for value in row), default=0.0) or 1.0
    low, last = (min(xs), max(xs)) if xs else (0, 1)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (x - low) / max(1, last - low) * (RIGHT - LEFT), bottom - y / high * (bottom - TOP)

    body = [words(LEFT, bottom + 18, f"step {low}"), words(RIGHT, bottom + 18, f"step {last}", "end")]
    for mark in (0.0, high / 2, high):
        body += [
            path([at(low, mark), at(last, mark)], "#dddddd"),
            words(LEFT - 8, at(0, mark)[1] + 4, f"{mark:.4g}", "end"),
        ]
    for cut in breaks:
        body.append(path([at(xs[cut], 0), at(xs[cut], high)], "#b3423a", ' stroke-dasharray="4 3"'))
    for number, (name, row) in enumerate(series.items()):
        for begin, end in zip([0, *breaks], [*breaks, len(xs)], strict=True):
            body.append(path([at(x, y) for x, y in zip(xs[begin:end], row[begin:end], strict=True)], COLOURS[number]))
        x = LEFT + number * 120
        body += [box(x, bottom + 26, 10, 10, COLOURS[number]), words(x + 15, bottom + 35, name)]
    return page(title, 260, body)


def heat(title: str, rows: dict[str, dict[str, float]], columns: tuple[str, ...]) -> str:
    """A cell per row and column, shaded by its share of the column's largest."""
    wide, tall, body = (RIGHT - LEFT) / len(columns), 24 if len(rows) <= 32 else 6, []
    for number, column in enumerate(columns):
        left, high = LEFT + number * wide, max((row[column] for row in rows.values()), default=0.0) or 1.0
        body.append(words(left + wide / 2, TOP + 4, column.replace("_", " + "), "middle"))
        for line, (name, row) in enumerate(rows.items()):
            y, share = TOP + 12 + line * tall, row[column] / high
            tone = f"rgb({int(255 - 224 * share)},{int(255 - 144 * share)},{int(255 - 116 * share)})"
            body.append(box(left, y, wide - 2, tall - 2, tone))
            if tall > 12:
                ink = "#ffffff" if share > 0.6 else "#222222"
                body.append(words(left + wide / 2, y + 15, f"{row[column]:.1f}", "middle", ink))
                body += [words(LEFT - 8, y + 15, name, "end")] if number == 0 else []
    return page(title, TOP + 24 + tall * max(1, len(rows)), body)
