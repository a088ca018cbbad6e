"""``linksight train``: train a classifier of the papers on labelled URLs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linksight.cli import completion, options
from linksight.cli.options import PATH, given_options
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.lab.evaluation.labelled_urls import LabelledUrls
    from linksight.lab.evaluation.training import Training

#: Options that do not go with --extend.
_NOT_WITH_EXTEND = ("algorithm", "features", "split", "folds", "hosting", "nameservers", "seed")


# fmt: off
@click.command()
@click.argument("data", required=False, type=click.Path(path_type=Path, allow_dash=True))
@click.option("-o", "--output", required=True, type=PATH, help="Model file to write; replaces an existing model only.")
@click.option("-a", "--algorithm", shell_complete=completion.algorithms, default="me", show_default=True,
              help="svm, nb, me, re, markov, ros, dt, cctld, cctld+, ip, svm+ip, nb+cctld.")
@click.option("-f", "--features", help="Feature sets, such as words or 3-5-grams-from-word; join with +.")
@click.option("-l", "--language", shell_complete=completion.languages,
              help="Train a binary classifier for it, or extend the model by it.")
@options.languages
@options.labelled
@click.option("--split", type=click.Choice(["site", "random", "none"]), default="site", show_default=True,
              help="Hold out registered domains, random rows, or nothing.")
@click.option("--folds", default=10, show_default=True, type=click.IntRange(min=2), help="Hold out one part in so many.")
@options.hosting
@options.nameservers
@click.option("--seed", default=0, show_default=True, help="Seed of every random choice.")
@click.option("--extend", is_flag=True, help="Add or improve languages of the bundled model.")
@click.option("--words", type=PATH, help="With --extend: a list of words, one a line.")
@click.option("--model", "start", type=PATH, help="With --extend: a model to start from.")
@options.quiet
def train(
    data: Path | None, output: Path, algorithm: str, features: str | None, language: str | None, languages: str | None,
    url_column: str, language_column: str, kind: str | None, split: str, folds: int, hosting: Path | None,
    nameservers: tuple[str, ...], seed: int, skip_unknown: bool, extend: bool,
    words: Path | None, start: Path | None, quiet: bool,
) -> None:
    # fmt: on
    """Train a classifier on DATA (CSV, TSV, JSON lines or Parquet with columns url and language; - is stdin).

    train measures on held-out rows, then trains the model on all rows.

    \b
    linksight train labelled.parquet -o model
    linksight train labelled.csv -o german.model -a svm -f allgrams-from-word -l de
    linksight train labelled.jsonl.gz -o dutch.model -a nb+cctld -l nl --split random --folds 5

    With --extend the bundled model learns the languages of DATA. Fifty URLs of a new language, a word
    list, or both are enough; train reports recall and false hits on held-out domains. Languages with fewer than ten
    URLs are skipped and reported. With -l, DATA may be a list of URLs, one a line; with --words it
    may be omitted.

    \b
    linksight train seeds.csv --extend -o with-frisian.linksight
    linksight train frisian-urls.txt --extend -l fy -o with-frisian.linksight
    linksight train seeds.csv --extend --words frisian.txt -l fy -o with-frisian.linksight
    linksight train --extend --words gronings.txt -l gos -o with-gronings.linksight
    """
    from linksight.cli.progress import working
    from linksight.lab.evaluation.labelled_urls import load_labelled
    from linksight.languages.registry import find

    _check_options(extend)
    if data is None and not (extend and words and language):
        raise click.UsageError("Missing argument 'DATA'. Only --extend with --words and -l can do without.")
    if language is not None:
        find(language)  # first, so that the error is not about DATA
    replaced = _check_output(output, data, words)
    plan = None
    if not extend:
        from linksight.lab.evaluation.training import Training

        plan = Training(algorithm, features, language, split, folds, hosting, nameservers, seed)
        plan.check(output)
    with working("reading", quiet):
        rows = None
        if data is not None:
            rows = load_labelled(
                data, url_column=url_column, language_column=language_column, kind=kind,
                skip_unknown=skip_unknown, language=language if extend else None,
            )  # fmt: skip
        if rows is not None and languages:
            rows = rows.of_languages(languages.split(","))
        rows = rows.of_addresses() if rows is not None else None
    if plan is not None and rows is not None:
        _train(plan, rows, output, quiet)
        size = ""
    else:
        size = _extend(rows, output, language, words, start, quiet)
    if not quiet:
        click.echo(f"{'replaced' if replaced else 'wrote'} {output}{size}", err=True)


def _check_output(output: Path, *inputs: Path | None) -> bool:
    """Return whether the output replaces a model; any other existing file is an error."""
    from linksight.errors import BadConfig
    from linksight.system.atomic_write import check_place
    from linksight.system.model_file import is_model

    check_place(output, inputs)
    if output.is_dir():
        raise BadConfig(f"{output}: a folder, where a file is to be written")
    if not output.is_file():
        return False
    if not is_model(output):
        raise BadConfig(f"{output}: exists and is not a model; give -o another name")
    return True


def _train(plan: Training, rows: LabelledUrls, output: Path, quiet: bool) -> None:
    """Train and save a classifier, and report its figures."""
    from linksight.cli.progress import working
    from linksight.lab.evaluation.training import train_model

    with working(f"training {plan.algorithm} on {counted(len(rows), 'URL')}", quiet) as step:
        model, evaluation = train_model(plan, rows, step)
    model.save(output)
    if quiet:
        return
    _report_dropped(rows.dropped)
    if evaluation is not None:
        split = {"site": "unseen domains", "random": "a random split"}[plan.split]
        score = f"macro F1 {100 * evaluation.macro('f1'):.1f}"
        click.echo(f"held out ({split}, {counted(evaluation.n_urls, 'URL')}): {score}", err=True)


def _check_options(extend: bool) -> None:
    """Raise an error for options that would have no effect."""
    for name, flag in given_options().items():
        if extend and name in _NOT_WITH_EXTEND:
            raise click.UsageError(f"{flag} does not go with --extend, which has a model already")
        if not extend and name in ("words", "start"):
            raise click.UsageError(f"{flag} goes with --extend")


def _words(path: Path, quiet: bool) -> list[str]:
    """Read a word list; report words with characters other than letters."""
    from linksight.urls.parser import words_of

    listed = options.text_of(path).split()
    # Ignore numbers: frequency lists contain them.
    mixed = [word for word in listed if words_of(word.lower()) not in ([], [word.lower()])]
    if mixed and not quiet:
        count = f"{len(mixed):,} of {counted(len(listed), 'word')}, such as {mixed[0]!r}"
        click.echo(f"left out: signs among the letters: {count}", err=True)
    return listed


def _seeds(rows: LabelledUrls | None, quiet: bool) -> dict[str, list[str]]:
    """Group the URLs by language; report omitted rows."""
    if rows is None:
        return {}
    if not quiet:
        _report_dropped(rows.dropped)
    seeds: dict[str, list[str]] = {}
    for url, code in zip(rows.urls, rows.languages, strict=True):
        seeds.setdefault(code, []).append(url)
    return seeds


def _report_dropped(dropped: Mapping[str, int]) -> None:
    """Print the number of omitted rows by reason."""
    for reason, n in dropped.items():
        click.echo(f"left out: {reason}: {n:,}", err=True)


def _with_enough(seeds: dict[str, list[str]], quiet: bool) -> dict[str, list[str]]:
    """Return the languages with enough URLs, or all languages if no language has enough."""
    from linksight.url_model.add_language import MIN_URLS

    few = {code: len(urls) for code, urls in sorted(seeds.items()) if len(urls) < MIN_URLS}
    if not few or len(few) == len(seeds):
        return seeds
    if not quiet:
        listed = ", ".join(f"{code} {count}" for code, count in few.items())
        click.echo(f"left out, for fewer than {MIN_URLS} addresses: {listed}", err=True)
    return {code: urls for code, urls in seeds.items() if code not in few}


def _extend(
    rows: LabelledUrls | None, output: Path, language: str | None, words: Path | None, start: Path | None, quiet: bool
) -> str:  # fmt: skip
    """Extend a model by the languages of the rows and save it; return its number of languages as text."""
    import linksight
    from linksight.cli.progress import working
    from linksight.errors import BadData
    from linksight.languages.registry import find
    from linksight.url_model.add_language import measure_held_out

    seeds = _seeds(rows, quiet)
    if language:
        seeds = {find(language): seeds.get(find(language), [])}
    listed = _words(words, quiet) if words else []
    if listed and len(seeds) != 1:
        raise BadData(f"{words}: a word list needs one language; name it with -l")
    if not language:
        seeds = _with_enough(seeds, quiet)
    scorer = linksight.load(start)
    for code, urls in sorted(seeds.items()):
        with working(
            f"learning {code} from {counted(len(urls), 'URL')} and {counted(len(listed), 'word')}", quiet
        ):
            measured = None if quiet else measure_held_out(scorer, code, urls, listed)
            scorer = scorer.with_language(code, urls=urls, words=listed)
        if measured is not None:
            recall = f"finds {measured.n_found} of {counted(measured.n_urls, 'URL')}"
            false = f"{measured.n_false:,} of {counted(measured.n_others, 'URL')} in other languages"
            click.echo(f"held out (every fifth domain): {code} {recall}; calls {false} {code}", err=True)
    scorer.save(output)
    return f": {counted(len(scorer.languages), 'language')}"
