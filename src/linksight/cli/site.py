"""``linksight site``: the URL patterns of a web site, learnt, shown, matched, measured and exported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from linksight.sites.patterns import PatternSet

from linksight.cli.site_input import (
    STORE,
    browser_of,
    crawl_options,
    files_of,
    key_of,
    open_bench,
    pair_of,
    patterns_of,
    url_chunks,
    urls_of,
)
from linksight.cli.site_output import (
    coloured,
    match_writer,
    print_evaluations,
    print_languages,
    print_patterns,
    progress_bar,
    say,
    summary,
    write_out,
)

_store = click.option(
    "--store", metavar="FILE|URL", envvar="LINKSIGHT_SITES",
    help=f"The workbench: a SQLite file or a postgresql:// URL.  [default: {STORE}]",
)  # fmt: skip
_name = click.option("--name", help="The site's name in the workbench.  [default: its host]")
_out = click.option(
    "-o", "--out", type=click.Path(dir_okay=False), help="Write to a file, whole or not at all."
)
_COUNT, _SHARE = click.IntRange(min=1), click.FloatRange(0, 1)
_quiet = click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks.")


@click.group()
def site() -> None:
    """URL patterns of a web site: what kind of page is behind a link.

    \b
    linksight site learn https://shop.example/ -o shop.json
    linksight site show shop.json
    linksight site match shop.json -i urls.txt --format csv
    """


@site.command()
@click.argument("source", nargs=-1, required=True)
@click.option(
    "--from", "way", default="auto", show_default=True,
    type=click.Choice(["auto", "form", "sitemap", "crawl", "urls", "cdx", "warc"]),
    help="Where the links come from; auto: the search form, else the sitemap, else a plain crawl.",
)  # fmt: skip
@click.option("--site", "home", default="", help="Keep only the links of this site (for files).")
@_name
@_store
@_out
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
@click.option("--fresh", is_flag=True, help="Forget what was gathered before and begin anew.")
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
@_quiet
def learn(source: tuple[str, ...], **options: Any) -> None:
    """Learn the patterns of a site from its address, or from files of URLs, CDX or WARC.

    Fetching is polite: robots.txt is obeyed and there is a second between two requests. A run that
    was stopped goes on where it was; a site gathered before is only learnt again.

    \b
    linksight site learn https://shop.example/ -o shop.json
    linksight site learn urls.txt -o shop.json
    linksight site learn crawl.warc.gz --site https://shop.example/ -o shop.json
    """
    from linksight.sites.gathering import Gathering, learn_site, site_name
    from linksight.sites.workbench import Workbench
    from linksight.wholefile import check_place

    if options["out"]:
        check_place(options["out"])
    files, way = files_of(source, options["way"])
    home = options["home"] if files else source[0]
    # Files can be read again: their links are kept only where the user asks for it.
    with (
        Workbench(options["store"] or ("sqlite://" if files else STORE)) as bench,
        progress_bar(options["quiet"]) as bar,
        browser_of(options) as browser,
    ):
        name = options["name"] or (Path(files[0]).name if files and not home else site_name(home))
        if options["fresh"] and name in {row["name"] for row in bench.sites()}:
            bench.forget_site(bench.site_id(name))
        gathering = Gathering(bench, home, name, way, files, *crawl_options(options), bar, browser)
        number = gathering.run()
        patterns = learn_site(
            bench, number, alpha=options["alpha"], refine=not options["paper"], template=options["template"],
            min_share=options["min_share"], min_urls=options["min_urls"],
        )  # fmt: skip
    say([*gathering.notes, summary(patterns)], options["quiet"])
    if options["out"]:
        patterns.save(options["out"])
    else:
        print_patterns(patterns)


@site.command()
@click.argument("patterns", type=click.Path(exists=True, dir_okay=False))
@click.argument("urls", nargs=-1)
@click.option("-i", "--input", "source", metavar="FILE|-", help="URLs, one a line; or a Parquet file.")
@click.option("--column", default="url", show_default=True, help="The column of a Parquet file.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "jsonl", "csv"]),
    help="What is written.  [default: table]",
)
@_out
@_quiet
def match(
    patterns: str, urls: tuple[str, ...], source: str | None, column: str, style: str | None, out: str | None,
    quiet: bool,
) -> None:  # fmt: skip
    """The pattern of each URL; says when so many match nothing that the site must have changed.

    \b
    linksight site match shop.json https://shop.example/product/17
    linksight site match shop.json -i urls.txt --format csv -o matched.csv
    """
    import linksight

    if bool(urls) == bool(source):
        raise click.UsageError("Give URLs or --input, one of them.")
    loaded = linksight.load_patterns(patterns)
    watch = loaded.watch()
    n_bad = 0
    with match_writer(out, style or "table") as write:
        for chunk in [list(urls)] if urls else url_chunks(str(source), column):
            found = loaded.match_indices(chunk).tolist()
            n_bad += found.count(-2)
            watch.add_all(index >= 0 for index in found if index != -2)
            write(chunk, [loaded.patterns[i] if i >= 0 else None for i in found], [i == -2 for i in found])
    share = f"{watch.n_unmatched} of {watch.n_seen} match no pattern"
    bad = [f"{n_bad} are no web addresses"] if n_bad else []
    say([share, *bad, *([watch.message(loaded.site or "the site")] if watch.alarm else [])], quiet)


@site.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option("--page", help="A URL or an HTML file to show with its links coloured by pattern; needs -o.")
@click.option("--base", default="", help="The address of the HTML file.")
@click.option(
    "--languages", is_flag=True, help="The languages behind each pattern, and patterns that translate."
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="What is written.",
)
@click.option("--allow-private", is_flag=True, help="Fetch the page from loopback and private networks too.")
@_out
def show(
    patterns: str | None, store: str | None, name: str | None, page: str | None, base: str, languages: bool,
    style: str, allow_private: bool, out: str | None,
) -> None:  # fmt: skip
    """Show patterns: a table, their languages, or a page with its links coloured.

    \b
    linksight site show shop.json
    linksight site show shop.json --languages
    linksight site show shop.json --page https://shop.example/ -o coloured.html
    """
    chosen = patterns_of(patterns, store, name)
    if page:
        if not out:
            raise click.UsageError("--page needs -o, the HTML file to write.")
        write_out(out, coloured(chosen, page, base, allow_private))
    elif languages:
        print_languages(chosen, urls_of(patterns, store, name))
    elif style == "json":
        from linksight.sites.exports import to_json

        write_out(out, to_json(chosen))
    else:
        print_patterns(chosen)


@site.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option("--rename", multiple=True, metavar="ID=NAME", help="Give a pattern another name.")
@click.option("--merge", multiple=True, metavar="ID,ID[=NAME]", help="Make several patterns one.")
@click.option("--discard", multiple=True, metavar="ID", help="Drop a pattern.")
@click.option("--colour", multiple=True, metavar="ID=#rrggbb", help="Give a pattern another colour.")
@_out
def annotate(
    patterns: str | None, store: str | None, name: str | None, rename: tuple[str, ...], merge: tuple[str, ...],
    discard: tuple[str, ...], colour: tuple[str, ...], out: str | None,
) -> None:  # fmt: skip
    """Rename, merge and discard patterns, in a file or in the workbench.

    \b
    linksight site annotate shop.json --rename 3=product --merge 4,5=help --discard 7 -o shop.json
    """
    from linksight.sites.annotation import set_colour

    if not (rename or merge or discard or colour):
        raise click.UsageError("nothing to change: give --rename, --merge, --discard or --colour")

    def change(patterns: PatternSet) -> PatternSet:
        for text in rename:
            key, new = pair_of(text)
            patterns = patterns.rename(key_of(key), new)
        for text in merge:
            keys, _, new = text.partition("=")
            patterns = patterns.merge(*map(key_of, keys.split(",")), name=new or None)
        for text in colour:
            key, new = pair_of(text)
            patterns = set_colour(patterns, key_of(key), new)
        return patterns.discard(*map(key_of, discard)) if discard else patterns

    if out or patterns:
        changed = change(patterns_of(patterns, store, name))
        changed.save(out or str(patterns))
    else:
        with open_bench(store) as bench:
            details = {"rename": rename, "merge": merge, "discard": discard, "colour": colour}
            action = "-".join(kind for kind, given in details.items() if given)[:20]
            kept = {kind: list(given) for kind, given in details.items()}
            # Not read, changed and written in three steps: a colleague may be at the same site.
            changed = bench.annotate(bench.site_id(name), action, change, **kept)
    print_patterns(changed)


@site.command()
@click.argument("classes", type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option(
    "--mode",
    type=click.Choice(["supervised", "unsupervised", "both"]),
    default="both",
    show_default=True,
    help="How the paper measures: patterns matched to labels beforehand, afterwards, or both.",
)
@click.option("--seed", default=0, show_default=True, help="Which half of the hubs is learnt from.")
@click.option("--paper", is_flag=True, help="The paper's algorithm alone, without refinement.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="What is written.",
)
def evaluate(
    classes: str, store: str | None, name: str | None, mode: str, seed: int, paper: bool, style: str
) -> None:
    """Precision, recall and F1 of patterns learnt from half of the hubs, on the other half.

    CLASSES says which links belong together: a TOML or JSON file of regular expressions, XPath or CSS
    expressions, or a CSV file with the columns url and class. With a CSV file and no workbench its URLs
    are learnt from and tested on, half and half.

    \b
    linksight site evaluate classes.toml --name shop.example
    linksight site evaluate labelled.csv
    """
    from linksight.sites.evaluation import MODES, evaluate
    from linksight.sites.labels import read_labels, read_mapping, read_table

    if classes.lower().endswith(".csv") and not store and not Path(STORE).exists():
        labels = read_table(classes)
        hubs, seconds, bench, number = [list(labels)], [0.0], None, 0
    else:
        bench = open_bench(store)
        number = bench.site_id(name)
        kept = bench.hubs(number, with_body=True)
        labels = read_labels(classes, kept)
        hubs, seconds = [hub.urls for hub in kept], [hub.seconds for hub in kept]
    mapping = read_mapping(classes)
    results = [
        evaluate(hubs, labels, chosen, mapping=mapping, seconds=seconds, seed=seed, refine=not paper)
        for chosen in (MODES if mode == "both" else [mode])
    ]
    if bench:
        with bench:
            for result in results:
                scores = (result.precision, result.recall, result.f1)
                bench.add_evaluation(number, result.mode, scores, result.as_dict())
    print_evaluations(results, style)


@site.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option(
    "--format", "style", default="json", show_default=True, help="Which tool it is for.",
    type=click.Choice(["json", "regex", "scrapy", "heritrix", "browsertrix", "csv"]),
)  # fmt: skip
@_out
def export(patterns: str | None, store: str | None, name: str | None, style: str, out: str | None) -> None:
    """Patterns for other tools: JSON, regular expressions, Scrapy, Heritrix, Browsertrix, CSV of links.

    \b
    linksight site export shop.json --format scrapy -o rules.py
    linksight site export --name shop.example --format csv -o links.csv
    """
    from linksight.sites.exports import export as export_patterns

    links: list[tuple[str, str]] = []
    if style == "csv" and not patterns:
        with open_bench(store) as bench:
            hubs = bench.hubs(bench.site_id(name))
            links = [(link.url, link.anchor) for hub in hubs for link in hub.links if link.problem is None]
    write_out(out, export_patterns(patterns_of(patterns, store, name), style, links))
