"""SIGTERM handling: unwind the command, so that ``finally`` blocks remove partial files."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Raise ``SystemExit`` with status 143 when SIGTERM arrives while the block runs."""
    try:
        previous = signal.signal(signal.SIGTERM, _exit)
    except ValueError:  # not the main thread, which alone receives signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
