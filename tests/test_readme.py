"""The README's links lead somewhere, its commands exist, and its figures are those of the comparison."""

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
    assert {"detect", "identify", "crawl", "site", "serve"} <= named
    assert named <= set(COMMANDS)


def test_the_test_command_is_the_one_that_ci_calls():
    assert "bash scripts/test" in README
    assert "bash scripts/test --all" in (ROOT / ".ci/run").read_text()


def test_the_table_holds_the_figures_of_the_comparison(script):
    recipe = script("recipes/readme.py")
    assert recipe.readme(README) == README
    board = recipe.BOARD.read_text(encoding="utf-8")
    assert recipe.leaderboard(board) == board


def test_the_picture_asks_no_other_server():
    picture = (ROOT / "docs/pictures/terminal.svg").read_text(encoding="utf-8")
    assert "@font-face" not in picture
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?https?:", picture)


def test_the_number_of_languages_is_that_of_the_models():
    import linksight
    from linksight.pages.langid.model import load

    claimed = re.search(r"(\d+) languages by URL, (\d+) by page", README)
    assert int(claimed[1]) == len(linksight.load().languages)
    assert int(claimed[2]) == len(load().trained_on)


def test_it_is_readable_at_a_glance():
    assert len(README.split()) < 900
