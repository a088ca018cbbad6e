"""The subprocess that gathers and learns a site: ``python -m linksight.studio.services.workbench.learning_worker``.

It reads its task from stdin as JSON, reports progress on stdout as JSON lines, and has a memory limit.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linksight.studio.services.parquet_check import limit_memory
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.sites.gathering.gather import Gathering

REPORT_SECONDS = 0.25
MAX_MEMORY_BYTES = 4 << 30  #: of address space, beyond what the process starts with


@dataclass
class ProgressReporter:
    """Writes the progress to stdout at intervals."""

    out: IO[str]
    files: tuple[Path, ...] = ()
    stage: str = "looking at the site"
    done: int = 0
    total: int = 0
    n_hubs: int = 0
    gathering: Gathering | None = None
    _over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, **values: Any) -> None:
        """Write one line of JSON; the worker and the reporter are two threads."""
        with self._lock:
            self.out.write(f"{json.dumps(values)}\n")
            self.out.flush()

    def hubs(self, done: int, total: int, what: str) -> None:
        """Record the progress of a crawl of hubs."""
        self.done, self.total = done, total
        self.stage = f"{done} of {total} hubs, last: {what}"

    def start_stage(self, stage: str) -> None:
        """Begin the next stage."""
        self.stage, self.files, self.gathering = stage, (), None
        self.done = self.total = 0

    def report(self) -> None:
        """Write the present progress."""
        done, total, message = self.done, self.total, self.stage
        if self.files:
            done, total = self._bytes_read()
            pages = f", {counted(self.n_hubs, 'page')} so far" if self.n_hubs else ""
            message = f"reading the file{pages}" if done < total else f"storing the links{pages}"
        elif self.gathering is not None and not total:
            message = f"{self.stage}: {counted(self.gathering.fetcher.n_requests, 'request')} so far"
        self.write(done=done, total=total, message=message)

    def run(self) -> None:
        """Report until :meth:`end`."""
        while not self._over.wait(REPORT_SECONDS):
            self.report()

    def end(self) -> None:
        """Stop reporting."""
        self._over.set()

    def _bytes_read(self) -> tuple[int, int]:
        """Bytes read and bytes in total, by the positions of the open files."""
        total = sum(path.stat().st_size for path in self.files)
        here = [place for place in map(_position, self.files) if place is not None]
        return (here[0] if here else self.done, total) if total else (0, 0)


def _position(path: Path) -> int | None:
    for link in Path("/proc/self/fd").glob("*") if Path("/proc/self/fd").is_dir() else ():
        try:
            if os.readlink(link) == str(path):  # noqa: PTH115 (the target may be gone)
                info = Path(f"/proc/self/fdinfo/{link.name}").read_text()
                return int(info.split()[1])
        except OSError:
            continue
    return None


def gather(task: dict[str, Any], reporter: ProgressReporter) -> int:
    """Gather and learn a site as the task describes; its number."""
    from linksight.sites.gathering.fetcher import FetchOptions
    from linksight.sites.gathering.gather import Gathering, learn_site
    from linksight.sites.gathering.hub_crawler import HubOptions
    from linksight.sites.workbench.workbench import Hub, Workbench

    class Bench(Workbench):
        """A workbench that counts the stored hubs and URLs."""

        def add_hub(self, site: int, hub: Hub) -> int:
            number = super().add_hub(site, hub)
            reporter.n_hubs += 1
            return number

    with Bench(task["store"]) as bench, _browser(task) as browser:
        site: int = task.get("site") or 0
        if not site:
            reporter.gathering = Gathering(
                bench, task["home"], task["name"], task["source"], reporter.files,
                HubOptions(n_hubs=task["hubs"], **task.get("search", {})), FetchOptions(delay_s=task["delay"], allow_private=task["allow_private"]),
                reporter.hubs, column=task.get("column"), browser=browser,
            )  # fmt: skip
            site = reporter.gathering.run()
        reporter.start_stage("learning the patterns")
        reporter.report()
        learn_site(bench, site, **task.get("options", {}))
        return site


def _browser(task: dict[str, Any]) -> AbstractContextManager[Any]:
    """A real browser, if the task requests one for JavaScript."""
    if not task.get("render"):
        return nullcontext()
    from linksight.sites.gathering.browser import Browser

    return Browser(delay_s=task["delay"], allow_private=task["allow_private"])


def main() -> None:
    """Read the task from stdin, run it, and report the result."""
    from linksight.errors import LinksightError

    task = json.load(sys.stdin)
    if not task.get("render"):  # a browser reserves terabytes of addresses, and inherits the limit
        limit_memory(MAX_MEMORY_BYTES)
    reporter = ProgressReporter(sys.stdout, tuple(Path(path) for path in task.get("files", ())))
    threading.Thread(target=reporter.run, daemon=True).start()
    try:
        site = gather(task, reporter)
        reporter.end()
        reporter.write(site=site)
    except LinksightError as error:
        reporter.end()
        reporter.write(error=str(error))
    except MemoryError:
        reporter.end()
        reporter.write(
            error=f"learning needs more than {MAX_MEMORY_BYTES >> 30} GiB of memory: give a smaller file"
        )


if __name__ == "__main__":
    main()
