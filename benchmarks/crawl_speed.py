"""How fast the crawler is, as ratios measured in one run on one local web of 200 hosts (real sockets).

    python benchmarks/crawl_speed.py bare       pages/s beside a bare Scrapy spider (no frontier, no WARC)
    python benchmarks/crawl_speed.py workers    two workers on PostgreSQL beside one
    python benchmarks/crawl_speed.py memory     memory at 10,000 and at 200,000 queued URLs

`workers` makes itself a PostgreSQL unless one is given (--store; its schema public is emptied), and
gives every answer a latency as the real web has: with none, one worker already keeps two cores busy
and a second one has nothing to run on. --trial measures and writes nothing down.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from crawl_figures import keep  # noqa: E402
from local_postgres import LocalPostgres  # noqa: E402

BARE = """
import sys, time
from scrapy import Spider
from scrapy.crawler import CrawlerProcess

class Bare(Spider):
    name = "bare"
    start_urls = [sys.argv[1]]
    pages = 0

    def parse(self, response):
        Bare.pages += 1
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse)

process = CrawlerProcess({
    "LOG_ENABLED": False, "ROBOTSTXT_OBEY": False, "TELNETCONSOLE_ENABLED": False, "COOKIES_ENABLED": False,
    "CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 4, "DOWNLOAD_DELAY": 0,
}, install_root_handler=False)
process.crawl(Bare)
began = time.perf_counter()
process.start()
print(Bare.pages, time.perf_counter() - began)
"""

OURS = """
import json, sys, time
from pathlib import Path
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.model_protocols import load_model, load_reader
from linksight.crawl.run.worker import Worker

folder = Path(sys.argv[1])
config = CrawlConfig.load(folder)
model, reader = load_model(config), load_reader()
model.predict_proba(["http://a.nl/"] * 200)  # compiled kernels are loaded once, before the clock starts
reader(b"<p>" + b"een twee drie " * 50, None, None)
worker = Worker(folder, config, model, reader)
began = time.perf_counter()
tally = worker.run()
print(tally.pages, time.perf_counter() - began)
"""


def note(options: argparse.Namespace, section: str, values: dict[str, object]) -> None:
    """Figures go to docs/crawl.json and from there into docs/crawl.md, unless it is a trial."""
    if not options.trial:
        keep(section, values)


def environment() -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": str(HERE.parent / "src"),
        "PYTHONWARNINGS": "ignore",
    }


def serve(hosts: int, pages: int, latency: float) -> tuple[subprocess.Popen[str], str]:
    """The local web in a process of its own, and its seed."""
    command = [sys.executable, str(HERE / "local_web.py"), "--hosts", str(hosts), "--pages", str(pages)]
    server = subprocess.Popen([*command, "--latency", str(latency)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    return server, server.stdout.readline().strip()


def measure(code: str, argument: str, profile: str = "") -> tuple[int, float]:
    """Pages and seconds of one crawl in a process of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as program:  # Scrapy wants to see its spiders' source
        program.write(code)
        program.flush()
        profiler = ["-m", "cProfile", "-o", profile] if profile else []
        command = [sys.executable, *profiler, program.name, argument]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    pages, seconds = done.stdout.split()[-2:]
    return int(pages), float(seconds)


def compile_once() -> None:
    """What the first crawl of an installation leaves on disk: the compiled reader of pages."""
    code = "import linksight; linksight.identify(b'<p>' + b'een twee drie ' * 50)"
    places = environment() | {"LINKSIGHT_PAGES": "compiled"}
    subprocess.run([sys.executable, "-c", code], env=places, check=True)


def prepare(seed: str, **settings: object) -> Path:
    from linksight.crawl.run.config import CrawlConfig

    folder = Path(tempfile.mkdtemp(prefix="crawl-speed-"))
    values = {"language": "nl", "seeds": (seed,), "strategy": "breadth-first", "delay": 0.0, "robots": False}
    values |= {"allow_private": True, "max_pages": 0, "sample": 0}
    CrawlConfig(**(values | settings)).save(folder)
    return folder


def bare(options: argparse.Namespace) -> None:
    """Ours beside a bare spider, in turns, so that both meet the same machine."""
    compile_once()
    ratios = []
    for turn in range(options.repeat):
        server, seed = serve(200, options.pages, 0.0)
        try:
            pages, seconds = measure(BARE, seed)
            folder = prepare(seed, strategy=options.strategy)
            ours, our_seconds = measure(OURS, str(folder), options.profile)
            shutil.rmtree(folder)
        finally:
            server.terminate()
            server.wait()
        ratio = (ours / our_seconds) / (pages / seconds)
        ratios.append(ratio)
        print(
            f"{turn + 1}: bare Scrapy {pages:,} pages, {pages / seconds:.0f}/s; ours {ours:,} pages, {ours / our_seconds:.0f}/s; ratio {ratio:.2f}",
            flush=True,
        )
    median = sorted(ratios)[len(ratios) // 2]
    print(f"median ratio {median:.2f} (target 0.8)")
    note(
        options,
        f"bare {options.strategy}",
        {"median": round(median, 3), "ratios": [round(r, 3) for r in ratios]},
    )


def workers(options: argparse.Namespace) -> None:
    """Pages/s of one and of two workers on one PostgreSQL."""
    if options.store:
        return _workers(options, options.store)
    with LocalPostgres() as server:
        return _workers(options, server.url)


def _workers(options: argparse.Namespace, store: str) -> None:
    from sqlalchemy import text

    from linksight.system.database import open_store

    rates = {}
    for count in (1, 2):
        server, seed = serve(200, options.pages, options.latency)
        engine = open_store(store)
        with engine.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        engine.dispose()
        folders = [prepare(seed, store=store, concurrency=options.concurrency) for _ in range(count)]
        try:
            running = [
                subprocess.Popen([sys.executable, "-c", OURS, str(folder)], stdout=subprocess.PIPE, text=True, env=environment())
                for folder in folders
            ]  # fmt: skip
            results = [process.communicate()[0].split() for process in running]
        finally:
            server.terminate()
            server.wait()
        pages = sum(int(done[-2]) for done in results)
        seconds = max(float(done[-1]) for done in results)
        rates[count] = pages / seconds
        print(f"{count} worker(s): {pages:,} pages, {rates[count]:.0f}/s", flush=True)
        for folder in folders:
            shutil.rmtree(folder)
    ratio = rates[2] / rates[1]
    print(f"two / one: {ratio:.2f} (target 1.6)")
    note(
        options,
        "workers",
        {"ratio": round(ratio, 3), "latency": options.latency, "pages": 200 * options.pages},
    )


FILL = """
import json, sys
from linksight.crawl.frontier import sql_schema
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.frontier.sql_schema import State
from linksight.results import Decision
from linksight.system.database import open_store

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))

frontier = Frontier(open_store(sys.argv[1], sql_schema.metadata), CrawlConfig(language="nl", delay=0.0))
frontier.create()
seen = {}
most = int(sys.argv[2])
for start in range(0, most, 1000):
    links = [Found(f"http://h{n % 997}.example.nl/page/{n}.html", 1, Decision(True, -n * 1e-6, "looks-right")) for n in range(start, start + 1000)]
    frontier.add(links)
    frontier.release(frontier.claim(64))
    if start + 1000 in (most // 20, most // 4, most // 2, most):
        seen[start + 1000] = resident()
print(json.dumps(seen))
"""


def memory(options: argparse.Namespace) -> None:
    """Resident memory of a worker's frontier as the queue grows."""
    folder = Path(tempfile.mkdtemp(prefix="crawl-memory-"))
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(folder / "f.db"), str(options.queued)],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    seen = {int(key): value for key, value in json.loads(done.stdout).items()}
    for queued, megabytes in seen.items():
        print(f"{queued:>8,} queued: {megabytes:.1f} MB")
    ratio = seen[max(seen)] / seen[min(seen)]
    print(f"{max(seen):,} / {min(seen):,}: {ratio:.3f} (flat: about 1)")
    note(
        options,
        "memory",
        {"ratio": round(ratio, 4), "megabytes": {str(k): round(v, 1) for k, v in seen.items()}},
    )
    shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["bare", "workers", "memory"])
    parser.add_argument("--pages", type=int, default=25, help="of each of the 200 hosts")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--strategy", default="breadth-first")
    parser.add_argument("--profile", default="", help="write a profile of our worker to this file")
    parser.add_argument("--store", default="")
    parser.add_argument("--latency", type=float, default=0.25)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--queued", type=int, default=200_000, help="URLs, for memory: a multiple of 20,000")
    parser.add_argument("--trial", action="store_true", help="do not write the figures down")
    options = parser.parse_args()
    {"bare": bare, "workers": workers, "memory": memory}[options.what](options)


if __name__ == "__main__":
    main()
