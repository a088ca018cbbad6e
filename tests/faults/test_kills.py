"""Processes that are killed in the middle: what was there stays whole, and the same command goes on or begins anew."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from faults_places import LABELLED, LINKSIGHT, ROOT, Gate, run_in

import linksight

#: A command that comes to its most delicate moment and stays there: a signal is neither too early nor too late.
HELD = """
import sys, time
from pathlib import Path
def hold(*_):
    Path("held").touch()
    time.sleep(600)
{moment}
from linksight.cli import main
main(sys.argv[1:])
"""
#: All is written beside the file, and nothing is in its place yet.
WRITTEN = "import os; os.fsync = hold"
#: Two parts of many are finished.
TWO_PARTS = """
from linksight.bulk import job
job.PART_ROWS = 50_000
true = Path.replace
def replaced(path, target):
    true(path, target)
    if Path(target).name == "part-000001":
        hold()
Path.replace = replaced
"""


def _started(folder: Path, words: list[str], moment: str = "") -> subprocess.Popen[str]:
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"}
    command = [sys.executable, "-c", HELD.format(moment=moment), *words] if moment else [*LINKSIGHT, *words]
    return subprocess.Popen(
        command, cwd=folder, env=places, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _ended_when(
    process: subprocess.Popen[str], happened: Callable[[], object], number: int
) -> tuple[int, str]:
    """Send a signal once something has happened; the exit code and what was said."""
    until = time.monotonic() + 300
    while True:
        ended = process.poll()  # asked first: what happens just before the end has happened
        if happened():
            break
        assert ended is None, f"it ended too soon: {process.communicate()}"
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.01)
    process.send_signal(number)
    _, told = process.communicate(timeout=300)
    return process.returncode, told


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    rows = "".join(f"{url},{language}\n" for url, language in LABELLED)
    (tmp_path / "labelled.csv").write_text("url,language\n" + rows)
    return tmp_path


EXTEND = ["train", "labelled.csv", "--extend", "-o", "out.linksight", "-q"]


@pytest.mark.parametrize(
    ("number", "code", "left"), [(signal.SIGKILL, -9, 1), (signal.SIGTERM, 143, 0), (signal.SIGINT, 1, 0)]
)
def test_training_that_is_stopped_while_it_writes_leaves_the_old_model(
    number: int, code: int, left: int, labelled: Path
) -> None:
    bundled = Path(linksight.__file__).parent / "data" / "urls.linksight"
    (labelled / "out.linksight").write_bytes(bundled.read_bytes())
    process = _started(labelled, EXTEND, WRITTEN)
    ended, told = _ended_when(process, (labelled / "held").exists, number)
    assert "Traceback" not in told
    assert ended == code, told
    assert (labelled / "out.linksight").read_bytes() == bundled.read_bytes()
    assert len(list(labelled.glob(".out.linksight.*"))) == left
    assert run_in(labelled, EXTEND).returncode == 0
    assert linksight.load(labelled / "out.linksight").languages


def test_a_list_that_is_terminated_leaves_no_output_and_goes_on(labelled: Path) -> None:
    (labelled / "urls.txt").write_text("".join(f"{url}?{i}\n" for i in range(1500) for url, _ in LABELLED))
    words = ["detect", "-i", "urls.txt", "-o", "out.csv", "--quiet"]
    process = _started(labelled, words, TWO_PARTS)
    ended, told = _ended_when(process, (labelled / "held").exists, signal.SIGTERM)
    assert "Traceback" not in told
    assert ended == 143, told
    assert not (labelled / "out.csv").exists()
    assert len(list(labelled.glob(".out.csv.parts/part-*"))) == 2
    done = run_in(labelled, [*words, "--resume"])
    assert done.returncode == 0, done.stderr
    assert len((labelled / "out.csv").read_text().splitlines()) == 1 + 1500 * len(LABELLED)


def test_learning_a_site_that_is_killed_goes_on_where_it_was(
    small_site: tuple[str, Counter[str]], gate: Gate, tmp_path: Path
) -> None:
    home, asked = small_site
    words = f"site learn {home} --allow-private --delay 0.05 --hubs 40 -o out.json -q".split()
    gate.let_in(22)
    _ended_when(_started(tmp_path, words), gate.someone_waits.is_set, signal.SIGKILL)
    gate.open()
    assert not (tmp_path / "out.json").exists()
    before = asked.total()
    done = run_in(tmp_path, words)
    assert done.returncode == 0, done.stderr
    assert {
        pattern.text.removeprefix(home) for pattern in linksight.load_patterns(tmp_path / "out.json")
    } >= {"item/*", "author/*"}
    pages = [path for path in asked if path.startswith(("/item", "/author"))]
    twice = sum(asked[path] > 1 for path in pages)
    assert twice <= 8, f"{twice} pages were fetched again although {before} requests were made before"


def test_a_rerun_of_the_papers_that_is_killed_goes_on_with_what_it_had(labelled: Path) -> None:
    words = "reproduce table-v --data labelled.csv --size 100 --folds 3 --out outs -q".split()
    process = _started(labelled, words)
    folds = labelled / "outs" / "folds"
    _ended_when(process, lambda: len(list(folds.glob("[!.]*.json"))) > 2, signal.SIGKILL)
    kept = {path: path.stat().st_ino for path in folds.glob("[!.]*.json")}
    done = run_in(labelled, [*words, "--resume"])
    assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_ino for path in kept} == kept, "what was there is made again"
    report = json.loads((labelled / "outs" / "report.json").read_text())
    assert report["sections"]
