"""The page about crawling names every strategy and command; the settings have a reference page."""

from pathlib import Path

import pytest

from linksight.cli.crawl.run import crawl
from linksight.crawl.scoring.strategies import STRATEGIES

PAGE = Path(__file__).parents[2] / "docs" / "crawl.md"


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_every_strategy_and_command_is_documented(text):
    for name in STRATEGIES:
        assert f"`{name}`" in text
    for name in crawl.commands:
        assert f"crawl {name}" in text
