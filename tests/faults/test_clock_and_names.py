"""A clock that jumps and names that no longer resolve: work goes on, or ends with what was gathered kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from faults_places import LABELLED, ROOT

import linksight

#: A clock that runs a day ahead and a day back by turns, whatever is timed by it.
JUMPING = """
import itertools, sys, time
true, turns = time.time, itertools.cycle([86400.0, -86400.0, 0.0, 4e9, -1e9])
time.time = lambda: true() + next(turns)
from linksight.cli import main
main(sys.argv[1:])
"""

#: A clock that gives none of linksight's own modules the time.
SILENT = """
import sys, time
true = time.time
def asked():
    assert not sys._getframe(1).f_globals["__name__"].startswith("linksight"), "linksight asked the wall clock"
    return true()
time.time = asked
from linksight.cli import main
main(sys.argv[1:])
"""

#: Names resolve a few times and then no more, as when the network goes down.
FORGETFUL = """
import socket, sys
true, left = socket.getaddrinfo, [int(sys.argv.pop(1))]
def resolve(*words, **more):
    left[0] -= 1
    if left[0] < 0:
        raise socket.gaierror(-3, "Temporary failure in name resolution")
    return true(*words, **more)
socket.getaddrinfo = resolve
from linksight.cli import main
main(sys.argv[1:])
"""


def _run(code: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command, cwd=folder, env=places, capture_output=True, text=True, timeout=600, check=False
    )


def test_a_site_is_learnt_alike_whatever_the_clock_does(
    small_site: tuple[str, Counter[str]], tmp_path: Path
) -> None:
    home, _ = small_site
    words = f"site learn {home} --allow-private --delay 0.01 --hubs 20 -o out.json -q".split()
    done = _run(JUMPING, tmp_path, *words)
    assert done.returncode == 0, done.stderr
    found = {pattern.text.removeprefix(home) for pattern in linksight.load_patterns(tmp_path / "out.json")}
    assert {"item/*", "author/*"} <= found


@pytest.mark.parametrize(
    "words", ["detect -i urls.txt -o out.csv --quiet", "train labelled.csv -o out.model -a nb -q"]
)
def test_lists_and_training_do_not_ask_the_clock(words: str, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("".join(f"{url}\n" for url, _ in LABELLED))
    (tmp_path / "labelled.csv").write_text(
        "url,language\n" + "".join(f"{url},{code}\n" for url, code in LABELLED)
    )
    for clock in (SILENT, JUMPING):
        done = _run(clock, tmp_path, *words.split())
        assert done.returncode == 0, done.stderr
        (made,) = tmp_path.glob("out.*")
        made.unlink()


def test_a_site_whose_name_is_unknown_is_said(tmp_path: Path) -> None:
    done = _run(FORGETFUL, tmp_path, "0", "site", "learn", "https://shop.example/", "-o", "out.json")
    assert done.returncode == 1
    assert done.stderr.endswith("Error: https://shop.example/: no such host\n"), done.stderr
    assert not (tmp_path / "out.json").exists()


def test_a_page_whose_name_is_unknown_is_said(tmp_path: Path) -> None:
    done = _run(FORGETFUL, tmp_path, "0", "identify", "https://shop.example/")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "shop.example" in done.stdout + done.stderr


def test_names_that_are_lost_half_way_lose_nothing(
    small_site: tuple[str, Counter[str]], tmp_path: Path
) -> None:
    home, asked = small_site
    words = ["site", "learn", home, "--allow-private", "--delay", "0.01", "--hubs", "30", "-o", "out.json"]
    done = _run(FORGETFUL, tmp_path, "26", *words)
    assert "Traceback" not in done.stderr
    assert "what was gathered is kept" in done.stderr
    again = _run(FORGETFUL, tmp_path, "100000", *words)
    assert again.returncode == 0, again.stderr
    found = {pattern.text.removeprefix(home) for pattern in linksight.load_patterns(tmp_path / "out.json")}
    assert {"item/*", "author/*"} <= found
    twice = sum(asked[path] > 1 for path in asked if path.startswith(("/item", "/author")))
    assert twice <= 8, f"{twice} pages were fetched again that had been gathered"
