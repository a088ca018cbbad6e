"""Modules of the compiled core give the same answers uncompiled: their tests pass on the Python sources too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Test files that exercise modules of ``linksight.native``.
FILES = [
    "tests/features/test_extraction.py",
    "tests/native/test_url_texts.py",
    "tests/native/test_vector_loops.py",
    "tests/models/test_linear_solvers.py",
    "tests/sites/test_sites_matcher.py",
]
_CHECK = "from linksight.native import uncompiled_modules as u; assert u(), 'compiled modules were imported'"


def test_the_switch_imports_the_sources() -> None:
    command = [sys.executable, "-c", _CHECK]
    subprocess.run(command, cwd=ROOT, env=_environment(), check=True, timeout=60)


@pytest.mark.parametrize("path", FILES)
def test_answers_are_the_same_uncompiled(path: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not real", path]
    done = subprocess.run(
        command, cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _environment() -> dict[str, str]:
    return {**os.environ, "LINKSIGHT_UNCOMPILED": "1", "PYTHONPATH": str(ROOT / "src")}
