"""Detections for people: a table on the terminal, and a URL coloured by what its parts say."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from linksight.cli.messages import harmless

if TYPE_CHECKING:
    from linksight.bulk.annotate import Labels
    from linksight.bulk.row_block import Block
    from linksight.results import Detection
    from linksight.url_model.explain import Explanation

# For the likeliest language from weak to strong, and against it; readable on dark and on light.
_FOR, _AGAINST = (28, 34, 40, 46), (130, 166, 202, 196)

#: Room for the name of a language where lines are written one by one.
_NAME = 18

#: What the numbers of an explanation are.
UNIT = " (+0.69 doubles the odds, -0.69 halves them; _ is the edge of a word):"


def show(found: list[Detection], form: str) -> None:
    """Print detections on stdout."""
    if form == "jsonl":
        for one in found:
            click.echo(json.dumps(one.as_dict(), ensure_ascii=False))
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("url", "language", "probability", "problem"))
        writer.writerows(
            (one.url, one.language, f"{one.probability:.6g}", one.problem or "") for one in found
        )
    elif sys.stdout.isatty():
        _show_rich(found)
    else:
        for one in found:
            click.echo(_bare_line(one.language, one.probability, one.url, one.problem))


def _why(problem: str | None) -> str:
    return f"  ({problem})" if problem else ""


def _show_rich(found: Iterable[Detection]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from linksight.languages.registry import name

    table = Table(box=None, pad_edge=False)
    for heading in ("language", "", "sure", "next", "URL"):
        table.add_column(heading, justify="right" if heading == "sure" else "left", overflow="fold")
    for one in found:
        known = one.language != "und"
        following = ", ".join(f"{code} {share:.0%}" for code, share in one.candidates if code != one.language)
        table.add_row(
            Text(one.language, style="bold green" if known else "yellow"),
            name(one.language) if known else (one.problem or "not sure enough"),
            f"{one.probability:.1%}" if not one.problem else "-",
            Text(following[:40], style="dim"),
            Text(harmless(one.url)),
        )
    Console().print(table)


def show_explanation(explanation: Explanation, *, colour: bool, most: int = 12) -> None:
    """Print a URL with its characters coloured, the candidates, and the strongest reasons."""
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
    click.echo(f"what spoke for {name(best)}" + (f" over {name(runner_up)}" if runner_up else "") + UNIT)
    margin = explanation.margin()
    for weight, part in sorted(
        zip(margin.tolist(), explanation.contributions, strict=True), key=lambda row: -abs(row[0])
    )[:most]:
        sign = (
            click.style(f"{weight:+7.2f}", fg="green" if weight > 0 else "red")
            if colour
            else f"{weight:+7.2f}"
        )
        click.echo(f"  {sign}  {part.kind:<29} {part.value}")


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
        """Nothing is held back."""


def _bare_line(language: str, probability: float, url: str, problem: str | None) -> str:
    return f"{language:<4} {probability:.3f}  {url}{_why(problem)}"


def _line_for_people(language: str, probability: float, url: str, problem: str | None) -> str:
    from linksight.languages.registry import name

    known = language != "und"
    code = click.style(f"{language:<4}", fg="green" if known else "yellow")
    words = name(language) if known else "" if problem else "not sure enough"
    sure = "-" if problem else f"{probability:.1%}"
    return f"{code} {words:<{_NAME}.{_NAME}}  {sure:>6}  {harmless(url)}{_why(problem)}"
