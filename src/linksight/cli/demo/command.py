"""``linksight demo``: crawl a small web on this machine and show the report."""

from __future__ import annotations

import sys
import tempfile
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linksight.cli.demo import sites
from linksight.cli.demo.web import DemoWeb

if TYPE_CHECKING:
    from linksight.crawl.run.config import CrawlConfig

MAX_PAGES = 60


@click.command()
@click.option("--language", "-l", type=click.Choice(list(sites.VOCABULARIES)), default="nl", show_default=True,
              help="Language to crawl for.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the path of the report instead of opening it.")
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keep the crawl in DIR."
)
@click.option("--serve", is_flag=True, help="Only serve the small web, until Ctrl-C.")
def demo(language: str, no_browser: bool, keep: Path | None, serve: bool) -> None:
    """Crawl a small web on this machine, and show the report.

    The web has nine sites in Dutch, French and German on the loopback address. The crawl looks for
    one language and skips what its URLs and links reveal as another. It needs no network, takes
    about ten seconds, and removes everything at the end. It needs: pip install "linksight[crawl]"

    \b
    linksight demo
    linksight demo --no-browser --language fr
    linksight demo --no-browser --keep demo/
    """
    with DemoWeb() as web:
        if serve:
            _serve(web)
            return
        click.echo(f"Serving {len(sites.LANGUAGES)} small sites in Dutch, French and German.", err=True)
        with tempfile.TemporaryDirectory(prefix="linksight-demo-") as temporary:
            folder = keep or Path(temporary) / "crawl"
            _crawl(web, folder, language)
            _show(folder / "report.html", no_browser=no_browser, is_kept=keep is not None)
    click.echo("The small web is gone." if keep else "The small web and its crawl are gone.", err=True)


def _serve(web: DemoWeb) -> None:
    for url in web.front_pages().values():
        click.echo(url)
    click.echo("Ctrl-C stops the small web.", err=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


def _crawl(web: DemoWeb, folder: Path, language: str) -> None:
    """Crawl from one front page in each language, and print what the crawl found."""
    from linksight.crawl.run.api import start_crawl
    from linksight.languages.registry import name

    click.echo(f"Crawling them for {name(language)}, from one front page in each language ...", err=True)
    tally = start_crawl(folder, _config(web, language))
    n_in_language = sum(len(sites.paths(site)) for site, one in enumerate(sites.LANGUAGES) if one == language)
    n_pages = sum(len(sites.paths(site)) for site in range(len(sites.LANGUAGES)))
    click.echo(
        f"Fetched {tally.pages} of {n_pages} pages and found {tally.hits} of {n_in_language} pages in {name(language)}."
    )


def _config(web: DemoWeb, language: str) -> CrawlConfig:
    from linksight.crawl.run.config import CrawlConfig

    return CrawlConfig(
        language=language, contact="https://linksight.example/demo", seeds=tuple(web.front_pages().values()),
        max_pages=MAX_PAGES, delay=0.0, sample=10, allow_private=True,
    )  # fmt: skip


def _show(report: Path, *, no_browser: bool, is_kept: bool) -> None:
    """Open the report, or print its path; on a terminal, wait before the report is removed."""
    if no_browser or not webbrowser.open(report.resolve().as_uri()):
        click.echo(f"report: {report}")
    if not is_kept and sys.stdin is not None and sys.stdin.isatty():
        click.prompt(
            "Press Enter to remove everything", default="", show_default=False, prompt_suffix="", err=True
        )
