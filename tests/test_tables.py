"""The table of the bundled model: how its numbers are coded, and files from before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import ModelFormatError
from linksight.features.feature_hash import fnv1a
from linksight.features.url_features import evidence
from linksight.system.model_file import write_model
from linksight.url_model.calibration import Calibration, softmax
from linksight.url_model.embeddings import EVEN, Balance, EvidenceTable, pack, unpack
from linksight.url_model.model import Scorer, load
from linksight.url_model.model_io import FORMAT, describe

TEXT = "www.fietsen.nl/route"
LANGUAGES = ("de", "fr", "nl")


def scorer_of(levels: np.ndarray, dim: int = 8) -> tuple[Scorer, np.ndarray]:
    """A small scorer that knows every feature of TEXT, and its vectors as they were before coding."""
    rng = np.random.default_rng(0)
    names = sorted({name for group in evidence(TEXT) for name in group})
    hashes = np.array([fnv1a(name) for name in names], np.uint64)
    codes = rng.integers(0, len(levels), (len(names), dim)).astype(np.uint8)
    scales = rng.uniform(0.2, 1, len(names)).astype(np.float16)
    output, bias = rng.normal(size=(dim, 3)).astype(np.float32), np.zeros(3, np.float32)
    table = EvidenceTable.build(hashes, codes, scales, levels, output, bias, 0.6, bits=6)
    vectors = levels[codes] * scales[:, None].astype(np.float32)
    weights = dict(zip(names, vectors, strict=True))
    total = np.zeros(dim)
    for group, features in enumerate(evidence(TEXT)):
        if features:
            total += sum(weights[name] for name in features) * (0.6 if group == 0 else len(features) ** -0.5)
    return Scorer(table, LANGUAGES, Calibration.plain(3)), total @ output


@pytest.mark.parametrize(
    "levels", [np.sort(np.random.default_rng(1).normal(size=16)).astype(np.float32), EVEN]
)
def test_scores_are_those_of_the_numbers_that_were_coded(levels):
    scorer, expected = scorer_of(levels)
    # Whole numbers of at most LARGEST stand for them: half of one is the most that any is off.
    assert scorer.table.scores_of(TEXT) == pytest.approx(expected, abs=0.05 * np.abs(expected).max())


def test_files_from_before_there_was_a_balance_give_the_same_scores(tmp_path):
    scorer, _ = scorer_of(EVEN)
    values, arrays = describe(scorer)
    values["table"] = "evidence-2"
    del values["balance"]
    write_model(tmp_path / "old.linksight", FORMAT, 1, values, arrays)
    assert np.array_equal(
        load(tmp_path / "old.linksight").table.scores_of(TEXT), scorer.table.scores_of(TEXT)
    )


def test_a_balance_is_kept_in_the_file_and_makes_long_paths_count_more(tmp_path):
    even, _ = scorer_of(EVEN)
    _, host, path = (group.rows for group in even.table.features(TEXT))
    long = Balance(len(path) / 2, 1.0, 0.5)
    scorer = replace(even, table=replace(even.table, balance=long))
    scorer.save(tmp_path / "long.linksight")
    table = load(tmp_path / "long.linksight").table
    assert table.balance == long
    worth = [
        float(part.worth / even_part.worth)
        for part, even_part in zip(table.features(TEXT), even.table.features(TEXT), strict=True)
    ]
    assert worth == pytest.approx([1.0, 0.5, 2**0.5])
    assert len(host)
    why = replace(scorer, table=table).explain(f"http://{TEXT}")
    assert table.scores_of(TEXT) == pytest.approx(why.scores, abs=1e-4)


def test_batches_weigh_host_and_path_by_the_balance():
    even, _ = scorer_of(EVEN)
    for balance in (Balance(), Balance(3, 1.0, 0.45), Balance(1000, 1.0, 0.45, 25, 0.25)):
        scorer = replace(even, table=replace(even.table, balance=balance))
        for text in (TEXT, TEXT.partition("/")[0]):
            chances = scorer.predict_proba([f"http://{text}"] * 3000)[-1]
            assert chances == pytest.approx(softmax(scorer.table.scores_of(text)), rel=1e-3, abs=1e-6)


def test_files_from_before_levels_were_learnt_give_the_same_scores(tmp_path):
    scorer, _ = scorer_of(EVEN)
    values, arrays = describe(scorer)
    values["table"] = "evidence-1"
    del arrays["levels"]
    write_model(tmp_path / "old.linksight", FORMAT, 1, values, arrays)
    old = load(tmp_path / "old.linksight")
    assert np.array_equal(old.table.scores_of(TEXT), scorer.table.scores_of(TEXT))
    old.save(tmp_path / "again.linksight")
    again = load(tmp_path / "again.linksight")
    assert np.array_equal(again.table.scores_of(TEXT), old.table.scores_of(TEXT))


def test_levels_that_do_not_fit_the_codes_are_refused(tmp_path):
    values, arrays = describe(scorer_of(EVEN)[0])
    arrays["levels"] = arrays["levels"][:16]
    write_model(tmp_path / "odd.linksight", FORMAT, 1, values, arrays)
    with pytest.raises(ModelFormatError, match="do not fit together"):
        load(tmp_path / "odd.linksight")


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from([16, 32]), st.integers(1, 50))
def test_unpacking_gives_back_what_was_packed(data, n_levels, dim):
    rows = data.draw(st.lists(st.lists(st.integers(0, n_levels - 1), min_size=dim, max_size=dim), max_size=4))
    codes = np.array(rows, np.uint8).reshape(len(rows), dim)
    packed = pack(codes, n_levels)
    assert packed.nbytes == len(rows) * (-(-dim // 2) if n_levels == 16 else 2 * -(-dim // 3))
    assert np.array_equal(unpack(packed, dim), codes)


def test_every_host_has_its_site_as_a_hint():
    sites = [[name for name in evidence(text)[0] if name.startswith("s:")] for text in
             ("clarin.com", "www.clarin.com/deportes", "blog.clarin.com", "a.bbc.co.uk", "192.0.2.7", "localhost")]  # fmt: skip
    assert sites == [["s:clarin.com"], ["s:clarin.com"], ["s:clarin.com"], ["s:co.uk"], [], []]
