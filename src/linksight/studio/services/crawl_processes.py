"""Crawls that the studio starts, each a process with a folder.

A crawl survives the studio: its state is in its folder, where the next studio finds it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from linksight.errors import BadConfig, BadData, CrawlError, LinksightError, MissingExtra
from linksight.studio.config import Settings
from linksight.studio.responses import Busy, Conflict, NotThere
from linksight.studio.services.upload_limits import TableLimits, check_table
from linksight.studio.services.uploads import save_upload
from linksight.system.processes import child_environment

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}", re.IGNORECASE)
STOPPED = "stopped"  #: a file in the folder of a crawl that a visitor stopped
MAX_RUNNING = 4
MAX_LISTED = 50


@dataclass(frozen=True)
class CrawlState:
    """A crawl at a glance."""

    name: str
    language: str
    strategy: str
    phase: str  #: starting, running, paused, stopped, done, failed
    totals: dict[str, Any]
    states: dict[str, int]
    error: str = ""

    @property
    def limit(self) -> str:
        """The limit that ended the crawl while URLs were queued, such as ``max_pages``; else empty."""
        has_more = self.phase == "done" and self.states.get("queued", 0) > 0
        return str(self.totals["limit"] or "") if has_more else ""


class Crawls:
    """The crawls in the data folder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.data_dir / "crawls"
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """All crawls, the latest first."""
        if not self.folder.is_dir():
            return []
        found = [path for path in self.folder.iterdir() if path.is_dir() and _NAME.fullmatch(path.name)]
        return [path.name for path in sorted(found, key=lambda path: (-_begun_at(path), path.name))]

    def path(self, name: str) -> Path:
        """The folder of a crawl, always inside the data folder."""
        if not _NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NotThere(f"no crawl {name[:60]!r}")
        return self.folder / name

    def start(self, name: str, values: dict[str, Any], labels: tuple[IO[bytes], str] | None = None) -> None:
        """Start a crawl with these settings in a new process; ``labels`` train the filter."""
        from linksight.crawl.run.config import CrawlConfig

        try:
            from linksight.crawl.run.api import check_start
        except ModuleNotFoundError as error:
            raise MissingExtra(error.name or "a package", "crawl", "crawling") from None
        if not _NAME.fullmatch(name):
            raise BadConfig(f"a crawl's name is 1 to 60 letters, digits, - and _, not {name[:80]!r}")
        values = values | {"allow_private": self.settings.allow_private}
        config = CrawlConfig.from_values(values, "the form")
        check_start(config)
        self._check_room()
        folder = self.folder / name
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise Conflict(f"a crawl named {name!r} exists: choose another name") from None
        if labels is not None:
            values["labels"] = str(self._kept_labels(labels, folder))
        toml = folder / "crawl.toml"
        toml.touch(mode=0o600)  # the address of a database may hold a password
        toml.write_text(as_toml(values), encoding="utf-8")
        self._spawn(name, "run", "--config", str(toml), "-l", config.language, "-o", str(folder))

    def _kept_labels(self, labels: tuple[IO[bytes], str], folder: Path) -> Path:
        """The uploaded labels, checked; a wrong file cancels the crawl."""
        from linksight.bulk.sources import kind_of
        from linksight.crawl.report.training_data import read_labels

        limits = TableLimits(self.settings.max_urls, self.settings.max_decoded)
        try:
            check_table(*labels, kind_of(labels[1]) or "csv", limits)
            path = save_upload(*labels, folder)
            read_labels(str(path))
        except LinksightError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise BadData(re.sub(r"\S*/upload-[^:\s]*", lambda _: labels[1], str(error))) from None
        return path.absolute()

    def resume(self, name: str, max_pages: int | None = None) -> None:
        """Resume a crawl, up to ``max_pages`` if given."""
        folder = self.path(name)
        if self.is_running(name):
            raise CrawlError(f"{name} is running already")
        self._check_room()
        (folder / STOPPED).unlink(missing_ok=True)
        more = () if max_pages is None else ("--max-pages", str(max_pages))
        self._spawn(name, "resume", str(folder), *more)

    def pause(self, name: str, *, is_final: bool = False) -> None:
        """Ask the crawl to end gracefully; ``is_final`` marks it as stopped."""
        from linksight.crawl.run.api import stop_crawl

        folder = self.path(name)
        if is_final:
            (folder / STOPPED).touch()
        if (folder / "crawl.json").exists():
            stop_crawl(folder)
        elif child := self._children.get(name):
            child.terminate()

    def is_running(self, name: str) -> bool:
        """Whether a worker of the crawl runs on this machine."""
        from linksight.crawl.frontier.heartbeat import live_workers

        child = self._children.get(name)
        return (child is not None and child.poll() is None) or bool(live_workers(self.path(name)))

    def state(self, name: str) -> CrawlState:
        """The state of a crawl."""
        from linksight.crawl.run.api import crawl_status
        from linksight.crawl.run.config import CrawlConfig

        folder, running = self.path(name), self.is_running(name)
        if not self._has_begun(folder):
            error = "" if running else self.last_error(name)
            return CrawlState(name, "und", "", "starting" if running else "failed", {}, {}, error)
        status = crawl_status(folder)
        config = CrawlConfig.load(folder)
        status["totals"]["limits"] = {"max_pages": config.max_pages, "max_seconds": config.max_seconds}
        phase = "running"
        if not running:
            ended = status["totals"]["phase"] == "done"
            phase = "done" if ended else "stopped" if (folder / STOPPED).exists() else "paused"
        error = self.last_error(name) if phase == "paused" else ""
        return CrawlState(
            name, status["language"], status["strategy"], phase, status["totals"], status["states"], error
        )

    def states(self) -> list[CrawlState]:
        """The latest crawls; an unreadable one has an error and does not hide the others."""
        found = []
        for name in self.names()[:MAX_LISTED]:
            try:
                found.append(self.state(name))
            except LinksightError as error:
                found.append(CrawlState(name, "und", "", "failed", {}, {}, str(error)))
        return found

    def last_error(self, name: str) -> str:
        """The error that ended a crawl, if one did."""
        try:
            lines = (self.path(name) / "studio.log").read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return ""
        messages = [line.strip() for line in lines if line.strip()]
        wrong = next((line for line in reversed(messages) if line.startswith("Error:")), "")
        ran = (self.path(name) / "crawl.json").exists()
        return wrong or ("" if ran else (messages or ["it ended without a message"])[-1])

    def _has_begun(self, folder: Path) -> bool:
        """Whether the crawl has a database: its settings are written last."""
        from linksight.crawl.run.config import FILE, CrawlConfig

        if not (folder / FILE).exists():
            return False
        return (folder / "crawl.db").exists() or bool(CrawlConfig.load(folder).store)

    def _check_room(self) -> None:
        running = sum(self.is_running(name) for name in self.names()[:MAX_LISTED])
        if running >= MAX_RUNNING:
            raise Busy(f"{MAX_RUNNING} crawls are running: pause one first")

    def _spawn(self, name: str, *arguments: str) -> None:
        log = self.folder / name / "studio.log"
        command = [sys.executable, "-m", "linksight", "crawl", arguments[0], "--quiet", *arguments[1:]]
        with self._lock, log.open("ab") as out:
            # In a new session: Ctrl-C at the studio must not end the crawl.
            child = self._children[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                env=child_environment(),
            )
        # Collects the exit status; the crawl itself survives the studio.
        threading.Thread(target=child.wait, daemon=True).start()


def _begun_at(folder: Path) -> float:
    """When a crawl began: its settings are written once, while its folder changes with every file."""
    first = folder / "crawl.toml"
    return (first if first.exists() else folder).stat().st_mtime


def as_toml(values: dict[str, Any]) -> str:
    """A ``[crawl]`` table; JSON's strings, numbers and lists are TOML's too, but for escapes of half a letter.

    >>> as_toml({"seeds": ["http://a.nl/"], "robots": True})
    '[crawl]\\nseeds = ["http://a.nl/"]\\nrobots = true\\n'
    """
    import json

    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    text = "\n".join(["[crawl]", *lines, ""]).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode("utf-8")
