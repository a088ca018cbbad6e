"""The README's own examples run, its links lead somewhere, and its commands exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from linksight.cli import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_examples_run():
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert found.attempted >= 9
    assert found.failed == 0


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_every_command_that_is_named_exists():
    named = set(re.findall(r"^linksight (\w+) .*  ", README, flags=re.MULTILINE))
    assert {"detect", "identify", "crawl", "site", "train", "serve"} <= named
    assert named <= set(COMMANDS)


def test_the_test_command_is_the_one_that_ci_calls():
    assert "bash scripts/test" in README
    assert "bash scripts/test" in (ROOT / ".ci/run").read_text()
