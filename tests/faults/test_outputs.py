"""Standard output that takes no more: a full disk is an error, a reader that had enough is none."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
from faults_places import LABELLED, LINKSIGHT, ROOT, invoke_in

import linksight

COMMANDS = [
    "--help",
    "--version",
    "detect http://a.nl/",
    "detect -i urls.txt --format csv",
    "detect -i urls.txt --format jsonl",
    "identify page.html --format csv",
    "languages",
    "doctor --fast",
    "evaluate bundled labelled.csv",
    "evaluate bundled labelled.csv --format csv",
    "site show patterns.json",
    "site match patterns.json -i urls.txt",
    "site export patterns.json --format regex",
    "reproduce --list",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "urls.txt").write_text("".join(f"{url}\n" for url, _ in LABELLED * 10))
    (tmp_path / "few.txt").write_text("http://a.nl/\nhttp://b.de/zeitung\n")
    (tmp_path / "labelled.csv").write_text(
        "url,language\n" + "".join(f"{url},{code}\n" for url, code in LABELLED)
    )
    (tmp_path / "page.html").write_text(
        "<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"
    )
    hubs = [[f"http://shop.example/item/{20 * hub + i}" for i in range(20)] for hub in range(5)]
    linksight.learn_patterns(hubs).save(tmp_path / "patterns.json")
    return tmp_path


def _run(words: str, folder: Path, out: str) -> subprocess.CompletedProcess[str]:
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "LINKSIGHT_DATA": ""}
    with Path(out).open("w") as sink:
        return subprocess.run(
            [*LINKSIGHT, *words.split()], cwd=folder, env=places, stdout=sink, stderr=subprocess.PIPE, text=True,
            timeout=600, check=False,
        )  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
def test_a_full_disk_behind_standard_output_is_an_error(words: str, folder: Path) -> None:
    done = _run(words, folder, "/dev/full")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr or "disk full" in done.stderr, done.stderr


@pytest.mark.parametrize("words", ["detect -i urls.txt --format csv", "languages"])
def test_a_reader_that_had_enough_is_no_error(words: str, folder: Path) -> None:
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [*LINKSIGHT, *words.split()], cwd=folder, env=places, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    told = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(300) == 0
    assert "Traceback" not in told
    assert "Exception" not in told


WRITING = [
    "evaluate bundled labelled.csv -o",
    "site export patterns.json -o",
    "identify page.html -o",
    "detect -i few.txt --format csv --overwrite -o",
    "detect http://a.nl/ --format jsonl --overwrite -o",
]


@pytest.fixture
def device(folder: Path) -> Path:
    """A null device of the test's own: a mistake must not cost the machine its ``/dev/null``."""
    path = folder / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.open("wb").close()
    except OSError:  # not root, or no devices on this disk: then nobody can replace the real one either
        path.unlink(missing_ok=True)
        path.symlink_to("/dev/null")
    return path


def _written(words: str, folder: Path) -> None:
    done = invoke_in(folder, words.split())
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", WRITING)
def test_a_device_is_written_to_and_never_replaced(words: str, folder: Path, device: Path) -> None:
    before = {*folder.iterdir()}
    _written(f"{words} device", folder)
    assert device.is_char_device()
    assert {*folder.iterdir()} == before


@pytest.mark.parametrize("words", WRITING)
def test_a_pipe_is_written_to_and_never_replaced(words: str, folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    # Both ends are held open, so that nobody waits for the other; what is written fits into the pipe.
    ends = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        _written(f"{words} pipe", folder)
        got = os.read(ends, 1 << 16)
    finally:
        os.close(ends)
    assert got
    assert pipe.is_fifo()


@pytest.mark.parametrize("words", WRITING)
def test_a_link_stays_one_and_what_it_leads_to_is_written(words: str, folder: Path) -> None:
    (folder / "other").mkdir()
    real = folder / "other" / "real"
    real.write_text("old")
    (folder / "link").symlink_to(real)
    _written(f"{words} link", folder)
    assert (folder / "link").is_symlink()
    assert real.read_text() != "old"
