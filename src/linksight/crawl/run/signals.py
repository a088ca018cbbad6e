"""Signal handlers: SIGINT, SIGTERM and SIGHUP (a lost terminal connection) ask for a graceful stop."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any


class StopSignals:
    """Calls a function with the name of each stop signal, in the main thread only; a context manager."""

    def __init__(self, on_signal: Callable[[str], None]) -> None:
        self._on_signal = on_signal
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> None:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is None or (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):
                continue  # Windows has no SIGHUP; nohup ignores it, and the crawl continues
            try:
                self._previous[number] = signal.signal(number, self._handle)
            except ValueError:  # not the main thread: leave signals to the host program
                return

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: Any) -> None:
        self._on_signal(signal.Signals(number).name)
