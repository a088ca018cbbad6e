"""A web built from the labelled URLs, for replay.

It has real URLs with their real languages, real pages of that language as bodies where there are
any, as many links as each of those bodies has to its own site and to others. Where links across
sites lead, what language their texts are in and how many pages declare versions in other languages
is drawn at the rates measured on real pages (locality.py).
"""

from __future__ import annotations

import random
from array import array
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from linksight.crawl.extract.links import Outlink
from linksight.crawl.scoring.model_protocols import PageReader
from linksight.crawl.urls.url_normalize import canonical
from linksight.errors import BadData
from linksight.lab.simulation.language_locality import Locality
from linksight.lab.simulation.page_pool import Bodies, Body
from linksight.lab.simulation.warc_web import StoredWeb
from linksight.languages import registry
from linksight.urls.parser import site_of

MOST_OF_A_SITE = 50  #: pages of one site, or a few large ones would be the web


def build_web(
    data: Path,
    language: str,
    *,
    pages: int = 100_000,
    share: float = 0.02,
    seed: int = 1,
    locality: Locality | None = None,
    reader: PageReader | None = None,
    urls: str = "train",
) -> StoredWeb:
    """A web from ``urls/train.parquet`` with the target language at a given share."""
    draw = random.Random(seed)
    locality = locality or Locality()
    chosen = _choose(_labelled(data / "urls" / f"{urls}.parquet"), language, pages, share, draw)
    addresses, codes = [url for url, _ in chosen], [code for _, code in chosen]
    known = Bodies.read(data / "pages" / "dev.parquet", reader)
    bodies = [known.draw(code, draw) for code in codes]
    linked = _link(addresses, codes, bodies, locality, draw)
    anchors = _declare(addresses, codes, linked, locality, draw)
    anchors |= _name(addresses, codes, linked, known, locality, draw)
    links: list[Sequence[int]] = [array("i", sorted(targets)) for targets in linked]
    sizes = [body.size for body in bodies]
    return StoredWeb(addresses, codes, [body.label for body in bodies], links, sizes, anchors)


def _labelled(path: Path) -> list[tuple[str, str]]:
    """URLs and languages that can be trusted."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if not path.is_file():
        raise BadData(f"{path}: no such table of labelled URLs")
    table = pq.read_table(path, columns=["url", "language", "trust"])
    table = table.filter(pc.less_equal(table["trust"], 2))
    return list(zip(table["url"].to_pylist(), table["language"].to_pylist(), strict=True))


def unseen_rows(
    path: Path, web: StoredWeb, language: str, draw: random.Random, most: int = 150_000
) -> list[tuple[str, str]]:
    """Labelled URLs of sites that a web does not hold, to train on without knowing it by heart."""
    held = {site_of(url) for url in web.urls}
    known = set(registry.known())
    rows = [(url, code) for url, code in _labelled(path) if code in known and site_of(url) not in held]
    yes = [row for row in rows if row[1] == language]
    no = [row for row in rows if row[1] != language]
    return yes[:most] + draw.sample(no, min(len(no), most))


def _choose(
    rows: list[tuple[str, str]], language: str, pages: int, share: float, draw: random.Random
) -> list[tuple[str, str]]:
    """Whole sites, drawn by lot, until there are enough pages of the language and of others.

    Only sites of which two pages or more are known: four in five links stay on their site, so a web
    of front pages alone would be no web. Where there are too few pages the web is smaller, with the
    language at the share that was asked for.
    """
    sites: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for raw, code in rows:
        if url := canonical(raw if "://" in raw else f"http://{raw}"):
            sites[site_of(url)].setdefault(url, code)
    names = sorted(name for name, known in sites.items() if len(known) >= 2)
    draw.shuffle(names)
    yes: list[tuple[str, str]] = []
    no: list[tuple[str, str]] = []
    for name in names:
        known = sorted(sites[name].items())
        for url, code in draw.sample(known, min(len(known), MOST_OF_A_SITE)):
            (yes if code == language else no).append((url, code))
    pages = min(pages, int(len(yes) / share), int(len(no) / (1 - share)) if share < 1 else len(yes))
    wanted = round(pages * share)
    if wanted < 10:
        held = f"{len(yes):,} pages in {language!r} and {len(no):,} in others"
        raise BadData(f"the labelled URLs hold {held}, of sites with two or more: too few for a web")
    no = no[: pages - wanted]
    chosen = _as_deep(yes, wanted, front_share(no)) + no
    draw.shuffle(chosen)
    return chosen


def _as_deep(rows: list[tuple[str, str]], wanted: int, share: float) -> list[tuple[str, str]]:
    """The first rows, with front pages at a given share as far as there are others.

    Some languages are known from lists of home pages: 45 % of the labelled Dutch pages are such, of all
    others 12 %. The language of a page would show in that alone.
    """
    front = [row for row in rows if is_front(row[0])]
    deep = [row for row in rows if not is_front(row[0])]
    fronts = max(min(round(wanted * share), len(front)), wanted - len(deep))
    return front[:fronts] + deep[: wanted - fronts]


def is_front(url: str) -> bool:
    """Whether a URL is the front page of its host.

    >>> is_front("http://a.nl/"), is_front("http://a.nl/nieuws")
    (True, False)
    """
    return not url.split("://", 1)[-1].partition("/")[2]


def front_share(rows: Sequence[tuple[str, str]]) -> float:
    """The share of front pages."""
    return sum(is_front(url) for url, _ in rows) / len(rows) if rows else 0.0


def _link(
    urls: list[str], codes: list[str], bodies: list[Body], locality: Locality, draw: random.Random
) -> list[set[int]]:
    """Links of every page: to its own site, to its language elsewhere, to English, to anything."""
    sites: defaultdict[str, list[int]] = defaultdict(list)
    groups: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for page, url in enumerate(urls):
        sites[site_of(url)].append(page)
        groups[codes[page]][site_of(url)].append(page)
    # A site is chosen first, or a few large ones would have all the links.
    by_language = {code: list(of_site.values()) for code, of_site in groups.items()}
    everything = list(sites.values())
    linked: list[set[int]] = []
    for page, url in enumerate(urls):
        own = sites[site_of(url)]
        code = codes[page]
        chosen: set[int] = set()
        # No more draws than the site could have pages for: a link that is drawn twice is one.
        chosen.update(draw.choices(own, k=min(bodies[page].own, 4 * len(own))))
        for _ in range(bodies[page].across):
            chosen.add(draw.choice(_other_site(code, by_language, everything, locality, draw)))
        chosen.discard(page)
        linked.append(chosen)
    # A page that nothing links to is on nobody's web: each gets one link, by the same locality.
    for page in set(range(len(urls))).difference(*linked):
        own = sites[site_of(urls[page])]
        from_own = len(own) > 1 and draw.random() < locality.own_site
        source = draw.choice(
            own if from_own else _other_site(codes[page], by_language, everything, locality, draw)
        )
        linked[source].add(page)
    return linked


def _other_site(
    code: str,
    by_language: dict[str, list[list[int]]],
    everything: list[list[int]],
    locality: Locality,
    draw: random.Random,
) -> list[int]:
    same = locality.same_english if code == "en" else locality.same_other
    if draw.random() < same:
        return draw.choice(by_language[code])
    if code != "en" and "en" in by_language and draw.random() < locality.other_to_english:
        return draw.choice(by_language["en"])
    return draw.choice(everything)


def _declare(
    urls: list[str], codes: list[str], linked: list[set[int]], locality: Locality, draw: random.Random
) -> dict[tuple[int, int], Outlink]:
    """Some pages of sites in several languages link to one page in each other language, and say so (hreflang)."""
    sites: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for page, url in enumerate(urls):
        sites[site_of(url)][codes[page]].append(page)
    declared = {}
    for page, url in enumerate(urls):
        versions = sites[site_of(url)]
        if len(versions) > 1 and draw.random() < locality.declaring:
            for code in sorted(versions.keys() - {codes[page]}):
                target = draw.choice(versions[code])
                linked[page].add(target)
                declared[page, target] = Outlink(urls[target], hreflang=code)
    return declared


def _name(
    urls: list[str],
    codes: list[str],
    linked: list[set[int]],
    known: Bodies,
    locality: Locality,
    draw: random.Random,
) -> dict[tuple[int, int], Outlink]:
    """Texts of links to other sites, from real pages; strategies do not read those within a site.

    To the same language as a page of that language has them, of which a part (``text_same``) is plainly
    in it. To another one so many that as many are plainly in that language, and in the page's, as measured.
    """
    there = locality.text_there / locality.text_same
    here = locality.text_here / locality.text_same
    sites = [site_of(url) for url in urls]
    named = {}
    for page, targets in enumerate(linked):
        for target in sorted(targets):
            if sites[target] == sites[page]:
                continue
            code, chance = codes[page], draw.random()
            if code != codes[target]:
                code = codes[target] if chance < there else code if chance < there + here else ""
            if text := known.text(code, draw):
                named[page, target] = Outlink(urls[target], text)
    return named
