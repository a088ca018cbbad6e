"""Inputs of the commands of ``linksight site``: files, the workbench, options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight.cli import completion
from linksight.cli.options import once
from linksight.errors import BadData

if TYPE_CHECKING:
    from linksight.sites.patterns.pattern import PatternSet
    from linksight.sites.workbench.workbench import Workbench

STORE = "linksight-sites.db"
store_option = click.option(
    "--store", metavar="FILE|URL", envvar="LINKSIGHT_SITES", shell_complete=completion.files,
    help=f"The workbench: a SQLite file or a postgresql:// URL.  [default: {STORE}]",
)  # fmt: skip
name_option = click.option("--name", help="The site's name in the workbench.  [default: the only one]")
out_option = click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False),
    help="Output file, written atomically; replaces an existing file.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks.")
column_option = click.option(
    "--column", metavar="NAME", multiple=True, callback=once,
    help="Column of the URLs in a table  [default: url, or the only one]",
)  # fmt: skip


def files_of(source: tuple[str, ...], kind: str) -> tuple[tuple[str, ...], str]:
    """Return the files among the sources, and their kind."""
    from linksight.sites.gathering.url_files import ENDINGS

    first = Path(source[0])
    is_file = kind in ("urls", "cdx", "warc") or ("//" not in source[0] and first.suffix.lower() in ENDINGS)
    if not is_file:
        if len(source) > 1:
            raise click.UsageError("One site at a time.")
        if "//" not in source[0] and first.exists():
            raise click.UsageError(
                f"{first} is a file or a folder: name its kind with --from urls, cdx or warc"
            )
        if not {".", ":"} & set(source[0]):
            raise click.UsageError(
                f"{source[0]}: neither a file nor an address such as https://shop.example/"
            )
        return (), kind
    for path in source:
        if Path(path).is_dir():
            raise click.UsageError(f"{path}: a folder, where files are needed (such as {path}/*)")
        if not Path(path).is_file():
            raise click.UsageError(f"{path}: no such file")
    if kind == "auto":
        from linksight.sites.gathering.link_sources import kind_of_file

        kind = kind_of_file(source[0])
    return source, kind


def crawl_options(options: dict[str, Any]) -> tuple[Any, Any]:
    """Build the options of the hub crawler and of the fetcher."""
    from linksight.sites.gathering.fetcher import FetchOptions
    from linksight.sites.gathering.hub_crawler import HubOptions

    hubs = HubOptions(
        n_hubs=options["hubs"], n_rounds=options["rounds"], n_keywords=options["keywords"],
        alpha=options["alpha"], threads=options["threads"],
    )  # fmt: skip
    return hubs, FetchOptions(delay_s=options["delay"], allow_private=options["allow_private"])


@contextmanager
def browser_of(options: dict[str, Any]) -> Iterator[Any]:
    """Yield a browser for pages with JavaScript, or None without --render."""
    if not options["render"]:
        yield None
        return
    from linksight.sites.gathering.browser import Browser

    with Browser(delay_s=options["delay"], allow_private=options["allow_private"]) as browser:
        yield browser


def open_bench(store: str | None, alternative: str = "or a file of patterns") -> Workbench:
    """Open an existing workbench; a missing file is an error."""
    from linksight.sites.workbench.workbench import Workbench

    where = store or STORE
    if "://" not in where and not Path(where).exists():
        raise click.UsageError(f"No workbench here ({where}); give --store {alternative}.")
    return Workbench(store or STORE)


def patterns_of(path: str | None, store: str | None, name: str | None) -> PatternSet:
    """Load patterns from a file, or from the workbench."""
    import linksight

    if path:
        return linksight.load_patterns(path)
    with open_bench(store) as bench:
        return bench.patterns(bench.site_id(name))


def urls_of(path: str | None, store: str | None, name: str | None) -> tuple[list[str], dict[str, str]]:
    """Return the URLs of a site in the workbench and the languages of its hubs; empty for a file."""
    if path and not store and not Path(STORE).exists():
        return [], {}
    with open_bench(store) as bench:
        try:
            number = bench.site_id(name)
        except BadData:
            if path and name is None:  # the workbench in this folder has other sites
                return [], {}
            raise
        hubs = bench.hubs(number)
    return [u for hub in hubs for u in hub.urls], {hub.url: hub.language for hub in hubs if hub.language}


def url_chunks(source: str, column: str | None, size: int = 100_000) -> Iterator[Any]:
    """Yield the URLs of a file in chunks: from the column of a table, or one a line."""
    from linksight.sites.gathering.url_files import column_chunks, table_of

    table = table_of(source) if source != "-" else None
    if table is not None:
        yield from column_chunks(table, column)
        return
    if column is not None:
        raise BadData(f"{source}: one URL a line, so there is no column {column!r}")
    yield from _lines(source, size)


def _lines(source: str, size: int) -> Iterator[list[str]]:
    from linksight.sites.gathering.url_files import open_text, text_lines

    with click.open_file(source, errors="replace") if source == "-" else open_text(source) as lines:
        chunk: list[str] = []
        for line in text_lines(source, lines):
            # Standard input may begin with a UTF-8 byte order mark.
            if url := line.strip().removeprefix("\ufeff"):
                chunk.append(url)
            if len(chunk) == size:
                yield chunk
                chunk = []
        yield chunk


def pair_of(text: str) -> tuple[str, str]:
    """Parse ID=VALUE."""
    key, sign, value = text.partition("=")
    if not sign or not value:
        raise click.UsageError(f"Write it as ID=VALUE, not {text!r}.")
    return key, value


def key_of(text: str) -> int | str:
    """Parse the key of a pattern: its number or its name."""
    return int(text) if text.strip().isdecimal() else text.strip()
