"""Stored folds are reused only for the code, data and machine that produced them."""

import shutil
from pathlib import Path

import pytest

import linksight
from linksight.errors import BadConfig
from linksight.lab.papers import fold_cache
from linksight.lab.papers.data_check import data_digest
from linksight.lab.papers.fold_cache import Ledger, environment_digest, source_digest


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("models/algorithms/linear.py", True),
        ("lab/simulation/replay.py", True),
        ("crawl/scoring/strategies.py", True),
        ("data/trigrams.model", True),
        ("cli/commands/reproduce.py", False),
        ("studio/app.py", False),
    ],
)
def test_a_change_of_what_results_depend_on_changes_the_digest(tmp_path, monkeypatch, name, counts):
    (tmp_path / name).parent.mkdir(parents=True)
    shutil.copy(Path(linksight.__file__).parent / name, tmp_path / name)
    monkeypatch.setattr(fold_cache, "__file__", str(tmp_path / "lab" / "papers" / "fold_cache.py"))
    before = source_digest()
    assert source_digest() == before
    with (tmp_path / name).open("ab") as file:
        file.write(b"\n")
    assert (source_digest() != before) == counts


def test_folds_of_another_source_are_not_reused(tmp_path):
    Ledger(tmp_path, {"sources": "a"}).keep("svm words", 1)
    assert Ledger(tmp_path, {"sources": "a"}, resume=True).get("svm words") == 1
    with pytest.raises(BadConfig, match=r"other settings \(sources\)"):
        Ledger(tmp_path, {"sources": "b"}, resume=True)


def test_another_version_of_a_package_changes_the_digest(monkeypatch):
    before = environment_digest(())
    monkeypatch.setattr(fold_cache, "version", lambda _name: "0")
    assert environment_digest(()) != before


def test_new_data_change_the_digest(tmp_path):
    (tmp_path / "urls").mkdir()
    (tmp_path / "urls" / "dev.parquet").write_bytes(b"one")
    before = data_digest(tmp_path)
    (tmp_path / "urls" / "dev.parquet").write_bytes(b"two")
    assert data_digest(tmp_path) != before
    assert data_digest(None) is None
