"""Sites that run on this machine, for Table 3 of the CALA paper: Trac, Wagtail, Roundup, the shop of the tests."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from random import SystemRandom
from typing import Any

import linksight
from linksight.errors import BadData

#: site -> class -> the links that are of it
CLASSES: dict[str, dict[str, Any]] = {
    "trac": {"ticket": r"/ticket/\d+", "wiki": "/wiki/", "milestone": "/milestone/", "search": r"/search\?"},
    "wagtail": {
        "blog": {"xpath": "//a[@class='blog-page']"},
        "recipe": {"css": "a.recipe-page"},
        "person": {"css": "a.person-page"},
        "event": r"/events/[^/?]+/$",
        "search": r"/search/\?",
    },
    "roundup": {
        "issue": r"/issue\d+$",
        "list": r"/issue\?(?!@template|.*@action=export)",
        "account": r"/user\?",
    },
    "shop": {
        "product": {"xpath": "//li[@class='hit']/a[@class='product']/@href"},
        "brand": {"css": "a.brand"},
        "user": {"css": "a.user"},
        "article": {"css": "a.article"},
        "category": r"/kategorie/[^?]+$",
        "help": "/hilfe/",
        "search": "/suche/treffer",
    },
}
_PACKAGES = {  # module, name on PyPI
    "trac": ("trac", "Trac"), "wagtail": ("wagtail", "wagtail"), "roundup": ("roundup", "roundup"),
}  # fmt: skip
_MAX_START_POLLS = 360  # half seconds that a site may take to start


def folder() -> Path:
    """Where a checkout has the scripts that start the sites."""
    return Path(linksight.__file__).resolve().parents[2] / "tests" / "sites" / "apps"


def lacking() -> dict[str, str]:
    """The sites that cannot run here, with their missing packages."""
    found = {}
    for name in CLASSES:
        if not (folder() / f"{name}_app.py").exists():
            found[name] = f"{name}: its script is in a checkout of linksight, not in the installed package"
        elif find_spec("scrapy") is None:
            found[name] = f"{name}: pip install 'linksight[crawl]'"
        elif name in _PACKAGES and find_spec(_PACKAGES[name][0]) is None:
            found[name] = f"{name}: pip install {_PACKAGES[name][1]}"
    return found


def free_port() -> int:
    """A free port outside the range from which the system assigns ports."""
    port_range = Path("/proc/sys/net/ipv4/ip_local_port_range")
    first = int(port_range.read_text(encoding="ascii").split()[0]) if port_range.exists() else 32_768
    while True:
        port = SystemRandom().randrange(max(1_025, first - 16_000), max(first, 2_000))
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("", port))
            return port


@contextmanager
def running(name: str, place: Path) -> Iterator[str]:
    """The address of a site, which runs as long as the block does."""
    port = str(free_port())
    script = str(folder() / f"{name}_app.py")
    where = [port] if name == "shop" else [str(place / name), port]
    log = place / f"{name}.log"
    with log.open("wb") as stream:
        process = subprocess.Popen([sys.executable, script, *where], stdout=stream, stderr=stream, cwd=place)
    url = f"http://127.0.0.1:{port}/"
    try:
        _await(url, name, process, log)
        yield url
    finally:
        process.kill()
        process.wait()


def _await(url: str, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(_MAX_START_POLLS):
        if process.poll() is not None:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no message"]
            raise BadData(f"the site {name!r} did not start: {lines[-1]}")
        try:
            urllib.request.urlopen(url, timeout=20).close()
            return
        except OSError:
            time.sleep(0.5)
    raise BadData(f"the site {name!r} did not answer within {_MAX_START_POLLS // 2} seconds")


def measure(name: str) -> list[dict[str, Any]]:
    """A row of Table 3 for each learner: the paper's alone, and with refinement."""
    from linksight.sites.evaluation.class_rules import label_links, parse_rules
    from linksight.sites.evaluation.metrics import evaluate
    from linksight.sites.gathering.fetcher import FetchOptions
    from linksight.sites.gathering.gather import Gathering
    from linksight.sites.workbench.workbench import Workbench

    with tempfile.TemporaryDirectory() as place, Workbench("sqlite://") as bench:
        with running(name, Path(place)) as url:
            fetch = FetchOptions(delay_s=0, retries=0, allow_private=True)
            site = Gathering(bench, url, name, fetch=fetch).run()
        hubs = bench.hubs(site, with_body=True)
    labels = label_links(hubs, parse_rules(CLASSES[name]))
    links, seconds = [hub.urls for hub in hubs], [hub.seconds for hub in hubs]
    rows = []
    for learner, refine in (("paper", False), ("refined", True)):
        row: dict[str, Any] = {"learner": learner}
        for mode in ("supervised", "unsupervised"):
            found = evaluate(links, labels, mode, seconds=seconds, refine=refine)
            row |= {key: getattr(found, key) for key in _FACTS}
            row[mode] = [found.precision, found.recall, found.f1]
        rows.append(row)
    return rows


_FACTS = (
    "n_urls",
    "tokens_per_url",
    "learning_s",
    "download_s",
    "classify_s",
    "page_s",
    "unmatched",
    "f1_of_all",
)
