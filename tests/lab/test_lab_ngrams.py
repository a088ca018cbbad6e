"""Table X: every algorithm meets every n-gram set on a share of the training URLs, the best on all."""

import json
from dataclasses import replace

import pytest

from linksight.lab.evaluation.cross_validation import Way
from linksight.lab.papers import runner
from linksight.lab.papers.baykan2013 import ngrams
from linksight.lab.papers.baykan2013.classifier_specs import GRAMS, NGRAMS
from linksight.lab.papers.registry import EXPERIMENTS
from linksight.lab.papers.reproduce import Reproduction, reproduce
from linksight.lab.papers.runner import SCALES

WORDS = {
    "de": "haus wetter garten stadt schule wasser freund strasse".split(),
    "it": "casa tempo giardino citta scuola acqua amico strada".split(),
}
SETS = tuple(name for name in GRAMS if name in ("3-grams-from-word", "5-grams-from-url", "allgrams-from-word", "allgrams-from-url"))  # fmt: skip


@pytest.fixture
def labelled(tmp_path):
    """Sixty URLs a language, each of a site of its own."""
    rows = [
        f"http://{words[i % 8]}-{i}.com/{words[(i * 3) % 8]}/{words[(i * 5 + 1) % 8]},{language}"
        for language, words in WORDS.items()
        for i in range(60)
    ]
    path = tmp_path / "urls.csv"
    path.write_text("\n".join(["url,language", *rows]) + "\n")
    return path


@pytest.fixture(autouse=True)
def few_sets(monkeypatch):
    """Four n-gram sets instead of sixteen."""
    grid = tuple(Way(algorithm, name) for algorithm in NGRAMS for name in SETS)
    monkeypatch.setattr(ngrams, "GRAMS", SETS)
    monkeypatch.setitem(EXPERIMENTS, "table-x", replace(EXPERIMENTS["table-x"], grid=grid))


def captions(labelled, out):
    plan = Reproduction(names=("table-x",), data=labelled, out=out, size=60, n_folds=2)
    reproduce(plan)
    section = json.loads((out / "report.json").read_text())["sections"][0]
    return {table["caption"]: table["rows"] for table in section["tables"]}


def test_only_the_full_scale_thins_the_grid():
    assert {name: scale.grid_share for name, scale in SCALES.items()} == {
        "quick": 1.0,
        "middle": 1.0,
        "full": 0.1,
    }
    runs = EXPERIMENTS["table-x"].runs(False, SCALES["full"])
    assert {run.share for run in runs} == {0.1}
    assert len(runs) == 2 * len(NGRAMS) * len(SETS)


def test_a_thinned_grid_is_said_and_its_best_sets_are_run_on_all(labelled, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_GRID_URLS", 30)
    found = captions(labelled, tmp_path / "half")
    assert sum("on 50% of the training URLs" in caption for caption in found) == 4
    on_all = [rows for caption, rows in found.items() if "on all training URLs" in caption]
    assert [len(rows) for rows in on_all] == [2 * len(NGRAMS)] * 2
    kept = {path.name.rsplit("_", 1)[0] for path in (tmp_path / "half/folds").glob("*_random_*.json")}
    trained = [name for name in kept if not name.startswith("bundled")]
    assert sum(name.endswith("random_1") for name in trained) == len(NGRAMS)  # one set each
    assert sum(name.endswith("random_0.5") for name in kept) == len(NGRAMS) * len(SETS)


def test_a_whole_grid_needs_no_second_run(labelled, tmp_path):
    found = captions(labelled, tmp_path / "whole")
    assert not any("training URLs" in caption for caption in found)
