"""Crawls of the studio: processes of their own that can be stopped and taken up by another studio."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

from linksight.studio.crawls import Crawls
from linksight.studio.settings import Settings


def local_web(**options):
    name = "local_web"
    if name not in sys.modules:
        path = Path(__file__).parents[2] / "benchmarks" / "local_web.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name].LocalWeb(**options)


def wait_for(crawls, name, *phases):
    until = time.monotonic() + 90
    while (state := crawls.state(name)).phase not in phases:
        assert time.monotonic() < until, state
        time.sleep(0.2)
    return state


def test_a_crawl_is_stopped_found_by_another_studio_and_resumed(tmp_path):
    settings = Settings(data_dir=tmp_path, allow_private=True)
    crawls = Crawls(settings)
    with local_web(hosts=4, pages=10) as web:
        values = {"language": "nl", "seeds": [f"{web.origin(0)}/"], "strategy": "breadth-first", "max_pages": 12,
                  "delay": 1.0, "sample": 0}  # fmt: skip
        crawls.start("dutch", values)
        wait_for(crawls, "dutch", "running")
        while not crawls.state("dutch").totals.get("pages"):
            time.sleep(0.2)
        crawls.pause("dutch", for_good=True)
        stopped = wait_for(crawls, "dutch", "stopped")
        other = Crawls(settings)
        assert other.names() == ["dutch"]
        assert other.state("dutch").phase == "stopped"
        other.resume("dutch")
        done = wait_for(other, "dutch", "done")
        assert done.totals["pages"] > stopped.totals["pages"]


def test_a_crawl_that_cannot_begin_says_why(tmp_path):
    crawls = Crawls(Settings(data_dir=tmp_path))
    crawls.start(
        "none", {"language": "nl", "seeds": ["not an address at all"], "max_seconds": 5.0, "sample": 0}
    )
    state = wait_for(crawls, "none", "failed", "done", "paused")
    assert state.phase != "failed" or state.error
