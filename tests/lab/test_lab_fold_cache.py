"""Stored folds are reused only for the code, data and dictionaries that produced them."""

import pytest

from linksight.errors import BadConfig
from linksight.lab.papers import fold_cache
from linksight.lab.papers.data_check import data_digest
from linksight.lab.papers.fold_cache import PRODUCERS, Ledger, source_digest


def test_a_change_of_the_source_changes_the_digest(tmp_path, monkeypatch):
    for part in PRODUCERS:
        (tmp_path / part).mkdir(parents=True)
    code = tmp_path / "models" / "solver.py"
    code.write_text("rate = 1")
    monkeypatch.setattr(fold_cache, "__file__", str(tmp_path / "lab" / "papers" / "fold_cache.py"))
    before = source_digest()
    assert source_digest() == before
    code.write_text("rate = 2")
    assert source_digest() != before


def test_folds_of_another_source_are_not_reused(tmp_path):
    Ledger(tmp_path, {"sources": "a"}).keep("svm words", 1)
    assert Ledger(tmp_path, {"sources": "a"}, resume=True).get("svm words") == 1
    with pytest.raises(BadConfig, match=r"other settings \(sources\)"):
        Ledger(tmp_path, {"sources": "b"}, resume=True)


def test_new_data_change_the_digest(tmp_path):
    (tmp_path / "urls").mkdir()
    (tmp_path / "urls" / "dev.parquet").write_bytes(b"one")
    before = data_digest(tmp_path)
    (tmp_path / "urls" / "dev.parquet").write_bytes(b"two")
    assert data_digest(tmp_path) != before
    assert data_digest(None) is None
