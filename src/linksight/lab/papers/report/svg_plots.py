"""Plots for the report: inline SVG, readable in print and on a phone."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from linksight.errors import MissingExtra

COLOURS = ("#1b6ca8", "#c4501b", "#2e8b57", "#7b4fa3", "#8a6d1d", "#555555", "#b0306a")
_MARKS = "osD^vPX"
_MAX_BARS = 7  # bars whose names fit in a row
Points = Sequence[tuple[float, float, float]]  # x, y, deviation


def lines(
    series: Mapping[str, Points],
    x: str,
    y: str,
    *,
    log: bool = False,
    ticks: Sequence[str] = (),
    dashed: Mapping[str, Points] | None = None,
) -> str:
    """Curves with error bars; ``dashed`` go with the curves of the same name, ``ticks`` name 0, 1, 2, …"""
    figure, axes = _figure(4.8, 3.4)
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(series)}
    for i, (name, points) in enumerate(series.items()):
        at, height, deviation = ([point[k] for point in points] for k in range(3))
        axes.errorbar(
            at, height, yerr=deviation, label=name, color=colours[name], marker=_mark(i),
            markersize=4, capsize=3, linewidth=1.4,
        )  # fmt: skip
    for name, points in (dashed or {}).items():
        at, height, _ = ([point[k] for point in points] for k in range(3))
        axes.plot(at, height, "--", color=colours.get(name, "0.4"), linewidth=1)
    if log:
        axes.set_xscale("log")
    if ticks:
        axes.set_xticks(range(len(ticks)), ticks)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    _finish(axes, len(series))
    return _svg(figure)


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[tuple[float, float] | None]],
    y: str,
    published: Mapping[str, Sequence[float | None]] | None = None,
) -> str:
    """Groups of bars with error bars, a gap where there is no figure; published figures are black marks."""
    figure, axes = _figure(4.8, 3.2)
    width = 0.8 / max(1, len(series))
    for i, (label, values) in enumerate(series.items()):
        at = [k + (i - (len(series) - 1) / 2) * width for k in range(len(names))]
        there = [(a, *value) for a, value in zip(at, values, strict=True) if value is not None]
        axes.bar(
            [a for a, _, _ in there],
            [v for _, v, _ in there],
            width * 0.92,
            yerr=[s for _, _, s in there],
            label=label,
            color=COLOURS[i % len(COLOURS)],
            capsize=2,
        )
        marks = [(a, p) for a, p in zip(at, (published or {}).get(label, []), strict=False) if p is not None]
        if marks:
            axes.plot([a for a, _ in marks], [p for _, p in marks], "k_", markersize=9, markeredgewidth=1.8)
    if len(names) > _MAX_BARS:
        axes.set_xticks(range(len(names)), names, fontsize=8, rotation=45, ha="right", rotation_mode="anchor")
    else:
        lines = [name.replace(" ", "\n") for name in names]
        axes.set_xticks(range(len(names)), lines, fontsize=8 if len(names) > 5 else 9)
    axes.set_ylabel(y)
    axes.set_ylim(0, 101)  # bars are read by their lengths
    _finish(axes, len(series))
    return _svg(figure)


def scatter(
    series: Mapping[str, Sequence[tuple[float, float]]],
    x: str,
    y: str,
    background: Sequence[tuple[float, float]] = (),
) -> str:
    """Points from 0 to 1 on both axes; ``background`` ones are grey."""
    figure, axes = _figure(4.2, 3.8)
    axes.plot(
        [at for at, _ in background], [height for _, height in background], "o", color="0.75", markersize=4
    )
    for i, (name, points) in enumerate(series.items()):
        axes.plot(
            [at for at, _ in points],
            [height for _, height in points],
            _mark(i),
            color=COLOURS[i],
            label=name,
            markersize=6,
        )
    axes.set_xlim(0, 1.03)
    axes.set_ylim(0, 1.03)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    _finish(axes, len(series))
    return _svg(figure)


def ladder(values: Mapping[str, tuple[float, float, float]], x: str) -> str:
    """A point for each name, one below the other, on a line from the lower to the higher of two more figures."""
    figure, axes = _figure(4.8, 0.8 + 0.16 * len(values))
    for i, (middle, one, other) in enumerate(values.values()):
        axes.plot([one, other], [-i, -i], color="0.75", linewidth=1.5, zorder=1)
        axes.plot([middle], [-i], "o", color=COLOURS[0], markersize=3.5, zorder=2)
    axes.set_yticks([-i for i in range(len(values))], list(values), fontsize=7.5)
    axes.set_ylim(-len(values), 1)
    axes.set_xlabel(x)
    axes.grid(axis="x", color="0.88")
    _finish(axes, 0)
    return _svg(figure)


def _mark(number: int) -> str:
    """The mark of a curve: where colours come again, another goes with each.

    >>> _mark(0) == _mark(len(COLOURS))
    False
    """
    return _MARKS[(number + number // len(COLOURS)) % len(_MARKS)]


def _figure(width: float, height: float) -> tuple[Any, Any]:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "the plots of the report") from None
    mpl.rcParams["svg.hashsalt"] = "linksight"  # the same figure gives the same bytes
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _finish(axes: Any, n_entries: int) -> None:
    axes.grid(axis="y", color="0.88")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if n_entries:
        axes.figure.legend(loc="outside lower center", ncols=min(3, n_entries), fontsize=8.5, frameon=False)


def _svg(figure: Any) -> str:
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return plain_svg(stream.getvalue())


def plain_svg(text: str) -> str:
    """The picture without its XML head, as wide as the page allows, and with unique names."""
    import zlib

    own = f"f{zlib.crc32(text.encode()):08x}"
    text = text[text.index("<svg") :]
    text = re.sub(r'(<svg[^>]*?) width="[^"]+"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]+"', r"\1", text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Several figures in one page must not share the names of their glyphs.
    text = re.sub(r'id="([^"]+)"', rf'id="{own}-\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{own}-\1"', text)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", text).strip()
