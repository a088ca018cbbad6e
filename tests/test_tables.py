"""The quantised embeddings of the bundled model: their codes, group weighting and file format."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import ModelFormatError
from linksight.features.feature_hash import fnv1a
from linksight.features.url_features import extract_features
from linksight.native import view
from linksight.native.urls.embeddings import unpack_nibbles
from linksight.system.model_file import write_model
from linksight.url_model.calibration import Calibration, softmax
from linksight.url_model.embeddings import N_LEVELS, GroupWeighting, QuantizedEmbeddings, pack
from linksight.url_model.model import UrlLanguageModel, load
from linksight.url_model.model_io import FORMAT, describe

LEVELS = np.sort(np.random.default_rng(1).normal(size=N_LEVELS)).astype(np.float32)
TEXT = "www.fietsen.nl/route"
LANGUAGES = ("de", "fr", "nl")


def model_of(levels: np.ndarray = LEVELS, dim: int = 8) -> tuple[UrlLanguageModel, np.ndarray]:
    """A small model that knows every feature of TEXT, and its scores by the vectors before rounding."""
    rng = np.random.default_rng(0)
    names = sorted({name for group in extract_features(TEXT) for name in group})
    hashes = np.array([fnv1a(name) for name in names], np.uint64)
    codes = rng.integers(0, len(levels), (len(names), dim)).astype(np.uint8)
    scales = rng.uniform(0.2, 1, len(names)).astype(np.float16)
    output, bias = rng.normal(size=(dim, 3)).astype(np.float32), np.zeros(3, np.float32)
    table = QuantizedEmbeddings.build(hashes, codes, scales, levels, output, bias, 0.6, bits=6)
    vectors = levels[codes] * scales[:, None].astype(np.float32)
    weights = dict(zip(names, vectors, strict=True))
    total = np.zeros(dim)
    for group, features in enumerate(extract_features(TEXT)):
        if features:
            total += sum(weights[name] for name in features) * (0.6 if group == 0 else len(features) ** -0.5)
    return UrlLanguageModel(table, LANGUAGES, Calibration.plain(3)), total @ output


@pytest.mark.parametrize("dim", [7, 8])
def test_scores_are_those_of_the_quantised_vectors(dim):
    model, expected = model_of(dim=dim)
    # Elements are rounded to integers of at most MAX_UNITS: the largest error is half a unit.
    assert model.table.scores_of(TEXT) == pytest.approx(expected, abs=0.05 * np.abs(expected).max())


def test_the_group_weighting_is_saved_and_makes_long_paths_count_more(tmp_path):
    even, _ = model_of()
    _, host, path = (group.rows for group in even.table.features(TEXT))
    long = GroupWeighting(len(path) / 2, 1.0, 0.5)
    model = replace(even, table=replace(even.table, group_weighting=long))
    model.save(tmp_path / "long.linksight")
    table = load(tmp_path / "long.linksight").table
    assert table.group_weighting == long
    factors = [
        float(part.scale / even_part.scale)
        for part, even_part in zip(table.features(TEXT), even.table.features(TEXT), strict=True)
    ]
    assert factors == pytest.approx([1.0, 0.5, 2**0.5])
    assert len(host)
    why = replace(model, table=table).explain(f"http://{TEXT}")
    assert table.scores_of(TEXT) == pytest.approx(why.scores, abs=1e-4)


def test_batches_weigh_host_and_path_by_the_group_weighting():
    even, _ = model_of()
    for weighting in (
        GroupWeighting(),
        GroupWeighting(3, 1.0, 0.45),
        GroupWeighting(1000, 1.0, 0.45, 25, 0.25),
    ):
        model = replace(even, table=replace(even.table, group_weighting=weighting))
        for text in (TEXT, TEXT.partition("/")[0]):
            chances = model.predict_proba([f"http://{text}"] * 3000)[-1]
            assert chances == pytest.approx(softmax(model.table.scores_of(text)), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("key", ["balance", "extraction", "hint_scale"])
def test_files_without_a_setting_are_refused(key, tmp_path):
    values, arrays = describe(model_of()[0])
    del values[key]
    write_model(tmp_path / "incomplete.linksight", FORMAT, 1, values, arrays)
    with pytest.raises(ModelFormatError, match="inconsistent"):
        load(tmp_path / "incomplete.linksight")


def test_levels_that_do_not_fit_the_codes_are_refused(tmp_path):
    values, arrays = describe(model_of()[0])
    arrays["levels"] = arrays["levels"][:8]
    write_model(tmp_path / "odd.linksight", FORMAT, 1, values, arrays)
    with pytest.raises(ModelFormatError, match="do not fit together"):
        load(tmp_path / "odd.linksight")


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 50))
def test_unpacking_gives_back_what_was_packed(data, dim):
    row = st.lists(st.integers(0, N_LEVELS - 1), min_size=dim, max_size=dim)
    codes = np.array(data.draw(st.lists(row, max_size=4)), np.uint8).reshape(-1, dim)
    packed = pack(codes)
    assert packed.shape == (len(codes), -(-dim // 2))
    rows = np.zeros((len(codes) + 1, dim), np.int16)
    levels = np.arange(N_LEVELS, dtype=np.float32)
    unpack_nibbles(view(packed), view(np.ones(len(codes), np.float32)), view(levels), view(rows), dim)
    assert np.array_equal(rows[1:], codes)


def test_every_host_has_its_site_as_a_hint():
    sites = [[name for name in extract_features(text)[0] if name.startswith("s:")] for text in
             ("clarin.com", "www.clarin.com/deportes", "blog.clarin.com", "a.bbc.co.uk", "192.0.2.7", "localhost")]  # fmt: skip
    assert sites == [["s:clarin.com"], ["s:clarin.com"], ["s:clarin.com"], ["s:co.uk"], [], []]
