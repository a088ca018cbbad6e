"""Imports follow the contracts of ``[tool.importlinter]`` in pyproject.toml."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_imports_keep_the_contracts() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, env=places, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
