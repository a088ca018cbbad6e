"""Learning and matching URL patterns: how time grows, and how linksight stands beside its peers.

    python benchmarks/sites_speed.py [--most 1000000] [--peer-urls 2000]

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

import linksight
from linksight.sites.patterns import PatternSet


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


def show(name: str, figure: str) -> None:
    print(f"{name:58} {figure:>16}", flush=True)


def learning(most: int) -> None:
    linksight.learn_patterns(site_hubs(1_000))
    sizes = [size for size in (10_000, 100_000, 1_000_000) if size <= most]
    before = 0.0
    for size in sizes:
        hubs = site_hubs(size)
        seconds = cpu_seconds(lambda hubs=hubs: linksight.learn_patterns(hubs))
        times = f" ({seconds / before:.1f} times)" if before else ""
        show(f"learn from {size:,} URLs", f"{seconds:.2f} s{times}")
        before = seconds


def matching(n_urls: int) -> dict[int, float]:
    urls = [url for hub in site_hubs(n_urls, seed=2) for url in hub]
    rates = {}
    for n_patterns in (5, 500, 50_000):
        patterns = many_sites(n_patterns)
        patterns.match_all(urls[:1000])  # compiled or loaded from the cache, and the tables are built
        seconds = cpu_seconds(lambda p=patterns: p.match_all(urls))
        rates[n_patterns] = len(urls) / seconds
        show(f"match_all of a list, {n_patterns:,} patterns", f"{rates[n_patterns]:,.0f} URLs/s")
    single = cpu_seconds(lambda: [patterns.match(url) for url in urls[:20_000]])
    show("match of one URL at a time", f"{20_000 / single:,.0f} URLs/s")
    return rates


def peers(n_urls: int, rates: dict[int, float]) -> None:
    hubs = site_hubs(n_urls, seed=3)
    urls = [url for hub in hubs for url in hub]
    expressions = [re.compile(pattern.regex) for pattern in many_sites(500)]
    seconds = cpu_seconds(lambda: [next((e for e in expressions if e.match(u)), None) for u in urls])
    rate = len(urls) / seconds
    show("peer: 500 regular expressions in a row", f"{rate:,.0f} URLs/s")
    show("  linksight is faster by", f"{rates[500] / rate:,.0f} times")
    try:
        from os_urlpattern.formatter import pformat
        from os_urlpattern.pattern_maker import PatternMaker
        from os_urlpattern.pattern_matcher import PatternMatcher
    except ImportError:
        show("peer: os-urlpattern", "not installed")
        return
    maker, found = PatternMaker(), []

    def make() -> None:
        for url in urls:
            maker.load(url)
        for meta, clusters in maker.make():
            found.extend(pformat("pattern", meta, clusters))

    theirs = cpu_seconds(make)
    ours = cpu_seconds(lambda: linksight.learn_patterns(hubs))
    show(f"peer: os-urlpattern learns from {len(urls):,} URLs", f"{theirs:.2f} s")
    show("  linksight is faster by", f"{theirs / ours:,.0f} times")
    matcher = PatternMatcher()
    for pattern in sorted(set(found))[:500]:
        matcher.load(pattern)
    seconds = cpu_seconds(lambda: [matcher.match(url) for url in urls])
    show("peer: os-urlpattern matches", f"{len(urls) / seconds:,.0f} URLs/s")
    show("  linksight is faster by", f"{rates[500] * seconds / len(urls):,.0f} times")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=1_000_000, help="URLs to learn from at most")
    parser.add_argument("--match", type=int, default=400_000, help="URLs to match")
    parser.add_argument("--peer-urls", type=int, default=2_000, help="URLs for the peers")
    options = parser.parse_args()
    learning(options.most)
    rates = matching(options.match)
    peers(options.peer_urls, rates)


if __name__ == "__main__":
    main()
