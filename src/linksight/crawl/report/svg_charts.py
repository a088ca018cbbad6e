"""Line and bar charts as SVG text, without packages, scripts or network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

# The colour-blind-safe palette of Okabe and Ito.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666")
WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 30, 44

Points = Sequence[tuple[float, float]]


def line_chart(title: str, series: Mapping[str, Points], x: str, y: str, *, percent: bool = False) -> str:
    """Draw a line chart with a common x axis.

    >>> line_chart("t", {"a": [(0, 0), (1, 2)]}, "x", "y").count("<polyline")
    1
    """
    points = [point for line in series.values() for point in line]
    if not points:
        return f"<p>{escape(title)}: nothing to show yet.</p>"
    top_x = max(px for px, _ in points) or 1.0
    top_y = 1.0 if percent else _round_up(max(py for _, py in points))
    body = _axes(title, x, y, top_x, top_y, percent)
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{_at_x(px / top_x):.1f},{_at_y(py / top_y):.1f}" for px, py in _downsampled(line))
        body += f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"><title>{escape(name)}</title></polyline>'
    return _svg(title, body + _legend(list(series)))


def bar_chart(title: str, bars: Sequence[tuple[str, float]], y: str, *, colour: str = COLOURS[0]) -> str:
    """Draw a horizontal bar chart; names longer than 36 characters are cut.

    >>> bar_chart("t", [("nl", 3), ("en", 1)], "pages").count("<rect")
    2
    """
    if not bars:
        return f"<p>{escape(title)}: nothing to show yet.</p>"
    top = max(value for _, value in bars) or 1.0
    name_width = min(260, 20 + 7 * max(len(name) for name, _ in bars))
    height = TOP + 22 * len(bars) + 12
    body = f'<text x="{WIDTH / 2}" y="18" text-anchor="middle" class="title">{escape(title)}</text>'
    for row, (name, value) in enumerate(bars):
        at = TOP + 22 * row
        length = (WIDTH - name_width - 90) * value / top
        body += f'<text x="{name_width - 6}" y="{at + 14}" text-anchor="end">{escape(name[:36])}</text>'
        body += f'<rect x="{name_width}" y="{at + 2}" width="{length:.1f}" height="16" fill="{colour}"/>'
        body += f'<text x="{name_width + length + 5:.1f}" y="{at + 14}">{_number(value)}</text>'
    return _svg(f"{title} ({y})", body, height)


def _axes(title: str, x: str, y: str, top_x: float, top_y: float, percent: bool) -> str:
    body = f'<text x="{WIDTH / 2}" y="18" text-anchor="middle" class="title">{escape(title)}</text>'
    for step in range(6):
        share = step / 5
        label = f"{share * top_y:.0%}" if percent else _number(share * top_y)
        at = _at_y(share)
        body += f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
        body += f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
    width = _round_up(top_x / 5)
    for step in range(int(top_x / width) + 1):
        at, under = _at_x(step * width / top_x), HEIGHT - BOTTOM + 16
        body += f'<text x="{at:.1f}" y="{under}" text-anchor="middle">{_number(step * width)}</text>'
    body += f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x)}</text>'
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return (
        body + f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{escape(y)}</text>'
    )


def _legend(names: list[str]) -> str:
    body = ""
    for number, name in enumerate(names):
        at = TOP + 14 + 16 * number
        body += f'<rect x="{LEFT + 10}" y="{at - 9}" width="12" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>'
        body += f'<text x="{LEFT + 27}" y="{at}">{escape(name)}</text>'
    return body if len(names) > 1 else ""


def _svg(title: str, body: str, height: int = HEIGHT) -> str:
    style = "font:12px system-ui,sans-serif"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title)}" style="{style}"><style>.title{{font-weight:600;font-size:13px}}</style>'
        f"{body}</svg>"
    )


def _at_x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _at_y(share: float) -> float:
    return HEIGHT - BOTTOM - min(max(share, 0.0), 1.0) * (HEIGHT - BOTTOM - TOP)


def _downsampled(line: Points, max_points: int = 500) -> Points:
    step = max(1, len(line) // max_points)
    return [*line[::step], line[-1]] if step > 1 else line


def _round_up(value: float) -> float:
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return next(step * unit for step in (1, 2, 2.5, 5, 10) if step * unit >= value - 1e-12)


def _number(value: float) -> str:
    if value and abs(value) < 10 and value != int(value):
        return f"{value:.2g}"
    return f"{value:,.0f}"
