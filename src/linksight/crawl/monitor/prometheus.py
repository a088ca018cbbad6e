"""Prometheus metrics of a running crawl, in a file and over HTTP."""

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
    """Metrics file of a worker, for the textfile collector of node_exporter.

    With several workers in a folder, one writes ``metrics.prom`` and each other writes its own file until
    the first one ends.
    """

    def __init__(self, folder: Path, tally: Tally) -> None:
        self.folder = folder
        self.tally = tally
        self._worker_path = folder / f"metrics-{tally.worker}.prom"
        self._lock: int | None = None

    def write(self) -> None:
        """Write the current metrics."""
        path = self.folder / FILE if self._is_first() else self._worker_path
        # A full disk stops the crawl at the next WARC record, with a report; metrics do not stop it.
        with suppress(BadData):
            write_whole(path, metrics_text(self.tally))

    def close(self) -> None:
        """Release the lock on the shared file and remove the file of this worker."""
        self._worker_path.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _is_first(self) -> bool:
        """Whether this worker holds the lock on the shared file; the kernel frees it when the process ends."""
        if self._lock is not None:
            return True
        self._lock = _locked(self.folder / "workers" / "metrics")
        if self._lock is None:
            return False
        live_files = {f"metrics-{worker}.prom" for worker in live_workers(self.folder)} - {
            self._worker_path.name
        }
        for path in self.folder.glob("metrics-*.prom"):
            if path.name not in live_files:
                path.unlink(missing_ok=True)
        return True


def _locked(path: Path) -> int | None:
    """Lock a file; None if another process holds the lock or locking fails."""
    with suppress(OSError):
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        if try_lock(lock):
            return lock
        os.close(lock)
    return None


class MetricsServer:
    """HTTP server of ``/metrics``; a context manager."""

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
    """Format the metrics in the text format of Prometheus.

    >>> metrics_text(Tally("nl", worker="w1", pages=3)).splitlines()[2]
    'linksight_crawl_pages_total{worker="w1"} 3.0'
    """
    return generate_latest(_registry(tally)).decode()


def _registry(tally: Tally) -> CollectorRegistry:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(TallyCollector(tally))
    return registry


class TallyCollector(Collector):
    """Prometheus collector of the counts of a worker."""

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
        for name, (description, value) in counters.items():
            yield self._family(CounterMetricFamily, name, description, {"": value})
        for name, (description, value) in gauges.items():
            yield self._family(GaugeMetricFamily, name, description, {"": value})
        reasons, languages = dict(tally.reasons.most_common()), dict(tally.languages.most_common())
        yield self._family(
            CounterMetricFamily, "decisions", "Decisions and outcomes by reason.", reasons, "reason"
        )
        yield self._family(CounterMetricFamily, "languages", "Pages by language.", languages, "language")

    def _family(
        self, kind: type[Any], name: str, description: str, values: Mapping[str, float], label: str = ""
    ) -> Any:
        labels = ["worker", label] if label else ["worker"]
        family = kind(f"linksight_crawl_{name}", description, labels=labels)
        for key, value in values.items():
            family.add_metric([self.tally.worker, key] if label else [self.tally.worker], value)
        return family
