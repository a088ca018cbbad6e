"""SiteMemory: learns sites and folders, forgets the oldest, keeps its file honest."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadData, BadLanguage
from linksight.memory import LIMIT, SiteMemory, places_of

PAGES = st.lists(
    st.tuples(
        st.sampled_from(
            ["http://a.ch/de/x", "http://a.ch/fr/x", "http://b.nl/", "http://s.b.nl/y/z/w", "nonsense"]
        ),
        st.sampled_from(["de", "fr", "nl", "und"]),
    ),
    max_size=40,
)


def trained(*pages: tuple[str, str]) -> SiteMemory:
    memory = SiteMemory()
    for url, language in pages:
        memory.observe(url, language)
    return memory


def test_an_unknown_site_adds_nothing():
    memory = trained(("http://a.nl/x", "nl"))
    assert memory.log_odds("http://other.nl/", "nl") == 0.0


def test_one_page_speaks_for_its_site():
    memory = trained(("http://a.com/x", "nl"), ("http://b.com/x", "en"))
    assert memory.log_odds("http://a.com/y", "nl") > 1 > -0.9 > memory.log_odds("http://b.com/y", "nl")


def test_a_folder_can_differ_from_its_site():
    pages = [(f"http://a.be/{code}/{n}", code) for n in range(6) for code in ("nl", "fr", "de")]
    memory = trained(*pages)
    assert memory.log_odds("http://a.be/nl/x", "nl", levels="prefix") > 1
    assert memory.log_odds("http://a.be/fr/x", "nl", levels="prefix") < -1
    assert memory.log_odds("http://a.be/x", "nl", levels="prefix") == 0


def test_the_same_code_means_another_language_on_another_site():
    pages = [(f"http://a.com/uk/{n}", "en") for n in range(5)] + [
        (f"http://b.ua/uk/{n}", "uk") for n in range(5)
    ]
    memory = trained(*pages)
    assert memory.log_odds("http://a.com/uk/x", "en") > 0 > memory.log_odds("http://b.ua/uk/x", "en")


def test_sites_of_mixed_languages_teach_caution():
    mixed, pure = SiteMemory(), SiteMemory()
    for site in range(40):
        for n in range(6):
            mixed.observe(f"http://s{site}.com/{n}", ["nl", "en", "fr"][n % 3])
            pure.observe(f"http://s{site}.com/{n}", ["nl", "en", "fr"][site % 3])
    assert mixed.concentration(0) > 5 * pure.concentration(0)
    for memory in (mixed, pure):
        memory.observe("http://new.com/1", "nl")
    assert pure.log_odds("http://new.com/2", "nl") > mixed.log_odds("http://new.com/2", "nl") > 0


@given(PAGES)
@settings(max_examples=80, deadline=None)
def test_whatever_was_seen_the_evidence_is_bounded(pages):
    memory = trained(*pages)
    for url, language in pages:
        assert -LIMIT <= memory.log_odds(url, language) <= LIMIT
        assert 0 <= memory.share(url, language) <= 1


@given(PAGES)
@settings(max_examples=40, deadline=None)
def test_a_saved_memory_comes_back_the_same(tmp_path_factory, pages):
    path = tmp_path_factory.mktemp("memory") / "m.json"
    memory = trained(*pages)
    memory.save(path)
    again = SiteMemory.load(path)
    assert [again.log_odds(u, c) for u, c in pages] == [memory.log_odds(u, c) for u, c in pages]
    assert len(again) == len(memory)


def test_the_oldest_places_are_forgotten():
    memory = SiteMemory(capacity=10)
    for n in range(100):
        memory.observe(f"http://s{n}.nl/", "nl")
    assert len(memory) == 10
    assert memory.log_odds("http://s0.nl/x", "en") == 0
    assert memory.log_odds("http://s99.nl/x", "en") != 0


def test_combined_probabilities_sum_to_one_and_follow_the_site():
    memory = trained(*[(f"http://a.com/{n}", "nl") for n in range(5)], ("http://b.com/", "en"))
    model = np.array([[0.2, 0.8], [0.2, 0.8]], dtype=np.float32)
    both = memory.combine(["http://a.com/x", "http://c.com/x"], model, ["nl", "en"])
    np.testing.assert_allclose(both.sum(axis=1), 1, atol=1e-6)
    assert both[0, 0] > 0.5
    np.testing.assert_allclose(both[1], model[1], atol=1e-6)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "linksight-site-memory/1"}', '{"format": "linksight-site-memory/9"}']
)
def test_a_damaged_file_is_refused_with_its_name(tmp_path, text):
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(BadData, match=r"m\.json"):
        SiteMemory.load(path)


def test_the_file_is_plain_json(tmp_path):
    trained(("http://a.nl/x/y", "nl")).save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["format"] == "linksight-site-memory/1"
    assert document["places"] == [["a.nl", {"nl": 1}], ["a.nl/x/", {"nl": 1}]]


def test_places_go_from_wide_to_narrow():
    assert [level for level, _ in places_of("http://m.a.co.uk/x/y/z")] == [0, 1, 2, 3]
    assert places_of("not a url") == ()


def test_languages_may_be_given_by_name_or_by_iso_639_3():
    memory = SiteMemory()
    for page in range(20):
        memory.observe(f"http://firm.example/ch/{page}", "deu" if page % 2 else "German")
    told = {memory.log_odds("http://firm.example/ch/new", word) for word in ("de", "deu", "German", "de-CH")}
    assert len(told) == 1
    assert told.pop() > 1
    assert memory.base_rate("German") == memory.base_rate("de") > 0.5
    with pytest.raises(BadLanguage):
        memory.observe("http://firm.example/ch/1", "xx")
