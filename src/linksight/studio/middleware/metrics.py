"""Counters for Prometheus: requests, times, URLs and open jobs."""

from __future__ import annotations

from functools import cache

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

disable_created_metrics()  # type: ignore[no-untyped-call]
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counters of the service since its start.

    >>> metrics = Metrics()
    >>> metrics.request("/v1/detect", "GET", 200, 0.002)
    >>> 'requests_total{method="GET",route="/v1/detect",status="200"} 1.0' in metrics.text().decode()
    True
    """

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self._requests = Counter("linksight_http_requests", "Requests answered.", ("route", "method", "status"),
                                 registry=registry)  # fmt: skip
        self._seconds = Histogram("linksight_http_request_seconds", "Time to answer.", ("route",), buckets=BUCKETS,
                                  registry=registry)  # fmt: skip
        self._items = Counter("linksight_items", "URLs and pages processed.", ("kind",), registry=registry)
        # Looking up a labelled counter takes as long as counting.
        self._of_request = cache(lambda route, method, status: (self._requests.labels(route, method, str(status)),
                                                                self._seconds.labels(route)))  # fmt: skip
        self._of_kind = cache(self._items.labels)
        self.open_jobs = Gauge("linksight_jobs_open", "Jobs that run or wait.", registry=registry)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        counter, histogram = self._of_request(route, method, status)
        counter.inc()
        histogram.observe(seconds)

    def urls(self, kind: str, n: int) -> None:
        """Count URLs or pages that were processed."""
        self._of_kind(kind).inc(n)

    def text(self) -> bytes:
        """All counters in the text format of Prometheus."""
        return generate_latest(self._registry)
