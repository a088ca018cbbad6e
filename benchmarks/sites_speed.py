"""Learning and matching URL patterns: how time grows, and how linksight stands beside its peers.

    python benchmarks/sites_speed.py [--most 1000000] [--peer-urls 2000] [--keep]

``--keep`` puts the figures into docs/sites.json and the table into docs/sites.md.
CPU time of one core, so that other work on the machine does not count. Peers, on the same URLs in the
same run: a list of compiled regular expressions tried one after the other, and os-urlpattern
(``pip install os-urlpattern``), the only other tool that learns patterns of URLs, where installed.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable
from typing import Any

from kept_figures import keep

import linksight
from linksight.sites.patterns.pattern import PatternSet

SIZES = (10_000, 100_000, 1_000_000)  #: URLs to learn from


def words(rng: random.Random, n: int = 4_000) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(n)]


def site_hubs(n_urls: int, seed: int = 1) -> list[list[str]]:
    """Hubs of 200 links each of a shop with five kinds of pages."""
    rng = random.Random(seed)
    vocabulary = words(rng)

    def link() -> str:
        slug, number, kind = "-".join(rng.choices(vocabulary, k=4)), rng.randrange(2 * n_urls), rng.random()
        if kind < 0.5:
            return f"https://shop.example/product/{number}/{slug}"
        if kind < 0.7:
            return (
                f"https://shop.example/user/{rng.choice(vocabulary)}{number % 999}/reviews?page={number % 7}"
            )
        if kind < 0.85:
            return f"https://shop.example/magazine/{2000 + number % 24}/{number % 12 + 1:02}/{slug}.html"
        if kind < 0.95:
            return f"https://shop.example/search?q={rng.choice(vocabulary)}&sort=price&page={number % 9}"
        return f"https://shop.example/help/{slug}"

    return [[link() for _ in range(200)] for _ in range(n_urls // 200)]


def cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def many_sites(n_patterns: int) -> PatternSet:
    """Five patterns each of many sites, the shop's among them."""
    texts = [
        "https://shop.example/product/*/*",
        "https://shop.example/user/*/reviews?page=*",
        "https://shop.example/magazine/*/*/*",
        "https://shop.example/search?q=*&sort=price&page=*",
        "https://shop.example/help/*",
    ]
    more = [text.replace("shop", f"shop{n}") for n in range((n_patterns - 1) // 5) for text in texts]
    return PatternSet.from_texts([*more, *texts][-n_patterns:])


def learning(most: int) -> dict[str, float]:
    """Seconds by the number of URLs that are learnt from."""
    linksight.learn_patterns(site_hubs(1_000))  # compiled or loaded from the cache
    spent = {}
    for size in (size for size in SIZES if size <= most):
        hubs = site_hubs(size)
        spent[str(size)] = round(cpu_seconds(lambda hubs=hubs: linksight.learn_patterns(hubs)), 3)
    return spent


def matching(n_urls: int) -> dict[str, Any]:
    """URLs a second by the number of patterns, and one at a time."""
    urls = [url for hub in site_hubs(n_urls, seed=2) for url in hub]
    rates = {}
    for n_patterns in (5, 500, 50_000):
        patterns = many_sites(n_patterns)
        patterns.match_all(urls[:1000])  # compiled or loaded from the cache, and the tables are built
        seconds = cpu_seconds(lambda p=patterns: p.match_all(urls))
        rates[str(n_patterns)] = round(len(urls) / seconds)
    single = cpu_seconds(lambda: [patterns.match(url) for url in urls[:20_000]])
    return {"urls": len(urls), "rates": rates, "single": round(20_000 / single)}


def expressions(urls: list[str]) -> int:
    """URLs a second that 500 regular expressions match, tried one after the other."""
    compiled = [re.compile(pattern.regex) for pattern in many_sites(500)]
    seconds = cpu_seconds(lambda: [next((e for e in compiled if e.match(u)), None) for u in urls])
    return round(len(urls) / seconds)


def os_urlpattern(hubs: list[list[str]]) -> dict[str, Any]:
    """What os-urlpattern takes for the same URLs; nothing where it is not installed."""
    try:
        from os_urlpattern.formatter import pformat
        from os_urlpattern.pattern_maker import PatternMaker
        from os_urlpattern.pattern_matcher import PatternMatcher
    except ImportError:
        return {}
    urls = [url for hub in hubs for url in hub]
    maker, found = PatternMaker(), []

    def make() -> None:
        for url in urls:
            maker.load(url)
        for meta, clusters in maker.make():
            found.extend(pformat("pattern", meta, clusters))

    theirs = cpu_seconds(make)
    ours = cpu_seconds(lambda: linksight.learn_patterns(hubs))
    matcher = PatternMatcher()
    for pattern in sorted(set(found))[:500]:
        matcher.load(pattern)
    seconds = cpu_seconds(lambda: [matcher.match(url) for url in urls])
    told = {"urls": len(urls), "learning_s": round(theirs, 3), "linksight_s": round(ours, 4)}
    return told | {"rate": round(len(urls) / seconds)}


def rounded(rate: float) -> str:
    """Two digits: more would be noise."""
    return f"{int(float(f'{rate:.2g}')):,}"


def table(figures: dict[str, Any]) -> str:
    """The figures as the documentation shows them."""
    rows = {**_learning(figures["learning"]), **_matching(figures["matching"])}
    rows |= _peers(figures["peers"], ours=figures["matching"]["rates"]["500"])
    return "\n".join(["| | |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows.items())])


def _learning(seconds_of: dict[str, float]) -> dict[str, str]:
    rows, before = {}, 0.0
    for size, seconds in seconds_of.items():
        times = f"; ten times the URLs took {seconds / before:.1f} times as long" if before else ""
        rows[f"learn from {int(size):,} URLs"] = f"{seconds:.2f} s{times}"
        before = seconds
    return rows


def _matching(found: dict[str, Any]) -> dict[str, str]:
    rows = {
        f"`match_all`, a list of {found['urls']:,} URLs, {int(n_patterns):,} patterns": f"{rounded(rate)} URLs/s"
        for n_patterns, rate in found["rates"].items()
    }
    return rows | {"`match`, one URL at a time, nothing compiled": f"{rounded(found['single'])} URLs/s"}


def _peers(peers: dict[str, Any], ours: float) -> dict[str, str]:
    """``ours`` is the rate of ``match_all`` with as many patterns."""

    def matched(rate: float) -> str:
        return f"{rounded(rate)} URLs/s; linksight {ours / rate:,.0f} times as many"

    rows = {"peer: 500 regular expressions tried in a row": matched(peers["expressions"])}
    tool = peers["os_urlpattern"]
    if not tool:
        return rows | {"peer: os-urlpattern": "not installed"}
    times = tool["learning_s"] / tool["linksight_s"]
    learnt = f"{tool['learning_s']:.2f} s; linksight {times:,.0f} times as fast"
    rows[f"peer: os-urlpattern, learn from {tool['urls']:,} URLs"] = learnt
    return rows | {"peer: os-urlpattern, match": matched(tool["rate"])}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=SIZES[-1], help="URLs to learn from at most")
    parser.add_argument("--match", type=int, default=400_000, help="URLs to match")
    parser.add_argument("--peer-urls", type=int, default=2_000, help="URLs for the peers")
    parser.add_argument("--keep", action="store_true", help="write the figures into the documentation")
    options = parser.parse_args()
    hubs = site_hubs(options.peer_urls, seed=3)
    figures = {
        "learning": learning(options.most),
        "matching": matching(options.match),
        "peers": {
            "expressions": expressions([url for hub in hubs for url in hub]),
            "os_urlpattern": os_urlpattern(hubs),
        },
    }
    print(table(figures))
    if options.keep:
        keep("sites", "sites_speed", figures, table(figures))


if __name__ == "__main__":
    main()
