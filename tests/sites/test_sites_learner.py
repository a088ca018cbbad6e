"""The learner against the paper, word for word, and against sites whose patterns are known."""

from __future__ import annotations

import math
import random
import re
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight
from linksight.errors import BadConfig, BadData
from linksight.sites.patterns.wildcards import WILDCARD

MSAS = "http://academic.research.microsoft.com"


def academic_hubs(n_hubs: int = 50, seed: int = 7) -> list[list[str]]:
    """Hubs of the paper's running example."""
    rng = random.Random(seed)
    names = ["carlos-r-rivero", "yu-li", "charles-antony-richard-hoare", "inma-hernandez", "d-ruiz"]
    hubs = []
    for _ in range(n_hubs):
        hub = [
            f"{MSAS}/{kind}/{rng.randrange(10**7)}/{rng.choice(names)}-{rng.randrange(10**8)}"
            for kind in ("Publication", "Author", "Journal")
            for _ in range(rng.randint(1, 9))
        ]
        hub += [f"{MSAS}/Detail?entityType=1&searchType=5&id={rng.randrange(10**8)}" for _ in range(5)]
        hubs.append(hub)
    return hubs


PAPER_PATTERNS = {
    f"{MSAS}/Publication/*/*",
    f"{MSAS}/Author/*/*",
    f"{MSAS}/Journal/*/*",
    f"{MSAS}/Detail?entityType=1&searchType=5&id=*",
}


@pytest.mark.parametrize("refine", [False, True])
def test_the_four_patterns_of_the_papers_example_come_out(refine):
    patterns = linksight.learn_patterns(academic_hubs(), refine=refine)
    assert {pattern.text for pattern in patterns} == PAPER_PATTERNS
    assert sum(pattern.share for pattern in patterns) == pytest.approx(1, abs=1e-5)


def test_the_regular_expressions_of_the_papers_example_match_what_they_should():
    patterns = linksight.learn_patterns(academic_hubs())
    author = next(p for p in patterns if "/Author/" in p.text)
    assert re.fullmatch(author.regex, f"{MSAS}/Author/2542366/charles-antony-richard-hoare")
    assert not re.fullmatch(author.regex, f"{MSAS}/Author/2542366")
    assert not re.fullmatch(author.regex, f"{MSAS}/Journal/2542366/x")


def build_patterns(
    hubs: list[list[str]], alpha: float = 0.05, near_one: float = 0.05
) -> set[tuple[str, ...]]:
    """Figure 10 written down word for word: slow, and sharing no code with what it checks."""
    tokens = {url: (*(t for t in re.split("[/?#&=:]", url) if t), "$") for hub in hubs for url in hub}
    current = {(h, url): tokens[url] for h, hub in enumerate(hubs) for url in hub}
    done: set[tuple[str, ...]] = set()
    result: set[tuple[str, ...]] = set()
    while todo := {v[:n] for v in current.values() for n in range(2, len(v) + 1)} - done:
        prefix = min(todo, key=lambda p: (len(p), p))
        size = len(prefix)
        if prefix[-1] == "$":
            done.add(prefix)
            result.add(prefix[:-1])
            continue
        siblings = {v[:size] for v in current.values() if v[: size - 1] == prefix[:-1] and v[size - 1] != "$"}
        estimators = {
            s: len({h for (h, _), v in current.items() if v[:size] == s}) / len(hubs) for s in siblings
        }
        spread = statistics.pstdev(estimators.values())
        threshold = statistics.fmean(estimators.values()) + math.sqrt(1 / alpha - 1) * spread
        losers = {s for s, pe in estimators.items() if pe <= threshold + 1e-9 and pe < 1 - near_one}
        done |= (siblings - losers) | {(*s[:-1], "*") for s in losers}
        for key, version in current.items():
            if version[:size] in losers:
                current[key] = (*version[: size - 1], "*", *version[size:])
    return result


WORDS = st.sampled_from(["a", "b", "c", "item", "user", "17", "18", "x-1", "y"])
PATHS = st.lists(WORDS, max_size=4).map("/".join)
HUBS = st.lists(st.lists(PATHS.map("http://h.org/{}".format), max_size=8), min_size=2, max_size=8)


@given(HUBS.filter(lambda hubs: any(hubs)))
@settings(deadline=None, max_examples=150)
def test_without_refinement_the_learner_is_figure_10(hubs):
    learnt = linksight.learn_patterns(hubs, refine=False)
    found = {("http", *(t or WILDCARD for t in p.forms[0].tokens)) for p in learnt}
    assert found == build_patterns(hubs)


def test_figure_10_on_many_siblings_keeps_the_outlier():
    hubs = [[f"http://h.org/s{hub}-{i}" for i in range(5)] for hub in range(20)]
    for hub in hubs[:10]:
        hub.append("http://h.org/news")
    learnt = linksight.learn_patterns(hubs, refine=False)
    assert {p.text for p in learnt} == {"http://h.org/*", "http://h.org/news"}
    assert build_patterns(hubs) == {("http", "h.org", "*"), ("http", "h.org", "news")}


@given(HUBS.filter(lambda hubs: any(hubs)), st.booleans())
@settings(deadline=None, max_examples=100)
def test_what_was_learnt_from_is_matched(hubs, refine):
    patterns = linksight.learn_patterns(hubs, refine=refine)
    assert all(patterns.match(url) is not None for hub in hubs for url in hub)


@given(HUBS.filter(lambda hubs: any(hubs)), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=50)
def test_the_order_of_hubs_and_links_does_not_matter(hubs, rng):
    shuffled = [rng.sample(hub, len(hub)) for hub in rng.sample(hubs, len(hubs))]
    assert list(linksight.learn_patterns(hubs)) == list(linksight.learn_patterns(shuffled))


def test_the_order_of_a_list_in_which_pages_are_written_in_several_ways_does_not_matter():
    ways = ["http://a.org/news/{}", "https://a.org/news/{}/", "https://A.org:443/news/{}#top"]
    urls = [way.format(n) for n in range(300) for way in ways] + [
        "http://a.org",
        "https://a.org/",
        "http://b.org",
    ]
    learnt = linksight.learn_patterns(urls)
    assert list(learnt) == list(linksight.learn_patterns(urls[::-1]))
    assert [p.text for p in learnt] == ["http://b.org/", "https://a.org/", "https://a.org/news/*/"]
    assert all(example.endswith("/") for example in learnt[2].examples)


def section_hubs(n_hubs: int = 60, seed: int = 3) -> list[list[str]]:
    """A site whose sections are on some hubs only, with a template and pagination."""
    rng = random.Random(seed)
    hubs = []
    for _ in range(n_hubs):
        hub = ["https://s.org/", "https://s.org/about", "https://s.org/login"]
        hub += [f"https://s.org/category/{name}" for name in ("shoes", "hats", "bags", "belts", "coats")]
        hub += [f"https://s.org/product/{rng.randrange(5000)}" for _ in range(rng.randint(2, 20))]
        if rng.random() < 0.6:
            hub += [f"https://s.org/blog/{rng.choice('abcdefg') * 5}-{rng.randrange(900)}" for _ in range(4)]
        if rng.random() < 0.4:
            hub += [f"https://s.org/user/u{rng.randrange(300)}/reviews" for _ in range(3)]
            hub += [f"https://s.org/user/u{rng.randrange(300)}/wishes" for _ in range(3)]
        hub += [
            f"https://s.org/search?q={rng.choice('xyzuvw') * 4}{rng.randrange(99)}&page={n}"
            for n in (1, 2, 3)
        ]
        hubs.append(hub)
    return hubs


def test_refinement_finds_the_sections_that_the_paper_loses():
    texts = {p.text for p in linksight.learn_patterns(section_hubs())}
    assert texts == {
        "https://s.org/",
        "https://s.org/about",
        "https://s.org/login",
        "https://s.org/category/*",
        "https://s.org/product/*",
        "https://s.org/blog/*",
        "https://s.org/user/*/reviews",
        "https://s.org/user/*/wishes",
        "https://s.org/search?q=*",
    }


def test_template_urls_can_be_left_out():
    patterns = linksight.learn_patterns(section_hubs(), template=0.9)
    assert not any(p.text.endswith(("/about", "/login")) for p in patterns)
    assert patterns.learnt["template_urls"] == 8


def test_minor_patterns_can_be_discarded():
    patterns = linksight.learn_patterns(section_hubs(), min_urls=3)
    assert min(p.n_urls for p in patterns) >= 3
    assert patterns.learnt["discarded_patterns"] == 3
    assert patterns.learnt["unmatched"] > 0


def test_a_flat_list_of_urls_is_enough():
    urls = [url for hub in section_hubs() for url in hub]
    texts = {p.text for p in linksight.learn_patterns(urls)}
    assert {"https://s.org/product/*", "https://s.org/blog/*", "https://s.org/user/*/reviews"} <= texts


@pytest.mark.parametrize("n", [5, 12, 19])
def test_a_short_list_gives_kinds_of_pages_and_not_each_url(n):
    urls = [f"http://a.org/product/name-{word}" for word in "abcdefghijklmnopqrs"[:n]]
    assert [p.text for p in linksight.learn_patterns(urls)] == ["http://a.org/product/*"]


def test_bad_urls_are_counted_and_left_out():
    hubs = [["http://h.org/a/1", "mailto:x@y.org", "javascript:void(0)"], ["http://h.org/a/2", ""]]
    patterns = linksight.learn_patterns(hubs)
    assert [p.text for p in patterns] == ["http://h.org/a/*"]
    assert patterns.learnt["bad_urls"] == {"not a web address": 2, "empty": 1}


def test_hubs_come_in_many_forms():
    import numpy as np
    import pyarrow as pa

    hubs = section_hubs(20)
    expected = linksight.learn_patterns(hubs)
    for form in (
        iter(hubs),
        map(tuple, hubs),
        [np.array(h) for h in hubs],
        [pa.array(h) for h in hubs],
        pa.array(hubs),
        {f"k{i}": h for i, h in enumerate(hubs)},
    ):
        assert linksight.learn_patterns(form) == expected
    flat = [url for hub in hubs for url in hub]
    assert linksight.learn_patterns(pa.array(flat)) == linksight.learn_patterns(flat)


@pytest.mark.parametrize(
    "hubs",
    [
        [None],
        [7],
        [[["http://a.org/"]]],
        [],
        [[]],
        [["mailto:a@b.org"]],
        [["http://a.org/"], "http://b.org/"],
    ],
)
def test_nothing_to_learn_from_is_an_error(hubs):
    with pytest.raises(BadData):
        linksight.learn_patterns(hubs)


@pytest.mark.parametrize("options", [{"alpha": 0}, {"alpha": 1.5}, {"template": 2}, {"colour": "red"}])
def test_options_that_make_no_sense_are_errors(options):
    with pytest.raises(BadConfig):
        linksight.learn_patterns([["http://a.org/"]], **options)


def test_pages_by_two_spellings_count_once():
    hubs = [[f"http://h.org/a/{i}", f"https://H.org:443/a/{i}/"] for i in range(10)]
    assert [p.n_urls for p in linksight.learn_patterns(hubs)] == [10]


def test_a_fragment_is_a_place_on_a_page_unless_the_paper_is_followed():
    hubs = [
        [f"http://h.org/t/{i}#comment:{n}" for n in range(i % 3)] + [f"http://h.org/t/{i}"] for i in range(12)
    ]
    assert [p.text for p in linksight.learn_patterns(hubs)] == ["http://h.org/t/*"]
    assert len(linksight.learn_patterns(hubs, refine=False)) > 1


def test_a_fragment_of_separators_alone_makes_no_pattern():
    hubs = [[f"http://h.org/t/{i}", f"http://h.org/t/{i}#=", f"http://h.org/t/{i}/#:"] for i in range(12)]
    assert [p.text for p in linksight.learn_patterns(hubs)] == ["http://h.org/t/*"]


def test_a_site_below_a_folder_is_learnt_like_any_other():
    hubs = [[url.replace("s.org/", "s.org/app/") for url in hub] for hub in section_hubs()]
    below = {p.text.replace("s.org/app", "s.org") for p in linksight.learn_patterns(hubs)}
    assert {text.rstrip("/") for text in below} == {
        p.text.rstrip("/") for p in linksight.learn_patterns(section_hubs())
    }


def test_numbers_of_one_thing_alone_keep_its_name():
    hubs = [[f"http://t.org/issue{hub * 10 + n}" for n in range(5)] for hub in range(20)]
    patterns = linksight.learn_patterns(hubs)
    assert [p.text for p in patterns] == ["http://t.org/issue*"]
    assert patterns.match("http://t.org/user3") is None
