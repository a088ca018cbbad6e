"""Language locality: how often a link leads to a page of the same language, measured on real pages.

The pages have labels, and the languages of linked sites are known from the URL corpus. Each pair of
a page collection and a linked site counts once, so that links in templates do not dominate.
The figures below are what :func:`measure` finds on the labelled data (``linksight crawl replay
--measure``); the replayed web is built with them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from linksight.crawl.extract.links import Outlink, outlinks
from linksight.errors import BadData
from linksight.urls.parser import site_of

_OWN = "http://own.invalid/x/"


@dataclass(frozen=True)
class Locality:
    """Shares of links by the languages of their two pages and of the link text."""

    own_site: float = 0.84  #: links that stay on the site
    same_english: float = 0.90  #: of links from English pages to other sites, those to English ones
    same_other: float = 0.70  #: of links from other pages to other sites, those to their own language
    other_to_english: float = 0.50  #: of links from other pages to another language, those to English
    text_same: float = 0.33  #: of links to a site in the same language, those whose text is clearly in it
    text_there: float = 0.08  #: of links to another language, those whose text is clearly in that one
    text_here: float = 0.17  #: of links to another language, those whose text is in the page's language
    declaring: float = 0.10  #: pages that declare versions in other languages (hreflang)
    pairs: int = 525  #: number of counted pairs of page and site

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A link from a collection's pages of one language to a site of known language."""

    source: str
    here: str
    site: str
    there: str


def measure(data: Path) -> Locality:
    """Locality from ``pages/dev.parquet`` and the sites of ``urls/train.parquet``."""
    languages = site_languages(data / "urls" / "train.parquet")
    counts: Counter[str] = Counter()
    declaring: defaultdict[str, list[bool]] = defaultdict(list)
    texts: dict[_Pair, str] = {}
    for page in web_pages(data / "pages" / "dev.parquet"):
        links = links_of(page)
        sites = [site_of(link.url) for link in links]
        own = own_site(sites)
        counts["links"] += len(sites)
        counts["own"] += sum(site in own for site in sites)
        declaring[page["source"]].append(any(link.hreflang for link in links))
        for link, site in zip(links, sites, strict=True):
            if site not in own and site in languages:
                texts.setdefault(_Pair(page["source"], page["language"], site, languages[site]), link.anchor)
    n_languages = Counter((pair.source, pair.site) for pair in texts)
    # A site that a collection links to from pages in three languages or more is in its template.
    texts = {pair: text for pair, text in texts.items() if n_languages[pair.source, pair.site] < 3}
    for pair, text in texts.items():
        counts.update(_counted_shares(pair, text))
    if not counts["english"] or not counts["other"]:
        raise BadData(f"{data}: no page links to a site of known language")
    return _shares(counts, len(texts), declaring)


def _shares(counts: Counter[str], pairs: int, declaring: Mapping[str, list[bool]]) -> Locality:
    """Convert counts to shares; for declared versions, the mean over collections."""
    other_language = counts["other"] - counts["other-same"]
    same, apart = counts["same"], max(pairs - counts["same"], 1)
    return Locality(
        own_site=counts["own"] / counts["links"],
        same_english=counts["english-same"] / counts["english"],
        same_other=counts["other-same"] / counts["other"],
        other_to_english=counts["other-to-english"] / max(other_language, 1),
        text_same=counts["text-same"] / max(same, 1),
        text_there=counts["text-there"] / apart,
        text_here=counts["text-here"] / apart,
        declaring=sum(sum(pages) / len(pages) for pages in declaring.values()) / len(declaring),
        pairs=pairs,
    )


def _counted_shares(pair: _Pair, text: str) -> Iterator[str]:
    """The counters that a pair increments."""
    kind, same = "english" if pair.here == "en" else "other", pair.here == pair.there
    yield kind
    if same:
        yield from ("same", f"{kind}-same")
    elif pair.there == "en":
        yield "other-to-english"
    # Distinguish only two languages: the page's language and the target's, or else English or French.
    rival = pair.there if not same else "fr" if pair.here == "en" else "en"
    text_language = language_of_text(text, pair.here, rival)
    if text_language == pair.here:
        yield "text-same" if same else "text-here"
    elif text_language and not same:
        yield "text-there"


def language_of_text(text: str, one: str, other: str) -> str:
    """Which of two languages a link text is clearly in; empty for names, single words and numbers.

    >>> language_of_text("Lees verder over het weer in Nederland", "nl", "en")
    'nl'
    >>> language_of_text("Bluesky", "nl", "en")
    ''
    """
    import linksight

    words = [word for word in text.split() if any(letter.isalpha() for letter in word)]
    if len(text) < 8 or len(words) < 2:
        return ""
    shares = dict(linksight.identify(text.encode(), "text/text_language; charset=utf-8").candidates)
    first, second = shares.get(one, 0.0), shares.get(other, 0.0)
    if max(first, second) < 0.2 or max(first, second) < 2 * min(first, second):
        return ""
    return one if first > second else other


def site_languages(path: Path) -> dict[str, str]:
    """Sites with at least 90 % of their labelled URLs, weighted by trust, in one language."""
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["domain", "language", "trust"])
    grouped = table.group_by(["domain", "language", "trust"]).aggregate([([], "count_all")])
    weights: defaultdict[str, Counter[str]] = defaultdict(Counter)
    columns = (grouped[name].to_pylist() for name in ("domain", "language", "trust", "count_all"))
    for domain, language, trust, rows in zip(*columns, strict=True):
        weights[domain][language] += rows * {1: 9, 2: 3}.get(trust, 1)
    best = {domain: counts.most_common(1)[0] for domain, counts in weights.items()}
    return {d: language for d, (language, n) in best.items() if n >= 0.9 * weights[d].total()}


def links_of(page: dict[str, Any]) -> list[Outlink]:
    """The links of a page that is stored without its URL."""
    return outlinks(page["body"], _OWN, page["encoding"])


def own_site(sites: list[str]) -> set[str]:
    """Infer the site of a page without URL: the most linked site, if it has a fifth of all links."""
    own = {"own.invalid"}
    counted = Counter(site for site in sites if site != "own.invalid").most_common(1)
    if counted and counted[0][1] >= max(5, len(sites) / 5):
        own.add(counted[0][0])
    return own


def web_pages(path: Path) -> Iterator[dict[str, Any]]:
    """The real pages of the section ``web``: language, encoding, source, body."""
    import pyarrow.parquet as pq

    for page in pq.read_table(
        path, columns=["language", "encoding", "section", "source", "body"]
    ).to_pylist():
        if page["section"] == "web" and page["body"]:
            yield page | {"encoding": page["encoding"] or "utf-8"}
