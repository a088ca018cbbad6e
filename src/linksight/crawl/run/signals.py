"""SIGINT, SIGTERM and SIGHUP, which comes when a connection to the machine is lost, as a request to stop in good order."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any


class StopSignals:
    """Hands the names of such signals on, where this is the main thread; a context manager."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is None or (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):
                continue  # Windows has no SIGHUP; nohup ignores it, and the crawl continues
            try:
                self._before[number] = signal.signal(number, self._asked)
            except ValueError:  # not the main thread: whoever started us decides
                return

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _asked(self, number: int, _: Any) -> None:
        self._ask(signal.Signals(number).name)
