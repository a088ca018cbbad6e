"""Counters in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """What the service has done since it began.

    >>> metrics = Metrics()
    >>> metrics.request("/v1/detect", "GET", 200, 0.002)
    >>> print(metrics.text().splitlines()[2])
    linksight_http_requests_total{route="/v1/detect",method="GET",status="200"} 1
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._urls: Counter[str] = Counter()
        self._gauges: dict[str, tuple[str, float]] = {}

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        with self._lock:
            self._requests[route, method, status] += 1
            counts = self._times.setdefault(route, [0] * (len(BUCKETS) + 1))
            counts[bisect_left(BUCKETS, seconds)] += 1
            self._seconds[route] += seconds

    def urls(self, kind: str, n: int) -> None:
        """Count URLs or pages that were looked at."""
        with self._lock:
            self._urls[kind] += n

    def gauge(self, name: str, help: str, value: float) -> None:
        """Set a value that goes up and down."""
        self._gauges[name] = (help, value)

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        with self._lock:
            lines = _head("linksight_http_requests_total", "counter", "Requests answered.")
            for (route, method, status), n in sorted(self._requests.items()):
                lines.append(
                    f'linksight_http_requests_total{{route="{route}",method="{method}",status="{status}"}} {n}'
                )
            lines += _head("linksight_http_request_seconds", "histogram", "Time to answer.")
            for route, counts in sorted(self._times.items()):
                lines += self._histogram(route, counts)
            lines += _head("linksight_items_total", "counter", "URLs and pages looked at.")
            lines += [f'linksight_items_total{{kind="{kind}"}} {n}' for kind, n in sorted(self._urls.items())]
            for name, (help, value) in sorted(self._gauges.items()):
                lines += [*_head(name, "gauge", help), f"{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _histogram(self, route: str, counts: list[int]) -> list[str]:
        total, lines = 0, []
        name = "linksight_http_request_seconds"
        for edge, n in zip((*BUCKETS, float("inf")), counts, strict=True):
            total += n
            shown = "+Inf" if edge == float("inf") else f"{edge:g}"
            lines.append(f'{name}_bucket{{route="{route}",le="{shown}"}} {total}')
        return [
            *lines,
            f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}',
            f'{name}_count{{route="{route}"}} {total}',
        ]


def _head(name: str, kind: str, help: str) -> list[str]:
    return [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
