"""The reference is complete, and guides name every command. Examples: test_examples.py; the site: test_site.py."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))


@pytest.fixture(scope="module")
def reference(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("recipes/reference.py")


def test_the_reference_is_up_to_date(reference: ModuleType) -> None:
    for name, write in reference.PAGES.items():
        kept = (reference.FOLDER / name).read_text().splitlines()
        changed = list(difflib.unified_diff(kept, write().splitlines(), lineterm="", n=0))
        assert not changed, "run python recipes/reference.py\n" + "\n".join(changed[:20])


def test_every_public_name_has_a_docstring() -> None:
    import linksight

    assert all(getattr(linksight, name).__doc__ for name in linksight.__all__ if name != "__version__")


def test_every_command_stands_in_a_guide() -> None:
    from linksight.cli import COMMANDS

    text = "".join(path.read_text() for path in DOCS if path.name != "commands.md")
    assert not [name for name in COMMANDS if f"linksight {name}" not in text]


@pytest.mark.parametrize("folder", ["recipes", "benchmarks"])
def test_every_script_stands_in_the_readme_of_its_folder(folder: str) -> None:
    told = set(re.findall(r"`(\w+\.py)`", (ROOT / folder / "README.md").read_text(encoding="utf-8")))
    assert told == {path.name for path in (ROOT / folder).glob("*.py")}
