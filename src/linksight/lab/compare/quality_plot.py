"""A comparison as a plot: quality against speed and against memory, each name beside its point and over no other."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from linksight.errors import MissingExtra
from linksight.lab.compare.benchmark import Contest

_OURS, _PEERS = "#b3261e", "#47607a"
_GAP = 6.0  #: between a point and its name, in points
_STEP = 9.0  #: a name that finds no room beside its point is tried as much further away
_RINGS = 5
_MOST_NUMBERS = 6  #: below an axis: more would run together
Box = tuple[float, float, float, float]  # left, lower, right, upper, in pixels
Offset = tuple[float, float]  # across and up, in points


def as_plot(contests: Sequence[Contest]) -> bytes:
    """Quality against speed and against memory, a row for each table, as SVG."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        matplotlib.rcParams["svg.hashsalt"] = "linksight"  # the same figures give the same bytes
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "a plot") from None
    figure = Figure(figsize=(9.6, 4.0 * len(contests)), layout="constrained")
    panels = []
    for (left, right), contest in zip(
        figure.subplots(len(contests), 2, squeeze=False, sharey="row"), contests, strict=True
    ):
        rate = "from_bytes" if contest.task == "pages" else "per_second"
        panels.append((left, _panel(left, contest, rate, 1.0, "a second, one core")))
        panels.append((right, _panel(right, contest, "memory", 1e-6, "memory, MB")))
        left.set(title=contest.title, ylabel="right, %")
    figure.draw_without_rendering()  # now it is known where on the page things are
    figure.set_layout_engine("none")
    for axes, points in panels:
        name_points(axes, points)
    sink = io.BytesIO()
    figure.savefig(sink, format="svg", metadata={"Date": None})
    return sink.getvalue()


def _panel(axes: Any, contest: Contest, key: str, scale: float, title: str) -> dict[str, list[float]]:
    """Draws the points of a table, and gives for each name where it is: across, up, and the ends of its interval."""
    points: dict[str, list[float]] = {}
    for score in contest.scores:
        if "accuracy" not in score.measures or key not in score.measures:
            continue
        ours = score.is_ours
        across, up = score.measures[key] * scale, 100 * score.measures["accuracy"]
        low, high = score.measures.get("accuracy_interval", [score.measures["accuracy"]] * 2)
        error = [[max(0.0, up - 100 * low)], [max(0.0, 100 * high - up)]]
        axes.errorbar(
            across, up, yerr=error, fmt="o" if ours else "s", color=_OURS if ours else _PEERS, ms=5, lw=1
        )
        points[score.name] = [across, up, up - error[0][0], up + error[1][0]]
    axes.set(xscale="log", xlabel=title)
    axes.margins(x=0.15, y=0.1)
    number_axis(axes.xaxis)
    axes.grid(alpha=0.3)
    return points


def name_points(axes: Any, points: dict[str, list[float]]) -> None:
    """Write each name where there is room: beside its point, else further away with a line to it."""
    pixel = axes.figure.dpi / 72
    taken = [box for point in points.values() for box in _marks(axes, point, pixel)]
    frame = tuple(axes.get_window_extent().extents)
    for name, (across, up, *_) in sorted(points.items(), key=lambda item: -item[1][0]):
        text = axes.annotate(name, (across, up), xytext=(0, 0), textcoords="offset points", fontsize=7)
        extent = text.get_window_extent()
        size = extent.width / pixel, extent.height / pixel
        at = axes.transData.transform((across, up))

        def spoilt(offset: Offset, at: Any = at, size: Offset = size) -> float:
            box = _box(at, offset, size, pixel)
            return _outside(box, frame) + sum(_overlap(box, other) for other in taken)

        beside, further = _beside(*size), list(_further(*size))
        offset = min((*beside, *further), key=spoilt)
        text.set_position(offset)
        taken.append(_box(at, offset, size, pixel))
        if offset in further:
            line = {"arrowstyle": "-", "color": "0.55", "lw": 0.6, "shrinkA": 0, "shrinkB": 4}
            end = _edge(offset, size)
            axes.annotate("", (across, up), xytext=end, textcoords="offset points", arrowprops=line)


def _beside(width: float, height: float) -> tuple[Offset, ...]:
    """Where the lower left corner of a name may be, from its point, where it needs no line."""
    near, right, left = _GAP / 2, _GAP, -width - _GAP
    return (
        (right, -height / 2), (left, -height / 2), (near, near), (left + near, near), (near, -height - near),
        (left + near, -height - near), (-width / 2, _GAP), (-width / 2, -height - _GAP),
    )  # fmt: skip


def _further(width: float, height: float) -> Iterator[Offset]:
    for ring in range(1, _RINGS):
        away = _GAP + _STEP * ring
        for left in (_GAP, -width - _GAP, -width / 2, _GAP + away, -width - _GAP - away):
            yield from ((left, away), (left, -height - away))


def _edge(offset: Offset, size: Offset) -> Offset:
    """Where a line to a name ends: at the side of it that is nearest to the point."""
    left, lower = offset
    return min(max(0.0, left), left + size[0]), lower if lower > 0 else lower + size[1]


def _marks(axes: Any, point: list[float], pixel: float) -> list[Box]:
    """What a point covers: its sign, and its interval."""
    across, up, low, high = point
    x, y = axes.transData.transform((across, up))
    lower, upper = (axes.transData.transform((across, end))[1] for end in (low, high))
    return [
        (x - 3 * pixel, y - 3 * pixel, x + 3 * pixel, y + 3 * pixel),
        (x - pixel, lower, x + pixel, upper),
    ]


def _box(at: Any, offset: Offset, size: Offset, pixel: float) -> Box:
    left, lower = at[0] + offset[0] * pixel, at[1] + offset[1] * pixel
    return left, lower, left + size[0] * pixel, lower + size[1] * pixel


def _overlap(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _outside(box: Box, frame: Any) -> float:
    return (box[2] - box[0]) * (box[3] - box[1]) - _overlap(box, frame)


def number_axis(axis: Any) -> None:
    """Numbers as people write them, and on a narrow axis more of them than powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(
        LogLocator(subs=(1.0,) if high > 30 * low else (1.0, 2.0, 5.0), numticks=_MOST_NUMBERS)
    )
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
