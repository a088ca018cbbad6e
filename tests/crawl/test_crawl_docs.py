"""The page about crawling says what is true: every setting, strategy and command, and code that runs."""

from dataclasses import fields
from pathlib import Path

import pytest

from linksight.cli.crawl.run import crawl
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.strategies import STRATEGIES

PAGE = Path(__file__).parents[2] / "docs" / "crawl.md"


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("spec", fields(CrawlConfig), ids=lambda spec: spec.name)
def test_every_setting_is_documented_with_its_default(text, spec):
    default = f"`{spec.default}`" if spec.default not in ("", ()) else ""
    assert f"| `{spec.name}` | {default} | {spec.metadata['help']} |" in text


def test_every_strategy_and_command_is_documented(text):
    for name in STRATEGIES:
        assert f"`{name}`" in text
    for name in crawl.commands:
        assert f"crawl {name}" in text
