"""Pattern files from strangers: what they hold is compared with URLs, and never read as an expression."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from linksight.errors import LinksightError
from linksight.sites import learn_patterns, load_patterns
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.pattern_files import from_document, to_document

HOSTILE = ["(a+)+$", ".*", "a|b", "[", "\\", "a{99999}", "$", "(a*)*b"]


def _loaded(token: str) -> Pattern:
    """The pattern of a file that holds a token as it is."""
    form = Form(("a.org", None, token, None), ("", "/", "/", "/"))
    document = to_document(PatternSet((Pattern(0, (form,)),)))
    return from_document(document).patterns[0]


@pytest.mark.parametrize("token", HOSTILE)
def test_a_token_is_never_an_expression(token: str) -> None:
    pattern = _loaded(token)
    own, others = f"http://a.org/x/{token}/y", ("http://a.org/x/aaaa/y", "http://a.org/x/b/y")
    assert pattern.matches(own)
    assert re.search(pattern.regex, own)
    for other in others:
        assert not pattern.matches(other)
        assert not re.search(pattern.regex, other)


def test_patterns_that_overlap_everywhere_are_matched() -> None:
    """All mixes of literal and wildcard, and paths in paths, where backtracking would try 2**12 ways for each pattern."""
    mixes = ["/".join("a" if mask >> bit & 1 else "*" for bit in range(12)) for mask in range(2**12)]
    paths = ["/".join(["**", "a"] * n) for n in range(1, 13)]
    patterns = PatternSet.from_texts([f"http://a.org/{mix}/end" for mix in (*mixes, *paths)])
    assert patterns.match("http://a.org/" + "a/" * 30 + "no") is None
    assert patterns.match("http://a.org/" + "a/" * 60 + "end") is not None
    assert patterns.match("http://a.org/" + "a/" * 12 + "end").text == f"http://a.org/{'a/' * 12}end"


def test_addresses_that_are_no_unicode_are_learnt_saved_and_matched_alike(tmp_path: Path) -> None:
    odd = [f"http://a.org/\ud800/{i}" for i in range(30)]
    patterns = learn_patterns([odd[i : i + 5] for i in range(0, 30, 5)])
    patterns.save(tmp_path / "patterns.json")
    loaded = load_patterns(tmp_path / "patterns.json")
    assert loaded == patterns
    few, many = loaded.match_indices(odd[:5]), loaded.match_indices(odd * 30)  # plain, and compiled
    assert few.tolist() == many[:5].tolist() == [0] * 5


ENDS = ["http://a.org", "https://A.org:443", "//a.org", "a.org", "", "http://"]
MIDDLES = ["/p", "/p/17", "?q=5", "&x=", "#", "/\ud800", "/%zz", "\0", "//", "::", "==", "/a b", "/item-3.html", "?", "/..", "?/y"]  # fmt: skip
ADDRESSES = st.builds(lambda end, rest: end + "".join(rest), st.sampled_from(ENDS), st.lists(st.sampled_from(MIDDLES), max_size=6))  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(hubs=[["https://A.org:443?&x=/43/42/8/27?q=45", "//a.org\0??/..#"]])
@given(hubs=st.lists(st.lists(ADDRESSES, max_size=20), max_size=8))
def test_any_addresses_are_learnt_saved_and_matched(hubs: list[list[str]], tmp_path: Path) -> None:
    try:
        patterns = learn_patterns(hubs)
    except LinksightError:
        return
    patterns.save(tmp_path / "patterns.json")
    assert load_patterns(tmp_path / "patterns.json") == patterns
    assert len(patterns.match_all([url for hub in hubs for url in hub])) == sum(map(len, hubs))
