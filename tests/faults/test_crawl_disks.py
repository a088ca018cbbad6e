"""A crawl on a disk that fills up or cannot be written: a clear word, and nothing lost once there is room."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from faults_places import ROOT, Ended, run_in

SETTINGS = (
    '[crawl]\ndelay = 0.0\nlease = 1.0\nallow_private = true\nrobots = false\nstrategy = "breadth-first"\n'
)


@pytest.fixture(scope="module")
def local_web() -> ModuleType:
    """The local web of the benchmarks, which are no package."""
    spec = importlib.util.spec_from_file_location("local_web", ROOT / "benchmarks" / "local_web.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault("local_web", importlib.util.module_from_spec(spec))
    if not hasattr(module, "LocalWeb"):
        spec.loader.exec_module(module)
    return module


def pages_of(folder: Path) -> Counter[str]:
    """Pages in the WARC files, by URL, every record read whole with its digests checked."""
    from warcio.archiveiterator import ArchiveIterator

    found: Counter[str] = Counter()
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type in ("response", "revisit"):
                    found[record.rec_headers.get_header("WARC-Target-URI")] += 1
    return found


@pytest.mark.parametrize("room", [150_000, 1_200_000])
def test_a_crawl_that_fills_the_disk_goes_on_when_there_is_room(
    room: int, before: Path, tmp_path: Path, full_disk: Callable[..., Ended], local_web: ModuleType
) -> None:
    (before / "crawl.toml").write_text(SETTINGS)
    with local_web.LocalWeb(hosts=8, pages=60) as web:
        words = ["crawl", "run", web.url(0, 0), "-l", "nl", "-o", "outs", "--config", "crawl.toml", "-q"]
        ended = full_disk(words, room)
        ended.refused("No space left", "disk is full", "disk I/O error", "File too large")
        after = tmp_path / "after"
        for name, data in ended.files.items():
            (after / name).parent.mkdir(parents=True, exist_ok=True)
            (after / name).write_bytes(data)
        if (after / "outs" / "crawl.json").exists():  # else it was refused before anything began
            done = run_in(after, ["crawl", "resume", "outs", "-q"])
            assert done.returncode == 0, done.stderr
            assert pages_of(after / "outs") == dict.fromkeys(web.all_urls(), 1)
        else:
            assert room < 1_000_000


def test_a_crawl_on_a_disk_that_cannot_be_written_is_refused(
    before: Path, read_only: Callable[..., Ended], local_web: ModuleType
) -> None:
    (before / "crawl.toml").write_text(SETTINGS)
    with local_web.LocalWeb(hosts=1, pages=3) as web:
        words = ["crawl", "run", web.url(0, 0), "-l", "nl", "-o", "outs", "--config", "crawl.toml", "-q"]
        read_only(words).refused("Read-only", "Permission denied")


def test_a_crawl_whose_disk_turned_read_only_is_told_so(
    before: Path, read_only: Callable[..., Ended], local_web: ModuleType
) -> None:
    with local_web.LocalWeb(hosts=1, pages=30) as web:
        (before / "crawl.toml").write_text(SETTINGS)
        words = ["crawl", "run", web.url(0, 0), "-l", "nl", "-o", "outs", "--config", "crawl.toml", "-q"]
        done = run_in(before, [*words, "--max-pages", "5"])
        assert done.returncode == 0, done.stderr
        read_only(["crawl", "resume", "outs", "-q"]).refused("Read-only", "readonly", "Permission denied")
