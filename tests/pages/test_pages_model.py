"""The page model: its file, its features, its languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from linksight.errors import ModelFormatError
from linksight.pages.langid import model, ngrams


def test_the_hash_of_a_feature_never_changes():
    """Model files depend on it."""
    assert ngrams.keys_of("chat")[-1] == 3630978997


def test_features_are_those_of_the_words():
    """Edges of three letters, all fours, the word; signs and pairs of signs in scripts without spaces."""
    assert len(ngrams.keys_of("chat")) == 2 + 3 + 1
    assert len(ngrams.keys_of("中文字")) == 3 + 2
    assert ngrams.keys_of("12 + 3 = 15") == []
    assert ngrams.keys_of("see https://example.org/page?x=y now") == ngrams.keys_of("see https now")


def test_at_least_180_languages_and_what_each_was_trained_on():
    bundled = model.load()
    assert len(bundled.languages) >= 180
    for code in ("nl", "fy", "ckb", "mi", "zu"):
        assert sum(bundled.trained_on[code].values()) > 3_000


def test_the_models_of_pages_are_at_most_9_mb():
    from importlib.resources import files

    folder = files("linksight.data")
    assert (
        sum(
            len(folder.joinpath(name).read_bytes())
            for name in ("pages.model", "trigrams.model", "encodings.model", "neighbours.model")
        )
        <= 9_000_000
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
    assert lower_table().tolist() == [ord(letter) for letter in small]


def test_the_documentation_knows_how_many_languages_there_are():
    told = (Path(__file__).parents[2] / "docs" / "pages.md").read_text("utf-8")
    assert f"{len(model.load().languages)} languages (`linksight languages`" in told
