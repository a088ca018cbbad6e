"""One batch API: candidates, prefixes, record batches."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import main
from linksight.errors import LinksightError
from linksight.models import make_classifier

URLS = ["http://www.zeitung.de/politik", "https://www.lemonde.fr/economie/", None, "mailto:a@b.org"]


@pytest.fixture(scope="module")
def model():
    return linksight.load()


def test_candidates_are_the_likeliest_languages_best_first(model):
    found = model.predict_table(URLS, top_k=3)
    chances = model.predict_proba(URLS)
    for row in (0, 1):
        order = np.argsort(-chances[row], kind="stable")[:3]
        assert found["language"][row].as_py() == [model.languages[k] for k in order]
        np.testing.assert_allclose(found["probability"][row].as_py(), chances[row][order], rtol=1e-5)
    assert found["language"].to_pylist()[2:] == [[], []]
    one = model.predict_table(URLS)
    assert found["problem"].to_pylist() == one["problem"].to_pylist()
    assert [some[0] for some in found["language"].to_pylist()[:2]] == one["language"].to_pylist()[:2]


def test_candidates_obey_the_choice_of_languages(model):
    found = model.predict_table(
        URLS, 5, languages=["nl", "de"], priors={"nl": 0.5}, prefix="url_", n_threads=1
    )
    assert found.column_names == ["url_language", "url_probability", "url_problem"]
    assert sorted(found["url_language"][0].as_py()) == ["de", "nl"]
    assert sum(found["url_probability"][0].as_py()) == pytest.approx(1, abs=1e-5)
    assert model.predict_table([], top_k=2).num_rows == 0


def test_a_model_of_the_papers_has_candidates_too():
    urls = ["http://zeitung.de/", "http://journal.fr/", "http://news.com/"]
    scorer = make_classifier("nb", "words", bits=12).fit(urls, ["de", "fr", "en"]).compile()
    assert scorer.predict_table(urls, top_k=2)["language"].to_pylist()[0][0] == "de"


@pytest.mark.parametrize("top_k", [0, -1, 1.5, True])
def test_numbers_that_make_no_sense_are_refused(model, top_k):
    with pytest.raises(LinksightError, match="top_k"):
        model.predict_table(URLS, top_k=top_k)


def test_record_batches_keep_their_columns(model, tmp_path):
    table = pa.table({"n": range(4), "url": URLS})
    pyarrow.parquet.write_table(table, tmp_path / "urls.parquet")
    expected = model.predict_table(URLS)["language"].to_pylist()
    for data in (table, table.to_reader(max_chunksize=2), pyarrow.dataset.dataset(tmp_path / "urls.parquet")):
        reader = model.predict_batches(data)
        assert isinstance(reader, pa.RecordBatchReader)
        found = reader.read_all()
        assert found.column_names == ["n", "url", "language", "probability", "problem"]
        assert found["language"].to_pylist() == expected
    with pytest.raises(LinksightError, match="no column 'address'"):
        model.predict_batches(table, "address")
    with pytest.raises(LinksightError, match="prefix"):
        model.predict_batches(pa.table({"url": URLS, "language": URLS}))


def test_the_command_lists_candidates(tmp_path):
    path = tmp_path / "urls.txt"
    path.write_text("\n".join(url or "" for url in URLS))
    done = CliRunner().invoke(main, ["detect", "-i", str(path), "--top", "3", "--format", "jsonl"])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0]["language"][0] == "de"
    assert len(rows[0]["language"]) == len(rows[0]["probability"]) == 3
    done = CliRunner().invoke(main, ["detect", URLS[0], URLS[1], "--top", "2", "--format", "jsonl"])
    assert [len(json.loads(line)["candidates"]) for line in done.stdout.splitlines()] == [2, 2]
    out = tmp_path / "found.parquet"
    assert CliRunner().invoke(main, ["detect", "-i", str(path), "--top", "2", "-o", str(out)]).exit_code == 1
    assert pyarrow.parquet.read_table(out)["language"][1].as_py()[0] == "fr"
    out = tmp_path / "found.csv"
    assert CliRunner().invoke(main, ["detect", "-i", str(path), "--top", "2", "-o", str(out)]).exit_code == 1
