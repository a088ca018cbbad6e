"""``linksight site``: the URL patterns of a web site, learnt, shown, matched, measured and exported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from linksight.sites.hubs import Progress
    from linksight.sites.patterns import PatternSet
    from linksight.sites.workbench import Workbench

STORE = "linksight-sites.db"
FILE_SOURCES = (".txt", ".lst", ".csv", ".cdx", ".cdxj", ".warc", ".gz")

_store = click.option(
    "--store", metavar="FILE|URL", envvar="LINKSIGHT_SITES",
    help=f"The workbench: a SQLite file or a postgresql:// URL.  [default: {STORE}]",
)  # fmt: skip
_name = click.option("--name", help="The site's name in the workbench.  [default: its host]")
_out = click.option(
    "-o", "--out", type=click.Path(dir_okay=False), help="Write to a file, whole or not at all."
)
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
@click.option("--hubs", default=100, show_default=True, help="Hubs wanted (M of the paper).")
@click.option("--rounds", default=5, show_default=True, help="Rounds at most (T).")
@click.option("--keywords", default=20, show_default=True, help="Keywords taken from each page (N).")
@click.option("--threads", default=4, show_default=True, help="Requests that may wait for an answer.")
@click.option("--delay", default=1.0, show_default=True, help="Seconds between two requests to a host.")
@click.option("--allow-private", is_flag=True, help="Fetch from loopback and private networks too.")
@click.option("--render", is_flag=True, help="Load pages in a real browser, for sites that need JavaScript.")
@click.option("--fresh", is_flag=True, help="Forget what was gathered before and begin anew.")
@click.option("--alpha", default=0.05, show_default=True, help="Share of outliers in Cantelli's test.")
@click.option("--paper", is_flag=True, help="The paper's algorithm alone, without refinement.")
@click.option(
    "--template", type=float, help="Leave out links found on at least this share of hubs, e.g. 0.9."
)
@click.option("--min-share", default=0.0, help="Discard patterns for a smaller share of the URLs.")
@click.option("--min-urls", default=1, help="Discard patterns for fewer URLs.")
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

    files, way = _files_of(source, options["way"])
    home = options["home"] if files else source[0]
    # Files can be read again: their links are kept only where the user asks for it.
    with (
        Workbench(options["store"] or ("sqlite://" if files else STORE)) as bench,
        _bar(options["quiet"]) as bar,
    ):
        name = options["name"] or (Path(files[0]).name if files and not home else site_name(home))
        if options["fresh"] and name in {row["name"] for row in bench.sites()}:
            bench.forget_site(bench.site_id(name))
        gathering = Gathering(bench, home, name, way, files, *_crawl_options(options), bar, _browser(options))
        number = gathering.run()
        patterns = learn_site(
            bench, number, alpha=options["alpha"], refine=not options["paper"], template=options["template"],
            min_share=options["min_share"], min_urls=options["min_urls"],
        )  # fmt: skip
    _say([*gathering.notes, _summary(patterns)], options["quiet"])
    if options["out"]:
        patterns.save(options["out"])
    else:
        _print_table(patterns)


@site.command()
@click.argument("patterns", type=click.Path(exists=True, dir_okay=False))
@click.argument("urls", nargs=-1)
@click.option("-i", "--input", "source", metavar="FILE|-", help="URLs, one a line; or a Parquet file.")
@click.option("--column", default="url", show_default=True, help="The column of a Parquet file.")
@click.option("--format", "style", type=click.Choice(["table", "jsonl", "csv"]), help="[default: table]")
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
    from linksight.sites.drift import DriftWatch

    if bool(urls) == bool(source):
        raise click.UsageError("Give URLs or --input, one of them.")
    loaded = linksight.load_patterns(patterns)
    watch = DriftWatch(float(loaded.learnt.get("unmatched", 0.0)))
    n_bad = 0
    with _writer(out, style or "table") as write:
        for chunk in [list(urls)] if urls else _chunks(str(source), column):
            found = loaded.match_indices(chunk).tolist()
            n_bad += found.count(-2)
            watch.add_all(index >= 0 for index in found if index != -2)
            write(chunk, [loaded.patterns[i] if i >= 0 else None for i in found], [i == -2 for i in found])
    share = f"{watch.n_unmatched} of {watch.n_seen} match no pattern"
    bad = [f"{n_bad} are no web addresses"] if n_bad else []
    _say([share, *bad, *([watch.message(loaded.site or "the site")] if watch.alarm else [])], quiet)


@site.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option("--page", help="A URL or an HTML file to show with its links coloured by pattern; needs -o.")
@click.option("--base", default="", help="The address of the HTML file.")
@click.option(
    "--languages", is_flag=True, help="The languages behind each pattern, and patterns that translate."
)
@click.option("--format", "style", type=click.Choice(["table", "json"]), default="table", show_default=True)
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
    chosen = _patterns(patterns, store, name)
    if page:
        if not out:
            raise click.UsageError("--page needs -o, the HTML file to write.")
        _write(out, _coloured(chosen, page, base, allow_private))
    elif languages:
        _show_languages(chosen, _urls_of(patterns, store, name))
    elif style == "json":
        from linksight.sites.exports import to_json

        _write(out, to_json(chosen))
    else:
        _print_table(chosen)


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

    changed = _patterns(patterns, store, name)
    for text in rename:
        key, new = _pair(text)
        changed = changed.rename(_key(key), new)
    for text in merge:
        keys, _, new = text.partition("=")
        changed = changed.merge(*map(_key, keys.split(",")), name=new or None)
    for text in colour:
        key, new = _pair(text)
        changed = set_colour(changed, _key(key), new)
    if discard:
        changed = changed.discard(*map(_key, discard))
    if out or patterns:
        changed.save(out or str(patterns))
    else:
        with _bench(store) as bench:
            details = {"rename": rename, "merge": merge, "discard": discard, "colour": colour}
            action = "-".join(kind for kind, given in details.items() if given)[:20] or "none"
            bench.save_patterns(
                bench.site_id(name), changed, action, **{k: list(v) for k, v in details.items()}
            )
    _print_table(changed)


@site.command()
@click.argument("classes", type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option(
    "--mode", type=click.Choice(["supervised", "unsupervised", "both"]), default="both", show_default=True
)
@click.option("--seed", default=0, show_default=True, help="Which half of the hubs is learnt from.")
@click.option("--paper", is_flag=True, help="The paper's algorithm alone, without refinement.")
@click.option("--format", "style", type=click.Choice(["table", "json"]), default="table", show_default=True)
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
    from linksight.sites.labels import read_labels, read_table

    if classes.lower().endswith(".csv") and not store and not Path(STORE).exists():
        labels = read_table(classes)
        hubs, seconds, bench, number = [list(labels)], [0.0], None, 0
    else:
        bench = _bench(store)
        number = bench.site_id(name)
        kept = bench.hubs(number, with_body=True)
        labels = read_labels(classes, kept)
        hubs, seconds = [hub.urls for hub in kept], [hub.seconds for hub in kept]
    results = [
        evaluate(hubs, labels, chosen, seconds=seconds, seed=seed, refine=not paper)
        for chosen in (MODES if mode == "both" else [mode])
    ]
    if bench:
        with bench:
            for result in results:
                scores = (result.precision, result.recall, result.f1)
                bench.add_evaluation(number, result.mode, scores, result.as_dict())
    _print_evaluations(results, style)


@site.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@_store
@_name
@click.option(
    "--format", "style", default="json", show_default=True,
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
        with _bench(store) as bench:
            hubs = bench.hubs(bench.site_id(name))
            links = [(link.url, link.anchor) for hub in hubs for link in hub.links if link.problem is None]
    _write(out, export_patterns(_patterns(patterns, store, name), style, links))


# -- what the commands share ----------------------------------------------------------------------


def _files_of(source: tuple[str, ...], way: str) -> tuple[tuple[str, ...], str]:
    """The files among the sources, and what they hold."""
    first = Path(source[0])
    is_file = way in ("urls", "cdx", "warc") or ("//" not in source[0] and first.suffix in FILE_SOURCES)
    if not is_file:
        if len(source) > 1:
            raise click.UsageError("One site at a time.")
        return (), way
    for path in source:
        if not Path(path).is_file():
            raise click.UsageError(f"No such file: {path}")
    if way == "auto":
        suffixes = first.suffixes[-2:]
        way = "warc" if ".warc" in suffixes else "cdx" if {".cdx", ".cdxj"} & set(suffixes) else "urls"
    return source, way


def _crawl_options(options: dict[str, Any]) -> tuple[Any, Any]:
    from linksight.sites.fetch import FetchOptions
    from linksight.sites.hubs import HubOptions

    hubs = HubOptions(
        n_hubs=options["hubs"], n_rounds=options["rounds"], n_keywords=options["keywords"],
        alpha=options["alpha"], threads=options["threads"],
    )  # fmt: skip
    return hubs, FetchOptions(delay_s=options["delay"], allow_private=options["allow_private"])


def _browser(options: dict[str, Any]) -> Any:
    if not options["render"]:
        return None
    from linksight.sites.render import Browser

    return Browser(delay_s=options["delay"], allow_private=options["allow_private"]).load


@contextmanager
def _bar(quiet: bool) -> Iterator[Progress]:
    """A progress bar on a terminal, and nothing elsewhere."""
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


def _bench(store: str | None) -> Workbench:
    from linksight.sites.workbench import Workbench

    if not store and not Path(STORE).exists():
        raise click.UsageError(f"No workbench here ({STORE}); give --store or a file of patterns.")
    return Workbench(store or STORE)


def _patterns(path: str | None, store: str | None, name: str | None) -> PatternSet:
    import linksight

    if path:
        return linksight.load_patterns(path)
    with _bench(store) as bench:
        return bench.patterns(bench.site_id(name))


def _urls_of(path: str | None, store: str | None, name: str | None) -> tuple[list[str], dict[str, str]]:
    """All URLs of a site in the workbench, and the languages of its hubs; none for a file."""
    if path and not store and not Path(STORE).exists():
        return [], {}
    with _bench(store) as bench:
        hubs = bench.hubs(bench.site_id(name))
    return [u for hub in hubs for u in hub.urls], {hub.url: hub.language for hub in hubs if hub.language}


def _coloured(patterns: PatternSet, page: str, base: str, allow_private: bool) -> str:
    from linksight.errors import CrawlError
    from linksight.sites.annotation import annotate as with_colours
    from linksight.sites.coloured import coloured_page
    from linksight.sites.fetch import Fetcher, FetchOptions, Page
    from linksight.sites.hubs import reason_of

    if Path(page).is_file():
        fetched = Page(base or f"http://{patterns.site}/", 200, "text/html", Path(page).read_bytes())
    else:
        fetched = Fetcher(FetchOptions(allow_private=allow_private)).get(page)
        if not fetched.is_html:
            raise CrawlError(f"{page}: {reason_of(fetched.problem or 'not-html')}")
    return coloured_page(fetched, with_colours(patterns))


def _show_languages(patterns: PatternSet, known: tuple[list[str], dict[str, str]]) -> None:
    from linksight.sites.translations import languages_of_patterns, translations

    urls = known[0] or [url for pattern in patterns for url in pattern.examples]
    rows = []
    for row in languages_of_patterns(patterns, urls, known[1]):
        rows.append([str(row.pattern.id), row.pattern.text, _mix(row.by_url), _mix(row.by_page)])
    _table(["id", "pattern", "by URL", "by page"], rows)
    pairs = translations(patterns, urls)
    if pairs:
        _table(["pattern", "translates", "languages", "shared"],
               [[t.one.text, t.other.text, " ".join(t.languages), str(t.n_shared)] for t in pairs])  # fmt: skip


def _mix(shares: Any) -> str:
    return " ".join(f"{language} {share:.0%}" for language, share in list(shares.items())[:3])


def _print_table(patterns: PatternSet) -> None:
    rows = [
        [str(p.id), p.name, p.text, str(p.n_urls), f"{p.share:.1%}", str(p.n_hubs)]
        for p in sorted(patterns, key=lambda p: -p.n_urls)
    ]
    _table(["id", "name", "pattern", "URLs", "share", "hubs"], rows)


def _table(head: list[str], rows: list[list[str]]) -> None:
    """A table on a terminal, tab-separated lines elsewhere."""
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


def _print_evaluations(results: list[Any], style: str) -> None:
    if style == "json":
        import json

        click.echo(json.dumps([result.as_dict() for result in results], ensure_ascii=False, indent=1))
        return
    head = ["mode", "URLs", "tokens/URL", "tested", "P", "R", "F1", "LT", "HDT", "MCT", "MDT"]
    rows = []
    for r in results:
        scores = [f"{value:.3f}" for value in (r.precision, r.recall, r.f1)]
        times = [f"{r.learning_s:.2f}", f"{r.download_s:.2f}", f"{r.classify_s:.2g}", f"{r.page_s:.3f}"]
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


def _chunks(source: str, column: str, size: int = 100_000) -> Iterator[Any]:
    """The URLs of a file, many at a time."""
    from linksight.errors import BadData

    if source.endswith(".parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            for batch in pq.ParquetFile(source).iter_batches(size, columns=[column]):
                yield batch.column(0).to_pylist()
        except (OSError, pa.ArrowException, IndexError) as error:
            raise BadData(f"{source}: no column {column!r}, or not a Parquet file ({error})") from None
        return
    try:
        with click.open_file(source, encoding="utf-8", errors="replace") as lines:
            chunk: list[str] = []
            for line in lines:
                if line.strip():
                    chunk.append(line.strip())
                if len(chunk) == size:
                    yield chunk
                    chunk = []
            yield chunk
    except OSError as error:
        raise BadData(f"{source}: {error.strerror or error}") from None


@contextmanager
def _writer(out: str | None, style: str) -> Iterator[Any]:
    """A function that writes rows to a file or to standard output; the file appears whole."""
    import os
    import tempfile

    if not out:
        yield _row_writer(sys.stdout, style)
        return
    target = Path(out)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, delete=False
    ) as file:
        try:
            yield _row_writer(file, style)
        except BaseException:
            Path(file.name).unlink()
            raise
    os.replace(file.name, target)  # noqa: PTH105


def _row_writer(file: IO[str], style: str) -> Any:
    import csv
    import json

    if style == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["url", "pattern", "name", "problem"])

    def write(urls: Any, found: list[Any], bad: list[bool]) -> None:
        for url, pattern, is_bad in zip(urls, found, bad, strict=True):
            text, name = (pattern.text, pattern.name) if pattern else ("", "")
            problem = "not a web address" if is_bad else ""
            if style == "csv":
                writer.writerow([url, text, name, problem])
            elif style == "jsonl":
                row = {"url": url, "pattern": text or None, "name": name or None, "problem": problem or None}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            else:
                file.write(f"{name or '-'}\t{text or '-'}\t{url}\n")

    return write


def _write(out: str | None, text: str) -> None:
    if out:
        from linksight.sites.files import write_text

        write_text(out, text)
    else:
        click.echo(text, nl=False)


def _summary(patterns: PatternSet) -> str:
    learnt = patterns.learnt
    return f"{len(patterns)} patterns from {learnt.get('urls', 0)} URLs of {learnt.get('hubs', 0)} hubs"


def _say(lines: list[str], quiet: bool) -> None:
    for line in [] if quiet else lines:
        click.echo(line, err=True)


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not value:
        raise click.UsageError(f"Write it as ID=VALUE, not {text!r}.")
    return key, value


def _key(text: str) -> int | str:
    return int(text) if text.strip().isdigit() else text.strip()
