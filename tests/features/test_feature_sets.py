"""Feature sets: the papers' examples, the menu's grammar, what is refused."""

import pytest

from linksight.errors import BadConfig
from linksight.features import EXAMPLES, parse_features
from linksight.features.url_features import extract_features
from linksight.url_model.feature_labels import KINDS
from linksight.urls.parser import Url


def names(spec, url):
    return parse_features(spec).names(Url.parse(url))


@pytest.mark.parametrize(
    ("spec", "url", "expected"),
    [
        ("words", "http://vldb.org/vldb_journal/", ["w:vldb", "w:org", "w:vldb", "w:journal"]),
        (
            "words",
            "http://www.internetwordstats.com/africa2.htm",
            ["w:internetwordstats", "w:com", "w:africa"],
        ),
        ("words", "http://persoonlijkrooster.ru.nl", ["w:persoonlijkrooster", "w:ru", "w:nl"]),
        ("3-grams-from-url", "http://www.hi-fly.de", ["u:hif", "u:ifl", "u:fly", "u:lyd", "u:yde"]),
        ("tld", "https://www.zeitung.de:80/x.fr", ["t:de"]),
    ],
)
def test_examples_of_the_papers(spec, url, expected):
    assert names(spec, url) == expected


@pytest.mark.parametrize(
    ("word", "trigrams"),
    [
        ("weather", "_we wea eat ath the her er_"),
        ("gezellig", "_ge gez eze zel ell lli lig ig_"),
    ],
)
def test_trigrams_of_a_word_have_its_edges(word, trigrams):
    found = [name[2:] for name in names("3-grams-from-word", f"http://{word}.nl/")]
    assert found[: len(trigrams.split())] == trigrams.split()


def test_an_ngram_across_punctuation_is_only_in_ngrams_from_the_url():
    assert "u:yde" in names("3-grams-from-url", "http://www.hi-fly.de")
    assert "g:yde" not in names("3-grams-from-word", "http://www.hi-fly.de")


def test_allgrams_are_three_to_seven():
    assert names("allgrams-from-word", "http://beispielwort.de/") == names(
        "3-4-5-6-7-grams-from-word", "http://beispielwort.de/"
    )
    sizes = {len(name) - 2 for name in names("allgrams-from-url", "http://beispielwort.de/")}
    assert sizes == {3, 4, 5, 6, 7}


@pytest.mark.parametrize("spec", [*EXAMPLES, "words+3-grams-from-word", "1-7-grams-from-url+tld"])
def test_a_spec_reads_back_as_itself(spec):
    assert parse_features(spec).spec == spec
    assert parse_features(parse_features(spec).spec) == parse_features(spec)
    assert hash(parse_features(spec)) == hash(parse_features(spec))


def test_specs_are_read_leniently():
    assert parse_features("Allgrams-from-Word + words").spec == "allgrams-from-word+words"
    assert parse_features("words+words").spec == "words"


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "  ",
        "wrods",
        "0-grams-from-word",
        "8-grams-from-word",
        "5-3-grams-from-word",
        "3-grams",
        "words+",
        "3-5-7-grams-from-url",
        None,
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(spec):
    with pytest.raises(BadConfig):
        parse_features(spec)


def test_the_error_names_the_nearest_set():
    with pytest.raises(BadConfig, match="did you mean 'allgrams-from-word'"):
        parse_features("allgrams-from-wrd")


def test_every_mark_of_the_evidence_has_words_for_people():
    """Explanations would call it "feature"."""
    text = "english.shop-24.example.co.uk/nl-be/2018/straße/report_fi.pdf?lang=de&x=1"
    marks = {
        name.partition(":")[0]
        for group in (*extract_features(text), *extract_features("a.nl/東京"))
        for name in group
    }
    assert len(marks) > 15
    assert marks <= set(KINDS)
