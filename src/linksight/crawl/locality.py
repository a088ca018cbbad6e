"""Language locality: how often a link leads to a page of the same language, measured on real pages.

Pages whose language is known link to sites whose language is known from the URL corpus. Each pair
of a collection of pages and a linked site counts once, or templates would speak for everybody.
The figures below are what :func:`measure` finds on the labelled data (``linksight crawl replay
--measure``); the replayed web is built with them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from linksight.crawl.outlinks import outlinks
from linksight.errors import BadData
from linksight.urls import site_of

_OWN = "http://own.invalid/x/"


@dataclass(frozen=True)
class Locality:
    """Shares of links."""

    own_site: float = 0.84  #: links that stay on the site
    same_english: float = 0.90  #: of links from English pages to other sites, those to English ones
    same_other: float = 0.70  #: of links from other pages to other sites, those to their own language
    other_to_english: float = 0.50  #: of links from other pages to another language, those to English
    pairs: int = 519  #: how many pairs of page and site were counted

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def measure(data: Path) -> Locality:
    """Locality from ``pages/dev.parquet`` and the sites of ``urls/train.parquet``."""
    languages = site_languages(data / "urls" / "train.parquet")
    counts: Counter[str] = Counter()
    pairs = set()
    for page in web_pages(data / "pages" / "dev.parquet"):
        sites = links_of(page)
        own = own_site(sites)
        counts["links"] += len(sites)
        counts["own"] += sum(site in own for site in sites)
        for site in set(sites) - own:
            if site in languages:
                pairs.add((page["source"], page["language"], site, languages[site]))
    spoken = Counter((source, site) for source, _, site, _ in pairs)
    # A site that a collection links to from pages in three languages or more is in its template.
    pairs = {pair for pair in pairs if spoken[pair[0], pair[2]] < 3}
    for _, here, _, there in pairs:
        kind = "english" if here == "en" else "other"
        counts[kind] += 1
        counts[f"{kind}-same"] += here == there
        counts["other-to-english"] += here != "en" and there == "en"
    if not counts["english"] or not counts["other"]:
        raise BadData(f"{data}: no page links to a site of known language")
    strayed = counts["other"] - counts["other-same"]
    return Locality(
        own_site=counts["own"] / counts["links"],
        same_english=counts["english-same"] / counts["english"],
        same_other=counts["other-same"] / counts["other"],
        other_to_english=counts["other-to-english"] / max(strayed, 1),
        pairs=len(pairs),
    )


def site_languages(path: Path) -> dict[str, str]:
    """Sites whose labelled URLs agree on a language, nine in ten by weight of trust."""
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["domain", "language", "trust"])
    grouped = table.group_by(["domain", "language", "trust"]).aggregate([([], "count_all")])
    weights: defaultdict[str, Counter[str]] = defaultdict(Counter)
    columns = (grouped[name].to_pylist() for name in ("domain", "language", "trust", "count_all"))
    for domain, language, trust, rows in zip(*columns, strict=True):
        weights[domain][language] += rows * {1: 9, 2: 3}.get(trust, 1)
    best = {domain: counts.most_common(1)[0] for domain, counts in weights.items()}
    return {d: language for d, (language, n) in best.items() if n >= 0.9 * weights[d].total()}


def links_of(page: dict[str, Any]) -> list[str]:
    """The sites that a page's links lead to, one for each link."""
    return [site_of(link.url) for link in outlinks(page["body"], _OWN, page["encoding"]).links]


def own_site(sites: list[str]) -> set[str]:
    """The pages came without their URLs: the site most linked to, if by a fifth of all, is their own."""
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
