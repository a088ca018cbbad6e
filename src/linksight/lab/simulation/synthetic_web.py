"""Synthetic web from labelled URLs, for replay.

It has real URLs with their languages, and real pages of these languages as bodies if there are any. Each
page has as many links to its own site and to others as its body. The targets of links across sites, the
languages of their texts, and the share of pages that declare versions in other languages are drawn at the
rates measured on real pages (``language_locality.py``).
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

MAX_PAGES_PER_SITE = 50  #: so that a few large sites do not dominate the web


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
    """Build a web from ``urls/{urls}.parquet`` with the target language at a given share."""
    draw = random.Random(seed)
    locality = locality or Locality()
    chosen = _choose(_labelled(data / "urls" / f"{urls}.parquet"), language, pages, share, draw)
    addresses, codes = [url for url, _ in chosen], [code for _, code in chosen]
    known = Bodies.read(data / "pages" / "dev.parquet", reader)
    bodies = [known.draw(code, draw) for code in codes]
    linked = _link(addresses, codes, bodies, locality, draw)
    anchors = _declare(addresses, codes, linked, locality, draw)
    anchors |= _add_texts(addresses, codes, linked, known, locality, draw)
    links: list[Sequence[int]] = [array("i", sorted(targets)) for targets in linked]
    sizes = [body.size for body in bodies]
    return StoredWeb(addresses, codes, [body.label for body in bodies], links, sizes, anchors)


def _labelled(path: Path) -> list[tuple[str, str]]:
    """Labelled URLs of trust level 1 or 2."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if not path.is_file():
        raise BadData(f"{path}: no such table of labelled URLs")
    table = pq.read_table(path, columns=["url", "language", "trust"])
    table = table.filter(pc.less_equal(table["trust"], 2))
    return list(zip(table["url"].to_pylist(), table["language"].to_pylist(), strict=True))


def unseen_rows(
    path: Path, web: StoredWeb, language: str, draw: random.Random, max_rows: int = 150_000
) -> list[tuple[str, str]]:
    """Labelled URLs of sites that are not in a web, as training data for it; up to ``max_rows`` per class."""
    held = {site_of(url) for url in web.urls}
    known = set(registry.known())
    rows = [(url, code) for url, code in _labelled(path) if code in known and site_of(url) not in held]
    yes = [row for row in rows if row[1] == language]
    no = [row for row in rows if row[1] != language]
    return yes[:max_rows] + draw.sample(no, min(len(no), max_rows))


def _choose(
    rows: list[tuple[str, str]], language: str, pages: int, share: float, draw: random.Random
) -> list[tuple[str, str]]:
    """Draw random sites until there are enough pages of the language and of others.

    Only sites with at least two known pages count, because four in five links stay on their site. If
    there are too few pages the web is smaller, with the requested share of the language.
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
        for url, code in draw.sample(known, min(len(known), MAX_PAGES_PER_SITE)):
            (yes if code == language else no).append((url, code))
    pages = min(pages, int(len(yes) / share), int(len(no) / (1 - share)) if share < 1 else len(yes))
    wanted = round(pages * share)
    if wanted < 10:
        held = f"{len(yes):,} pages in {language!r} and {len(no):,} in others"
        raise BadData(f"the labelled URLs hold {held}, of sites with two or more: too few for a web")
    no = no[: pages - wanted]
    chosen = _with_front_share(yes, wanted, front_share(no)) + no
    draw.shuffle(chosen)
    return chosen


def _with_front_share(rows: list[tuple[str, str]], wanted: int, share: float) -> list[tuple[str, str]]:
    """The first ``wanted`` rows, with a given share of front pages if there are enough other pages.

    The URLs of some languages are from lists of home pages: 45 % of the labelled Dutch pages are front
    pages, against 12 % of all others. Without this step a front page would be evidence for Dutch.
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
    """Draw the links of each page: to its own site, its language elsewhere, English, or any site."""
    sites: defaultdict[str, list[int]] = defaultdict(list)
    groups: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for page, url in enumerate(urls):
        sites[site_of(url)].append(page)
        groups[codes[page]][site_of(url)].append(page)
    # Draw the site first, so that large sites do not get most of the links.
    by_language = {code: list(of_site.values()) for code, of_site in groups.items()}
    all_sites = list(sites.values())
    linked: list[set[int]] = []
    for page, url in enumerate(urls):
        own = sites[site_of(url)]
        code = codes[page]
        chosen: set[int] = set()
        # Bounded by the size of the site: a link that is drawn twice counts once.
        chosen.update(draw.choices(own, k=min(bodies[page].own, 4 * len(own))))
        for _ in range(bodies[page].across):
            chosen.add(draw.choice(_other_site(code, by_language, all_sites, locality, draw)))
        chosen.discard(page)
        linked.append(chosen)
    # Each page without inlinks gets one, with the same locality.
    for page in set(range(len(urls))).difference(*linked):
        own = sites[site_of(urls[page])]
        from_own = len(own) > 1 and draw.random() < locality.own_site
        source = draw.choice(
            own if from_own else _other_site(codes[page], by_language, all_sites, locality, draw)
        )
        linked[source].add(page)
    return linked


def _other_site(
    code: str,
    by_language: dict[str, list[list[int]]],
    all_sites: list[list[int]],
    locality: Locality,
    draw: random.Random,
) -> list[int]:
    same = locality.same_english if code == "en" else locality.same_other
    if draw.random() < same:
        return draw.choice(by_language[code])
    if code != "en" and "en" in by_language and draw.random() < locality.other_to_english:
        return draw.choice(by_language["en"])
    return draw.choice(all_sites)


def _declare(
    urls: list[str], codes: list[str], linked: list[set[int]], locality: Locality, draw: random.Random
) -> dict[tuple[int, int], Outlink]:
    """Add hreflang links: some pages of multilingual sites link to one page in each other language."""
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


def _add_texts(
    urls: list[str],
    codes: list[str],
    linked: list[set[int]],
    known: Bodies,
    locality: Locality,
    draw: random.Random,
) -> dict[tuple[int, int], Outlink]:
    """Add texts of links to other sites, from real pages; strategies do not use texts within a site.

    A link to the same language gets a text of a page in it, of which a share ``text_same`` is clearly in
    that language. A link to another language gets texts of either language at the measured rates.
    """
    there = locality.text_there / locality.text_same
    here = locality.text_here / locality.text_same
    sites = [site_of(url) for url in urls]
    anchors = {}
    for page, targets in enumerate(linked):
        for target in sorted(targets):
            if sites[target] == sites[page]:
                continue
            code, chance = codes[page], draw.random()
            if code != codes[target]:
                code = codes[target] if chance < there else code if chance < there + here else ""
            if text := known.text(code, draw):
                anchors[page, target] = Outlink(urls[target], text)
    return anchors
