"""Progress on stderr: there when someone watches, silent when not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

#: By these rich takes for a terminal what does not say that it is one.
_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")


@contextmanager
def working(text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a moving bar while the block runs; what it yields changes the text."""
    if (console := _watched(quiet)) is None:
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda step: progress.update(task, description=step)


@contextmanager
def measured(total: int, quiet: bool = False) -> Iterator[Callable[[float, int], None]]:
    """A bar with rate and time left; what it yields takes the work done (of ``total``) and the rows."""
    if (console := _watched(quiet)) is None:
        yield lambda _done, _rows: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    left = (TextColumn("[dim]left"), TimeRemainingColumn()) if total else (TimeElapsedColumn(),)
    columns = (
        BarColumn(bar_width=30),
        TextColumn("{task.fields[rows]:,} rows"),
        TextColumn("{task.fields[rate]}"),
    )
    start = monotonic()
    with Progress(*columns, *left, console=console, transient=True) as progress:
        task = progress.add_task("", total=total or None, rows=0, rate="")

        def update(done: float, rows: int) -> None:
            rate = f"{rows / max(monotonic() - start, 1e-3):,.0f} rows/s"
            progress.update(task, completed=done, rows=rows, rate=rate)

        yield update


def _watched(quiet: bool) -> Console | None:
    """Where to draw, if someone watches; rich, which is slow to start, is asked only if that may be so."""
    if quiet or not ((sys.stderr and sys.stderr.isatty()) or any(map(os.environ.get, _FORCING))):
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal else None
