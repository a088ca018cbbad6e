"""The frontier without a network: a stub answers each claimed URL at once, with new links and known ones.

    python benchmarks/crawl_database.py --queued 1000000

Measured on one PostgreSQL: statements and milliseconds of SQL a page (48 pages a commit, local socket), the time of a
claim, and pages/s of 1, 2 and 4 workers. Every worker is a process; nothing is written as WARC.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from local_postgres import LocalPostgres  # noqa: E402
from sqlalchemy import event, text  # noqa: E402

GROUP = 48
LINKS = 12  #: of a page, half of them new
URLS_PER_HOST = 50


def fill(url: str, queued: int) -> None:
    """Queue URLs on hosts of 50 URLs each."""
    from linksight.crawl.frontier.frontier import Frontier
    from linksight.crawl.frontier.schema_version import open_crawl_store
    from linksight.crawl.run.config import CrawlConfig

    engine = open_crawl_store(url)
    Frontier(engine, CrawlConfig(language="nl")).create()
    n_hosts = max(queued // URLS_PER_HOST, 1)
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO hosts (id, name, site, bonus, rank, best, next_at, delay, failures, taken, found) "
                "SELECT n, 'h' || n || '.example', 'h' || n || '.example', 0, random(), 1, 0, 0, 0, 0, :each "
                "FROM generate_series(1, :hosts) n"
            ),
            {"hosts": n_hosts, "each": URLS_PER_HOST},
        )
        connection.execute(
            text(
                "INSERT INTO urls (digest, url, host_id, kind, state, base, chance, depth, attempts, sampled, reason, "
                "evidence, found_at) SELECT decode(md5(n::text), 'hex'), 'http://h' || (n % :hosts) + 1 || '.example/' || n, "
                "(n % :hosts) + 1, 0, 0, random(), random(), 1, 0, false, 'seed', '', 0 FROM generate_series(1, :queued) n"
            ),
            {"hosts": n_hosts, "queued": queued},
        )
        connection.execute(text("SELECT setval(pg_get_serial_sequence('hosts', 'id'), :n)"), {"n": n_hosts})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    engine.dispose()


def work(url: str, name: str, seconds: float) -> dict[str, Any]:
    """One worker for some seconds: pages, statements, SQL time and the times of claims."""
    from linksight.crawl.frontier.frontier import Frontier
    from linksight.crawl.frontier.schema_version import open_crawl_store
    from linksight.crawl.run.config import CrawlConfig

    engine = open_crawl_store(url)
    config = CrawlConfig(language="nl", delay=0.0, max_pages=0)
    frontier = Frontier(engine, config, name)
    spent: dict[str, float] = {"statements": 0, "sql": 0.0, "began": 0.0}

    @event.listens_for(engine, "before_cursor_execute")
    def _before(*_: Any) -> None:
        spent["statements"] += 1
        spent["began"] = time.perf_counter()

    @event.listens_for(engine, "after_cursor_execute")
    def _after(*_: Any) -> None:
        spent["sql"] += time.perf_counter() - spent["began"]

    with frontier.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO workers (id, machine, pid, started, beat, alive) VALUES (:id, '', 0, 0, 0, true)"
            ),
            {"id": name},
        )
        backend = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    pages, claims, commits, began = 0, [], [], time.perf_counter()
    server_cpu, own_cpu = _cpu(backend), time.process_time()
    for key in ("statements", "sql"):
        spent[key] = 0
    while time.perf_counter() - began < seconds:
        start = time.perf_counter()
        jobs = frontier.claim(2 * GROUP)
        claims.append(time.perf_counter() - start)
        for group in (jobs[:GROUP], jobs[GROUP:]):
            start = time.perf_counter()
            frontier.commit([_outcome(job, name, pages + n) for n, job in enumerate(group)], {})
            commits.append(time.perf_counter() - start)
            pages += len(group)
    took = time.perf_counter() - began
    server_cpu, own_cpu = _cpu(backend) - server_cpu, time.process_time() - own_cpu
    engine.dispose()
    return {
        "pages": pages, "seconds": took, "statements_a_page": round(spent["statements"] / max(pages, 1), 2),
        "sql_ms_a_page": round(1000 * spent["sql"] / max(pages, 1), 3),
        "commit_ms_a_page": round(1000 * sum(commits) / max(pages, 1), 3),
        "server_cpu_ms_a_page": round(1000 * server_cpu / max(pages, 1), 3),
        "worker_cpu_ms_a_page": round(1000 * own_cpu / max(pages, 1), 3),
        "claim_ms": round(1000 * statistics.median(claims), 1),
    }  # fmt: skip


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process of this machine has used: a figure that other programs do not change much."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _outcome(job: Any, name: str, number: int) -> Any:
    from linksight.crawl.frontier.records import Found, Outcome
    from linksight.crawl.frontier.sql_schema import State
    from linksight.results import Decision

    decision = Decision(True, 0.5, "right-site", {"model": 0.5})
    page = {
        "url": job.url, "host": job.host, "site": job.host, "fetched_at": time.time(), "status": 200, "mime": "text/html",
        "size": 10_000, "address": "192.0.2.1", "language": "nl", "script": "Latn", "encoding": "utf-8", "confidence": 0.9,
        "predicted": 0.5, "reason": job.reason, "sampled": False, "depth": 1, "links": LINKS, "digest": "sha1:X",
        "simhash": None, "duplicate": False, "etag": None, "modified": None, "seed": None,
    }  # fmt: skip
    there = [f"http://h{(number * 7 + n) % 999}.example/{name}/{number}/{n}" for n in range(LINKS // 2)]
    known = [f"{job.url.rpartition('/')[0]}/{n}" for n in range(LINKS - len(there))]
    found = [Found(url, 2, decision, 0.0, job.id) for url in there + known]
    return Outcome(job, State.DONE, job.reason, page=page, found=found, started=time.time())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queued", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--worker", nargs=2, metavar=("STORE", "NAME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(work(*options.worker, options.seconds)))
        return
    figures: dict[str, Any] = {"queued": options.queued}
    with LocalPostgres("-c synchronous_commit=off -c shared_buffers=512MB -c max_wal_size=4GB") as server:
        began = time.perf_counter()
        fill(server.url, options.queued)
        figures["fill_seconds"] = round(time.perf_counter() - began, 1)
        for n_workers in (1, 2, 4):
            command = [sys.executable, __file__, "--seconds", str(options.seconds), "--worker", server.url]
            running = [
                subprocess.Popen([*command, f"w{n_workers}-{n}"], stdout=subprocess.PIPE, text=True)
                for n in range(n_workers)
            ]
            done = [json.loads(process.communicate()[0]) for process in running]
            rate = sum(one["pages"] / one["seconds"] for one in done)
            figures[f"{n_workers} workers"] = done[0] | {"pages_a_second": round(rate, 1)}
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
