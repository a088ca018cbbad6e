"""A comparison as tables, as JSON, and as a page of the documentation; ``quality_plot`` draws it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from linksight.errors import BadData
from linksight.lab.compare.benchmark import Contest, Score
from linksight.lab.compare.comparison_rules import RULES

_COLUMNS = {
    "urls": {
        "accuracy": "right",
        "mean": "mean over languages",
        "five": "big five F1",
        "per_second": "URLs/s",
        "memory": "memory, MB",
    },
    "page-urls": {"accuracy": "right", "mean": "mean over languages", "five": "big five F1"},
    "pages": {
        "accuracy": "right",
        "mean": "mean over languages",
        "per_second": "pages/s",
        "from_bytes": "from bytes, pages/s",
        "memory": "memory, MB",
    },
    "encodings": {
        "accuracy": "right",
        "mean": "mean over encodings",
        "per_second": "pages/s",
        "memory": "memory, MB",
    },
}
_RATES = ("per_second", "from_bytes")
_MAX_LANGUAGES = 12  #: languages shown in which a peer is better


def as_table(contest: Contest) -> str:
    """A Markdown table, with the best value of each column marked and the missing peers below."""
    columns = _COLUMNS[contest.task]
    best = {
        key: _best(key, [score.measures[key] for score in contest.scores if key in score.measures])
        for key in columns
    }
    lines = ["| system | " + " | ".join(columns.values()) + " |", "|---|" + "---:|" * len(columns)]
    for score in contest.scores:
        cells = [_cell(key, score.measures, best[key]) for key in columns]
        lines.append(f"| {_called(score)} | " + " | ".join(cells) + " |")
    missing = [f"- not compared: {name}: {reason}" for name, reason in contest.missing.items()]
    return "\n".join([*lines, *([""] if missing else []), *missing]) + "\n"


def wins(contest: Contest) -> list[str]:
    """The columns and languages in which a peer is better than linksight's first row."""
    ours, theirs = contest.scores[0], [score for score in contest.scores if not score.is_ours]
    lines = []
    for key, title in _COLUMNS[contest.task].items():
        own = ours.measures.get(key)
        better = [
            score
            for score in theirs
            if own is not None and key in score.measures and _best(key, [own, score.measures[key]]) != own
        ]
        if better and own is not None:
            ranked = sorted(better, key=lambda score: score.measures[key], reverse=key != "memory")
            names = ", ".join(f"{score.name} {_number(key, score.measures[key])}" for score in ranked)
            lines.append(f"- {title}: {names}; linksight {_number(key, own)}")
    return lines + _languages_lost(ours, theirs)


def _languages_lost(ours: Score, theirs: Sequence[Score]) -> list[str]:
    """Languages or encodings that a peer gets right more often, those with the largest difference first."""
    rows = []
    for name, (size, own) in ours.measures.get("groups", {}).items():
        shares = [
            (score.measures["groups"][name][1], score.name)
            for score in theirs
            if name in score.measures.get("groups", {})
        ]
        best = max(shares, default=(0.0, ""))
        if best[0] > own:
            rows.append(
                (best[0] - own, f"{name} ({size} rows): {best[1]} {best[0]:.2f}, linksight {own:.2f}")
            )
    if not rows:
        return []
    shown = [text for _, text in sorted(rows, reverse=True)[:_MAX_LANGUAGES]]
    more = (
        [f"{len(rows) - _MAX_LANGUAGES} more with smaller differences"] if len(rows) > _MAX_LANGUAGES else []
    )
    items = "".join(f"\n    - {text}" for text in (*shown, *more))
    return [f"- right more often, of those with ten rows or more:{items}"]


def as_json(contests: Sequence[Contest], about: dict[str, Any]) -> str:
    """All figures, the inputs of the systems, and the rules."""
    figures = {"about": about, "rules": RULES, "contests": [contest.as_dict() for contest in contests]}
    return json.dumps(figures, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str, name: str = "JSON") -> tuple[list[Contest], dict[str, Any]]:
    """The contests and the facts about the run, from the JSON that :func:`as_json` wrote to a file of this name."""
    try:
        figures = json.loads(text)
        contests = [
            Contest(one["task"], one["rows"], [Score(**score) for score in one["scores"]], one["missing"])
            for one in figures["contests"]
        ]
        return contests, dict(figures["about"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        made = "linksight bench --json FILE makes them"
        raise BadData(f"{name}: not the figures of a comparison ({made}): {error}") from None


def as_page(contests: Sequence[Contest], about: dict[str, Any], picture: str = "") -> str:
    """The page ``docs/comparison.md``."""
    parts = [
        "# Comparison with other tools\n",
        f"Made by `{about['command']}` with linksight {about['linksight']} on {about['python']}. {about.get('note', '')}".strip()
        + "\n",
        "Bold is the best of a column; brackets hold the 95 % interval. Below each table is where a peer is better. "
        "Peers that were not available are named.\n",
    ]
    if picture:
        parts.append(f"![Quality against speed and memory]({picture})\n")
    for contest in contests:
        parts += [f"## {contest.title}\n", f"{contest.rows:,} rows.\n", as_table(contest)]
        lost = wins(contest)
        parts.append(
            "Where a peer is better:\n\n" + "\n".join(lost) + "\n"
            if lost
            else "No peer is better in any column.\n"
        )
    parts += ["## The rules\n", RULES, "## What each system was given\n"]
    for contest in contests:
        rules = "\n".join(f"- {score.name}: {score.rule}" for score in contest.scores)
        parts += [f"### {contest.title}\n", rules + "\n"]
    return "\n".join(parts)


def _called(score: Score) -> str:
    return score.name if score.is_ours else f"{score.name} {_short(score.version)}".strip()


def _best(key: str, values: Sequence[float]) -> float:
    if not values:
        return 0.0
    return min(values) if key == "memory" else max(values)


def _number(key: str, value: float) -> str:
    if key == "memory":
        return f"{_rounded(value / 1e6):,}"
    return f"{_rounded(value):,}" if key in _RATES else f"{value:.3f}"


def _cell(key: str, measures: dict[str, Any], best: float) -> str:
    value = measures.get(key)
    if value is None:
        return ""
    text = _number(key, value)
    text = f"**{text}**" if value == best else text
    ends = measures.get(f"{key}_interval")
    return f"{text} ({ends[0]:.3f}–{ends[1]:.3f})" if ends else text


def _rounded(rate: float) -> int:
    """Two digits: more would be noise.

    >>> _rounded(12345.6), _rounded(7.2)
    (12000, 7)
    """
    return int(float(f"{rate:.2g}"))


def _short(version: str) -> str:
    return ".".join(version.split(".")[:3])
