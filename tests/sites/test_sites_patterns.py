"""Sets of patterns: renaming, merging, discarding, and files that may come from strangers."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linksight
from linksight.errors import BadData, ModelFormatError
from linksight.sites.learning.tokens import SEPARATORS
from linksight.sites.patterns.pattern import Form, PatternSet
from linksight.sites.patterns.pattern_files import from_document, to_document


@pytest.fixture
def patterns() -> PatternSet:
    hubs = [[f"https://a.org/p/{h}{i}/", f"https://a.org/u/x{h}?tab={i}"] for h in range(9) for i in range(3)]
    return linksight.learn_patterns(hubs)


def test_saved_patterns_come_back_as_they_were(patterns, tmp_path):
    path = tmp_path / "a.json"
    patterns.save(path)
    assert linksight.load_patterns(path) == patterns
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_as_windows_redirects_it_is_read(patterns, tmp_path, encoding):
    path = tmp_path / "p.json"
    patterns.save(path)
    path.write_text(path.read_text(encoding="utf-8"), encoding=encoding)
    assert linksight.load_patterns(path) == patterns


def test_the_format_is_pinned():
    document = to_document(PatternSet.from_texts(["http://a.org/p/*?q=*"], site="a.org"))
    assert document["digest"] == "9508a3ea7df15a650cba869e162e5ea5c1643c45682254e2bb1d55ef97ec11b7"
    assert document["patterns"][0]["forms"] == [
        {"tokens": ["a.org", "p", None, "q", None], "separators": ["", "/", "/", "?", "="], "tail": "", "scheme": "http", "slash": False}
    ]  # fmt: skip


def test_templates_are_saved_and_loaded(tmp_path):
    patterns = PatternSet.from_texts(["http://a.org/issue*", "http://a.org/*"])
    patterns.save(tmp_path / "p.json")
    assert linksight.load_patterns(tmp_path / "p.json") == patterns
    assert to_document(patterns)["patterns"][0]["forms"][0]["tokens"] == [
        "a.org",
        {"template": "issue{number}"},
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format": "linksight-patterns", "version": 9}',
        b"[" * 200_000,
        b"null",
    ],
)
def test_a_file_that_is_none_is_refused(content, tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(ModelFormatError, match=r"bad\.json"):
        linksight.load_patterns(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadData, match=r"none\.json"):
        linksight.load_patterns(tmp_path / "none.json")


def test_a_changed_file_is_refused(patterns, tmp_path):
    path = tmp_path / "a.json"
    patterns.save(path)
    path.write_text(path.read_text().replace("a.org", "b.org"))
    with pytest.raises(ModelFormatError, match="digest"):
        linksight.load_patterns(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["tokens", "separators", "x"]), inner)
    ),
    max_leaves=6,
)


@given(
    JSON,
    st.sampled_from(["site", "learnt", "patterns", "forms", "tokens", "separators", "id", "share", "tail"]),
)
@example(["", "/", "x"], "separators")
@example(["", "/", "/" * 9], "separators")
@example(["a.org", "p/q", None], "tokens")
@example("x", "tail")
@settings(deadline=None, max_examples=200)
def test_hostile_values_with_a_true_digest_are_refused_or_harmless(value, where):
    from linksight.sites.patterns.pattern_files import _digest

    document = to_document(PatternSet.from_texts(["http://a.org/p/*"], site="a.org"))
    pattern = document["patterns"][0]
    target = {"forms": pattern, "id": pattern, "share": pattern}.get(where)
    if target is None:
        target = document if where in document else pattern["forms"][0]
    target[where] = value
    document["digest"] = _digest({key: document.get(key) for key in ("site", "learnt", "patterns")})
    try:
        loaded = from_document(json.loads(json.dumps(document)))
    except ModelFormatError:
        return
    loaded.match_all(["http://a.org/p/1"])
    for form in (form for pattern in loaded for form in pattern.forms):
        assert set("".join(form.runs) + form.tail) <= set(SEPARATORS)
        assert not any(set(str(token)) & set(SEPARATORS) for token in form.tokens)


def test_renaming_merging_and_discarding_make_copies(patterns):
    product, user = patterns.patterns
    renamed = patterns.rename(product.id, "product").rename(user.id, "user")
    assert [p.name for p in patterns] == ["", ""]
    assert renamed["user"].id == user.id
    merged = renamed.merge("product", "user", name="all")
    assert len(merged) == 1
    assert merged["all"].n_urls == product.n_urls + user.n_urls
    assert merged.match("https://a.org/p/1").name == merged.match("https://a.org/u/x?tab=7").name == "all"
    assert renamed.discard("user").match("https://a.org/u/x?tab=7") is None


def test_names_stay_unique_and_unknown_ones_are_errors(patterns):
    named = patterns.rename(0, "one")
    with pytest.raises(BadData):
        named.rename(1, "one")
    with pytest.raises(BadData):
        named.discard("two")
    with pytest.raises(BadData):
        named.merge(0)


@pytest.mark.parametrize(
    "text",
    [
        "http://a.org/",
        "https://a.org/p/*/",
        "http://*/x?y=*",
        "http://a.org:81/x?q=",
        "http://a.org/issue*",
        "http://a.org/a-*-b*.html",
    ],
)
def test_a_wildcarded_url_is_read_as_it_is_written(text):
    assert str(Form.parse(text)) == text


def test_many_patterns_are_shown_in_a_line():
    patterns = PatternSet.from_texts([f"http://a.org/{i}/*" for i in range(300)])
    assert (
        repr(patterns)
        == "<PatternSet of 300 patterns: http://a.org/0/*, http://a.org/1/*, http://a.org/2/*, …>"
    )
    assert repr(patterns[7]) == "<Pattern 7: http://a.org/7/*>"
    assert repr(PatternSet(())) == "<PatternSet, empty>"


def test_letters_beyond_ascii_are_known_by_their_codes_too():
    """Pages link to /новости/5, crawlers and archives have it as it goes over the wire."""
    patterns = PatternSet.from_texts(
        ["https://пример.рф/новости/*", "https://*.münchen.de/straße*", "https://a.org/x/*"]
    )
    written = [
        "https://пример.рф/новости/5",
        "https://www.münchen.de/straße7",
        "https://a.org/x/%C3%A9",
        "https://b.org/",
    ]
    sent = [
        "https://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8/5",
        "https://www.xn--mnchen-3ya.de/stra%C3%9Fe7",
        "https://a.org/x/%C3%A9",
        "https://b.org/%C3%A9",
    ]
    as_bytes = pa.array([url.encode() for url in sent])
    for urls in (written, sent, np.array(sent), iter(sent), sent * 200, as_bytes):
        found = patterns.match_indices(urls).tolist()
        assert found == [0, 1, 2, -1] * (len(found) // 4)
    for url, index in zip(written + sent, [0, 1, 2, None] * 2, strict=True):
        match = patterns.match(url)
        assert (match.id if match else None) == index
        assert [p.id for p in patterns if re.search(p.regex, url)] == ([] if index is None else [index])


@pytest.mark.parametrize(
    "url",
    [
        "xn--mnchen-3ya.de/stra%C3%9Fe/7",
        "HTTP://XN--MNCHEN-3YA.DE/stra%c3%9fe/7",
        "//xn--mnchen-3ya.de/stra%C3%9Fe/7",
        "http://xn--mnchen-3ya.de?stra%C3%9Fe=7",
    ],
)
def test_codes_of_letters_are_read_however_an_address_is_spelled(url):
    patterns = PatternSet.from_texts(["http://münchen.de/straße/*", "http://münchen.de?straße=*"])
    assert patterns.match(url) is not None
    assert patterns.match_indices([url])[0] >= 0


def test_a_host_with_a_sharp_s_is_not_the_one_with_two():
    patterns = PatternSet.from_texts(["http://straße.de/*"])
    urls = ["http://straße.de/7", "http://xn--strae-oqa.de/7", "http://strasse.de/7"]
    assert patterns.match_indices(urls).tolist() == [0, 0, -1]
    assert [bool(re.search(patterns[0].regex, url)) for url in urls] == [True, True, False]


SPELLINGS = [
    "/\u043d\u043e\u0432\u043e\u0441\u0442\u0438/",
    "/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8/",
    "/%d0%bd%d0%be%d0%b2%d0%be%d1%81%d1%82%d0%b8/",  # as WordPress writes it
]


@pytest.mark.parametrize("learnt", SPELLINGS)
def test_however_letters_are_written_a_page_has_one_pattern_and_the_most_specific(learnt):
    others = [f"https://a.org/{word}/{n}" for n, word in enumerate(["one", "two", "three", "four"] * 5)]
    patterns = linksight.learn_patterns([f"https://a.org{learnt}{n}" for n in range(90)] + others)
    asked = [f"https://a.org{spelling}777" for spelling in SPELLINGS]
    assert {patterns.match(url).text for url in asked} == {f"https://a.org{SPELLINGS[0]}*"}
    assert len({pattern.id for pattern in patterns.match_all(asked * 200)}) == 1
    specific = patterns.match(asked[0])
    assert all(re.search(specific.regex, url) and specific.matches(url) for url in asked)


def test_pages_written_in_letters_and_in_codes_are_learnt_as_one_kind():
    mixed = [f"https://a.org{SPELLINGS[n % 3]}{n // 3}" for n in range(90)]
    assert [(p.text, p.n_urls) for p in linksight.learn_patterns(mixed)] == [
        (f"https://a.org{SPELLINGS[0]}*", 30)
    ]


def test_hosts_and_patterns_in_codes_are_known_by_their_letters():
    patterns = PatternSet.from_texts(
        ["https://*.xn--mnchen-3ya.de:8080/caf%c3%a9?%c3%a9=*", "https://*/*?*=*"]
    )
    for host in ("m\u00fcnchen.de", "www.XN--mnchen-3ya.de"):
        for path in ("caf\u00e9?\u00e9=1", "caf%C3%A9?%C3%A9=1"):
            assert patterns.match(f"https://{host}:8080/{path}").id == 0
            assert re.search(patterns[0].regex, f"https://{host.lower()}:8080/{path}")
    assert patterns.match("xn--mnchen-3ya.de:8080/caf\u00e9?%C3%A9=1").id == 0


def test_a_host_written_in_letters_and_in_codes_is_learnt_as_one():
    hosts = ["xn--mnchen-3ya.de", "m\u00fcnchen.de"]
    patterns = linksight.learn_patterns([f"https://{host}/rathaus/{n}" for host in hosts for n in range(30)])
    assert [(p.text, p.n_urls) for p in patterns] == [("https://m\u00fcnchen.de/rathaus/*", 30)]
    assert patterns.match("https://xn--mnchen-3ya.de/rathaus/77") is patterns[0]


@pytest.mark.parametrize(
    ("text", "url", "fits"),
    [
        ("http://a.org/\u00e9\u00e9/*", "http://a.org/\u00e9%C3%A9/5", True),
        ("http://a.org/caf%C3%A9*/x", "http://a.org/caf%c3%a917/x", True),
        ("http://stra\u00dfe.de/x", "http://xn--strae-oqa.de/x", True),
        ("http://stra\u00dfe.de/x", "http://strasse.de/x", False),  # another site
    ],
)
def test_patterns_and_their_expressions_agree_on_words_half_in_codes_and_on_hosts(text, url, fits):
    patterns = PatternSet.from_texts([text])
    assert (patterns.match(url) is not None) == fits
    assert (re.search(patterns[0].regex, url) is not None) == fits
