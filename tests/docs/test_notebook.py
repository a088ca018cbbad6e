"""The notebook for researchers runs from its first cell to its last."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "docs" / "research" / "compare-classifiers.ipynb"


def test_the_notebook_runs_without_data_and_gives_an_interval(tmp_path: Path) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    program = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (tmp_path / "notebook.py").write_text(
        "import os\nos.environ.pop('LINKSIGHT_DATA', None)\n" + program, encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "notebook.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"naive Bayes: [01]\.\d+ \([01]\.\d+ to [01]\.\d+\)", done.stdout)


def test_the_notebook_holds_no_output() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert not [cell for cell in cells if cell.get("outputs")]
