"""Detections as text: a table on the terminal, and explanations with the URL coloured by its features."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from linksight.cli.terminal_text import harmless
from linksight.results import shortest

if TYPE_CHECKING:
    from linksight.bulk.annotate import Labels
    from linksight.bulk.row_block import Block
    from linksight.results import Detection
    from linksight.url_model.explain import Explanation

# 256-colour codes for and against the top language, weak to strong; readable on dark and light backgrounds.
_FOR, _AGAINST = (28, 34, 40, 46), (130, 166, 202, 196)

#: Width of a language name in output without a table.
_NAME_WIDTH = 18
#: Maximum width of the reasons, and minimum width of a URL, in characters.
_MAX_REASONS_WIDTH, _MIN_URL_WIDTH = 30, 34
#: A runner-up with a lower probability is not shown.
_MIN_RUNNER_UP = 0.01

#: Unit of the weights in an explanation.
UNIT = " (+0.69 doubles the odds, -0.69 halves them; _ is the edge of a word):"


def show(found: list[Detection], form: str, explain: Callable[[str], Explanation] | None = None) -> None:
    """Print detections on stdout; ``explain`` returns the reasons in a table on a terminal."""
    if form == "jsonl":
        for one in found:
            click.echo(json.dumps(one.as_dict(), ensure_ascii=False))
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("url", "language", "probability", "problem"))
        writer.writerows(
            (one.url, one.language, shortest(one.probability), one.problem or "") for one in found
        )
    elif sys.stdout.isatty():
        _show_rich(found, explain)
    else:
        for one in found:
            click.echo(_bare_line(one.language, one.probability, one.url, one.problem))


def _why(problem: str | None) -> str:
    return f"  ({problem})" if problem else ""


def _show_rich(found: Iterable[Detection], explain: Callable[[str], Explanation] | None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from linksight.languages.registry import name

    rows = []
    for one in found:
        known = one.language != "und"
        reasons = strongest_words(explain(one.url)) if explain and known else []
        rows.append(
            (
                one.language,
                name(one.language)[:_NAME_WIDTH] if known else "" if one.problem else "not sure enough",
                f"{one.probability:.1%}" if not one.problem else "-",
                runner_up(one),
                harmless(", ".join(reasons))[:_MAX_REASONS_WIDTH],
                harmless(one.url),
                _why(one.problem),
            )
        )
    console = Console()
    headings: tuple[str, ...] = ("language", "", "sure", "next", "because")
    widths = [max(len(heading), *(len(row[i]) for row in rows)) + 2 for i, heading in enumerate(headings)]
    if console.width - sum(widths) < _MIN_URL_WIDTH:  # a narrow terminal has no room for reasons
        headings, widths = headings[:-1], widths[:-1]
    table = Table(box=None, pad_edge=False)
    for heading in (*headings, "URL"):
        table.add_column(heading, justify="right" if heading == "sure" else "left", no_wrap=True)
    for code, words, sure, following, because, url, problem in rows:
        code_shown = Text(code, style="yellow" if code == "und" else "bold green")
        cells = (code_shown, words, sure, Text(following, style="dim"), Text(because, style="dim"))
        shown = shortened(url, console.width - sum(widths) - len(problem)) + problem
        table.add_row(*cells[: len(headings)], Text(shown))
    console.print(table)


def runner_up(one: Detection) -> str:
    """Return the runner-up and its probability, if that is at least one per cent."""
    others = (pair for pair in one.candidates if pair[0] != one.language)
    return next((f"{code} {share:.0%}" for code, share in others if share >= _MIN_RUNNER_UP), "")


def shortened(url: str, width: int) -> str:
    """Shorten a URL to a width by an ellipsis in the middle.

    >>> shortened("https://www.example.org/a/very/long/path/of/many/parts.html", 30)
    'https://www.exa…any/parts.html'
    """
    room = max(width, _MIN_URL_WIDTH // 2)
    if len(url) <= room:
        return url
    return f"{url[: room // 2]}…{url[len(url) - (room - 1 - room // 2) :]}"


def strongest_words(explanation: Explanation, max_words: int = 3) -> list[str]:
    """Return the words of a URL that favour the best language most; n-grams count for the words that contain them."""
    text, parts = explanation.text, explanation.contributions
    values = {part.value for part in parts if not part.kind.startswith("letters of") and part.value in text}
    places = sorted({*re.findall(r"\w+", text), *values}, key=len, reverse=True)
    weights = Counter[str]()
    for weight, part in zip(explanation.margin().tolist(), parts, strict=True):
        if place := next((place for place in places if part.value.strip("_") in place), ""):
            weights[place] += weight
    return [place for place, weight in weights.most_common(max_words) if weight > 0]


def show_explanation(explanation: Explanation, *, colour: bool, max_reasons: int = 12) -> None:
    """Print a URL with its characters coloured, the candidates, and reasons that add up to the log-odds."""
    from linksight.languages.registry import name

    order = explanation.order[:5]
    best = explanation.languages[order[0]]
    click.echo(coloured(explanation) if colour else harmless(explanation.text))
    if not colour:
        click.echo(marked(explanation))
    for k in order:
        share = float(explanation.probabilities[k])
        if share >= 0.0005:
            bar = "█" * round(share * 30)
            code = explanation.languages[k]
            click.echo(f"  {code:<4} {name(code):<{_NAME_WIDTH}} {share:6.1%}  {bar}".rstrip())
    runner_up = explanation.languages[order[1]] if len(order) > 1 else None
    click.echo(f"evidence for {name(best)}" + (f" over {name(runner_up)}" if runner_up else "") + UNIT)
    for weight, kind, value in reason_lines(explanation, max_reasons):
        sign = f"{weight:+7.2f}"
        if colour:
            sign = click.style(sign, fg="green" if weight > 0 else "red")
        click.echo(f"  {sign}  {kind:<29} {value}".rstrip())


def reason_lines(explanation: Explanation, max_reasons: int = 12) -> list[tuple[float, str, str]]:
    """Return weight, kind and value of the strongest reasons, all others, the bias, and the sum."""
    first, *others = explanation.order[:2]
    bias = float(explanation.base[first] - sum(explanation.base[other] for other in others))
    found = sorted(
        zip(explanation.margin().tolist(), explanation.contributions, strict=True),
        key=lambda row: -abs(row[0]),
    )
    lines = [(weight, part.kind, part.value) for weight, part in found[:max_reasons]]
    rest = [weight for weight, _ in found[max_reasons:]]
    if rest:
        lines.append((sum(rest), f"all others ({len(rest)})", ""))
    lines.append((bias, "bias of the model", ""))
    return [*lines, (sum(weight for weight, _, _ in lines), "sum", "")]


def coloured(explanation: Explanation) -> str:
    """Colour the URL: green for the top language, red against it."""
    strengths = explanation.characters().tolist()
    top = max((abs(value) for value in strengths), default=0.0) or 1.0
    return "".join(
        _styled(harmless(char), value / top) for char, value in zip(explanation.text, strengths, strict=True)
    )


def _styled(char: str, strength: float) -> str:
    if abs(strength) < 0.05:
        return char
    shades = _FOR if strength > 0 else _AGAINST
    return click.style(
        char, fg=shades[min(int(abs(strength) * len(shades)), len(shades) - 1)], bold=abs(strength) > 0.5
    )


def marked(explanation: Explanation) -> str:
    """Return a line of signs under the URL, for output without colours: + for the top language, - against it.

    Only the strongest characters get a sign.
    """
    strengths = explanation.characters().tolist()
    top = max((abs(value) for value in strengths), default=0.0) or 1.0
    return "".join(" " if abs(value) < top / 4 else "+" if value > 0 else "-" for value in strengths).rstrip()


def explained(found: Detection, explanation: Explanation) -> dict[str, Any]:
    """Return a detection with its explanation, for JSON."""
    return found.as_dict() | {"reasons": explanation.reasons(), "explanation": explanation.as_dict()}


class TableRows:
    """Writer of blocks as text: one line a row; on a terminal with heading, names and percentages."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._for_people = sys.stdout.isatty()
        self._has_heading = False

    def write(self, items: Sequence[tuple[Block, Any]]) -> None:
        """Print the rows of blocks."""
        for block, found in items:
            self._write(block, found)

    def _write(self, block: Block, found: Any) -> None:
        if self._for_people and not self._has_heading:
            click.secho(f"{'language':<{5 + _NAME_WIDTH}}  {'sure':>6}  URL", bold=True)
            self._has_heading = True
        urls = block.look(self._labels.column).urls
        for i, (language, probability, problem, *_) in enumerate(
            zip(*(column.to_pylist() for column in found.columns), strict=True)
        ):
            url = urls[i].as_py()
            line = _line_for_people if self._for_people else _bare_line
            click.echo(line(language, probability, url if url is not None else "-", problem))
            if self._labels.explain and url is not None and not problem:
                explanation = self._labels.scorer.explain(url, self._labels.languages)
                show_explanation(explanation, colour=self._for_people)

    def close(self) -> None:
        """Do nothing: rows are written at once."""


def _bare_line(language: str, probability: float, url: str, problem: str | None) -> str:
    return f"{language:<4} {probability:.3f}  {url}{_why(problem)}"


def _line_for_people(language: str, probability: float, url: str, problem: str | None) -> str:
    from linksight.languages.registry import name

    known = language != "und"
    code = click.style(f"{language:<4}", fg="green" if known else "yellow")
    words = name(language) if known else "" if problem else "not sure enough"
    sure = "-" if problem else f"{probability:.1%}"
    shown = shortened(harmless(url), get_terminal_size().columns - _NAME_WIDTH - 15)
    return f"{code} {words:<{_NAME_WIDTH}.{_NAME_WIDTH}}  {sure:>6}  {shown}{_why(problem)}"
