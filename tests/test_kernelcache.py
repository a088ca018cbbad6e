"""Compiled code on disk is that of the source that is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import linksight
from linksight import kernelcache
from linksight.kernelcache import is_fresh, sweep


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "scoring.vectors_of-32.py311.nbi",
        "scoring.vectors_of-32.py311.1.nbc",
        "scoring.cpython-311.pyc",
    ):
        (tmp_path / name).write_bytes(b"of another source")
    yield tmp_path
    sweep.cache_clear()


def test_code_of_another_source_goes_and_nothing_else(folder: Path) -> None:
    assert not is_fresh(folder)
    sweep(folder)
    assert is_fresh(folder)
    assert sorted(path.suffix for path in folder.iterdir()) == [".pyc", ".stamp"]


def test_code_of_this_source_stays(folder: Path) -> None:
    sweep(folder)
    sweep.cache_clear()
    (folder / "scoring.vectors_of-32.py311.nbi").write_bytes(b"of this source")
    sweep(folder)
    assert (folder / "scoring.vectors_of-32.py311.nbi").exists()


def test_a_step_that_changed_in_another_module_is_compiled_again(tmp_path: Path) -> None:
    """Numba alone runs the old step within the pass that calls it."""
    package = shutil.copytree(
        Path(linksight.__file__).parent,
        tmp_path / "linksight",
        ignore=shutil.ignore_patterns("__pycache__", "studio", "lab", "crawl", "sites"),
    )
    (package / "kernel" / "outer.py").write_text(
        "from linksight.kernel.compiler import compiled\n"
        "from linksight.kernel.inner import step\n"
        "@compiled\ndef outer(n):\n    return step(n)\n"
    )
    answers = []
    for number in ("1", "22"):
        (package / "kernel" / "inner.py").write_text(
            f"from linksight.kernel.compiler import compiled\n@compiled\ndef step(n):\n    return n + {number}\n"
        )
        ask = "from linksight.kernel.outer import outer; print(outer(100))"
        answer = subprocess.run(
            [sys.executable, "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        answers.append(answer.stdout.strip())
    assert answers == ["101", "122"]


def test_a_constant_that_changed_in_another_module_is_compiled_again(tmp_path: Path) -> None:
    """The words that every address has stand in ``urls``, and are read by the extraction of features."""
    package = shutil.copytree(
        Path(linksight.__file__).parent,
        tmp_path / "linksight",
        ignore=shutil.ignore_patterns("__pycache__", "studio", "lab", "crawl", "sites"),
    )
    ask = (
        "from linksight.features import parse_features; from linksight.features.counts import Counts;"
        "print(len(Counts.of(['http://qindex.nl/'], parse_features('words'), 20).columns))"
    )
    answers = []
    for words in ('("www", ', '("www", "qindex", '):
        urls = (package / "urls.py").read_text(encoding="utf-8").replace('("www", ', words)
        (package / "urls.py").write_text(urls, encoding="utf-8")
        answer = subprocess.run(
            [sys.executable, "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        answers.append(answer.stdout.strip())
    assert answers == ["2", "1"]


def test_every_part_that_compiles_counts_as_source() -> None:
    """A part that is not looked at may keep old steps; one whose functions read nothing of others needs no look."""
    package, alone = Path(linksight.__file__).parent, {"models"}
    parts = {
        path.parent.name
        for path in package.rglob("*.py")
        if "kernel.compiler import" in path.read_text(encoding="utf-8")
        or "njit" in path.read_text(encoding="utf-8")
    }
    assert all(f"{part}/" in kernelcache._sources() for part in parts - alone)
