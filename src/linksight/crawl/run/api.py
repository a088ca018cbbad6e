"""Operations on a crawl folder: start, resume, status, stop, change settings, verify."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linksight.crawl.archive.cdxj import write_index
from linksight.crawl.archive.rewrite import Mended, mend
from linksight.crawl.archive.verify import Findings, check
from linksight.crawl.archive.warc_writer import FOLDER as WARCS
from linksight.crawl.frontier.clock import SteadyClock
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.heartbeat import live_workers
from linksight.crawl.frontier.schema_version import open_crawl_store
from linksight.crawl.monitor.prometheus import MetricsServer
from linksight.crawl.monitor.stats import Tally
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.html_report import write_report
from linksight.crawl.run.config import FILE, CrawlConfig
from linksight.crawl.run.recrawl import queue_due
from linksight.crawl.run.seeds import check_seeds
from linksight.crawl.run.worker import Worker, store_of
from linksight.crawl.scoring.model_protocols import (
    PageReader,
    UrlModel,
    check_language,
    load_model,
    load_reader,
)
from linksight.errors import BadConfig, CrawlError

_UNIT_SECONDS = {
    "s": 1.0,
    "m": 60.0,
    "h": 3_600.0,
    "d": 86_400.0,
    "w": 604_800.0,
}  #: seconds of the units of --since
Progress = Callable[[Tally], None]
#: Settings whose change reopens a finished crawl.
_LIMIT_SETTINGS = {
    "max_pages",
    "max_seconds",
    "max_bytes",
    "max_pages_per_host",
    "max_pages_per_site",
    "seeds",
}


def start_crawl(
    folder: str | Path,
    config: CrawlConfig,
    *,
    model: UrlModel | None = None,
    reader: PageReader | None = None,
    on_progress: Progress | None = None,
) -> Tally:
    """Start a crawl in a new folder and run it until it is done or stopped."""
    where, config = Path(folder), config.from_anywhere().with_contact()
    remark = check_start(config, own_reader=reader is not None)
    if (where / FILE).exists():
        raise CrawlError(f"{where}: a crawl is here already; go on with: linksight crawl resume {where}")
    with _remove_on_error(where):
        try:
            where.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CrawlError(f"{where}: {error.strerror}") from None
        _check_writable(where)
        # Fail on a wrong setting before the folder becomes a crawl.
        worker = Worker(
            where,
            config,
            model or load_model(config),
            reader or load_reader(),
            _patterns(config),
            on_progress,
        )
        worker.tally.notes += [remark] if remark else []
        if config.store:  # the database may belong to another crawl
            worker.frontier.create()
        config.save(where)
    return _run(where, config, worker)


@contextmanager
def _remove_on_error(folder: Path) -> Iterator[None]:
    """Remove the new folder and its new parents if the block raises."""
    created = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        for path in created:
            with suppress(OSError):  # not created, or not empty
                path.rmdir()
        raise


def check_start(config: CrawlConfig, *, own_reader: bool = False) -> str:
    """Validate the settings of a new crawl; return a remark or an empty string."""
    if not config.seeds:
        raise BadConfig("seeds: a crawl needs at least one address to start from")
    config.with_contact()
    if config.language == "und":
        raise BadConfig("language: a crawl needs a language to look for")
    check_seeds(config.seeds, allow_private=config.allow_private)
    return "" if own_reader else check_language(config)


def resume_crawl(
    folder: str | Path,
    changes: dict[str, Any] | None = None,
    *,
    seeds: Sequence[str] = (),
    since: str = "",
    model: UrlModel | None = None,
    reader: PageReader | None = None,
    on_progress: Progress | None = None,
) -> Tally:
    """Resume a crawl or join it as one more worker, with changed settings or more seeds if given.

    ``since``: recapture pages whose latest capture is older than this age (``7d``) or date.
    """
    age = seconds_of(since) if since else 0.0
    where = Path(folder)
    config = CrawlConfig.load(where)
    _check_writable(where)
    _check_database(where, config)
    changes = dict(changes or {})
    if seeds:
        changes["seeds"] = tuple(dict.fromkeys((*config.seeds, *seeds)))
        check_seeds(seeds, allow_private=changes.get("allow_private", config.allow_private))
    if "seed_details" in changes:
        changes["seed_details"] = (*config.seed_details, *changes["seed_details"])
    if changes:
        config = config.but(**changes).from_anywhere()
        config.save(where)
    config = config.with_contact()
    worker = Worker(
        where, config, model or load_model(config), reader or load_reader(), _patterns(config), on_progress
    )
    worker.frontier.create()
    if not live_workers(where) and worker.frontier.retry_failed():
        for phase in ("done", "sampling"):
            worker.frontier.set_phase(phase, "crawling")
    if changes:
        _apply_changes(worker, config, changes.keys())
    if since and queue_due(worker.frontier, worker.frontier.clock() - age):
        for phase in ("done", "sampling"):
            worker.frontier.set_phase(phase, "crawling")
    return _run(where, config, worker)


def seconds_of(since: str) -> float:
    """Parse an age or a date; return the age in seconds.

    >>> seconds_of("7d"), seconds_of("1970-01-01") > 50 * 365 * 86_400
    (604800.0, True)
    """
    number, unit = since[:-1], since[-1:]
    with suppress(ValueError):
        if unit in _UNIT_SECONDS and float(number) >= 0:
            return float(number) * _UNIT_SECONDS[unit]
        at = datetime.fromisoformat(since)
        return max(time.time() - (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp(), 0.0)
    raise BadConfig(f"since: an age such as 12h, 7d or 4w, or a date such as 2026-01-31, not {since!r}")


def _apply_changes(worker: Worker, config: CrawlConfig, changed: Collection[str]) -> None:
    """Apply changed settings to the queue; reopen a finished crawl if they allow more."""
    frontier = worker.frontier
    frontier.set_config(config)
    frontier.reopen_hosts()
    more = frontier.requeue_allowed()
    if "threshold" in changed and worker.judge.learns_sites:
        more += frontier.requeue_above(worker.judge.bar)
    if more or _LIMIT_SETTINGS.intersection(changed):
        for phase in ("done", "sampling"):
            frontier.set_phase(phase, "crawling")


def _run(folder: Path, config: CrawlConfig, worker: Worker) -> Tally:
    """Run the worker, then write the index and the report."""
    with _serve_metrics(folder, config, worker.tally):
        tally = worker.run()
    with Ledger.open(folder) as ledger:
        write_index(ledger.engine, folder)
        write_report(ledger, folder)
    return tally


def _serve_metrics(folder: Path, config: CrawlConfig, tally: Tally) -> AbstractContextManager[object]:
    """Serve the metrics over HTTP; with several workers in a folder, the first one has the port."""
    if not config.metrics_port:
        return nullcontext()
    try:
        return MetricsServer(tally, config.metrics_port, config.metrics_address)
    except BadConfig as error:
        if not live_workers(folder):
            raise
        tally.notes.append(
            f"{error}, by another worker of this crawl as it seems: this one serves no metrics"
        )
        return nullcontext()


def _check_writable(folder: Path) -> None:
    """Raise an error if the folder is not writable."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        raise CrawlError(f"{folder}: {error.strerror}") from None


def _check_database(folder: Path, config: CrawlConfig) -> None:
    """Raise an error if the SQLite file is missing: a new one would fetch every page again."""
    path = Path(store_of(folder, config))
    if "://" not in str(config.store) and not path.is_file():
        raise CrawlError(
            f"{path}: the crawl's database is gone; put it back, or begin another crawl in a new folder "
            f"(the pages in {folder / WARCS} stay)"
        )


def _patterns(config: CrawlConfig) -> Any:
    if not config.patterns:
        return None
    import linksight

    return linksight.load_patterns(config.patterns)


def crawl_status(folder: str | Path) -> dict[str, Any]:
    """Return the status of a crawl: totals, states and running workers of this machine."""
    with Ledger.open(folder) as ledger:
        return {
            "language": ledger.config.language,
            "strategy": ledger.config.strategy,
            "totals": ledger.totals(),
            "states": ledger.states(),
            "running": live_workers(Path(folder)),
        }


def stop_crawl(folder: str | Path) -> list[int]:
    """Ask the workers of a crawl on this machine for a graceful stop; return their process ids."""
    CrawlConfig.load(folder)
    pids = []
    for worker in live_workers(Path(folder)):
        pid = int(worker.rsplit("-", 2)[1])
        os.kill(pid, signal.SIGTERM)
        pids.append(pid)
    return pids


def set_crawl(folder: str | Path, changes: Sequence[tuple[str, ...]]) -> None:
    """Change settings in the folder and the database of a crawl; running workers apply them within a second."""
    where = Path(folder)
    config = CrawlConfig.load(where)
    engine = open_crawl_store(store_of(where, config))
    try:
        frontier = Frontier(engine, config, "set", SteadyClock.of(engine))
        values = dict(json.loads(frontier.summary()["settings"]))
        for name, value in changes:
            if name in ("block", "unblock"):
                frontier.block_host(value, is_blocked=name == "block")
            elif name == "pause":
                values["pause"] = value.lower() in ("yes", "true", "1", "on")
            else:
                config = config.changed(name, value)
                values[name] = config.as_dict()[name]
        config.save(where)
        frontier.save_settings(values)
    finally:
        engine.dispose()


def check_crawl(
    folder: str | Path, *, mending: bool = False, on_record: Callable[[int], None] | None = None
) -> tuple[Findings, Mended | None]:
    """Verify every WARC record of a crawl; with ``mending``, requeue the pages of broken records."""
    where = Path(folder)
    with Ledger.open(where) as ledger:
        findings = check(ledger.engine, where, on_record)
        if not mending or not findings.broken:
            return findings, None
        repaired = mend(ledger, where, findings)
        write_index(ledger.engine, where)
    return findings, repaired
