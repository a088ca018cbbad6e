"""Comparison plot: quality with its interval, speed and memory, a row for each system."""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from linksight.errors import MissingExtra
from linksight.lab.compare.benchmark import Contest, Score

_OURS, _PEERS = "#b3261e", "#47607a"
_ROW_INCHES = 0.22


def as_plot(contests: Sequence[Contest]) -> bytes:
    """Quality, speed and memory of every system, a row of panels for each table, as SVG."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        matplotlib.rcParams["svg.hashsalt"] = "linksight"  # the same figures give the same bytes
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "a plot") from None
    sizes = [len(_ranked(contest)) + 4 for contest in contests]
    figure = Figure(figsize=(9.6, _ROW_INCHES * sum(sizes)), layout="constrained")
    rows = figure.subplots(
        len(contests), 3, squeeze=False, sharey="row", gridspec_kw={"height_ratios": sizes}
    )
    for (quality, speed, memory), contest in zip(rows, contests, strict=True):
        rate = "from_bytes" if contest.task == "pages" else "per_second"
        _panel(quality, contest, "accuracy", 100, "right, %, with its 95 % interval")
        _panel(speed, contest, rate, 1, "a second, one core")
        _panel(memory, contest, "memory", 1e-6, "memory, MB")
        quality.set_title(contest.title, loc="left")
    sink = io.BytesIO()
    figure.savefig(sink, format="svg", metadata={"Date": None})
    return sink.getvalue()


def _ranked(contest: Contest) -> list[Score]:
    """The systems that name a language, the best last."""
    known = [score for score in contest.scores if "accuracy" in score.measures]
    return sorted(known, key=lambda score: score.measures["accuracy"])


def _panel(axes: Any, contest: Contest, key: str, scale: float, title: str) -> None:
    """A point for each system that has the measure, with its interval if it has one."""
    from matplotlib.ticker import EngFormatter, NullFormatter

    ranked = _ranked(contest)
    for place, score in enumerate(ranked):
        if key in score.measures:
            colour, value = _OURS if score.is_ours else _PEERS, scale * score.measures[key]
            low, high = (scale * end for end in score.measures.get(f"{key}_interval", [value / scale] * 2))
            axes.plot([low, high], [place, place], color=colour, lw=1)
            axes.plot([value], [place], "o" if score.is_ours else "s", color=colour, ms=5)
    if key != "accuracy":
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.xaxis.set_minor_formatter(NullFormatter())
        values = [scale * score.measures[key] for score in ranked if key in score.measures]
        axes.set_visible(bool(values))
        if values:  # from a power of ten to another, so that every axis has numbers
            axes.set_xlim(10 ** floor(log10(0.9 * min(values))), 10 ** ceil(log10(1.1 * max(values))))
    axes.set_yticks(range(len(ranked)), [score.name for score in ranked])
    axes.set(xlabel=title, ylim=(-0.7, len(ranked) - 0.3))
    axes.grid(alpha=0.3)
