"""A crawl on a disk that fills up or cannot be written: a clear word, and nothing lost once there is room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults_places import Ended, run_in

SETTINGS = (
    '[crawl]\ndelay = 0.0\nlease = 1.0\nallow_private = true\nrobots = false\nstrategy = "breadth-first"\n'
)


@pytest.mark.parametrize("room", [150_000, 1_200_000])
def test_a_crawl_that_fills_the_disk_goes_on_when_there_is_room(
    room: int,
    before: Path,
    tmp_path: Path,
    full_disk: Callable[..., Ended],
    local_web: Any,
    stored: Callable[[Path], Counter[str]],
) -> None:
    (before / "crawl.toml").write_text(SETTINGS)
    with local_web(hosts=8, pages=60) as web:
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
            assert stored(after / "outs") == dict.fromkeys(web.all_urls(), 1)
        else:
            assert room < 1_000_000


def test_a_crawl_on_a_disk_that_cannot_be_written_is_refused(
    before: Path, read_only: Callable[..., Ended], local_web: Any
) -> None:
    (before / "crawl.toml").write_text(SETTINGS)
    with local_web(hosts=1, pages=3) as web:
        words = ["crawl", "run", web.url(0, 0), "-l", "nl", "-o", "outs", "--config", "crawl.toml", "-q"]
        read_only(words).refused("Read-only", "Permission denied")


def test_a_crawl_whose_disk_turned_read_only_is_told_so(
    before: Path, read_only: Callable[..., Ended], local_web: Any
) -> None:
    with local_web(hosts=1, pages=30) as web:
        (before / "crawl.toml").write_text(SETTINGS)
        words = ["crawl", "run", web.url(0, 0), "-l", "nl", "-o", "outs", "--config", "crawl.toml", "-q"]
        done = run_in(before, [*words, "--max-pages", "5"])
        assert done.returncode == 0, done.stderr
        read_only(["crawl", "resume", "outs", "-q"]).refused("Read-only", "readonly", "Permission denied")
