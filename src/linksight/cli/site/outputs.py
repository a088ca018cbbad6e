"""Output of the commands of ``linksight site``: tables, files and messages."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.sites.gathering.hub_crawler import Progress
    from linksight.sites.patterns.pattern import Pattern, PatternSet
    from linksight.sites.patterns.translated_urls import UrlPair


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """Show a progress bar, on terminals only."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, wanted, what: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("gathering hubs", total=None)
        yield lambda done, wanted, what: bar.update(
            task, completed=done, total=wanted, description=f"hubs: {what[:30]}"
        )


def coloured(patterns: PatternSet, page: str, base: str, allow_private: bool) -> str:
    """Return the HTML of a page with its links coloured by pattern."""
    from linksight.errors import CrawlError
    from linksight.sites.gathering.fetch_errors import reason_of
    from linksight.sites.gathering.fetcher import Fetcher, FetchOptions, Page
    from linksight.sites.patterns.highlighted_page import coloured_page
    from linksight.sites.patterns.pattern_names import annotate as with_colours

    if Path(page).is_file():
        fetched = Page(base or f"http://{patterns.site}/", 200, "text/html", Path(page).read_bytes())
    else:
        fetched = Fetcher(FetchOptions(allow_private=allow_private)).get(page)
        if not fetched.is_html:
            raise CrawlError(f"{page}: {reason_of(fetched.problem or 'not-html')}")
    return coloured_page(fetched, with_colours(patterns))


def print_languages(patterns: PatternSet, known: tuple[list[str], dict[str, str]]) -> None:
    """Print the languages of each pattern, and patterns that are translations."""
    from linksight.sites.patterns.language_variants import languages_of_patterns, translations

    urls, pages = known
    # The workbench in this folder may have another site than the file of patterns.
    if not any(index >= 0 for index in patterns.match_indices(urls).tolist()):
        urls, pages = [url for pattern in patterns for url in pattern.examples], {}
        if urls:
            click.echo(f"by URL: from the {len(urls):,} examples that the patterns keep", err=True)
    rows = languages_of_patterns(patterns, urls, pages)
    _table(["id", "pattern", "by URL", "by page"],
           [[str(row.pattern.id), row.pattern.text, _mix(row.by_url), _mix(row.by_page)] for row in rows])  # fmt: skip
    if not any(row.by_url for row in rows):
        click.echo(
            "by URL is empty: no URL of these patterns is kept; learn them again, or give --store", err=True
        )
    if not any(row.by_page for row in rows):
        click.echo("by page is empty: no page behind these patterns was fetched", err=True)
    pairs = translations(patterns, urls)
    if pairs:
        _table(["pattern", "translates", "languages", "shared"],
               [[t.one.text, t.other.text, " ".join(t.languages), str(t.n_shared)] for t in pairs])  # fmt: skip


def _mix(shares: Any) -> str:
    return " ".join(f"{language} {share:.0%}" for language, share in list(shares.items())[:3])


def print_patterns(patterns: PatternSet) -> None:
    """Print patterns as a table, by falling number of URLs."""
    rows = [
        [str(p.id), p.name, p.text, str(p.n_urls), f"{p.share:.1%}", str(p.n_hubs), _values(p)]
        for p in sorted(patterns, key=lambda p: -p.n_urls)
    ]
    _table(["id", "name", "pattern", "URLs", "share", "hubs", "wildcards"], rows)


def _values(pattern: Pattern) -> str:
    """Describe the value types of the wildcards, and whether the pattern is a catch-all."""
    return ", ".join([*pattern.value_types, *(["catch-all"] if pattern.is_catch_all else [])])


def _table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table on a terminal, else tab-separated lines."""
    if not sys.stdout.isatty():
        for row in [head, *rows]:
            click.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head)
    for row in rows:
        table.add_row(*map(escape, row))
    Console().print(table)


def print_evaluations(results: list[Any], form: str) -> None:
    if form == "json":
        import json

        click.echo(json.dumps([result.as_dict() for result in results], ensure_ascii=False, indent=1))
        return
    head = ["mode", "URLs", "tokens/URL", "tested", "P", "R", "F1", "LT", "HDT", "MCT", "MDT", "F1 of all"]
    rows = []
    for r in results:
        scores = [f"{value:.3f}" for value in (r.precision, r.recall, r.f1)]
        times = [
            f"{r.learning_s:.2f}",
            f"{r.download_s:.2f}",
            f"{r.classify_s:.2g}",
            f"{r.page_s:.3f}",
            f"{r.f1_of_all:.3f}",
        ]
        rows.append([r.mode, str(r.n_urls), f"{r.tokens_per_url:.2f}", str(r.n_tested), *scores, *times])
    _table(head, rows)
    by_class = [
        [
            c.name,
            str(c.n_urls),
            f"{c.precision:.3f}",
            f"{c.recall:.3f}",
            f"{c.f1:.3f}",
            " | ".join(c.patterns[:3]),
        ]
        for r in results
        for c in r.classes
    ]
    if by_class:
        _table(["class", "URLs", "P", "R", "F1", "patterns"], by_class)


@contextmanager
def match_writer(out: str | None, form: str) -> Iterator[Any]:
    """Yield a function that writes rows to standard output or to a file (written atomically)."""
    from linksight.system.atomic_write import whole_file

    if not out:
        yield _row_writer(sys.stdout, form)
        return
    extension = Path(out).suffix.lower()
    if extension in (".parquet", ".pq", ".zst", ".bz2"):
        raise click.UsageError(f"{out}: rows are written as .csv, .jsonl or lines of text, plain or as .gz")
    if extension != ".gz":
        with whole_file(out, "w") as file:
            yield _row_writer(file, form)
        return
    with (
        whole_file(out) as compressed,
        gzip.open(compressed, "wt", encoding="utf-8", errors="backslashreplace", newline="") as text,
    ):
        yield _row_writer(text, form)


def _row_writer(file: IO[str], form: str) -> Any:
    import csv
    import json

    if form == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["url", "pattern", "name", "problem"])

    def write(urls: Any, found: list[Any], bad: list[bool]) -> None:
        for url, pattern, is_bad in zip(urls, found, bad, strict=True):
            text, name = (pattern.text, pattern.name) if pattern else ("", "")
            problem = "not a web address" if is_bad else ""
            if form == "csv":
                writer.writerow([url, text, name, problem])
            elif form == "jsonl":
                row = {"url": url, "pattern": text or None, "name": name or None, "problem": problem or None}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            else:
                file.write(f"{name or '-'}\t{text or '-'}\t{url}\n")

    return write


def pair_rows(pairs: list[UrlPair], form: str) -> str:
    """Format pairs of URLs as text, CSV or JSON lines."""
    import csv
    import io
    import json

    rows = [(*pair.languages, *pair) for pair in pairs]
    head = ("language", "translation_language", "url", "translation")
    if form == "jsonl":
        return "".join(
            json.dumps(dict(zip(head, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
        )
    if form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([head, *rows])
        return out.getvalue()
    return "".join("\t".join(row) + "\n" for row in rows)


def write_out(out: str | None, text: str, patterns: str | None = None) -> None:
    """Write text to standard output or to a file, which must not be the file of patterns."""
    if out:
        from linksight.system.atomic_write import check_place, write_whole

        check_place(out, (patterns,))
        write_whole(out, text)
    else:
        click.echo(text, nl=False)


def summary(patterns: PatternSet) -> str:
    """Describe learnt patterns in one line: numbers of patterns, URLs and hubs, and omitted URLs."""
    learnt = patterns.learnt
    left_out = ", ".join(f"{reason} {n:,}" for reason, n in learnt.get("bad_urls", {}).items())
    hubs = "in {} dealt by chance from a list" if learnt.get("dealt") else "of {}"
    text = f"{counted(len(patterns), 'pattern')} from {counted(learnt.get('urls', 0), 'URL')} "
    text += hubs.format(counted(learnt.get("hubs", 0), "hub"))
    text += f"; left out: {left_out}" if left_out else ""
    return f"{text}; as before: {learnt['as_before']}" if learnt.get("as_before") else text


def say(lines: list[str], quiet: bool) -> None:
    """Print messages on stderr, unless quiet."""
    for line in [] if quiet else lines:
        click.echo(line, err=True)
