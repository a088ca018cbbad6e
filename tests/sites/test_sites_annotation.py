"""Names, colours, coloured pages, exports, languages and drift."""

from __future__ import annotations

import ast
import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ET

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from linksight.errors import BadConfig, BadData
from linksight.sites.gathering.fetcher import Page
from linksight.sites.learning.learner import learn_patterns
from linksight.sites.patterns.drift import DriftWatch
from linksight.sites.patterns.exports import FORMATS, export
from linksight.sites.patterns.highlighted_page import coloured_page
from linksight.sites.patterns.language_variants import languages_of_patterns, translations
from linksight.sites.patterns.palette import palette
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.patterns.pattern_files import from_document
from linksight.sites.patterns.pattern_names import annotate, set_colour

TEXTS = [
    "http://a.org/",
    "http://a.org/author/*/*",
    "http://a.org/p/*",
    "http://a.org/*",
    "http://a.org/s?q=*&page=*",
]


@pytest.fixture
def patterns() -> PatternSet:
    return annotate(PatternSet.from_texts(TEXTS, site="a.org"))


def test_names_come_from_words_and_anchors_and_are_unique():
    anchors = [(f"http://a.org/{n}", f"Recipe number {n}") for n in range(9)]
    more = PatternSet.from_texts([*TEXTS, "http://a.org/author/*"])
    named = annotate(more.rename(2, "mine"), anchors)
    assert [p.name for p in named] == ["home", "author", "mine", "number recipe", "s", "author 2"]


def test_names_are_whole_words_where_vowels_are_marks():
    named = annotate(PatternSet.from_texts(["http://a.org/समाचार/*", "http://a.org/செய்திகள்/*"]))
    assert [pattern.name for pattern in named] == ["समाचार", "செய்திகள்"]
    assert 'callback="parse_समाचार"' in export(named, "scrapy")


def test_patterns_whose_words_are_the_same_are_told_apart_by_parameters_and_hosts():
    texts = [
        "http://a.org/forum/index.php?topic=*",
        "http://a.org/forum/index.php?user=*",
        "http://shop.a.org/forum/*",
        "http://a.org/",
        "http://shop.a.org/",
        "http://shop.a.org/forum/*/*",
    ]
    names = [pattern.name for pattern in annotate(PatternSet.from_texts(texts))]
    assert names == ["forum", "forum user", "forum shop", "home", "home shop", "forum 2"]


def test_of_patterns_that_are_called_alike_the_largest_has_the_name():
    urls = ["http://a.org/news/", *(f"http://a.org/news/title-{word}" for word in "abcdefghijkl")]
    named = annotate(learn_patterns(urls))
    assert {pattern.text: pattern.name for pattern in named} == {
        "http://a.org/news/": "news 2",
        "http://a.org/news/*": "news",
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("http://a.org/category/%d8%b3%d9%8a%d8%a7%d8%b3%d8%a9/*", "category \u0633\u064a\u0627\u0633\u0629"),
        ("http://a.org/%ea%b8%80/*", "\uae00"),
        ("http://a.org/./*", "page"),
    ],
)
def test_names_are_words_and_no_codes(text, name):
    assert [pattern.name for pattern in annotate(PatternSet.from_texts([text]))] == [name]


@pytest.mark.parametrize("n", [0, 1, 5, 40, 300])
def test_colours_are_distinct_and_readable(n):
    colours = palette(n)
    assert len(set(colours)) == n
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)
    assert all(_contrast_with_white(colour) >= 4.5 for colour in colours)  # what WCAG asks of small text


def _contrast_with_white(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def test_a_dozen_colours_are_far_apart():
    points = [tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in palette(12)]
    assert min(math.dist(a, b) for i, a in enumerate(points) for b in points[:i]) > 60


def test_a_colour_must_be_one(patterns):
    assert set_colour(patterns, 1, "#A0b0C0")[1].colour == "#a0b0c0"
    with pytest.raises(BadData, match="rrggbb"):
        set_colour(patterns, 1, "red;background:url(x)")


PAGE = b"""<html><head><script>alert(1)</script><base href="/deep/"></head><body onload="x()"><a href="../author/1/x">A</a>
<a href="javascript:alert(1)">J</a><a href="/author/2/y" onclick="z()">B</a><a href="https://b.org/">O</a><form><input></form></body></html>"""


def test_links_of_a_page_are_coloured_by_pattern_and_nothing_runs(patterns):
    html = coloured_page(Page("http://a.org/", 200, "text/html", PAGE), patterns)
    assert html.count('data-pattern="1"') == 2
    assert patterns["author"].colour in html
    assert "2 links, 1 pattern" in html
    assert 'href="http://a.org/author/1/x"' in html
    assert "script" not in html.replace("default-src", "")
    assert "onload" not in html
    assert "onclick" not in html
    assert "javascript:" not in html
    assert "default-src 'none'" in html


def test_a_name_cannot_break_out_of_the_page(patterns):
    evil = patterns.rename("author", "<script>alert(1)</script>")
    html = coloured_page(Page("http://a.org/", 200, "text/html", PAGE), evil)
    assert "<script" not in html


def test_every_format_is_what_it_says(patterns):
    assert from_document(json.loads(export(patterns, "json"))) == patterns
    for line in export(patterns, "regex").splitlines():
        re.compile(line.split("\t")[1])
    ast.parse(export(patterns, "scrapy"))
    rule = ET.fromstring(export(patterns, "heritrix"))
    assert [v.text for v in rule.iter("value")] == [p.regex for p in patterns]
    rows = list(csv.reader(io.StringIO(export(patterns, "csv", [("http://a.org/p/1", "=1+1")]))))
    assert rows[1] == ["http://a.org/p/1", "'=1+1", "http://a.org/p/*", "p"]
    with pytest.raises(BadConfig):
        export(patterns, "xls")


def test_scrapy_takes_the_rules(patterns):
    space: dict[str, object] = {}
    exec(compile(export(patterns, "scrapy"), "rules.py", "exec"), space)
    from scrapy.http import HtmlResponse

    response = HtmlResponse("http://a.org/", body=PAGE)
    found = [[x.url for x in rule.link_extractor.extract_links(response)] for rule in space["RULES"]]
    assert ["http://a.org/author/1/x", "http://a.org/author/2/y"] in found
    assert len({rule.callback for rule in space["RULES"]}) == len(TEXTS)


OVERLAPPING = [
    "http://a.org/*",
    "http://a.org/issue*",
    "http://a.org/login",
    "http://a.org/*/*",
    "http://a.org/p/*",
    "http://a.org/p/*#review/*",
    "http://a.org/*/edit",
    "http://a.org/s?q=*",
]
LINKS = [
    *("http://a.org/x", "https://a.org/issue17", "http://a.org/login/", "http://a.org/login#form"),
    *(
        "http://a.org/p/17",
        "http://a.org/p/17#top",
        "http://a.org/p/17/#a/b?c=d",
        "http://a.org/p/17#review/3",
    ),
    *(
        "http://a.org/p/edit",
        "http://a.org/q/edit?#x",
        "http://a.org:80/s?q=1#",
        "http://a.org/s?q=1&r=2",
        "http://b.org/x",
    ),
]


def best_names(patterns):
    """What the matcher says; ``None`` where nothing matches."""
    return [found.name if found else None for found in patterns.match_all(LINKS)]


def test_the_first_regular_expression_that_matches_is_the_best_match():
    patterns = PatternSet.from_texts(OVERLAPPING)
    for number in range(len(OVERLAPPING)):
        patterns = patterns.rename(number, f"kind {number}")
    patterns = patterns.merge(0, 6, name="merged")
    lines = [line.split("\t") for line in export(patterns, "regex").splitlines()]
    found = [next((name for name, regex in lines if re.search(regex, url)), None) for url in LINKS]
    assert found == best_names(patterns)
    assert None in found
    assert len(set(found)) > 6


def test_scrapy_calls_back_as_the_matcher_says():
    from scrapy.http import HtmlResponse

    patterns = PatternSet.from_texts(OVERLAPPING)
    for number in range(len(OVERLAPPING)):
        patterns = patterns.rename(number, f"kind_{number}")
    patterns = patterns.merge(0, 6, name="merged")
    space: dict[str, object] = {}
    exec(compile(export(patterns, "scrapy"), "rules.py", "exec"), space)
    said: dict[str, str] = {}
    for url in LINKS:
        for rule in space["RULES"]:
            page = HtmlResponse("http://a.org/", body=f'<a href="{url}">x</a>'.encode())
            if url not in said and rule.link_extractor.extract_links(page):
                said[url] = rule.callback.removeprefix("parse_")
    assert said == {url: name for url, name in zip(LINKS, best_names(patterns), strict=True) if name}


def test_patterns_without_a_name_are_told_apart_in_the_list():
    assert export(PatternSet.from_texts(OVERLAPPING[:2]), "regex").startswith(
        "http://a.org/issue*\t^https?://"
    )


def test_browsertrix_rules_are_yaml(patterns):
    text = export(patterns, "browsertrix")
    seed = yaml.safe_load(text)["seeds"][0]
    assert seed["scopeType"] == "custom"
    assert re.match(seed["include"][1], "https://a.org/author/1/x")


@pytest.mark.parametrize(
    ("texts", "home"),
    [
        (["http://a.org:8080/p/*", "http://a.org:8080/q/*", "http://*/x"], "http://a.org:8080/"),
        (["https://www.a.org?q=*"], "https://www.a.org/"),
        (["http://*/x"], "https://a.org/"),
    ],
)
def test_a_crawl_of_browsertrix_begins_where_the_site_is(texts, home):
    """Of a site on another port the port was left out, and nothing was in scope."""
    seed = yaml.safe_load(export(PatternSet.from_texts(texts, site="a.org"), "browsertrix"))["seeds"][0]
    assert seed["url"] == home


@given(st.text(max_size=30))
@example('"), print(open("/etc/passwd").read()), ("')
@example("two\nlines")
@example("]]></value>")
def test_any_name_gives_exports_that_parse(name):
    patterns = PatternSet.from_texts(["http://a.org/p/*"]).rename(0, name.encode("utf-8", "replace").decode())
    ast.parse(export(patterns, "scrapy"))
    ET.fromstring(export(patterns, "heritrix"))
    assert len(export(patterns, "regex").split("\n")) == 2


def test_all_formats_are_tried():
    assert set(FORMATS) == {"json", "regex", "scrapy", "heritrix", "browsertrix", "csv"}


BOTH = [
    "http://m.org/en/works/*",
    "http://m.org/nl/works/*",
    "http://m.org/en/about",
    "http://nl.m.org/x/*",
    "http://de.m.org/x/*",
]


def test_patterns_that_translate_each_other_are_found_in_paths_and_hosts():
    urls = ["http://m.org/en/works/1", "http://m.org/nl/works/1", "http://m.org/nl/works/2"]
    found = translations(PatternSet.from_texts(BOTH), urls)
    assert {(t.one.id, t.other.id, t.languages, t.n_shared) for t in found} == {
        (0, 1, ("en", "nl"), 1),
        (3, 4, ("nl", "de"), 0),
    }


def test_languages_of_a_pattern_come_from_urls_and_from_pages():
    patterns = PatternSet.from_texts(BOTH[:2])
    urls = [f"http://m.org/{code}/works/{n}" for n in range(4) for code in ("en", "nl")]
    pages = {"http://m.org/nl/works/1": "nl", "http://m.org/nl/works/2": "fy"}
    one, other = languages_of_patterns(
        patterns, urls, pages, predict=lambda many: [u.split("/")[3] for u in many]
    )
    assert (dict(one.by_url), one.n_urls, one.n_pages) == ({"en": 1.0}, 4, 0)
    assert dict(other.by_page) == {"nl": 0.5, "fy": 0.5}


def test_the_alarm_needs_more_than_chance():
    watch = DriftWatch(usual=0.01)
    assert not watch.add_all([False] * 20)  # too few to say
    assert not DriftWatch(usual=0.01).add_all(([True] * 97 + [False] * 3) * 20)
    assert DriftWatch(usual=0.01).add_all(([True] * 8 + [False] * 2) * 40)


def test_the_alarm_goes_off_when_the_site_is_itself_again():
    watch = DriftWatch(usual=0.0, window=200)
    watch.add_all([False] * 100)
    assert watch.alarm
    assert "learn the patterns again" in watch.message("shop")
    assert not watch.add_all([True] * 400)
    assert (watch.n_seen, watch.n_unmatched) == (500, 100)


def test_the_tree_of_estimators_takes_numbers_inside_tokens():
    from linksight.sites.learning.p_estimators import estimator_tree

    patterns = PatternSet.from_texts(["http://a.org/p-*.html", "http://a.org/*"])
    (root,) = estimator_tree(
        patterns, [["http://a.org/p-1.html"], ["http://a.org/x", "http://a.org/p-2.html"]]
    )
    assert {node.text: node.estimator for node in root.children} == {"/p-*.html": 1.0, "/*": 0.5}


def test_the_tree_of_a_list_is_that_of_the_parts_it_was_dealt_into():
    """One list is one hub, so that every estimator was 1."""
    from linksight.sites.learning.p_estimators import estimator_tree

    urls = [*(f"http://a.org/p/{n}" for n in range(100)), "http://a.org/about"]
    patterns = learn_patterns([urls])
    assert patterns.learnt["hubs"] == 10
    (root,) = estimator_tree(patterns, [urls])
    found = {node.text: (node.estimator, node.n_links) for node in root.children}
    assert found == {"/p": (1.0, 100), "/about": (0.1, 1)}
    (below,) = root.children[0].children
    assert below.has_more
    assert len(below.values) == 5
    assert all(share == 0.1 for _, share in below.values)
