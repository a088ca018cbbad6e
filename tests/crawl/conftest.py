"""A page reader that trusts ``lang``, and crawls with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.worker import Worker
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.results import PageLabel

LANGUAGES = ["nl", "en", "fr", "de"]


def read_declared(body: bytes, content_type: str | None, url: str | None) -> PageLabel:
    found = re.search(rb'lang="(\w+)"', body)
    return PageLabel(found[1].decode() if found else "und", "Latn", "utf-8", 0.95)


@pytest.fixture
def crawl_with(tmp_path):
    """Runs a worker on a folder with small stand-ins for the model and the reader."""

    def run(folder: Path | None = None, reader=read_declared, **settings):
        defaults = {
            "language": "nl",
            "delay": 0.0,
            "allow_private": True,
            "retry_wait": 0.05,
            "timeout": 300.0,  # a busy machine is no dead host
        }
        config = CrawlConfig(**(defaults | settings))
        where = folder or tmp_path / "crawl"
        where.mkdir(exist_ok=True)
        config.save(where)
        worker = Worker(where, config, CountryModel(LANGUAGES), reader)
        return where, worker.run()

    return run
