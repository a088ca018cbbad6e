"""The second look at near languages."""

from __future__ import annotations

from importlib.resources import files

import pytest

from linksight.errors import ModelFormatError
from linksight.pages import identify
from linksight.pages.langid import array_file, confusable_languages
from linksight.pages.langid.model import load


def number(name: str) -> int:
    return load().classes.index(name)


def test_words_settle_what_is_close():
    best = [(number("hr"), -100.0), (number("sr-Latn"), -100.4), (number("it"), -103.0)]
    found = confusable_languages.settle(best, "gde je pozorište tokom nedelje u januaru", load())
    assert found[0][0] == number("sr-Latn")


def test_text_without_known_words_changes_nothing():
    best = [(number("hr"), -100.0), (number("sr-Latn"), -100.4)]
    assert confusable_languages.settle(best, "xyzzy 123", load()) == best


def test_a_language_outside_the_group_gains_and_loses_nothing():
    best = [(number("hr"), -100.0), (number("it"), -103.0)]
    found = dict(confusable_languages.settle(best, "tjedan kazalište", load()))
    assert found[number("it")] == -103.0
    assert found[number("hr")] == pytest.approx(-100.0, abs=0.5)


def test_what_words_say_does_not_depend_on_their_order(monkeypatch):
    """Sums are exact, as a set of words has another order in every run."""
    words = [f"{first}{second}" for first in "abcdefghijklmnopqrst" for second in "abcdefghijklmno"]
    group = confusable_languages.Group(
        ("hr", "sr-Latn"), {confusable_languages.word_key(word): (0.0, 0.1) for word in words}
    )
    monkeypatch.setattr(confusable_languages, "load", lambda: dict.fromkeys(group.classes, group))
    best = [(number("hr"), 0.0), (number("sr-Latn"), 0.0)]
    found = dict(confusable_languages.settle(best, " ".join(words), load()))
    assert found[number("sr-Latn")] == -confusable_languages.WORD_WEIGHT * 30


def test_only_close_neighbours_are_asked_about():
    far = [(number("hr"), 0.0), (number("it"), -0.1), (number("sr-Latn"), -500.0)]
    near = [(number("hr"), 0.0), (number("it"), -0.1), (number("sr-Latn"), -1.0)]
    alone = [(number("ja"), 0.0), (number("zh-Hans"), -0.1)]
    assert [confusable_languages.is_close(best, 100, load()) for best in (far, near, alone)] == [
        False,
        True,
        False,
    ]


def test_no_class_is_in_two_groups():
    groups = {id(group): group for group in confusable_languages.load().values()}.values()
    names = [name for group in groups for name in group.classes]
    assert len(names) == len(set(names))
    assert set(names) <= set(load().classes)


def test_serbian_in_both_scripts_is_serbian():
    for text in ("Gde si bio prošle nedelje, čoveče?", "Где си био прошле недеље, човече?"):
        assert identify(f"<p>{text * 3}</p>".encode()).language == "sr"


def test_damaged_bytes_in_a_text_that_is_looked_at_twice_are_no_characters(monkeypatch):
    """Bytes beyond the last character of Unicode, on a page that is UTF-8 all the same."""
    looked = []
    settle = confusable_languages.settle
    monkeypatch.setattr(
        confusable_languages, "settle", lambda *given: looked.append(given[1]) or settle(*given)
    )
    text = "Svi ljudi rađaju se slobodni i jednaki u dostojanstvu i pravima. Oni su obdareni razumom i svijesti. "
    page = f"<!-- {'š' * 200} --><p>{text * 3}".encode().replace(b"Oni", b"Oni \xf7\xbf\xbf\xbf", 1)
    label = identify(page)
    assert label.encoding == "utf-8"
    assert "oni \ufffd su" in looked[0]


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"x" + data, lambda data: b""])
def test_a_damaged_table_is_refused(damage):
    data = files("linksight.data").joinpath("neighbours.model").read_bytes()
    with pytest.raises(ModelFormatError):
        confusable_languages.unpack(damage(data))


def test_arrays_that_do_not_fit_are_refused():
    import numpy as np

    arrays = {"keys": np.zeros(3, np.uint32), "costs": np.zeros(5, np.uint8)}
    for sizes in ([3], [-3], ["a"], [1, 2]):
        data = array_file.pack(
            confusable_languages.FORMAT, {"groups": [["hr", "sr-Latn"]], "sizes": sizes}, arrays
        )
        with pytest.raises(ModelFormatError):
            confusable_languages.unpack(data)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ceb", "Kinahanglan natong ampingan ang kalasangan aron dili mawala ang tubig sa atong mga suba."),
        ("ceb", "Matag Domingo mangadto sila sa simbahan ug dayon manginom og kape sa balay sa ilang apohan."),
        ("tl", "Kailangan nating pangalagaan ang kagubatan upang hindi maubos ang tubig sa ating mga ilog."),
        ("hil", "Madamo nga mga bata ang nagalakat pakadto sa eskwelahan bangud wala sing salakyan sa ila baryo."),
        ("zu", "Umdobi wabuya olwandle enezinhlanzi eziningi, ngakho bonke abantu abasogwini bajabula."),
        ("zu", "Ngingawukhokha kanjani ugesi uma ihhovisi livaliwe namuhla, futhi ngingaxhumana nobani?"),
        ("nd", "Abafundi abanengi bahamba ngenyawo nxa besiya esikolo ngoba akulazimota endaweni yabo."),
        ("xh", "Umakhulu wam wayegcina iileta zakhe kwitoti phantsi kwebhedi kwaye akazange azibonise mntu."),
        ("sr", "Sezonu pre toga ostvarena je rekordna pobeda u istoriji kluba."),
        ("sr", "Pregled se zakazuje na odeljenju opšte bolnice."),
        ("bs", "Sljedeće sedmice u kantonu počinje isplata penzija za hiljade penzionera."),
        ("hr", "Ravnatelj je rekao da će plaće biti isplaćene idući tjedan."),
        ("ms", "Pejabat pos dibuka setiap hari kecuali hari Ahad dan cuti umum."),
    ],
)  # fmt: skip
def test_a_sentence_is_not_taken_for_one_of_a_larger_neighbour(code, text):
    assert identify(f"<p>{text}</p>".encode()).language == code
