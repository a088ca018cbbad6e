"""``linksight detect URL...``: predict the languages of a few URLs."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight.errors import BadUrl

if TYPE_CHECKING:
    from linksight.results import Detection
    from linksight.url_model.model import UrlLanguageModel


def show_few(scorer: UrlLanguageModel, urls: tuple[str, ...], options: dict[str, Any]) -> None:
    """Print the predictions for URLs of the command line."""
    from linksight.cli.detect import terminal_table

    form = options["form"] or ("table" if sys.stdout.isatty() else "jsonl")
    languages, problems = options["languages"], Counter[str]()
    found = [_detect_one(scorer, url, languages, problems, alone=len(urls) == 1) for url in urls]
    if options["top"] > 1:
        found = [replace(one, candidates=one.candidates[: options["top"]]) for one in found]
    if not options["explain"]:
        terminal_table.show(found, form, lambda url: scorer.explain(url, languages))
    elif form == "csv":
        raise click.UsageError("--explain goes with --format table or jsonl")
    else:
        import json

        for one in found:
            if one.problem:
                terminal_table.show([one], form)
                continue
            explanation = scorer.explain(one.url, languages)
            if form == "jsonl":
                click.echo(json.dumps(terminal_table.explained(one, explanation), ensure_ascii=False))
            else:
                terminal_table.show_explanation(explanation, colour=sys.stdout.isatty())
    report_problems(problems, options["quiet"])


def _detect_one(
    scorer: UrlLanguageModel, url: str, languages: str | None, problems: Counter[str], alone: bool
) -> Detection:
    from linksight.results import UND, Detection

    try:
        return scorer.detect(url, languages)
    except BadUrl as error:
        if alone and url == "-":
            raise click.UsageError("standard input is given with: -i -") from None
        if alone and _is_path(url):
            raise click.UsageError(f"{url} is a file, not a URL; give it with: -i {url}") from None
        if alone and _has_table_extension(url):
            raise click.UsageError(f"{url}: not a URL, and no such file; a file is given with -i") from None
        if alone:
            raise
        problems[error.reason] += 1
        return Detection(url, UND, 0.0, problem=error.reason)


def _is_path(text: str) -> bool:
    """Whether a text is the path of an existing file or folder."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # not a valid path, such as one that is too long
        return False


def _has_table_extension(text: str) -> bool:
    """Whether a text has the file extension of a supported input."""
    from linksight.bulk.sources import kind_of

    return "://" not in text and kind_of(text) is not None


def report_problems(problems: Counter[str], quiet: bool) -> None:
    """Print the counts by reason; exit with 1 if there are any."""
    if problems and not quiet:
        click.echo(reasons(problems), err=True)
    if problems:
        sys.exit(1)


def reasons(problems: Counter[str]) -> str:
    """Counts of unusable URLs by reason."""
    listed = ", ".join(f"{reason} {n:,}" for reason, n in problems.most_common(12))
    return f"{problems.total():,} could not be used: {listed}"
