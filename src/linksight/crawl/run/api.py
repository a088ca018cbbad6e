"""A crawl from its folder: begin, go on, ask how it stands, ask it to stop, check what it has stored."""

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

_SPANS = {
    "s": 1.0,
    "m": 60.0,
    "h": 3_600.0,
    "d": 86_400.0,
    "w": 604_800.0,
}  #: seconds of the units of --since
Progress = Callable[[Tally], None]
#: Settings that a crawl can be done because of, and goes on with when there is more of them.
_MORE = {"max_pages", "max_seconds", "max_bytes", "max_pages_per_host", "max_pages_per_site", "seeds"}


def start_crawl(
    folder: str | Path,
    config: CrawlConfig,
    *,
    model: UrlModel | None = None,
    reader: PageReader | None = None,
    on_progress: Progress | None = None,
) -> Tally:
    """Begin a crawl in a new folder, and crawl until done or stopped."""
    where, config = Path(folder), config.from_anywhere().with_contact()
    remark = check_start(config, own_reader=reader is not None)
    if (where / FILE).exists():
        raise CrawlError(f"{where}: a crawl is here already; go on with: linksight crawl resume {where}")
    with _nothing_left(where):
        try:
            where.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CrawlError(f"{where}: {error.strerror}") from None
        _check_writable(where)
        # What can fail by a wrong setting fails before the folder becomes a crawl.
        worker = Worker(
            where,
            config,
            model or load_model(config),
            reader or load_reader(),
            _patterns(config),
            on_progress,
        )
        worker.tally.notes += [remark] if remark else []
        if config.store:  # it may be another crawl's
            worker.frontier.create()
        config.save(where)
    return _run(where, config, worker)


@contextmanager
def _nothing_left(folder: Path) -> Iterator[None]:
    """Where making a folder or what follows fails, it goes again, and so do those that were made for it."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        for path in made:
            with suppress(OSError):  # not made after all, or somebody has put something into it
                path.rmdir()
        raise


def check_start(config: CrawlConfig, *, own_reader: bool = False) -> str:
    """Refuse, before anything is made, what cannot become a crawl; answers a remark, or nothing."""
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
    """Go on with a crawl, after a stop or a kill, or join it as one more worker; with other settings, or more seeds.

    ``since``: capture pages again whose latest capture is older than this, an age (``7d``) or a date.
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
        _change(worker, config, changes.keys())
    if since and queue_due(worker.frontier, worker.frontier.clock() - age):
        for phase in ("done", "sampling"):
            worker.frontier.set_phase(phase, "crawling")
    return _run(where, config, worker)


def seconds_of(since: str) -> float:
    """The age that a time span or a date names, in seconds.

    >>> seconds_of("7d"), seconds_of("1970-01-01") > 50 * 365 * 86_400
    (604800.0, True)
    """
    number, unit = since[:-1], since[-1:]
    with suppress(ValueError):
        if unit in _SPANS and float(number) >= 0:
            return float(number) * _SPANS[unit]
        at = datetime.fromisoformat(since)
        return max(time.time() - (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp(), 0.0)
    raise BadConfig(f"since: an age such as 12h, 7d or 4w, or a date such as 2026-01-31, not {since!r}")


def _change(worker: Worker, config: CrawlConfig, changed: Collection[str]) -> None:
    """Have the queue go by other settings; where they allow more, a crawl that was done is not done any more."""
    frontier = worker.frontier
    frontier.set_config(config)
    frontier.reopen_hosts()
    more = frontier.requeue_allowed()
    if "threshold" in changed and worker.judge.learns_sites:
        more += frontier.requeue_above(worker.judge.bar)
    if more or _MORE.intersection(changed):
        for phase in ("done", "sampling"):
            frontier.set_phase(phase, "crawling")


def _run(folder: Path, config: CrawlConfig, worker: Worker) -> Tally:
    with _metrics(folder, config, worker.tally):
        tally = worker.run()
    with Ledger.open(folder) as ledger:
        write_index(ledger.engine, folder)
        write_report(ledger, folder)
    return tally


def _metrics(folder: Path, config: CrawlConfig, tally: Tally) -> AbstractContextManager[object]:
    """The metrics over HTTP; of several workers of a folder the first has the port, and the others work without."""
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
    """Say at once, and in plain words, that nothing can be written here."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        raise CrawlError(f"{folder}: {error.strerror}") from None


def _check_database(folder: Path, config: CrawlConfig) -> None:
    """Refuse to begin anew, and to fetch everything twice, where the file of what was done is gone."""
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
    """How a crawl stands: totals, states and the workers of this machine that run now."""
    with Ledger.open(folder) as ledger:
        told = {"language": ledger.config.language, "strategy": ledger.config.strategy}
        return told | {
            "totals": ledger.totals(),
            "states": ledger.states(),
            "running": live_workers(Path(folder)),
        }


def stop_crawl(folder: str | Path) -> list[int]:
    """Ask the crawl's workers on this machine to end in good order; answers their process ids."""
    CrawlConfig.load(folder)
    asked = []
    for worker in live_workers(Path(folder)):
        pid = int(worker.rsplit("-", 2)[1])
        os.kill(pid, signal.SIGTERM)
        asked.append(pid)
    return asked


def set_crawl(folder: str | Path, changes: Sequence[tuple[str, ...]]) -> None:
    """Change settings in the crawl's folder and database; running workers take them up within a second."""
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
    """Read every stored record of a crawl; where wished, have broken pages fetched again."""
    where = Path(folder)
    with Ledger.open(where) as ledger:
        found = check(ledger.engine, where, on_record)
        if not mending or not found.broken:
            return found, None
        mended = mend(ledger, where, found)
        write_index(ledger.engine, where)
    return found, mended
