"""Progress bars on stderr, on terminals only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

#: Environment variables that make rich treat any stream as a terminal.
_FORCE_TERMINAL_VARIABLES = ("FORCE_COLOR", "TTY_COMPATIBLE")


@contextmanager
def working(text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show an indeterminate bar during the block; the yielded function changes the text."""
    with _bar(quiet, "{task.description} {bar} {elapsed}", text) as update:
        yield lambda step: update(description=step)


@contextmanager
def measured(total: int, quiet: bool = False) -> Iterator[Callable[[float, int], None]]:
    """Show a bar with rate and remaining time; the yielded function takes the work done (of ``total``) and the rows."""
    start = monotonic()
    left = "{left}" if total else "{elapsed}"
    with _bar(quiet, "{bar} {task.fields[rows]:,} rows {task.fields[rate]} " + left, total=total) as update:

        def show(done: float, rows: int) -> None:
            rate = f"{rows / max(monotonic() - start, 1e-3):,.0f} rows/s"
            update(completed=done, rows=rows, rate=rate)

        yield show


@contextmanager
def stepping(quiet: bool = False) -> Iterator[Callable[[float, float, str], None]]:
    """Show a bar with remaining time; the yielded function takes work done, total work, and a text."""
    with _bar(quiet, "{bar} {task.percentage:3.0f}% {elapsed} {left} [dim]{task.description}") as update:
        yield lambda done, total, text: update(completed=done, total=total or None, description=text)


@contextmanager
def _bar(quiet: bool, layout: str, text: str = "", total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show a progress bar with the columns of a layout; the yielded function updates the task."""
    if (console := _console(quiet)) is None:
        yield lambda **_: None
        return
    from rich.progress import BarColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns_by_name = {
        "{bar}": BarColumn(24),
        "{elapsed}": TimeElapsedColumn(),
        "{left}": TimeRemainingColumn(),
    }
    columns = [columns_by_name.get(part, part) for part in layout.split(" ")]
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as progress:
        task = progress.add_task(text, total=total or None, rows=0, rate="")
        yield lambda **changes: progress.update(task, **changes)


def _console(quiet: bool) -> Console | None:
    """Return the console, or None without a terminal; imports rich only if needed, as that is slow."""
    if quiet or not (
        (sys.stderr and sys.stderr.isatty()) or any(map(os.environ.get, _FORCE_TERMINAL_VARIABLES))
    ):
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal else None
