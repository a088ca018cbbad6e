"""Compiled code on disk is that of the source that is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import linksight
from linksight.native import jit
from linksight.system.kernel_cache import is_fresh, sweep
from linksight.urls import parser


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


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, which the test may change."""
    original = Path(linksight.__file__).parent
    return shutil.copytree(original, tmp_path / "linksight", ignore=shutil.ignore_patterns("__pycache__"))


def _in_copy(package: Path, module: ModuleType) -> Path:
    """The file of a module in a copy of the package."""
    assert module.__file__ is not None
    return package / Path(module.__file__).relative_to(Path(linksight.__file__).parent)


def _answer(package: Path, program: str) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=package.parent, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_step_that_changed_in_another_module_is_compiled_again(package: Path) -> None:
    """Numba alone runs the old step within the pass that calls it."""
    folder, name = _in_copy(package, jit).parent, jit.__package__
    (folder / "outer.py").write_text(
        f"from {jit.__name__} import compiled\n"
        f"from {name}.inner import step\n"
        "@compiled\ndef outer(n):\n    return step(n)\n"
    )
    answers = []
    for number in ("1", "22"):
        (folder / "inner.py").write_text(
            f"from {jit.__name__} import compiled\n@compiled\ndef step(n):\n    return n + {number}\n"
        )
        answers.append(_answer(package, f"from {name}.outer import outer; print(outer(100))"))
    assert answers == ["101", "122"]


def test_a_constant_that_changed_in_another_module_is_compiled_again(package: Path) -> None:
    """The extraction of features reads the words that every address has, which another module defines."""
    ask = (
        "from linksight.features import parse_features; from linksight.features.hashed_counts import Counts;"
        "print(len(Counts.of(['http://qindex.nl/'], parse_features('words'), 20).columns))"
    )
    changed, answers = _in_copy(package, parser), [_answer(package, ask)]
    with changed.open("a", encoding="utf-8") as file:
        file.write("\nEMPTY_WORDS = EMPTY_WORDS | {'qindex'}\n")
    answers.append(_answer(package, ask))
    assert answers == ["2", "1"]
