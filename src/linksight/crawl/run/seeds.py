"""Seeds: the addresses that a crawl begins at, judged like links and fetched whatever the judgement."""

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

_REMARK = re.compile(r"(?:^|\s)#.*")  #: in a line of a text


def plant(
    seeds: Iterable[str], judge: Judge, digester: Digester, frontier: Frontier, journal: Journal
) -> dict[str, str]:
    """Put the seeds into the queue; those that may not be fetched are noted, and answered with the reason."""
    judged = judge.links([Outlink(typed(seed)) for seed in seeds], 0)
    details = {typed(url): (label, note, scope) for url, label, note, scope in digester.config.seed_details}
    numbers = frontier.enter_seeds(
        {link.url: details.get(link.url, ("", "", "")) for link in judged}, digester.config.seed_scope
    )
    found, refused = [], {}
    for link, decision in zip(judged, judge.decide(judged), strict=True):
        # A seed is fetched whatever the strategy thinks of it: the user has spoken.
        decision = Decision(True, decision.priority, "seed", decision.evidence)
        refusal = digester.refusal(link.url, 0)
        if refusal:
            decision = Decision(False, 0.0, refusal)
            journal.note("seed-refused", url=link.url, reason=refusal)
            refused[link.url] = refusal
        found.append(Found(link.url, 0, decision, link.memory, refused=bool(refusal), seed=numbers[link.url]))
    frontier.add(found)
    # One that was met as a link, and rejected, is a seed now.
    frontier.requeue_seeds(one.url for one in found if not one.refused)
    return refused


class SeedFiles(NamedTuple):
    """What files of seeds hold."""

    seeds: list[str]
    lacking: dict[str, int]  #: rows of tables without a URL, by file
    details: list[tuple[str, str, str, str]]  #: URL, label, note and scope, where a table has such columns


def read_seeds(inputs: Iterable[str], column: str | None = None) -> SeedFiles:
    """The seeds in files, folders and standard input (``-``).

    A table may have columns ``label``, ``note`` and ``scope`` (page, prefix, host, domain or any) beside the URLs.

    Read as ``linksight detect -i`` reads them: one a line, or the column of a table. In a text lines that are blank
    or begin with ``#`` are none, and what follows a ``#`` behind a blank is a remark.
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
            given = [
                (url or "").removeprefix("\ufeff").strip() for url in block.look(column).urls.to_pylist()
            ]
            given = [_REMARK.sub("", line).rstrip() for line in given] if is_text else given
            found = [url for url in given if url]
            details += _details(given, block.columns) if not is_text else []
            seeds += found
            if not is_text and len(found) < len(given):
                lacking[source.name] = lacking.get(source.name, 0) + len(given) - len(found)
        if reader.damaged:
            raise BadData(f"{source.name}: not a text file in UTF-8; was another file meant?")
    return SeedFiles(seeds, lacking, details)


def _details(urls: list[str], table: Any) -> Iterator[tuple[str, str, str, str]]:
    """The rows of a table that have a label, a note or a scope."""
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


def sound_seeds(seeds: Iterable[str]) -> tuple[list[str], list[BadUrl]]:
    """The seeds of a list that are addresses, and what is wrong with the others: one row does not end a crawl.

    >>> sound, wrong = sound_seeds(["http://a.nl/", "to be done"])
    >>> sound, [str(error) for error in wrong]
    (['http://a.nl/'], ["bad host name: 'to be done'"])
    """
    sound, wrong = [], []
    for seed in seeds:
        try:
            typed(seed)
        except BadUrl as error:
            wrong.append(error)
        else:
            sound.append(seed)
    return sound, wrong


def check_seeds(seeds: Iterable[str], *, allow_private: bool) -> None:
    """Refuse seeds that are no addresses, and those that are all of private networks.

    >>> check_seeds(["http://127.0.0.1:8000/"], allow_private=False)
    Traceback (most recent call last):
    linksight.errors.CrawlError: http://127.0.0.1:8000/: an address of a private network; allow it on purpose (--allow-private)
    """
    given = [typed(seed) for seed in seeds]
    if given and not allow_private and all(map(names_private, given)):
        more = f" and {len(given) - 1} more" if len(given) > 1 else ""
        what = "addresses" if more else "an address"
        it = "them" if more else "it"
        raise CrawlError(
            f"{given[0]}{more}: {what} of a private network; allow {it} on purpose (--allow-private)"
        )
