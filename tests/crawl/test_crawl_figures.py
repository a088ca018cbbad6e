"""docs/crawl.md says what docs/crawl.json holds: every figure comes from a command."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def crawl_figures(script):
    return script("benchmarks/crawl_figures.py")


def test_the_page_holds_the_figures_and_nothing_else(crawl_figures):
    page = crawl_figures.PAGE.read_text(encoding="utf-8")
    assert crawl_figures.filled(page, crawl_figures.figures()) == page


def test_other_figures_make_another_page(crawl_figures):
    page, known = crawl_figures.PAGE.read_text(encoding="utf-8"), crawl_figures.figures()
    kills = {"pages": 7, "kills": 5, "stored": 6, "missing": 1, "twice": 0, "broken": 2}
    workers = {"ratio": 1.234, "latency": 0.5}
    changed = crawl_figures.filled(page, known | {"kills": kills, "workers": workers})
    assert "6 stored, 1 missing, 0 twice, 2 records broken" in changed
    assert "| two workers on one PostgreSQL beside one, 0.5 s latency | 1.23 |" in changed
    without = crawl_figures.filled(page, known | {"coverage": None})
    assert "<!-- coverage -->\n(not measured)\n" in without


def test_every_command_of_the_page_is_there(crawl_figures):
    page = crawl_figures.PAGE.read_text(encoding="utf-8")
    for script, word in re.findall(r"`(?:python )?(?:\w+/)?(crawl_\w+\.py)(?: (\w+))?", page):
        (path,) = [*ROOT.glob(f"benchmarks/{script}"), *ROOT.glob(f"recipes/{script}")]
        assert not word or f'"{word}"' in path.read_text(encoding="utf-8")


def test_the_most_that_can_be_found_is_told_beside_what_was(crawl_figures):
    web = {"own_tlds": 0.8, "own_tlds_labelled": 0.7, "front": 0.1, "front_others": 0.1}
    row = {"found": 50.0, "precision": 0.5}
    ratio = {"value": 2.0, "low": 1.9, "high": 2.1, "draws": 3}
    told = {
        "budget": 100, "web": web, "one_referrer": 47.0, "strategies": dict.fromkeys(crawl_figures.ORDER, row) | {"cctld": row | {"found": 80.0}},
        "intervals": dict.fromkeys(("adaptive / breadth-first", "adaptive / better of cctld, classifier"), ratio),
    }  # fmt: skip
    assert "| the most that any strategy could | 1.25 | |" in crawl_figures.ratio_table(
        {"replay": {"nl": told}}
    )
    assert "| … without what further sites say | 47 | |" in crawl_figures.replay_table(
        {"replay": {"nl": told}}
    )
    assert "The mean of 3 draws of seeds." in crawl_figures.replay_table({"replay": {"nl": told}})
    assert "| the same among all its labelled URLs | 70.0% |" in crawl_figures.web_table(
        {"replay": {"nl": told}}
    )
