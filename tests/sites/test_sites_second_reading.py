"""What a second reading of the package found: each was wrong once."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.errors import CrawlError
from linksight.sites.gathering.browser import Browser
from linksight.sites.learning.p_estimators import estimator_tree
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.workbench.workbench import Hub, Workbench


def test_a_file_of_patterns_is_shown_beside_a_workbench_of_other_sites(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PatternSet.from_texts(["http://www.zeitung.de/politik/*"]).save("patterns.json")
    with Workbench("linksight-sites.db") as bench:
        for name in ("one", "two"):
            bench.add_hub(bench.open_site(name, f"http://{name}.example/"), Hub("http://x.example/", []))
    result = CliRunner().invoke(main, ["site", "show", "patterns.json", "--languages"])
    assert result.exit_code == 0, result.output
    assert "http://www.zeitung.de/politik/*" in result.stdout


def test_a_browser_that_cannot_be_started_is_an_error_of_one_line(tmp_path, monkeypatch):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(broken))
    with Browser(delay_s=0) as browser, pytest.raises(CrawlError) as told:
        browser.load("http://a.example/")
    assert str(broken) in str(told.value)
    assert "\n" not in str(told.value)


def test_links_are_counted_as_often_as_they_stand_on_hubs():
    patterns = PatternSet.from_texts(["http://a.org/p/*"])
    (root,) = estimator_tree(patterns, [["http://a.org/p/1"], ["http://a.org/p/1", "http://a.org/p/2"]])
    assert root.n_links == 3
