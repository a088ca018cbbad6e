"""The README's own examples run, its links lead somewhere, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

from linksight.cli import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_every_command_that_is_named_exists():
    named = set(re.findall(r"^linksight (\w+) .*  ", README, flags=re.MULTILINE))
    assert {"detect", "identify", "crawl", "site", "train", "serve"} <= named
    assert named <= set(COMMANDS)


def test_the_test_command_is_the_one_that_ci_calls():
    assert "bash scripts/test" in README
    assert "bash scripts/test --all" in (ROOT / ".ci/run").read_text()


def test_the_calibration_that_is_claimed_is_that_of_the_model_card():
    claimed = re.search(r"expected calibration error ([\d.]+) on domains never seen", README)[1]
    card = (ROOT / "docs/model-card.md").read_text(encoding="utf-8")
    measured = re.search(r"\| expected calibration error, trust 1 \| ([\d.]+) \|", card)[1]
    assert claimed == measured


def test_the_size_and_languages_that_are_claimed_are_those_of_the_model():
    import linksight

    claimed = re.search(r"# (\d+) languages, (\d+) MB, in the wheel", README)
    size = (ROOT / "src/linksight/data/urls.linksight").stat().st_size
    assert int(claimed[1]) == len(linksight.load().languages)
    assert int(claimed[2]) == round(size / 1e6)
