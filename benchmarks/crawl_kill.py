"""Kills a crawl again and again at random moments, and checks that every page is stored exactly once.

    python benchmarks/crawl_kill.py                          30 kills, 3,000 pages, SQLite
    python benchmarks/crawl_kill.py --store postgresql://…   the same on PostgreSQL, two workers

A kill is SIGKILL to the worker, to its fetcher, or to both; then `crawl resume`. At the end every
WARC file is read record by record with its digests, and compared with the pages that were served.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

from crawl_figures import keep  # noqa: E402
from local_web import LocalWeb  # noqa: E402

RUNNER = """
import re, sys
from pathlib import Path
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.crawl.run.worker import Worker
from linksight.results import PageLabel

def read(body, content_type, url):
    found = re.search(rb'lang="(\\w+)"', body)
    return PageLabel(found[1].decode() if found else "und", "Latn", "utf-8", 0.95)

folder = Path(sys.argv[1])
Worker(folder, CrawlConfig.load(folder), CountryModel(["nl", "en", "fr", "de"]), read).run()
"""


def start(folder: Path) -> subprocess.Popen[bytes]:
    """A worker in a process of its own, joined to the crawl in the folder."""
    path = str(Path(__file__).parents[1] / "src")
    return subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(folder)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def fetcher_of(worker: int) -> int | None:
    """The process id of a worker's fetcher."""
    children = Path(f"/proc/{worker}/task/{worker}/children")
    try:
        found = children.read_text().split()
    except OSError:
        return None
    return int(found[0]) if found else None


def kill(process: subprocess.Popen[bytes], draw: random.Random) -> str:
    """Kill the worker, its fetcher, or both; answers which."""
    which = draw.choice(["worker", "worker", "fetcher", "both"])
    child = fetcher_of(process.pid)
    if which in ("fetcher", "both") and child:
        os.kill(child, signal.SIGKILL)
    if which in ("worker", "both"):
        process.kill()
        process.wait()
    return which


def stored(folder: Path) -> tuple[Counter[str], int]:
    """Response records by URL, and how many records of any kind are broken: each is read whole."""
    from warcio.archiveiterator import ArchiveIterator

    found: Counter[str] = Counter()
    broken = 0
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests=True):
                record.content_stream().read()
                broken += record.digest_checker.passed is False
                if record.rec_type in ("response", "revisit"):
                    found[record.rec_headers.get_header("WARC-Target-URI")] += 1
    return Counter({url: n for url, n in found.items() if not url.endswith("/robots.txt")}), broken


def let_it_serve(web: LocalWeb, more: int, running: list[subprocess.Popen[bytes]]) -> None:
    """Wait until the crawl has had some more answers; further ones wait: kills come in the middle of its work."""
    web.has_waiting, web.answers_left = False, more
    while not web.has_waiting and any(process.poll() is None for process in running):
        time.sleep(0.01)


def torture(
    folder: Path, web: LocalWeb, kills: int, *, workers: int = 1, store: str = "", seed: int = 1,
) -> Counter[str]:  # fmt: skip
    """Crawl the web to its end under kills; answers how often each kind of kill was made."""
    from linksight.crawl.run.config import CrawlConfig

    draw = random.Random(seed)
    config = CrawlConfig(
        language="nl", seeds=(web.url(0, 0),), strategy="breadth-first", delay=0.0, allow_private=True,
        concurrency=8, retries=5, retry_wait=0.05, store=store, lease=5.0, warc_bytes=3_000_000,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    config.save(folder)
    made: Counter[str] = Counter()
    running = [start(folder) for _ in range(workers)]
    while sum(made.values()) < kills and any(process.poll() is None for process in running):
        let_it_serve(web, draw.randint(1, len(web.all_urls()) // kills), running)
        time.sleep(0.2 * draw.random())  # while it digests and commits what it had, or has done so
        number = draw.randrange(len(running))
        if running[number].poll() is None:
            made[kill(running[number], draw)] += 1
        if running[number].poll() is not None:
            running[number] = start(folder)
    web.answers_left = None
    for process in running:
        process.wait(600)
    start(folder).wait(600)  # whoever died last leaves work behind: one more goes over everything
    return made


def empty(store: str) -> None:
    """Drop everything that the database holds."""
    from sqlalchemy import text

    from linksight.system.database import open_store

    engine = open_store(store)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--pages", type=int, default=50, help="of each host")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trial", action="store_true", help="do not write the figures down")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="crawl-kill-"))
    if options.store:
        empty(options.store)
    began = time.time()
    with LocalWeb(options.hosts, options.pages, latency=0.15) as web:
        made = torture(
            folder, web, options.kills, workers=options.workers, store=options.store, seed=options.seed
        )
        wanted = set(web.all_urls())
    found, broken = stored(folder)
    missing, twice = wanted - found.keys(), [url for url, n in found.items() if n > 1]
    print(
        f"{len(wanted):,} pages, {sum(made.values())} kills ({dict(made)}), {time.time() - began:.0f} s: "
        f"{len(found):,} stored, {len(missing)} missing, {len(twice)} stored twice, {broken} broken records, "
        f"{len(list((folder / 'warc').glob('*')))} WARC files"
    )
    told = {"pages": len(wanted), "kills": sum(made.values()), "stored": len(found), "broken": broken}
    if not options.trial:
        keep("kills", told | {"missing": len(missing), "twice": len(twice), "kinds": dict(made)})
    if missing or twice or broken or found.keys() - wanted:
        print(f"FAILED; the crawl is kept in {folder}")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
