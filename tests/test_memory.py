"""SiteMemory: learns sites and folders, forgets the oldest, keeps its file honest."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadConfig, BadData, BadLanguage
from linksight.url_model.site_prior import MAX_LOG_ODDS, SiteMemory, path_levels

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
        assert -MAX_LOG_ODDS <= memory.log_odds(url, language) <= MAX_LOG_ODDS
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


@pytest.mark.parametrize(
    "column", [list, pa.array, pd.Series, pl.Series, np.array], ids=lambda kind: kind.__module__
)
def test_a_memory_is_combined_with_columns_of_any_library(column):
    memory = trained(*[(f"http://a.com/{i}", "nl") for i in range(9)])
    urls, model = ["http://a.com/x", "http://c.com/x"], np.full((2, 2), 0.5, np.float32)
    both = memory.combine(column(urls), model, ["nl", "en"])
    np.testing.assert_array_equal(both, memory.combine(urls, model, ["nl", "en"]))
    assert both[0, 0] > 0.6


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
    assert [level for level, _ in path_levels("http://m.a.co.uk/x/y/z")] == [0, 1, 2, 3]
    assert path_levels("not a url") == ()


def test_names_of_places_are_bounded_however_long_addresses_are(tmp_path):
    memory = trained(
        ("http://a.nl/" + "x" * 60_000 + "/y/z", "nl"), ("http://a.nl/x/" + "y" * 60_000 + "/z", "nl")
    )
    memory.save(tmp_path / "m.json")
    assert [key for key, _ in json.loads((tmp_path / "m.json").read_text())["places"]] == ["a.nl", "a.nl/x/"]


def test_names_of_places_that_are_too_long_are_not_read_back(tmp_path):
    trained(("http://a.nl/x/y", "nl")).save(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    (tmp_path / "m.json").write_text(text.replace("a.nl/x/", "a.nl/" + "x" * 60_000 + "/"))
    assert len(SiteMemory.load(tmp_path / "m.json")) == 1


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


def test_one_large_site_in_many_languages_does_not_speak_for_all_sites():
    memory = SiteMemory()
    for site in range(100):
        for n in range(5):
            memory.observe(f"http://s{site}.com/{n}", ["nl", "en", "fr", "de"][site % 4])
    before = memory.concentration(0)
    for n in range(1000):
        memory.observe(f"http://encyclopaedia.org/{n}", ["nl", "en", "fr", "de"][n % 4])
    assert memory.concentration(0) < 2 * before
    memory.observe("http://new.com/1", "nl")
    assert memory.log_odds("http://new.com/2", "nl", prior=0.5) > 1


@pytest.mark.parametrize("concentration", [0.5, 1.0, 3.0, 8.0])
def test_how_far_sites_depart_from_the_web_is_found_from_their_pages(concentration):
    rng, languages = np.random.default_rng(1), ["nl", "en", "fr", "de", "it"]
    memory = SiteMemory()
    for site in range(500):
        shares = rng.dirichlet([concentration / 5] * 5)
        for n in range(int(rng.integers(2, 30))):
            memory.observe(f"http://s{site}.com/{n}", languages[rng.choice(5, p=shares)])
    assert memory.concentration(0) == pytest.approx(concentration, rel=0.25)


def test_what_the_memory_says_of_two_languages_is_added_once():
    memory = trained(
        *[(f"http://a.com/{n}", "nl") for n in range(5)], *[(f"http://b.com/{n}", "en") for n in range(5)]
    )
    model = np.array([[0.3, 0.7]], dtype=np.float32)
    both = memory.combine(["http://a.com/x"], model, ["nl", "en"])[0]
    share = [memory.share("http://a.com/x", code) / memory.base_rate(code) for code in ("nl", "en")]
    assert both[0] / both[1] == pytest.approx(0.3 / 0.7 * share[0] / share[1], rel=1e-3)


def test_und_of_a_model_of_one_language_stands_for_all_others():
    memory = trained(
        *[(f"http://a.com/{n}", "en") for n in range(20)], *[(f"http://b.com/{n}", "nl") for n in range(20)]
    )
    model = np.full((2, 2), 0.5, dtype=np.float32)
    found = memory.combine(["http://a.com/x", "http://b.com/x"], model, ["nl", "und"])
    assert found[0, 0] < 0.2
    assert found[1, 0] > 0.8


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": [0.0] * 4}, {"pairs": [float("nan")] * 4}, {"pairs": [float("inf")] * 4}, {"pairs": [-1.0] * 4},
        {"agreeing": [1e9] * 4}, {"agreeing": [-1.0] * 4}, {"agreeing": [1.0]}, {"pages": -10}, {"pages": 10**400},
        {"pages": "7"}, {"capacity": float("inf")}, {"capacity": 1.5}, {"web": {"nl": -100}},
        {"places": [["a.nl", {"nl": -5}]]}, {"places": [["a.nl", {"nl": 10**400}]]}, {"places": [["a.nl", [1]]]},
    ],
    ids=lambda change: f"{next(iter(change))} {str(change)[:40]}",
)  # fmt: skip
def test_numbers_that_no_memory_has_are_refused(tmp_path, change):
    path = tmp_path / "m.json"
    trained(("http://a.nl/x", "nl")).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadData, match=r"m\.json: damaged site memory"):
        SiteMemory.load(path)


def test_a_file_of_brackets_alone_is_no_memory(tmp_path):
    path = tmp_path / "m.json"
    path.write_text("[" * 100_000)
    with pytest.raises(BadData, match=r"m\.json: not a site memory"):
        SiteMemory.load(path)


def test_a_file_of_more_places_than_there_is_room_for_is_cut(tmp_path):
    path = tmp_path / "m.json"
    trained(*[(f"http://s{n}.nl/", "nl") for n in range(20)]).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"capacity": 5}))
    assert len(SiteMemory.load(path)) == 5


def test_what_cannot_be_asked_is_told():
    memory = trained(("http://a.nl/x", "nl"))
    with pytest.raises(BadConfig, match="levels are one of all, host, prefix"):
        memory.log_odds("http://a.nl/", "nl", levels="hosts")
    for prior in (2.0, -1.0, float("nan")):
        with pytest.raises(BadConfig, match="between 0 and 1"):
            memory.log_odds("http://a.nl/", "nl", prior=prior)
    with pytest.raises(BadData, match="1 URL and 2 languages"):
        memory.combine(["http://a.nl/"], np.ones((1, 3), np.float32), ["nl", "en"])
    with pytest.raises(BadData, match="a path is text"):
        SiteMemory.load(5)
    for capacity in (0, 1.5, "10"):
        with pytest.raises(BadData, match="capacity must be a positive integer"):
            SiteMemory(capacity)
