"""Detections for people: a table on the terminal, and a URL coloured by its features."""

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

# For the likeliest language from weak to strong, and against it; readable on dark and on light.
_FOR, _AGAINST = (28, 34, 40, 46), (130, 166, 202, 196)

#: Room for the name of a language where lines are written one by one.
_NAME = 18
#: Columns that the reasons take at most, and that a URL gets at least.
_BECAUSE, _MIN_URL = 30, 34
#: A runner-up below this share is not shown.
_RUNNER_UP = 0.01

#: What the numbers of an explanation are.
UNIT = " (+0.69 doubles the odds, -0.69 halves them; _ is the edge of a word):"


def show(found: list[Detection], form: str, explain: Callable[[str], Explanation] | None = None) -> None:
    """Print detections on stdout; ``explain`` gives the reasons that a table on a terminal shows."""
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
                name(one.language)[:_NAME] if known else "" if one.problem else "not sure enough",
                f"{one.probability:.1%}" if not one.problem else "-",
                runner_up(one),
                harmless(", ".join(reasons))[:_BECAUSE],
                harmless(one.url),
                _why(one.problem),
            )
        )
    console = Console()
    headings: tuple[str, ...] = ("language", "", "sure", "next", "because")
    widths = [max(len(heading), *(len(row[i]) for row in rows)) + 2 for i, heading in enumerate(headings)]
    if console.width - sum(widths) < _MIN_URL:  # a narrow terminal has no room for reasons
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
    """The next language with its share, from one per cent on."""
    others = (pair for pair in one.candidates if pair[0] != one.language)
    return next((f"{code} {share:.0%}" for code, share in others if share >= _RUNNER_UP), "")


def shortened(url: str, width: int) -> str:
    """A URL that fits into a width, cut in the middle: both ends matter more.

    >>> shortened("https://www.example.org/a/very/long/path/of/many/parts.html", 30)
    'https://www.exa…any/parts.html'
    """
    room = max(width, _MIN_URL // 2)
    if len(url) <= room:
        return url
    return f"{url[: room // 2]}…{url[len(url) - (room - 1 - room // 2) :]}"


def strongest_words(explanation: Explanation, most: int = 3) -> list[str]:
    """The parts of a URL that favour the best language over the runner-up most; n-grams count for their words."""
    text, parts = explanation.text, explanation.contributions
    values = {part.value for part in parts if not part.kind.startswith("letters of") and part.value in text}
    places = sorted({*re.findall(r"\w+", text), *values}, key=len, reverse=True)
    weights = Counter[str]()
    for weight, part in zip(explanation.margin().tolist(), parts, strict=True):
        if place := next((place for place in places if part.value.strip("_") in place), ""):
            weights[place] += weight
    return [place for place, weight in weights.most_common(most) if weight > 0]


def show_explanation(explanation: Explanation, *, colour: bool, most: int = 12) -> None:
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
            click.echo(f"  {code:<4} {name(code):<{_NAME}} {share:6.1%}  {bar}".rstrip())
    runner_up = explanation.languages[order[1]] if len(order) > 1 else None
    click.echo(f"evidence for {name(best)}" + (f" over {name(runner_up)}" if runner_up else "") + UNIT)
    for weight, kind, value in reason_lines(explanation, most):
        sign = f"{weight:+7.2f}"
        if colour:
            sign = click.style(sign, fg="green" if weight > 0 else "red")
        click.echo(f"  {sign}  {kind:<29} {value}".rstrip())


def reason_lines(explanation: Explanation, most: int = 12) -> list[tuple[float, str, str]]:
    """Weight, kind and value of the strongest reasons, of the bias and of all others; the last line is their sum."""
    first, *others = explanation.order[:2]
    bias = float(explanation.base[first] - sum(explanation.base[other] for other in others))
    found = sorted(
        zip(explanation.margin().tolist(), explanation.contributions, strict=True),
        key=lambda row: -abs(row[0]),
    )
    lines = [(weight, part.kind, part.value) for weight, part in found[:most]]
    rest = [weight for weight, _ in found[most:]]
    if rest:
        lines.append((sum(rest), f"all others ({len(rest)})", ""))
    lines.append((bias, "bias of the model", ""))
    return [*lines, (sum(weight for weight, _, _ in lines), "sum", "")]


def coloured(explanation: Explanation) -> str:
    """The URL's text, green where it speaks for the likeliest language, red where against it."""
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
    """A line of signs under the text, where there are no colours: + for, - against.

    The strongest characters get the sign; the rest stay blank.
    """
    strengths = explanation.characters().tolist()
    top = max((abs(value) for value in strengths), default=0.0) or 1.0
    return "".join(" " if abs(value) < top / 4 else "+" if value > 0 else "-" for value in strengths).rstrip()


def explained(found: Detection, explanation: Explanation) -> dict[str, Any]:
    """A detection with its explanation, for JSON."""
    return found.as_dict() | {"reasons": explanation.reasons(), "explanation": explanation.as_dict()}


class TableRows:
    """A writer of blocks: one line a row, for people with a heading, names and percentages; explained where asked for."""

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
            click.secho(f"{'language':<{5 + _NAME}}  {'sure':>6}  URL", bold=True)
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
    shown = shortened(harmless(url), get_terminal_size().columns - _NAME - 15)
    return f"{code} {words:<{_NAME}.{_NAME}}  {sure:>6}  {shown}{_why(problem)}"
