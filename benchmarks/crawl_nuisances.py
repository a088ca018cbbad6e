"""A small web with nuisances: how many unique pages in the language a crawl of 400 finds, beside other strategies.

    python benchmarks/crawl_nuisances.py --webs 4

76 hosts in memory, 4.5 % of their pages in Danish, all with invented names (LINKSIGHT_DATA has words and sentences).
Nuisances, some of them in Danish: hosts with one text at every address, session ids, empty calendars, redirectors,
filters of shops, counters, hosts that fail or hide their language. The crawl is real but for its fetcher.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

from crawl_figures import keep  # noqa: E402

OTHERS = ("sv", "no", "de", "en", "en", "en", "nl", "fr", "es", "pl", "fi", "it")
TLDS = {"da": "dk", "sv": "se", "no": "no", "de": "de", "en": "com", "nl": "nl", "fr": "fr", "es": "es", "pl": "pl",
        "fi": "fi", "it": "it"}  # fmt: skip
MISSING = {
    "da": "Siden blev desværre ikke fundet. Måske er den flyttet, eller også er adressen forkert. Prøv at søge.",
    "en": "The page was not found. It may have moved, or the address may be wrong. Please try our search.",
}
EMPTY = {
    "da": "Der er ingen arrangementer på denne dato. Vælg en anden dag i kalenderen for at se flere.",
    "en": "There are no events on this date. Choose another day in the calendar to see more of them.",
}
ENDLESS = 10_000  #: addresses that a machine makes up
Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Host:
    """A host with some pages, and what is odd about it."""

    name: str
    language: str
    kind: str  #: plain, soft404, session, calendar, redirector, shop, counter, versions, failing
    size: int
    paths: list[str] = field(default_factory=list)


class Vocabulary:
    """Words and sentences by language."""

    def __init__(self, data: Path) -> None:
        import pyarrow.parquet as pq

        codes = {"da", *OTHERS}
        self.words: defaultdict[str, list[str]] = defaultdict(list)
        table = pq.read_table(data / "words" / "words.parquet", columns=["language", "word", "rank"])
        for language, word, rank in zip(
            *(table[name].to_pylist() for name in table.column_names), strict=True
        ):
            if language in codes and rank < 8_000 and word.isalpha() and 3 < len(word) < 13:
                self.words[language].append(word.lower())
        self.sentences: defaultdict[str, list[str]] = defaultdict(list)
        table = pq.read_table(data / "judges" / "lingua.parquet", columns=["language", "kind", "text"])
        for language, kind, text in zip(
            *(table[name].to_pylist() for name in table.column_names), strict=True
        ):
            code = "no" if language in ("nb", "nn", "no") else language
            if code in codes and kind == "sentences":
                self.sentences[code].append(text)


class NuisanceWeb:
    """The same web for the same seed; ``visits`` counts requests by address."""

    def __init__(self, vocabulary: Vocabulary, seed: int) -> None:
        self.vocabulary, self.seed = vocabulary, seed
        self.draw = random.Random(seed)
        self.hosts: dict[str, Host] = {}
        odd = {"da": ["soft404", "soft404", "session", "calendar", "shop", "counter", "versions", "hidden"],
               "": ["soft404", "session", "calendar", "redirector", "redirector", "shop", "counter", "versions",
                    "failing", "failing"]}  # fmt: skip
        for kind in odd["da"]:
            self._add("da", kind, self.draw.randrange(20, 50))
        for _ in range(4):
            self._add("da", "plain", self.draw.randrange(20, 60))
        for kind in odd[""]:
            self._add(self.draw.choice(OTHERS), kind, self.draw.randrange(40, 200))
        while len(self.hosts) < 76:
            self._add(self.draw.choice(OTHERS), "plain", self.draw.randrange(40, 250))
        self.all = list(self.hosts.values())
        self.danish = [host for host in self.all if host.language == "da"]
        self.redirectors = [host for host in self.all if host.kind == "redirector"]
        self.texts: dict[str, str] = {}

    # -- what it consists of -----------------------------------------------------------------------

    def _add(self, language: str, kind: str, size: int) -> None:
        words = self.vocabulary.words[language]
        name = "".join(_plain(word) for word in self.draw.sample(words, 2))
        own = self.draw.random() < (0.6 if language != "en" else 0.8)
        host = Host(
            f"www.{name}.{TLDS[language] if own else self.draw.choice(['com', 'eu', 'org', 'net'])}",
            language,
            kind,
            size,
        )
        host.paths = ["/"]
        styles = self.draw.choice(["slug", "slug", "number", "mixed"])
        folders = ["", *(_plain(word) for word in self.draw.sample(words, 3))]
        while len(host.paths) < size:
            number = len(host.paths)
            if styles == "number" or (styles == "mixed" and number % 2):
                host.paths.append(f"/{self.draw.choice(['p', 'id', 'node'])}/{number}")
            else:
                slug = "-".join(_plain(word) for word in self.draw.sample(words, self.draw.randrange(1, 4)))
                folder = self.draw.choice(folders)
                host.paths.append(f"/{folder}/{slug}-{number}" if folder else f"/{slug}-{number}.html")
        self.hosts[host.name] = host

    def seeds(self) -> list[str]:
        """A front page in Danish, nine others."""
        draw = random.Random(self.seed + 1)
        plain = [host for host in self.all if host.kind == "plain"]
        yes = [host for host in plain if host.language == "da"]
        no = [host for host in plain if host.language != "da"]
        return [f"http://{host.name}/" for host in draw.sample(yes, 1) + draw.sample(no, 9)]

    def n_pages(self, language: str = "") -> int:
        """Unique pages, all or of a language."""
        sizes = (host.size * (2 if host.kind == "versions" else 1) for host in self.all)
        if not language:
            return sum(sizes)
        return sum(host.size for host in self.all if host.language == language)

    # -- answers -----------------------------------------------------------------------------------

    def answer(self, url: str) -> tuple[Reply, str]:
        """What comes for an address, and the page that this is: host and number, or nothing unique."""
        parts = urlsplit(url)
        host = self.hosts.get(parts.hostname or "") or self.hosts.get(f"www.{parts.hostname}")
        if host is None:
            return (404, {}, b""), ""
        if parts.path == "/robots.txt":
            return (404, {}, b""), ""
        draw = random.Random(f"{self.seed} {host.name} {parts.path}?{parts.query}")
        fields = dict(part.partition("=")[::2] for part in parts.query.split("&") if part)
        if host.kind == "failing" and draw.random() < 0.7:
            return (500, {}, b"error"), ""
        if host.kind == "redirector" and parts.path == "/go":
            return (
                302,
                {"Location": "http://" + unquote(fields.get("u", "")).removeprefix("http://")},
                b"",
            ), ""
        if parts.path in host.paths:
            return self._page(host, host.paths.index(parts.path), draw, fields)
        return self._odd(host, parts.path, draw)

    def _odd(self, host: Host, path: str, draw: random.Random) -> tuple[Reply, str]:
        """An address that is none of the host's pages."""
        language = host.language if host.language in MISSING else "en"
        if host.kind == "soft404":
            links = [f"/{draw.choice(self._words(host))}/{draw.randrange(ENDLESS)}" for _ in range(12)]
            return _html(f"<p>{MISSING[language]}</p><p>{quote(path)}</p>" + _list(links)), ""
        if host.kind == "calendar" and path.startswith("/kalender/"):
            links = [
                f"/kalender/{2026 + draw.randrange(2)}/{1 + draw.randrange(12)}/{1 + draw.randrange(28)}"
                for _ in range(12)
            ]
            return _html(f"<h1>{path}</h1><p>{EMPTY[language]}</p>" + _list([*links, "/"])), ""
        if host.kind == "counter" and path.startswith("/liste/"):
            number = int(path.rpartition("/")[2])
            return _html(
                f"<p>{EMPTY[language]}</p>" + _list([f"/liste/{number + step}" for step in (1, 2, 3)])
            ), ""
        return (404, {}, b"not found"), ""

    def _page(
        self, host: Host, number: int, draw: random.Random, fields: dict[str, str]
    ) -> tuple[Reply, str]:
        language, name = host.language, f"{host.name} {number}"
        if host.kind == "versions":
            language = fields.get("lang", "en")
            name += f" {language}"
        links = self._links(host, number, draw)
        if host.kind == "versions":
            links = [link + f"?lang={language}" if link.startswith("/") else link for link in links]
            links += [host.paths[number] + f"?lang={code}" for code in ("da", "en")]
        if host.kind == "session":
            sess = fields.get("sess") or f"{draw.getrandbits(64):x}"
            # A new id on each visit, as of a client without cookies.
            sess = f"{random.Random(f'{sess} {number}').getrandbits(64):x}"
            links = [link + f"?sess={sess}" if link.startswith("/") else link for link in links]
        if host.kind == "shop":
            path = host.paths[number]
            links += [
                f"{path}?sort={draw.randrange(5)}&vis={draw.choice([10, 20, 50])}&side={draw.randrange(9)}"
                for _ in range(10)
            ]
        if host.kind == "calendar":
            links += [f"/kalender/2026/{1 + draw.randrange(12)}/{1 + draw.randrange(28)}" for _ in range(6)]
        if host.kind == "counter":
            links += [f"/liste/{draw.randrange(9)}" for _ in range(2)]
        if host.kind == "soft404":
            links += [f"/{draw.choice(self._words(host))}/{draw.randrange(ENDLESS)}" for _ in range(8)]
        menu = f"<nav>{host.name} {' '.join(self._words(host)[:8])}</nav>"
        return _html(menu + self._text(name, language) + _list(links)), name if language == "da" else ""

    def _words(self, host: Host) -> list[str]:
        return [
            _plain(word) for word in random.Random(host.name).sample(self.vocabulary.words[host.language], 20)
        ]

    def _text(self, name: str, language: str) -> str:
        if name not in self.texts:
            draw = random.Random(f"{self.seed} {name}")
            sentences = draw.sample(self.vocabulary.sentences[language], draw.randrange(5, 20))
            self.texts[name] = "".join(f"<p>{sentence}</p>" for sentence in sentences)
        return self.texts[name]

    def _links(self, host: Host, number: int, draw: random.Random) -> list[str]:
        """Links of a page: the next pages of its host, some others, and some across."""
        draw = random.Random(f"{self.seed} {host.name} {number} links")
        paths = host.paths
        links = [paths[(2 * number + step) % len(paths)] for step in (1, 2)]
        links += [draw.choice(paths) for _ in range(draw.randrange(4, 14))]
        for _ in range(draw.randrange(0, 5)):
            near = draw.random() < (0.5 if host.language != "en" else 0.8)
            alike = [other for other in self.all if other.language == host.language] if near else self.all
            other = draw.choice(alike)
            page = draw.choice(other.paths) if draw.random() < 0.5 else "/"
            if other.kind == "hidden":  # known to redirectors alone
                via = draw.choice(self.redirectors)
                links.append(f"http://{via.name}/go?u={quote(other.name + page, safe='')}")
            else:
                links.append(f"http://{other.name}{page}")
        return links


def _plain(word: str) -> str:
    """A word as in a host name or slug.

    >>> _plain("Grønkål")
    'groenkaal'
    """
    for letter, plain in {"æ": "ae", "ø": "oe", "å": "aa", "ä": "a", "ö": "o", "ü": "u", "ß": "ss"}.items():
        word = word.replace(letter, plain)
    return "".join(letter for letter in word.lower() if letter.isascii() and letter.isalnum()) or "x"


def _list(links: list[str]) -> str:
    return (
        "<ul>"
        + "".join(
            f'<li><a href="{link.replace("&", "&amp;")}">&raquo; {n}</a></li>' for n, link in enumerate(links)
        )
        + "</ul>"
    )


def _html(body: str) -> Reply:
    page = f'<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>{body}</body></html>'.encode()
    return 200, {"Content-Type": "text/html; charset=utf-8"}, page


class StubFetcher:
    """Answers requests from the web in memory, in turn, as many at once as a fetcher has connections."""

    starts, pid = 1, 0

    def __init__(self, web: NuisanceWeb, at_once: int) -> None:
        self.web, self.at_once = web, at_once
        self.asked: deque[dict[str, Any]] = deque()

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def send(self, job: dict[str, Any]) -> None:
        self.asked.append(job)

    def receive(self, timeout: float) -> list[tuple[dict[str, Any], bytes]]:
        if not self.asked:
            time.sleep(min(timeout, 0.01))
        answers = []
        for _ in range(min(self.at_once, len(self.asked))):
            job = self.asked.popleft()
            (status, headers, body), _ = self.web.answer(job["url"])
            now = time.monotonic()
            head = {"id": job["id"], "status": status, "headers": list(headers.items()), "address": "192.0.2.1",
                    "error": "", "detail": "", "cut": "", "started": now, "began": time.time(), "took": 0.0}  # fmt: skip
            answers.append((head, body))
        return answers


def crawl(
    web: NuisanceWeb, strategy: str, pages: int, at_once: int, model: Any, reader: Any
) -> dict[str, Any]:
    """One crawl: unique pages in Danish among all that were fetched."""
    from sqlalchemy import select

    from linksight.crawl.frontier import sql_schema
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.run.config import CrawlConfig
    from linksight.crawl.run.worker import Worker

    with tempfile.TemporaryDirectory() as folder:
        config = CrawlConfig(
            language="da", seeds=tuple(web.seeds()), strategy=strategy, max_pages=pages, delay=0.0, retry_wait=0.01,
            contact="you@example.org", concurrency=at_once, sample=0,
        )  # fmt: skip
        config.save(Path(folder))
        worker = Worker(Path(folder), config, model, reader)
        worker.errands.fetcher = StubFetcher(web, at_once)
        began = time.perf_counter()
        worker.run()
        took = time.perf_counter() - began
        with Ledger.open(Path(folder)) as ledger, ledger.engine.connect() as connection:
            p = sql_schema.pages.c
            urls = list(
                connection.execute(select(p.url).where(p.reason != "redirect").order_by(p.id)).scalars()
            )
    pages_of: Counter[str] = Counter()
    unique: set[str] = set()
    for url in urls:
        _, name = web.answer(url)
        host = web.hosts.get(urlsplit(url).hostname or "")
        told = f"{host.language} {host.kind}" if host else "none"
        pages_of[told if name not in unique or host is None else f"{told} again"] += 1
        if not name:
            pages_of[f"{told} nothing"] += 1
        elif name in unique:
            pages_of["again"] += 1
        unique |= {name} if name else set()
    return {
        "fetched": len(urls),
        "unique": len(unique),
        "seconds": round(took, 1),
        "kinds": dict(pages_of.most_common(14)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--webs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--strategies", default="adaptive,filter,breadth-first")
    parser.add_argument("--keep", action="store_true", help="write the figures into the documentation")
    parser.add_argument("--kinds", action="store_true", help="list what was fetched, by kind of host")
    options = parser.parse_args()
    from linksight.crawl.run.config import CrawlConfig
    from linksight.crawl.scoring.model_protocols import load_model, load_reader

    vocabulary = Vocabulary(Path(os.environ["LINKSIGHT_DATA"]))
    model, reader = load_model(CrawlConfig(language="da")), load_reader()
    found: defaultdict[str, list[int]] = defaultdict(list)
    fetched: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.webs):
        web = NuisanceWeb(vocabulary, seed)
        share = web.n_pages("da") / web.n_pages()
        print(
            f"web {seed}: {len(web.all)} hosts, {web.n_pages():,} pages, {share:.1%} in Danish",
            file=sys.stderr,
        )
        for strategy in options.strategies.split(","):
            done = crawl(web, strategy, options.pages, options.at_once, model, reader)
            found[strategy].append(done["unique"])
            fetched[strategy] += done["fetched"]
            print(
                f"  {strategy:14} {done['unique']:4} of {done['fetched']}  {done['seconds']} s",
                file=sys.stderr,
            )
            if options.kinds:
                print(f"    {done['kinds']}", file=sys.stderr)
    total = {strategy: sum(counts) for strategy, counts in found.items()}
    others = [other for other in ("breadth-first", "filter") if other in total and "adaptive" in total]
    figures = {
        "webs": options.webs, "seed": options.seed, "pages": options.pages, "unique": dict(found),
        "precision": {name: round(total[name] / fetched[name], 3) for name in total},
        "ratios": {other: round(total["adaptive"] / max(total[other], 1), 2) for other in others},
    }  # fmt: skip
    print(json.dumps(figures, indent=1))
    if options.keep:
        keep("nuisances", figures)


if __name__ == "__main__":
    main()
