"""The public face: every name and command of the design, called exactly as users call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import linksight

URLS = ["https://www.lemonde.fr/economie/", "http://www.zeitung.de/politik", "https://www.bbc.co.uk/news"]
DUTCH = b"<p>Dit is een gewone zin in het Nederlands, met een paar woorden meer dan nodig."


@pytest.fixture(scope="module")
def model():
    return linksight.load()


def test_detect_returns_a_detection():
    found = linksight.detect(URLS[0])
    assert found.language == "fr"
    assert 0 < found.probability <= 1
    assert found.candidates[0] == ("fr", found.probability)


def test_detect_restricts_languages_and_explains():
    found = linksight.detect("http://www.krant.nl/sport/voetbal", languages=["nl", "fy"], explain=True)
    assert found.language == "nl"
    assert {language for language, _ in found.candidates} <= {"nl", "fy"}
    feature, language, weight = found.reasons[0]
    assert isinstance(feature, str)
    assert language == "nl"
    assert isinstance(weight, float)


def test_the_model_predicts_columns_of_every_library(model):
    import pandas as pd
    import polars as pl

    expected = ["fr", "de", "en"]
    for column in (URLS, np.array(URLS), pd.Series(URLS), pl.Series(URLS), pa.array(URLS)):
        assert list(model.predict(column)) == expected


def test_probabilities_are_float32_rows_that_sum_to_one(model):
    rows = model.predict_proba(URLS)
    assert rows.dtype == np.float32
    assert rows.shape == (3, len(model.languages))
    assert np.allclose(rows.sum(axis=1), 1, atol=1e-4)


def test_tables_mark_unusable_rows(model):
    table = model.predict_table([*URLS, "mailto:a@b"])
    assert table.column_names == ["language", "probability", "problem"]
    assert table["language"].to_pylist() == ["fr", "de", "en", "und"]
    assert table["problem"].to_pylist()[3]


def test_tables_hold_lists_for_the_best_few(model):
    table = model.predict_table(URLS, top_k=3)
    assert [len(row) for row in table["language"].to_pylist()] == [3, 3, 3]
    assert [row[0] for row in table["language"].to_pylist()] == ["fr", "de", "en"]


def test_the_model_detects_explains_and_saves(model, tmp_path):
    assert model.detect(URLS[0]).language == "fr"
    assert model.explain(URLS[0]).reasons()
    model.save(tmp_path / "copy.linksight")
    assert linksight.load(tmp_path / "copy.linksight").predict(URLS) == model.predict(URLS)


def test_identify_returns_a_page_label():
    page = linksight.identify(DUTCH, content_type="text/html", url="http://krant.nl/", languages=None)
    assert (page.language, page.script, page.encoding) == ("nl", "Latn", "ascii")
    assert 0.5 < page.confidence <= 1
    assert page.reliable is True
    assert page.candidates[0][0] == "nl"
    assert isinstance(page.spans, tuple)


def test_identify_restricts_languages():
    assert linksight.identify(DUTCH, languages=["de", "fr"]).language in {"de", "fr", "und"}


def test_identify_many_returns_an_arrow_table():
    table = linksight.identify_many([DUTCH, b""])
    assert isinstance(table, pa.Table)
    assert table["language"].to_pylist() == ["nl", "und"]


def test_patterns_are_learnt_matched_and_saved(tmp_path):
    hubs = [[f"http://shop.example/item/{20 * hub + i}" for i in range(20)] for hub in range(5)]
    patterns = linksight.learn_patterns(hubs)
    assert patterns.match("http://shop.example/item/777") is not None
    assert len(patterns.match_all(["http://shop.example/item/777", "http://other.example/"])) == 2
    patterns.save(tmp_path / "shop.json")
    assert linksight.load_patterns(tmp_path / "shop.json").match("http://shop.example/item/7") is not None


GERMAN = [f"http://www.haus{i}.example/garten/strasse" for i in range(30)]
FRENCH = [f"http://www.maison{i}.example/jardin/rue" for i in range(30)]


def test_classifiers_of_the_papers():
    from linksight.models import make_classifier

    labels = ["de"] * 30 + ["fr"] * 30
    binary = make_classifier("svm", features="allgrams-from-word", language="de").fit(GERMAN + FRENCH, labels)
    assert len(binary.predict(GERMAN[:2])) == len(binary.decision_function(GERMAN[:2])) == 2
    multi = make_classifier("me", features="allgrams-from-url").fit(GERMAN + FRENCH, labels)
    assert list(multi.predict([GERMAN[0], FRENCH[0]])) == ["de", "fr"]
    assert multi.predict_proba(GERMAN[:2]).shape == (2, 2)


@pytest.mark.parametrize("name", "cctld cctld+ ip svm nb me dt re markov ros svm+ip".split())
def test_every_algorithm_has_its_name(name):
    from linksight.models import make_classifier

    assert make_classifier(name, language="de") is not None


@pytest.mark.parametrize("name", ["spark", "duckdb", "polars", "pandas", "scrapy"])
def test_integrations_are_importable_by_their_short_names(name):
    code = f"import linksight.{name}; from linksight import {name}"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "linksight", *words], capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout


def test_detect_command(tmp_path: Path):
    first = json.loads(run("detect", URLS[0], "--format", "jsonl"))
    assert first["language"] == "fr"
    (tmp_path / "urls.txt").write_text("\n".join(URLS))
    run("detect", "-i", str(tmp_path / "urls.txt"), "--format", "csv", "-o", str(tmp_path / "out.csv"))
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 4


COMMANDS = [
    "detect", "identify", "train", "evaluate", "reproduce", "serve", "bench", "demo", "doctor", "languages",
    "site learn", "site match", "site show", "site evaluate", "site export", "site pairs",
    "crawl run", "crawl resume", "crawl report", "crawl why", "crawl labels", "crawl replay", "crawl export", "crawl set",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    assert "Usage" in run(*command.split(), "--help")
