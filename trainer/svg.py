"""Two small pictures as SVG text: lines over steps, and a table of shaded cells."""

from __future__ import annotations

from html import escape
from typing import Any

COLOURS = ("#1f6f8b", "#d9822b")
LEFT, RIGHT, TOP, BOTTOM = 70, 740, 44, 220


def page(title: str, height: int, body: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, '<rect width="760" height="100%" fill="#fff"/>', words(LEFT, 20, title), *body, "</svg>\n"])


def words(x: float, y: float, text: str, anchor: str = "start", fill: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def lines(title: str, rows: list[dict[str, Any]], keys: dict[str, str]) -> str:
    """{key of the rows: its name} over their steps, from 0 to the largest; each attempt is a line of its own.

    A value that was no number, as a loss that is not finite, is left out.
    """
    high = max((row[key] for row in rows for key in keys if row[key] is not None), default=0.0) or 1.0
    low, last = (min(row["step"] for row in rows), max(row["step"] for row in rows)) if rows else (0, 1)
    body = [words(LEFT, BOTTOM + 18, f"step {low}"), words(RIGHT, BOTTOM + 18, f"step {last}", "end")]
    for mark, y in ((high, TOP), (high / 2, (TOP + BOTTOM) / 2), (0.0, BOTTOM)):
        body += [f'<path stroke="#ddd" d="M{LEFT} {y}H{RIGHT}"/>', words(LEFT - 8, y + 4, f"{mark:.4g}", "end")]
    for number, (key, name) in enumerate(keys.items()):
        body.append(words(LEFT + number * 120, BOTTOM + 36, name, fill=COLOURS[number]))
        for attempt in dict.fromkeys(row["attempt"] for row in rows):
            points = " ".join(
                f"{LEFT + (row['step'] - low) / max(1, last - low) * (RIGHT - LEFT):.1f},"
                f"{BOTTOM - row[key] / high * (BOTTOM - TOP):.1f}"
                for row in rows
                if row["attempt"] == attempt and row[key] is not None
            )
            body.append(f'<polyline fill="none" stroke="{COLOURS[number]}" stroke-width="1.8" points="{points}"/>')
    return page(title, 260, body)


def heat(title: str, rows: dict[str, dict[str, float]], columns: tuple[str, ...], shares: bool = False) -> str:
    """A cell per row and column, shaded by its part of the column's largest, or of its row's sum where the row's cells
    are ``shares`` of one whole."""
    wide, body = (RIGHT - LEFT) / len(columns), list[str]()
    for number, column in enumerate(columns):
        left, high = LEFT + number * wide, max((row[column] for row in rows.values()), default=0.0)
        body.append(words(left + wide / 2, TOP + 4, column.replace("_", " + "), "middle"))
        for y, row in enumerate(rows.values()):
            depth = row[column] / ((sum(row.values()) if shares else high) or 1.0)
            place = f'x="{left:.1f}" y="{TOP + 12 + 24 * y}" width="{wide - 2:.1f}" height="22"'
            body.append(f'<rect {place} fill="{COLOURS[0]}" fill-opacity="{depth:.2f}"/>')
            ink = "#fff" if depth > 0.75 else "#222"
            body.append(words(left + wide / 2, TOP + 27 + 24 * y, f"{row[column]:.1f}", "middle", ink))
    body += [words(LEFT - 8, TOP + 27 + 24 * y, name, "end") for y, name in enumerate(rows)]
    return page(title, TOP + 24 + 24 * max(1, len(rows)), body)
