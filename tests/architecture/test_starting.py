"""Starting linksight is light, and its public names are exact. Which part imports which: test_layers.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import linksight

PACKAGE = Path(linksight.__file__).parent


def _loaded_by(code: str) -> set[str]:
    program = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    # Without what somebody, or a test before this one, has settled for all processes: compiled code, a terminal.
    settled = ("FORCE_COLOR", "TTY_COMPATIBLE")
    places = {name: value for name, value in os.environ.items() if name not in settled}
    places["PYTHONPATH"] = str(PACKAGE.parent)
    done = subprocess.run(
        [sys.executable, "-c", program], env=places, capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


HEAVY = {
    "numpy", "pyarrow", "pandas", "polars", "sklearn", "scipy", "scrapy", "twisted", "sqlalchemy", "fastapi",
    "uvicorn", "pyspark", "matplotlib", "lxml", "rich", "playwright", "warcio",
}  # fmt: skip


@pytest.mark.parametrize(
    "code",
    [
        "import linksight",
        "from linksight.cli import main\ntry: main(['--help'], standalone_mode=False)\nexcept SystemExit: pass",
    ],
    ids=["import linksight", "linksight --help"],
)
def test_starting_imports_nothing_heavy(code: str) -> None:
    assert not _loaded_by(code) & HEAVY


def test_loading_the_bundled_model_starts_little_beside_numpy() -> None:
    """Each of these takes a tenth of the time that the load may take, or more."""
    started = _loaded_by("import linksight; linksight.load()") - _loaded_by("import numpy")
    assert not started & {"difflib", "logging", "pyarrow", "tempfile"}


def test_a_page_is_identified_without_what_other_pages_need(tmp_path: Path) -> None:
    """No bar where nobody watches, nothing of the web for a file, nothing compiled for one page."""
    page = tmp_path / "page.html"
    page.write_text("<p>Het is vandaag mooi weer in Nederland, zegt de krant van gisteren.")
    started = _loaded_by(
        f"from linksight.cli import main\nmain(['identify', {str(page)!r}], standalone_mode=False)"
    )
    assert not started & {"rich", "http", "ssl", "pyarrow"}


def test_the_public_face_is_exact() -> None:
    """Whatever is in __all__ is there, and whatever is public is in it."""
    public = {
        name
        for name, value in vars(linksight).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == "linksight"
    }
    assert public | {"__version__"} == set(linksight.__all__)
    assert all(hasattr(linksight, name) for name in linksight.__all__)
    assert sorted(linksight.__all__) == linksight.__all__
