"""Calls that POSIX systems alone have are guarded: the package imports and works without them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest

#: Runs before the package is imported: what Windows lacks is gone.
WITHOUT_POSIX = """
import os, signal, sys
for name in ("fcntl", "resource", "termios", "pty"):
    sys.modules[name] = None
for owner, name in ((signal, "SIGHUP"), (signal, "SIGALRM"), (os, "pwrite"), (os, "sched_getaffinity"), (os, "fork")):
    if hasattr(owner, name):
        delattr(owner, name)
"""
IMPORT_ALL = """
import importlib, pkgutil, linksight
for package in ("bulk", "cli", "features", "languages", "models", "pages", "system", "url_model", "urls"):
    root = importlib.import_module(f"linksight.{package}")
    for module in pkgutil.walk_packages(root.__path__, root.__name__ + "."):
        if ".cli.crawl" not in module.name and ".cli.demo" not in module.name:
            importlib.import_module(module.name)
"""


def _run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(__file__).parents[2] / "src")
    places = {**os.environ, "PYTHONPATH": source}
    command = [sys.executable, "-c", WITHOUT_POSIX + program, *words]
    return subprocess.run(command, env=places, capture_output=True, text=True, timeout=600, check=False)


def test_the_library_imports_without_posix_modules() -> None:
    done = _run(IMPORT_ALL)
    assert done.returncode == 0, done.stderr


def test_files_are_labelled_without_posix_calls(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("https://www.lemonde.fr/economie/\n")
    output = tmp_path / "found.csv"
    program = "from linksight.system import file_lock; file_lock.try_lock = lambda number: True\n"
    done = _run(
        program + "from linksight.cli import main; main()",
        "detect",
        "-i",
        str(tmp_path / "urls.txt"),
        "-o",
        str(output),
    )
    assert done.returncode == 0, done.stderr
    assert '"fr"' in output.read_text()


def test_a_command_that_needs_posix_names_the_systems_that_have_it(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    done = _run("from linksight.cli import main; main()", "crawl", "resume", str(tmp_path))
    assert done.returncode == 1
    assert "needs Linux or macOS" in done.stderr


#: What the public functions answer, without a compiled module and without the package ``cython`` if it is hidden.
ANSWERS = """
import json, sys
if "hidden" in sys.argv:
    sys.modules["cython"] = None
import linksight
from linksight.native import uncompiled_modules
hubs = [[f"http://shop.example/item/{20 * hub + i}" for i in range(20)] for hub in range(5)]
found = linksight.detect("https://example.com/producten/fietsen-kopen")
page = linksight.identify("<p>Dit is een gewone zin in het Nederlands, en nog een paar woorden erbij.".encode())
print(json.dumps([
    found.language, round(found.probability, 4), page.language, page.encoding,
    linksight.learn_patterns(hubs).match("http://shop.example/item/777").text, bool(uncompiled_modules()),
]))
"""


def test_the_sources_answer_without_cython_as_the_compiled_core_does() -> None:
    answers = []
    for words, uncompiled in (([], "0"), (["hidden"], "1")):
        places = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
            "LINKSIGHT_UNCOMPILED": uncompiled,
        }
        command = [sys.executable, "-c", ANSWERS, *words]
        done = subprocess.run(command, env=places, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        answers.append(json.loads(done.stdout))
    assert answers[1][-1], "the sources did not run"
    assert answers[0][:-1] == answers[1][:-1]
    assert answers[1][0] == "nl"


def test_a_lock_on_windows_is_one_of_the_runtime_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from linksight.system.file_lock import try_lock

    held: set[int] = set()

    def locking(descriptor: int, mode: int, count: int) -> None:
        if held:
            raise OSError("locked")
        held.add(descriptor)

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_NBLCK=2, locking=locking))
    monkeypatch.setattr(sys, "platform", "win32")
    with (tmp_path / "lock").open("w") as one, (tmp_path / "lock").open("w") as two:
        assert try_lock(one.fileno())
        assert not try_lock(two.fileno())


def test_a_stop_is_asked_for_by_the_signals_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scrapy")
    from linksight.crawl.run.signals import StopSignals

    monkeypatch.delattr(signal, "SIGHUP", raising=False)
    asked: list[str] = []
    with StopSignals(asked.append):
        signal.raise_signal(signal.SIGTERM)
    assert asked == ["SIGTERM"]


def test_a_stream_does_not_wait_for_more_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    from linksight.bulk.stdin_stream import waiting_lines

    monkeypatch.setattr(sys, "platform", "win32")
    ours, theirs = os.pipe()
    os.write(theirs, b"http://a.nl/\n")
    os.close(theirs)
    with io.open(ours, "rb") as source:  # noqa: UP020
        assert list(waiting_lines(source)) == [[b"http://a.nl/"]]
