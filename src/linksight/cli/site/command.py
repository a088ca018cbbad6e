"""``linksight site``: learn and evaluate URL patterns; the other commands are in ``patterns``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from linksight.cli import completion
from linksight.cli.formats import format_option
from linksight.cli.site.inputs import (
    STORE,
    browser_of,
    column_option,
    crawl_options,
    files_of,
    name_option,
    open_bench,
    out_option,
    quiet_option,
    store_option,
)
from linksight.cli.site.outputs import print_evaluations, print_patterns, progress_bar, say, summary
from linksight.cli.site.patterns import annotate, export, match, pairs, show

_COUNT, _SHARE = click.IntRange(min=1), click.FloatRange(0, 1)


@click.group()
def site() -> None:
    """URL patterns of a web site: what kind of page is behind a link.

    \b
    linksight site learn https://shop.example/ -o shop.json
    linksight site show shop.json
    linksight site match shop.json -i urls.txt --format csv
    """


@site.command()
@click.argument("source", nargs=-1, required=True, shell_complete=completion.files)
@click.option(
    "--from", "kind", default="auto", show_default=True,
    type=click.Choice(["auto", "form", "sitemap", "crawl", "urls", "cdx", "warc"]),
    help="Source of links; auto: search form, else sitemap, else crawl.",
)  # fmt: skip
@click.option("--site", "home", default="", help="Keep only the links of this site (for files).")
@column_option
@click.option("--name", help="The site's name in the workbench.  [default: its host; that of the file]")
@store_option
@out_option
@click.option("--hubs", default=100, show_default=True, type=_COUNT, help="Hubs wanted (M of the paper).")
@click.option("--rounds", default=5, show_default=True, type=_COUNT, help="Rounds at most (T).")
@click.option(
    "--keywords", default=20, show_default=True, type=_COUNT, help="Keywords taken from each page (N)."
)
@click.option(
    "--threads", default=4, show_default=True, type=_COUNT, help="Requests that may wait for an answer."
)
@click.option(
    "--delay",
    default=1.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="Seconds between two requests to a host.",
)
@click.option("--allow-private", is_flag=True, help="Fetch from loopback and private networks too.")
@click.option("--render", is_flag=True, help="Load pages in a real browser, for sites that need JavaScript.")
@click.option(
    "--fresh", is_flag=True, help="Forget the links that were gathered before; names of patterns stay."
)
@click.option(
    "--alpha", default=0.05, show_default=True, type=_SHARE, help="Share of outliers in Cantelli's test."
)
@click.option("--paper", is_flag=True, help="The paper's algorithm alone, without refinement.")
@click.option(
    "--template", type=_SHARE, help="Leave out links found on at least this share of hubs, e.g. 0.9."
)
@click.option(
    "--min-share", default=0.0, type=_SHARE, help="Discard patterns for a smaller share of the URLs."
)
@click.option("--min-urls", default=1, type=_COUNT, help="Discard patterns for fewer URLs.")
@quiet_option
def learn(source: tuple[str, ...], **options: Any) -> None:
    """Learn the patterns of a site from its address, or from files of URLs, CDX or WARC.

    Fetching is polite: robots.txt is obeyed and there is a second between two requests. A run that
    was stopped goes on where it was; a site gathered before is only learnt again: what is fetched is
    kept in linksight-sites.db in this folder, or in --store.

    \b
    linksight site learn https://shop.example/ -o shop.json
    linksight site learn urls.txt -o shop.json
    linksight site learn urls.csv.gz --column address -o shop.json
    linksight site learn crawl.warc.gz --site https://shop.example/ -o shop.json
    """
    from linksight.sites.gathering.gather import Gathering, learn_site, site_name
    from linksight.sites.workbench.workbench import Workbench
    from linksight.system.atomic_write import check_place

    if options["out"]:
        check_place(options["out"], source)
    files, kind = files_of(source, options["kind"])
    if options["column"] is not None and kind != "urls":
        raise click.UsageError("--column is for tables of URLs: CSV, TSV, JSON lines, Parquet")
    home = options["home"] if files else source[0]
    # Store the links of files only with --store, as the files can be read again.
    with (
        Workbench(options["store"] or ("sqlite://" if files else STORE)) as bench,
        progress_bar(options["quiet"]) as bar,
        browser_of(options) as browser,
    ):
        name = options["name"] or (Path(files[0]).name if files and not home else site_name(home))
        if options["fresh"] and name in {row["name"] for row in bench.sites()}:
            bench.gather_anew(bench.site_id(name), home)
        gathering = Gathering(
            bench, home, name, kind, files, *crawl_options(options), bar, browser, options["column"]
        )
        number = gathering.run()
        patterns = learn_site(
            bench, number, alpha=options["alpha"], refine=not options["paper"], template=options["template"],
            min_share=options["min_share"], min_urls=options["min_urls"],
        )  # fmt: skip
    remarks = [] if files or options["store"] else [f"what was gathered is kept in {STORE}"]
    say([*gathering.notes, *remarks, summary(patterns)], options["quiet"])
    if options["out"]:
        patterns.save(options["out"])
    else:
        print_patterns(patterns)


@site.command()
@click.argument("classes", type=click.Path(exists=True, dir_okay=False))
@store_option
@name_option
@click.option(
    "--mode",
    type=click.Choice(["supervised", "unsupervised", "both"]),
    default="both",
    show_default=True,
    help="Match patterns to labels before or after measuring, or both.",
)
@click.option("--seed", default=0, show_default=True, help="Which half of the hubs is learnt from.")
@click.option("--transfer", is_flag=True, help="Also test on links that the first half does not have.")
@click.option("--paper", is_flag=True, help="The paper's algorithm alone, without refinement.")
@format_option("table", "json")
def evaluate(
    classes: str,
    store: str | None,
    name: str | None,
    mode: str,
    seed: int,
    transfer: bool,
    paper: bool,
    form: str,
) -> None:
    """Precision, recall and F1 of patterns, learned on half of the hubs.

    CLASSES assigns links to classes: a TOML or JSON file of regular expressions, XPath or CSS, or a
    table (CSV, TSV, JSON lines, Parquet) with the columns url and class. Without a workbench, half of
    the table's URLs are for learning and half for testing.

    \b
    linksight site evaluate classes.toml --name shop.example
    linksight site evaluate classes.csv --name shop.example
    """
    from linksight.sites.evaluation.class_rules import is_table, read_mapping, read_table
    from linksight.sites.evaluation.metrics import MODES, TRANSFER, evaluate
    from linksight.sites.evaluation.sandbox import read_labels

    _check_classes(classes)
    if is_table(classes) and not store and not Path(STORE).exists():
        labels = read_table(classes)
        hubs, seconds, bench, number = [list(labels)], [0.0], None, 0
    else:
        bench = open_bench(store, "(links of files are kept by: linksight site learn FILE --store FILE.db)")
        number = bench.site_id(name)
        stored = bench.hubs(number, with_body=True)
        labels = read_labels(classes, stored)
        hubs, seconds = [hub.urls for hub in stored], [hub.seconds for hub in stored]
    mapping = read_mapping(classes)
    results = [
        evaluate(hubs, labels, chosen, mapping=mapping, seconds=seconds, seed=seed, refine=not paper)
        for chosen in (*(MODES if mode == "both" else [mode]), *([TRANSFER] if transfer else []))
    ]
    if bench:
        with bench:
            for result in results:
                scores = (result.precision, result.recall, result.f1)
                bench.add_evaluation(number, result.mode, scores, result.as_dict())
    print_evaluations(results, form)


def _check_classes(path: str) -> None:
    """Raise an error for a file of patterns, which has no ground truth."""
    with Path(path).open("rb") as file:
        if b'"linksight-patterns"' in file.read(4096):
            raise click.UsageError(
                f"{path} holds patterns; CLASSES assigns links to classes, such as a CSV file with the"
                " columns url and class"
            )


for command in (match, show, annotate, export, pairs):
    site.add_command(command)
