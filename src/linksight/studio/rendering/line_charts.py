"""Line charts as SVG, coloured by the studio's style sheet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

Points = Sequence[tuple[float, float]]
#: With room for text of twice the size: on a phone the chart is half as wide.
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT, KEY = 640, 240, 60, 48, 26, 12, 230
MAX_POINTS = 400
HOVER_POINTS = 40  #: points of a line that show their value


def line_plot(title: str, lines: Mapping[str, Points], x: str, *, percent: bool = False) -> Markup:
    """Lines over a common axis; the first in the accent colour.

    >>> 'class="line line-0"' in line_plot("Pages", {"all": [(0, 0), (10, 5)]}, "pages")
    True
    """
    points = [point for line in lines.values() for point in line]
    most_x = max((point[0] for point in points), default=0) or 1.0
    most_y = 1.0 if percent else _round_up(max((point[1] for point in points), default=0))
    parts = [f'<text class="title" x="{LEFT}" y="16">{escape(title)}</text>']
    for step in range(5):
        share = step / 4
        at, value = _y(share), share * most_y
        shown = f"{value:.0%}" if percent else _short(value, most_y)
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{shown}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 28}">0</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 28}" text-anchor="end">{most_x:,.0f} {escape(x)}</text>'
    )
    for number, (name, line) in enumerate(lines.items()):
        path = " ".join(f"{_x(a / most_x):.1f},{_y(b / most_y):.1f}" for a, b in _thinned(line))
        parts.append(f'<polyline class="line line-{number}" points="{path}"/>')
        parts += _hover(name, line, most_x, most_y, percent=percent)
        at = LEFT + KEY * number
        parts.append(f'<rect class="key-{number}" x="{at}" y="{HEIGHT - 9}" width="12" height="4"/>')
        parts.append(f'<text x="{at + 16}" y="{HEIGHT - 3}">{escape(name)}</text>')
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"'
    return Markup(f'<svg class="plot" {box}>{"".join(parts)}</svg>')


def _hover(name: str, line: Points, most_x: float, most_y: float, *, percent: bool) -> list[str]:
    """Invisible points that show their value under the pointer."""
    step = max(1, -(-len(line) // HOVER_POINTS))
    found = []
    for a, b in line[::-step]:
        shown = f"{b:.1%}" if percent else f"{b:,.0f}"
        place = f'cx="{_x(a / most_x):.1f}" cy="{_y(b / most_y):.1f}"'
        found.append(
            f'<circle class="hover" {place} r="7"><title>{escape(name)}, {a:,.0f}: {shown}</title></circle>'
        )
    return found


def _short(value: float, most: float) -> str:
    """A number beside an axis that goes up to ``most``, in six characters.

    >>> _short(7500, 10_000), _short(15_000, 20_000), _short(4.5e6, 6e6), _short(0.25, 1), _short(0, 20_000)
    ('7,500', '15k', '4.5M', '0.25', '0')
    """
    if most < 4:
        return f"{value:.2g}"
    unit, sign = (1e6, "M") if most >= 1e6 else (1e3, "k") if most > 10_000 else (1.0, "")
    return f"{value / unit:g}{sign}" if sign and value else f"{value:,.0f}"


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - min(max(share, 0.0), 1.0) * (HEIGHT - BOTTOM - TOP)


def _thinned(line: Points) -> Points:
    step = max(1, len(line) // MAX_POINTS)
    return [*line[::step], line[-1]] if step > 1 else line


def _round_up(value: float) -> float:
    """The next round number; from four on, a quarter of it is an integer.

    >>> _round_up(7), _round_up(41), _round_up(120), _round_up(0)
    (8.0, 60.0, 120.0, 1.0)
    """
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    steps = (1, 2, 4, 8, 12) if unit < 10 else (1.2, 2, 4, 6, 8, 10)
    return float(next(round(step * unit, 9) for step in steps if step * unit >= value - 1e-9))
