"""Live view of a crawl in the terminal: speed, harvest rate, and reasons of decisions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from linksight.crawl.monitor.stats import Tally
from linksight.crawl.report.format_bytes import size
from linksight.languages import registry
from linksight.system.plural import counted

if TYPE_CHECKING:
    from rich.console import Console, Group


class LiveView:
    """Redraws the statistics of a worker in the terminal; a context manager."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._live = Live(console=console, refresh_per_second=4, transient=False)

    def __enter__(self) -> LiveView:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, tally: Tally) -> None:
        self._live.update(draw(tally))


def draw(tally: Tally) -> Group:
    """Render the statistics of a worker."""
    from rich.columns import Columns
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    name = registry.name(tally.language)
    elapsed = time.monotonic() - tally.started
    head = Text.assemble(
        (f"{tally.phase:<9}", "bold"),
        f" {counted(tally.pages, 'page')} · {tally.rate:.1f}/s · ",
        (f"{tally.hits:,} in {name} ({tally.harvest:.1%})", "bold green"),
        f" · {size(tally.bytes)} · {tally.in_hand} under way · {tally.failures:,} failed · {elapsed:,.0f} s",
    )
    queue = (
        f"queue: {counted(tally.waiting, 'URL')} on {counted(tally.waiting_hosts, 'host')} · links: {tally.queued:,} queued, "
        f"{tally.rejected:,} rejected · {tally.sampled:,} sampled"
    )

    def table_of(title: str, rows: list[tuple[str, int]]) -> Table:
        table = Table(title=title, title_justify="left", box=None, padding=(0, 1), show_header=False)
        for key, n in rows:
            table.add_row(key, f"{n:,}")
        return table

    language_counts = [(registry.name(code), n) for code, n in tally.languages.most_common(8)]
    columns = [
        table_of("reasons", tally.reasons.most_common(8)),
        table_of("languages", language_counts),
        table_of("hosts", tally.hosts.most_common(8)),
    ]
    return Group(head, Text(queue, style="dim"), Columns(columns, padding=(0, 3)))
