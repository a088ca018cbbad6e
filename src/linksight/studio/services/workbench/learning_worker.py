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

EVERY_S = 0.25
MAX_MEMORY_BYTES = 4 << 30  #: of address space, beyond what the process starts with


@dataclass
class Teller:
    """Says how far the work is."""

    out: IO[str]
    files: tuple[Path, ...] = ()
    stage: str = "looking at the site"
    done: int = 0
    total: int = 0
    n_hubs: int = 0
    gathering: Gathering | None = None
    _over: threading.Event = field(default_factory=threading.Event)
    _speaking: threading.Lock = field(default_factory=threading.Lock)

    def say(self, **values: Any) -> None:
        """One line, whole: the work and the one who tells of it are two threads."""
        with self._speaking:
            self.out.write(f"{json.dumps(values)}\n")
            self.out.flush()

    def hubs(self, done: int, wanted: int, what: str) -> None:
        """What a crawl of hubs reports."""
        self.done, self.total = done, wanted
        self.stage = f"{done} of {wanted} hubs, last: {what}"

    def turn_to(self, stage: str) -> None:
        """Another part of the work begins."""
        self.stage, self.files, self.gathering = stage, (), None
        self.done = self.total = 0

    def tell(self) -> None:
        """How far it is now."""
        done, total, message = self.done, self.total, self.stage
        if self.files:
            done, total = self._place()
            pages = f", {counted(self.n_hubs, 'page')} so far" if self.n_hubs else ""
            message = f"reading the file{pages}" if done < total else f"storing the links{pages}"
        elif self.gathering is not None and not total:
            message = f"{self.stage}: {counted(self.gathering.fetcher.n_requests, 'request')} so far"
        self.say(done=done, total=total, message=message)

    def run(self) -> None:
        """Tell again and again, until it is over."""
        while not self._over.wait(EVERY_S):
            self.tell()

    def end(self) -> None:
        """Say no more."""
        self._over.set()

    def _place(self) -> tuple[int, int]:
        """How far the files are read: what the system knows of our open files."""
        total = sum(path.stat().st_size for path in self.files)
        here = [place for place in map(_position, self.files) if place is not None]
        return (here[0] if here else self.done, total) if total else (0, 0)


def _position(path: Path) -> int | None:
    for link in Path("/proc/self/fd").glob("*") if Path("/proc/self/fd").is_dir() else ():
        try:
            if os.readlink(link) == str(path):  # noqa: PTH115 (it need not exist)
                note = Path(f"/proc/self/fdinfo/{link.name}").read_text()
                return int(note.split()[1])
        except OSError:
            continue
    return None


def gather(asked: dict[str, Any], teller: Teller) -> int:
    """Gather and learn what is asked for; the number of the site."""
    from linksight.sites.gathering.fetcher import FetchOptions
    from linksight.sites.gathering.gather import Gathering, learn_site
    from linksight.sites.gathering.hub_crawler import HubOptions
    from linksight.sites.workbench.workbench import Hub, Workbench

    class Bench(Workbench):
        """A workbench that counts what comes in."""

        def add_hub(self, site: int, hub: Hub) -> int:
            number = super().add_hub(site, hub)
            teller.n_hubs += 1
            return number

    with Bench(asked["store"]) as bench, _browser(asked) as browser:
        site: int = asked.get("site") or 0
        if not site:
            teller.gathering = Gathering(
                bench, asked["home"], asked["name"], asked["source"], teller.files,
                HubOptions(n_hubs=asked["hubs"], **asked.get("search", {})), FetchOptions(delay_s=asked["delay"], allow_private=asked["allow_private"]),
                teller.hubs, column=asked.get("column"), browser=browser,
            )  # fmt: skip
            site = teller.gathering.run()
        teller.turn_to("learning the patterns")
        teller.tell()
        learn_site(bench, site, **asked.get("options", {}))
        return site


def _browser(asked: dict[str, Any]) -> AbstractContextManager[Any]:
    """A real browser, for sites that need JavaScript, where the task wants one."""
    if not asked.get("render"):
        return nullcontext()
    from linksight.sites.gathering.browser import Browser

    return Browser(delay_s=asked["delay"], allow_private=asked["allow_private"])


def main() -> None:
    """Read the task from stdin, do it, and report the result."""
    from linksight.errors import LinksightError

    task = json.load(sys.stdin)
    if not task.get("render"):  # a browser reserves terabytes of addresses, and inherits the limit
        limit_memory(MAX_MEMORY_BYTES)
    teller = Teller(sys.stdout, tuple(Path(path) for path in task.get("files", ())))
    threading.Thread(target=teller.run, daemon=True).start()
    try:
        site = gather(task, teller)
        teller.end()
        teller.say(site=site)
    except LinksightError as error:
        teller.end()
        teller.say(error=str(error))
    except MemoryError:
        teller.end()
        teller.say(
            error=f"learning needs more than {MAX_MEMORY_BYTES >> 30} GiB of memory: give a smaller file"
        )


if __name__ == "__main__":
    main()
