"""Table 3 of the CALA paper on sites of this machine."""

from importlib.util import find_spec

import pytest

from linksight.errors import BadData
from linksight.lab.papers.other_papers import cala2016_local_sites, cala2016_sites
from linksight.lab.papers.runner import SCALES


def test_the_shop_is_gathered_learnt_and_measured():
    pytest.importorskip("scrapy")
    rows = {row["learner"]: row for row in cala2016_local_sites.measure("shop")}
    assert set(rows) == {"paper", "refined"}
    assert rows["refined"]["supervised"][2] > 0.95
    assert rows["paper"]["n_urls"] > 500


def test_what_a_site_lacks_is_named(monkeypatch):
    monkeypatch.setattr(
        cala2016_local_sites, "find_spec", lambda name: None if name == "trac" else find_spec("json")
    )
    assert cala2016_local_sites.lacking() == {"trac": "trac: pip install Trac"}


def test_an_installed_package_says_that_the_scripts_are_in_a_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(cala2016_local_sites, "folder", lambda: tmp_path)
    assert set(cala2016_local_sites.lacking()) == set(cala2016_local_sites.CLASSES)
    assert "checkout" in cala2016_local_sites.lacking()["shop"]


def test_a_site_that_does_not_start_is_an_error_with_its_last_words(monkeypatch, tmp_path):
    (tmp_path / "shop_app.py").write_text("raise SystemExit('no port for me')")
    monkeypatch.setattr(cala2016_local_sites, "folder", lambda: tmp_path)
    with pytest.raises(BadData, match="'shop' did not start: no port for me"):
        cala2016_local_sites.measure("shop")


def test_a_site_that_fails_leaves_the_others(monkeypatch):
    row = {
        "n_urls": 9, "tokens_per_url": 4.0, "supervised": [1.0, 1.0, 1.0], "unsupervised": [1.0, 1.0, 1.0], "f1_of_all": 1.0,
        "unmatched": 0.0, "learning_s": 0.1, "download_s": 2.0, "classify_s": 1e-6, "page_s": 0.1,
    }  # fmt: skip

    class Measured:
        scale = SCALES["quick"]

        def cached(self, key, _make):
            if key == "sites_trac":
                raise BadData("the site 'trac' did not answer")
            return [{"learner": "paper", **row}, {"learner": "refined", **row}]

    monkeypatch.setattr(cala2016_local_sites, "lacking", dict)
    section = cala2016_sites.sites(Measured())
    assert section.missing == "Not run here: the site 'trac' did not answer."
    assert [line[0] for line in section.tables[0].rows][::2] == ["wagtail", "roundup", "shop"]
    assert section.statistics["cala-f1"] == {"": 1.0}
