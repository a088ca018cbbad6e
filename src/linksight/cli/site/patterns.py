"""``linksight site match``, ``show``, ``annotate``, ``export`` and ``pairs``: use learnt patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from linksight.cli import completion
from linksight.cli.formats import named_format_option
from linksight.cli.site.inputs import (
    column_option,
    key_of,
    name_option,
    open_bench,
    out_option,
    pair_of,
    patterns_of,
    quiet_option,
    store_option,
    url_chunks,
    urls_of,
)
from linksight.cli.site.outputs import (
    coloured,
    match_writer,
    pair_rows,
    print_languages,
    print_patterns,
    say,
    write_out,
)
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.sites.patterns.pattern import PatternSet


@click.command()
@click.argument("patterns", type=click.Path(exists=True, dir_okay=False))
@click.argument("urls", nargs=-1)
@click.option("-i", "--input", "source", metavar="FILE|-", shell_complete=completion.files,
              help="URLs, one a line; or a table: CSV, TSV, JSON lines, Parquet.")  # fmt: skip
@column_option
@named_format_option("table", "jsonl", "csv")
@out_option
@quiet_option
def match(
    patterns: str, urls: tuple[str, ...], source: str | None, column: str | None, form: str, out: str | None,
    quiet: bool,
) -> None:  # fmt: skip
    """The pattern of each URL; reports when too few match and the site has probably changed.

    \b
    linksight site match shop.json https://shop.example/product/17
    linksight site match shop.json -i urls.txt -o matched.csv
    linksight site match shop.json -i urls.csv.gz --column address
    """
    import linksight
    from linksight.bulk.sources import not_utf8
    from linksight.system.atomic_write import check_place

    if bool(urls) == bool(source):
        raise click.UsageError("Give URLs or --input, one of them.")
    if out:
        check_place(out, (patterns, source))
    loaded = linksight.load_patterns(patterns)
    watch = loaded.watch()
    n_bad, has_bad_encoding = 0, False
    with match_writer(out, form) as write:
        for chunk in [list(urls)] if urls else url_chunks(str(source), column):
            found = loaded.match_indices(chunk).tolist()
            n_bad += found.count(-2)
            has_bad_encoding = has_bad_encoding or (bool(source) and any("\ufffd" in url for url in chunk))
            watch.add_all(index >= 0 for index in found if index != -2)
            write(chunk, [loaded.patterns[i] if i >= 0 else None for i in found], [i == -2 for i in found])
    of_all = counted(watch.n_seen, "URL")
    share = f"{watch.n_unmatched:,} of {of_all} match no pattern"
    if not watch.n_unmatched:
        share = f"{of_all}: all match" if watch.n_seen else "no URL to match"
    bad = [counted(n_bad, "is no web address", "are no web addresses")] if n_bad else []
    if has_bad_encoding:
        bad.append(not_utf8(str(source)))
    say([share, *bad, *([watch.message(loaded.site or "the site")] if watch.alarm else [])], quiet)


@click.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@store_option
@name_option
@click.option(
    "--page",
    shell_complete=completion.files,
    help="URL or HTML file whose links -o shows coloured by pattern.",
)
@click.option("--base", default="", help="The address of the HTML file.")
@click.option(
    "--languages", is_flag=True, help="The languages behind each pattern, and patterns that translate."
)
@named_format_option("table", "json")
@click.option("--allow-private", is_flag=True, help="Fetch the page from loopback and private networks too.")
@out_option
def show(
    patterns: str | None, store: str | None, name: str | None, page: str | None, base: str, languages: bool,
    form: str, allow_private: bool, out: str | None,
) -> None:  # fmt: skip
    """Show patterns: a table, their languages, or a page with its links coloured.

    \b
    linksight site show shop.json
    linksight site show shop.json --languages
    linksight site show shop.json --page https://shop.example/ -o coloured.html
    """
    if out and (languages or form == "table") and not page:
        raise click.UsageError("-o goes with --page or --format json; a table is for reading")
    chosen = patterns_of(patterns, store, name)
    if page:
        if not out:
            raise click.UsageError("--page needs -o, the HTML file to write.")
        write_out(out, coloured(chosen, page, base, allow_private), patterns)
    elif languages:
        print_languages(chosen, urls_of(patterns, store, name))
    elif form == "json":
        from linksight.sites.patterns.exports import to_json

        write_out(out, to_json(chosen), patterns)
    else:
        print_patterns(chosen)


@click.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@store_option
@name_option
@click.option("--rename", multiple=True, metavar="ID=NAME", help="Give a pattern another name.")
@click.option("--merge", multiple=True, metavar="ID,ID[=NAME]", help="Make several patterns one.")
@click.option("--discard", multiple=True, metavar="ID", help="Drop a pattern.")
@click.option("--colour", multiple=True, metavar="ID=#rrggbb", help="Give a pattern another colour.")
@out_option
def annotate(
    patterns: str | None, store: str | None, name: str | None, rename: tuple[str, ...], merge: tuple[str, ...],
    discard: tuple[str, ...], colour: tuple[str, ...], out: str | None,
) -> None:  # fmt: skip
    """Rename, merge and discard patterns, in a file or in the workbench.

    \b
    linksight site annotate shop.json --rename 5=article --merge 3,4=help --discard 7 -o named.json
    """
    from linksight.sites.patterns.pattern_names import set_colour

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
            action = "-".join(kind for kind, values in details.items() if values)[:20]
            lists = {kind: list(values) for kind, values in details.items()}
            # One transaction, because other users may edit the same site.
            changed = bench.annotate(bench.site_id(name), action, change, **lists)
    print_patterns(changed)


@click.command()
@click.argument("patterns", required=False, type=click.Path(exists=True, dir_okay=False))
@store_option
@name_option
@named_format_option("json", "regex", "scrapy", "heritrix", "browsertrix", "csv", what="Which tool it is for")
@out_option
def export(patterns: str | None, store: str | None, name: str | None, form: str, out: str | None) -> None:
    """Patterns for other tools: JSON, regular expressions, Scrapy, Heritrix, Browsertrix, CSV of links.

    \b
    linksight site export shop.json --format scrapy -o rules.py
    linksight site export --name shop.example --format csv -o links.csv
    """
    from linksight.sites.patterns.exports import export as export_patterns

    links: list[tuple[str, str]] = []
    if form == "csv" and not patterns:
        with open_bench(store) as bench:
            hubs = bench.hubs(bench.site_id(name))
            links = [(link.url, link.anchor) for hub in hubs for link in hub.links if link.problem is None]
    write_out(out, export_patterns(patterns_of(patterns, store, name), form, links), patterns)


@click.command()
@click.argument("urls", nargs=-1)
@click.option("-i", "--input", "source", metavar="FILE|-", shell_complete=completion.files,
              help="URLs, one a line; or a table: CSV, TSV, JSON lines, Parquet.")  # fmt: skip
@column_option
@click.option("--languages", metavar="CODE,CODE", help="Only pairs of these languages.")
@named_format_option("table", "jsonl", "csv")
@out_option
@quiet_option
def pairs(
    urls: tuple[str, ...], source: str | None, column: str | None, languages: str | None, form: str, out: str | None,
    quiet: bool,
) -> None:  # fmt: skip
    """Find URLs that translate each other, on one site or on many.

    \b
    linksight site pairs -i urls.txt --format csv
    linksight site pairs -i urls.txt --languages en,fr -o pairs.jsonl
    """
    import linksight

    if bool(urls) == bool(source):
        raise click.UsageError("Give URLs or --input, one of them.")
    listed = list(urls) or [url for chunk in url_chunks(str(source), column) for url in chunk]
    found = linksight.find_translations(listed, languages.split(",") if languages else None)
    write_out(out, pair_rows(found, form))
    say([f"{counted(len(found), 'pair')} in {counted(len(listed), 'URL')}"], quiet)
