"""A local web on real sockets, a page reader that trusts ``lang``, and crawls over them."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from linksight.crawl.config import CrawlConfig
from linksight.crawl.urlmodels import CountryModel
from linksight.crawl.worker import Worker
from linksight.records import PageLabel

ROOT = Path(__file__).parents[2]
LANGUAGES = ["nl", "en", "fr", "de"]


def load_benchmark(name: str):
    """A module of benchmarks/, which is no package."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def local_web():
    """The class of local webs."""
    return load_benchmark("local_web").LocalWeb


def read_declared(body: bytes, content_type: str | None, url: str | None) -> PageLabel:
    found = re.search(rb'lang="(\w+)"', body)
    return PageLabel(found[1].decode() if found else "und", "Latn", "utf-8", 0.95)


@pytest.fixture
def crawl_with(tmp_path):
    """Runs a worker on a folder with small stand-ins for the model and the reader."""

    def run(folder: Path | None = None, **settings):
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
        worker = Worker(where, config, CountryModel(LANGUAGES), read_declared)
        return where, worker.run()

    return run


@pytest.fixture(scope="session")
def stored():
    """Pages in a crawl's WARC files, by URL, each read whole with its digests checked."""

    def read(folder: Path) -> Counter[str]:
        from warcio.archiveiterator import ArchiveIterator

        found: Counter[str] = Counter()
        for path in sorted((folder / "warc").glob("*.warc.gz")):
            with path.open("rb") as file:
                for record in ArchiveIterator(file, check_digests="raise"):
                    record.content_stream().read()
                    if record.rec_type in ("response", "revisit"):
                        found[record.rec_headers.get_header("WARC-Target-URI")] += 1
        return Counter({url: n for url, n in found.items() if not url.endswith("/robots.txt")})

    return read
