"""Prometheus metrics of a running crawl: in a file, and over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Metric, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from linksight.crawl.frontier.heartbeat import live_workers
from linksight.crawl.monitor.stats import Tally
from linksight.errors import BadConfig, BadData
from linksight.system.atomic_write import write_whole
from linksight.system.file_lock import try_lock

FILE = "metrics.prom"


class MetricsFile:
    """Where node_exporter's textfile collector reads the metrics of a worker.

    Of several workers in a folder one has ``metrics.prom``, and the others a file each until that one ends.
    """

    def __init__(self, folder: Path, tally: Tally) -> None:
        self.folder = folder
        self.tally = tally
        self._own = folder / f"metrics-{tally.worker}.prom"
        self._lock: int | None = None

    def write(self) -> None:
        """Write the metrics as they are now."""
        path = self.folder / FILE if self._is_first() else self._own
        # A disk that is full ends the crawl at its next record, with word of what is safe; not here.
        with suppress(BadData):
            write_whole(path, metrics_text(self.tally))

    def close(self) -> None:
        """Leave the common file to the next, as it is; a file of its own says nothing once its worker is gone."""
        self._own.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _is_first(self) -> bool:
        """Whether the common file is this worker's; the kernel frees it when its worker ends, however that ends."""
        if self._lock is not None:
            return True
        self._lock = _locked(self.folder / "workers" / "metrics")
        if self._lock is None:
            return False
        living = {f"metrics-{worker}.prom" for worker in live_workers(self.folder)} - {self._own.name}
        for path in self.folder.glob("metrics-*.prom"):
            if path.name not in living:
                path.unlink(missing_ok=True)
        return True


def _locked(path: Path) -> int | None:
    """The lock on a file, or None where another process has it or there can be none."""
    with suppress(OSError):
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        if try_lock(lock):
            return lock
        os.close(lock)
    return None


class MetricsServer:
    """Serves ``/metrics`` while it is open; a context manager."""

    def __init__(self, tally: Tally, port: int, address: str = "127.0.0.1") -> None:
        try:
            self._server, self._thread = start_http_server(port, address, _registry(tally))
        except OSError as error:
            raise BadConfig(f"metrics_port {port}: {error.strerror}") from None
        self.port = self._server.server_port

    def __enter__(self) -> MetricsServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def metrics_text(tally: Tally) -> str:
    """The metrics in Prometheus' text format.

    >>> metrics_text(Tally("nl", worker="w1", pages=3)).splitlines()[2]
    'linksight_crawl_pages_total{worker="w1"} 3.0'
    """
    return generate_latest(_registry(tally)).decode()


def _registry(tally: Tally) -> CollectorRegistry:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(TallyCollector(tally))
    return registry


class TallyCollector(Collector):
    """The counts of a worker as metrics."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def collect(self) -> Iterator[Metric]:
        tally = self.tally
        counters: dict[str, tuple[str, float]] = {
            "pages": ("Pages fetched.", tally.pages),
            "hits": ("Pages in the target language.", tally.hits),
            "bytes": ("Bytes of pages.", tally.bytes),
            "failures": ("Requests that failed.", tally.failures),
            "links_queued": ("Links queued.", tally.queued),
            "links_rejected": ("Links rejected.", tally.rejected),
        }
        gauges: dict[str, tuple[str, float]] = {
            "in_hand": ("Requests under way.", tally.in_hand),
            "queue_urls": ("URLs that wait in the queue.", tally.waiting),
            "queue_hosts": ("Hosts that they are on.", tally.waiting_hosts),
            "pages_per_second": ("Pages a second, lately.", tally.rate),
            "harvest_ratio": ("Share of the target language.", tally.harvest),
        }
        for name, (meaning, value) in counters.items():
            yield self._family(CounterMetricFamily, name, meaning, {"": value})
        for name, (meaning, value) in gauges.items():
            yield self._family(GaugeMetricFamily, name, meaning, {"": value})
        reasons, languages = dict(tally.reasons.most_common()), dict(tally.languages.most_common())
        yield self._family(
            CounterMetricFamily, "decisions", "Decisions and outcomes by reason.", reasons, "reason"
        )
        yield self._family(CounterMetricFamily, "languages", "Pages by language.", languages, "language")

    def _family(
        self, kind: type[Any], name: str, meaning: str, values: Mapping[str, float], label: str = ""
    ) -> Any:
        labels = ["worker", label] if label else ["worker"]
        family = kind(f"linksight_crawl_{name}", meaning, labels=labels)
        for key, value in values.items():
            family.add_metric([self.tally.worker, key] if label else [self.tally.worker], value)
        return family
