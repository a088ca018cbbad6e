"""Progress on stderr: there when someone watches, silent when not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic


@contextmanager
def working(text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a moving bar while the block runs; what it yields changes the text."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda step: progress.update(task, description=step)


@contextmanager
def measured(total: int, quiet: bool = False) -> Iterator[Callable[[float, int], None]]:
    """A bar with rate and time left; what it yields takes the work done (of ``total``) and the rows."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _done, _rows: None
        return
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
