"""Seeds: read, validate and enqueue the start URLs of a crawl; every strategy fetches them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from linksight.crawl.extract.links import Outlink
from linksight.crawl.frontier.records import Found
from linksight.crawl.urls.scope_rules import SEED_SCOPES
from linksight.crawl.urls.url_normalize import names_private, typed
from linksight.errors import BadData, BadUrl, CrawlError
from linksight.results import Decision

if TYPE_CHECKING:
    from linksight.crawl.frontier.frontier import Frontier
    from linksight.crawl.monitor.stats import Journal
    from linksight.crawl.run.response_processor import Digester
    from linksight.crawl.scoring.link_scorer import Judge

_COMMENT = re.compile(r"(?:^|\s)#.*")  #: comment in a line of a text file


def enqueue_seeds(
    seeds: Iterable[str], judge: Judge, digester: Digester, frontier: Frontier, journal: Journal
) -> dict[str, str]:
    """Enqueue the seeds; log and return those that filters exclude, with the reason."""
    scored = judge.links([Outlink(typed(seed)) for seed in seeds], 0)
    details = {typed(url): (label, note, scope) for url, label, note, scope in digester.config.seed_details}
    numbers = frontier.enter_seeds(
        {link.url: details.get(link.url, ("", "", "")) for link in scored}, digester.config.seed_scope
    )
    found, refused = [], {}
    for link, decision in zip(scored, judge.decide(scored), strict=True):
        # Fetch a seed even if the strategy rejects it: the user asked for it.
        decision = Decision(True, decision.priority, "seed", decision.evidence)
        refusal = digester.refusal(link.url, 0)
        if refusal:
            decision = Decision(False, 0.0, refusal)
            journal.note("seed-refused", url=link.url, reason=refusal)
            refused[link.url] = refusal
        found.append(Found(link.url, 0, decision, link.memory, refused=bool(refusal), seed=numbers[link.url]))
    frontier.add(found)
    # A seed may have been rejected earlier as a link: requeue it.
    frontier.requeue_seeds(one.url for one in found if not one.refused)
    return refused


class SeedFiles(NamedTuple):
    """Seeds from files, with their details."""

    seeds: list[str]
    lacking: dict[str, int]  #: number of rows without a URL, by file
    details: list[tuple[str, str, str, str]]  #: URL, label, note and scope of rows that have any


def read_seeds(inputs: Iterable[str], column: str | None = None) -> SeedFiles:
    """Read seeds from files, folders and standard input (``-``).

    A table may have columns ``label``, ``note`` and ``scope`` (page, prefix, host, domain or any) beside the URLs.

    The formats are those of ``linksight detect -i``: one URL a line, or the column of a table. In text files blank
    lines are skipped, and ``#`` at the start of a line or after a blank begins a comment.
    """
    from linksight.bulk.readers import Reader
    from linksight.bulk.sources import find_sources

    seeds: list[str] = []
    lacking: dict[str, int] = {}
    details: list[tuple[str, str, str, str]] = []
    for source in find_sources(inputs):
        is_text = source.kind == "text"
        if is_text and column is not None:
            raise BadData(f"{source.name}: one seed a line, so there is no column {column!r}")
        reader = Reader([source], has_header=None)
        for block in reader.blocks():
            lines = [
                (url or "").removeprefix("\ufeff").strip() for url in block.look(column).urls.to_pylist()
            ]
            lines = [_COMMENT.sub("", line).rstrip() for line in lines] if is_text else lines
            found = [url for url in lines if url]
            details += _details(lines, block.columns) if not is_text else []
            seeds += found
            if not is_text and len(found) < len(lines):
                lacking[source.name] = lacking.get(source.name, 0) + len(lines) - len(found)
        if reader.damaged:
            raise BadData(f"{source.name}: not a text file in UTF-8; was another file meant?")
    return SeedFiles(seeds, lacking, details)


def _details(urls: list[str], table: Any) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of a table that have a label, a note or a scope."""
    columns = [
        [str(value or "").strip() for value in table[name].to_pylist()]
        if name in table.column_names
        else [""] * len(urls)
        for name in ("label", "note", "scope")
    ]
    for url, label, note, scope in zip(urls, *columns, strict=True):
        if scope and scope not in SEED_SCOPES:
            raise BadData(f"{url}: a seed's scope is one of {', '.join(SEED_SCOPES)}, not {scope!r}")
        if url and (label or note or scope):
            yield url, label, note, scope


def validate_seeds(seeds: Iterable[str]) -> tuple[list[str], list[BadUrl]]:
    """Split seeds into valid URLs and the errors of the others, so that one bad row does not stop a crawl.

    >>> valid, errors = validate_seeds(["http://a.nl/", "to be done"])
    >>> valid, [str(error) for error in errors]
    (['http://a.nl/'], ["bad host name: 'to be done'"])
    """
    valid, errors = [], []
    for seed in seeds:
        try:
            typed(seed)
        except BadUrl as error:
            errors.append(error)
        else:
            valid.append(seed)
    return valid, errors


def check_seeds(seeds: Iterable[str], *, allow_private: bool) -> None:
    """Raise an error for invalid seeds, or if all seeds are on private networks.

    >>> check_seeds(["http://127.0.0.1:8000/"], allow_private=False)
    Traceback (most recent call last):
    linksight.errors.CrawlError: http://127.0.0.1:8000/: an address of a private network; allow it on purpose (--allow-private)
    """
    urls = [typed(seed) for seed in seeds]
    if urls and not allow_private and all(map(names_private, urls)):
        more = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
        what = "addresses" if more else "an address"
        it = "them" if more else "it"
        raise CrawlError(
            f"{urls[0]}{more}: {what} of a private network; allow {it} on purpose (--allow-private)"
        )
