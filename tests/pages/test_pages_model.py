"""The page model: its file, its features, its languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import ModelFormatError
from linksight.pages.langid import classifier, model, ngrams


def test_the_hash_of_a_feature_never_changes():
    """Model files depend on it."""
    assert ngrams.keys_of("chat")[-1] == 3630978997


def test_features_are_those_of_the_words():
    """Edges of three letters, all fours, the word; signs and pairs of signs in scripts without spaces."""
    assert len(ngrams.keys_of("chat")) == 2 + 3 + 1
    assert len(ngrams.keys_of("中文字")) == 3 + 2
    assert ngrams.keys_of("12 + 3 = 15") == []
    assert ngrams.keys_of("see https://example.org/page?x=y now") == ngrams.keys_of("see https now")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_compiled_features_are_the_plain_ones(text):
    import numpy as np

    points = ngrams.points_of(text.lower())
    keys = np.empty(4 * len(points) + 16, np.int64)
    count = ngrams.walk.compiled(points, 0, len(points), ngrams.letters_array(), keys)
    assert keys[:count].tolist() == ngrams.keys_of(text)


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=200)
    | st.sampled_from(["alle mensen worden vrij geboren", "люди рождаются", "人人生而自由"])
)
def test_weights_are_added_alike_one_by_one_and_by_arrays(text):
    import numpy as np

    bundled, keys = model.load(), ngrams.keys_of(text)
    one_by_one, by_arrays = ([7] * len(bundled.classes), np.full(len(bundled.classes), 7, np.int32))
    known = ngrams.add.plain([*keys], 0, len(keys), *bundled.plain, one_by_one)
    assert ngrams.add_(keys, 0, len(keys), bundled.slots, bundled.pairs, by_arrays) == known
    assert by_arrays.tolist() == one_by_one


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(max_size=80), max_size=12).map(
        lambda parts: "<p>".join(parts).encode("utf-8", "replace")
    )
)
def test_compiled_and_plain_readers_agree(page):
    bundled = model.load()
    fast, slow = (classifier.read(page, bundled, compiled=compiled) for compiled in (True, False))
    assert (fast.features, fast.known, fast.letters, fast.escaped) == (
        slow.features,
        slow.known,
        slow.letters,
        slow.escaped,
    )
    assert [value for _, value in fast.best[:3]] == pytest.approx(
        [value for _, value in slow.best[:3]], rel=1e-3, abs=0.1
    )


def test_at_least_180_languages_and_what_each_was_trained_on():
    bundled = model.load()
    assert len(bundled.languages) >= 180
    for code in ("nl", "fy", "ckb", "mi", "zu"):
        assert sum(bundled.trained_on[code].values()) > 3_000


def test_the_models_of_pages_are_at_most_8_mb():
    from importlib.resources import files

    folder = files("linksight.data")
    assert (
        sum(
            len(folder.joinpath(name).read_bytes())
            for name in ("pages.model", "trigrams.model", "encodings.model", "neighbours.model")
        )
        <= 8_000_000
    )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [(lambda d: b"", "not a file"), (lambda d: b"PK" + d, "not a file"), (lambda d: d[:-100], "damaged"), (lambda d: d.replace(b'"bits"', b'"bitz"'), "damaged"), (lambda d: d[:-50] + bytes(50), "damaged")],
)  # fmt: skip
def test_a_damaged_or_foreign_file_is_refused(tmp_path, spoil, reason):
    from importlib.resources import files

    path = tmp_path / "spoilt.model"
    path.write_bytes(spoil(files("linksight.data").joinpath("pages.model").read_bytes()))
    with pytest.raises(ModelFormatError, match=reason):
        model.load(path)


def test_a_missing_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(ModelFormatError, match=r"none\.model"):
        model.load(tmp_path / "none.model")


def test_each_character_has_its_own_small_letter() -> None:
    """Lowered alone: what stands beside it, as with a sigma at the end of a word, is not asked."""
    from linksight.pages.langid.classifier import lower_table

    small = [chr(point).lower() for point in range(0x10000)]
    assert [point for point, letter in enumerate(small) if len(letter) != 1] == [0x130]
    small[0x130] = "i"
    assert lower_table() == [ord(letter) for letter in small]


def test_the_documentation_knows_how_many_languages_there_are():
    told = (Path(__file__).parents[2] / "docs" / "pages.md").read_text("utf-8")
    assert f"{len(model.load().languages)} languages (`linksight languages`" in told
