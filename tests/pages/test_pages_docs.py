"""The examples of docs/pages.md run."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_the_examples_of_the_page_on_pages_are_true():
    found = doctest.testfile(str(Path(__file__).parents[2] / "docs/pages.md"), module_relative=False)
    assert found.attempted >= 5
    assert found.failed == 0
