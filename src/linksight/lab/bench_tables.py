"""A comparison as tables, as JSON, as a page of the documentation and as a plot."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from linksight.errors import MissingExtra
from linksight.lab.bench import RULES, Contest

_TITLES = {
    "urls": "Language from the URL",
    "pages": "Language from the page",
    "encodings": "Encoding of the page",
}
_COLUMNS = {
    "urls": {
        "accuracy": "right",
        "mean": "mean over languages",
        "five": "big five F1",
        "per_second": "URLs/s",
    },
    "pages": {
        "accuracy": "right",
        "mean": "mean over languages",
        "per_second": "pages/s",
        "from_bytes": "from bytes",
    },
    "encodings": {"accuracy": "right", "mean": "mean over encodings", "per_second": "pages/s"},
}
_RATES = ("per_second", "from_bytes")


def as_table(contest: Contest) -> str:
    """A Markdown table, with the best value of each column marked and the missing peers below."""
    columns = _COLUMNS[contest.task]
    best = {
        key: max((score.measures[key] for score in contest.scores if key in score.measures), default=0.0)
        for key in columns
    }
    lines = ["| system | " + " | ".join(columns.values()) + " |", "|---|" + "---:|" * len(columns)]
    for score in contest.scores:
        cells = [_cell(key, score.measures.get(key), best[key]) for key in columns]
        name = (
            score.name
            if score.name.startswith("linksight")
            else f"{score.name} {_short(score.version)}".strip()
        )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    missing = [f"- not compared: {name}: {reason}" for name, reason in contest.missing.items()]
    return "\n".join([*lines, *([""] if missing else []), *missing]) + "\n"


def as_json(contests: Sequence[Contest], about: dict[str, Any]) -> str:
    """All figures, what each system was given, and the rules."""
    whole = {"about": about, "rules": RULES, "contests": [contest.as_dict() for contest in contests]}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def as_page(contests: Sequence[Contest], about: dict[str, Any], picture: str = "") -> str:
    """The page ``docs/comparison.md``."""
    parts = [
        "# Beside its peers\n",
        f"Made by `{about['command']}` with linksight {about['linksight']} on {about['python']}.\n",
    ]
    parts.append(
        "Bold is the best of a column; where a peer is bold, it wins. Peers that could not be asked are named.\n"
    )
    if picture:
        parts.append(f"![Quality against speed]({picture})\n")
    for contest in contests:
        parts += [f"## {_TITLES[contest.task]}\n", f"{contest.rows:,} rows.\n", as_table(contest)]
    parts += ["## The rules\n", RULES, "## What each system was given\n"]
    for contest in contests:
        given = "\n".join(f"- {score.name}: {score.rule}" for score in contest.scores)
        parts += [f"### {_TITLES[contest.task]}\n", given + "\n"]
    return "\n".join(parts)


def as_plot(contests: Sequence[Contest]) -> bytes:
    """Quality against speed, one panel a table, as SVG."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        matplotlib.rcParams["svg.hashsalt"] = "linksight"  # the same figures give the same bytes
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "lab", "a plot") from None
    figure = Figure(figsize=(6.4, 4.2 * len(contests)), layout="constrained")
    for axes, contest in zip(figure.subplots(len(contests), squeeze=False)[:, 0], contests, strict=True):
        rate = "from_bytes" if contest.task == "pages" else "per_second"
        for score in contest.scores:
            if "accuracy" not in score.measures:
                continue
            ours = score.name.startswith("linksight")
            at = (score.measures[rate], 100 * score.measures["accuracy"])
            axes.plot(*at, "o" if ours else "s", color="#b3261e" if ours else "#47607a")
            axes.annotate(score.name, at, xytext=(5, 3), textcoords="offset points", fontsize=7)
        axes.set(title=_TITLES[contest.task], xscale="log", xlabel="a second, one core", ylabel="right, %")
        axes.margins(x=0.25, y=0.1)
        axes.grid(alpha=0.3)
    sink = io.BytesIO()
    figure.savefig(sink, format="svg", metadata={"Date": None})
    return sink.getvalue()


def _cell(key: str, value: float | None, best: float) -> str:
    if value is None:
        return ""
    text = f"{_rounded(value):,}" if key in _RATES else f"{value:.3f}"
    return f"**{text}**" if value == best else text


def _rounded(rate: float) -> int:
    """Two digits: more would be noise.

    >>> _rounded(12345.6), _rounded(7.2)
    (12000, 7)
    """
    return int(float(f"{rate:.2g}"))


def _short(version: str) -> str:
    return ".".join(version.split(".")[:3])
