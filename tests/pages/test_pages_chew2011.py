"""The method of Chew, Mikami and Nagano (2011)."""

from __future__ import annotations

import numpy as np
import pytest

import linksight
from linksight.errors import ModelFormatError
from linksight.pages import chew2011

TEXTS = [
    ("en", "Latn", "ascii", "A", b"all human beings are born free and equal in dignity and rights"),
    ("nl", "Latn", "ascii", "A", b"alle mensen worden vrij en gelijk in waardigheid en rechten geboren"),
    ("nl", "Latn", "utf-8", "B", b"in het begin schiep god de hemel en de aarde"),
    ("ru", "Cyrl", "koi8-r", "A", "все люди рождаются свободными".encode("koi8-r")),
]


@pytest.fixture(scope="module")
def sets():
    return chew2011.TrigramSets.train(TEXTS)


def test_trigrams_are_those_of_the_paper():
    """Section 3.1: 82 B1 82 F1 82 C9 82 BF 82 CD has eight trigrams, each one byte further."""
    found = chew2011.trigrams_of(bytes.fromhex("82B182F182C982BF82CD"))
    assert [f"{value:06X}" for value in found] == [
        "82B182",
        "B182F1",
        "82F182",
        "F182C9",
        "82C982",
        "C982BF",
        "82BF82",
        "BF82CD",
    ]


def test_r_values_are_equation_one(sets):
    target = b"all mensen zzz all"
    trigrams = [target[k : k + 3] for k in range(len(target) - 2)]
    for (_, _, _, _, text), value in zip(TEXTS, sets.r_values(target), strict=True):
        own = {text[k : k + 3] for k in range(len(text) - 2)}
        assert value == pytest.approx(sum(t in own for t in trigrams) / len(trigrams))


def test_the_answer_has_language_script_and_encoding(sets):
    label = chew2011.identify("<b>люди свободными</b>".encode("koi8-r"), sets=sets)
    assert (label.language, label.script, label.encoding) == ("ru", "Cyrl", "koi8-r")


def test_suzuki_answers_only_between_his_bounds(sets):
    sure = chew2011.identify("все люди рождаются".encode("koi8-r"), sets=sets, bounds=chew2011.SUZUKI)
    unsure = chew2011.identify(b"all mensen equal", sets=sets, bounds=chew2011.SUZUKI)
    assert sure.language == "ru"
    assert (unsure.language, unsure.reason) == ("und", "unable to detect")


def test_corpus_a_alone_does_not_know_what_only_b_has(sets):
    page = b"het begin schiep god de hemel"
    with_b = chew2011.identify(page, sets=sets)
    without = chew2011.identify(page, sets=sets, corpora="A")
    assert with_b.confidence > without.confidence


def test_the_character_parser_is_misled_where_the_byte_parser_is_not(sets):
    page = "<p>все люди рождаются свободными</p>".encode("koi8-r")
    assert chew2011.identify(page, sets=sets, parser="bytes").language == "ru"
    assert chew2011.identify(page, sets=sets, parser="characters").language != "ru"


def test_the_entity_converter_gives_utf_8_bytes():
    assert chew2011.bytes_text(b"<p>&#1076;&eacute;</p>") == "дé".encode()
    assert chew2011.bytes_text(b"<p>&#1076;</p>", converter=False) == b"&#1076;"


def test_sets_are_saved_and_loaded_as_they_were(sets, tmp_path):
    sets.save(tmp_path / "sets.model")
    again = chew2011.load(tmp_path / "sets.model")
    assert again.models == sets.models
    np.testing.assert_array_equal(again.r_values(b"all human"), sets.r_values(b"all human"))


def test_a_damaged_file_is_refused(sets, tmp_path):
    path = tmp_path / "sets.model"
    sets.save(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ModelFormatError, match="damaged"):
        chew2011.load(path)


def test_the_bundled_sets_cover_the_languages_of_the_paper():
    bundled = chew2011.load()
    assert len({model[0] for model in bundled.models}) >= 182
    assert {"shift_jis", "euc-jp", "iso-2022-jp", "hz", "gb2312", "tcvn", "windows-1251"} <= {
        model[2] for model in bundled.models
    }
    label = linksight.identify(
        "<p>Alle Menschen sind frei und gleich an Würde und Rechten geboren.".encode("cp1252"),
        method="chew2011",
    )
    assert label.language == "de"
