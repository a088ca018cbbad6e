"""Pattern files from strangers: what they hold is compared with URLs, and never read as an expression."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from linksight.sites.automaton import Node
from linksight.sites.files import from_document, to_document
from linksight.sites.patterns import Form, Pattern, PatternSet, Stem

sys.path.insert(0, str(Path(__file__).parent))
from expression_paths import trouble

HOSTILE = ["(a+)+$", ".*", "a|b", "[", "\\", "a{99999}", "$", "(a*)*b"]


def _loaded(token: str | Stem | None) -> Pattern:
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


@pytest.mark.parametrize("token", [None, Stem("0"), Stem("0-0-0-0"), Stem("(a+)0+$"), *HOSTILE])
def test_the_expression_of_a_pattern_is_linear(token: str | Stem | None) -> None:
    assert not trouble(_loaded(token).regex, searches=False)


def test_matching_comes_to_no_node_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """All mixes of literal and wildcard, where backtracking would try 2**12 ways for each pattern."""
    mixes = ["/".join("a" if mask >> bit & 1 else "*" for bit in range(12)) for mask in range(2**12)]
    patterns = PatternSet.from_texts([f"http://a.org/{mix}/end" for mix in mixes])
    visits, plain = 0, Node.after

    def counted(self: Node, run: str, token: str) -> object:
        nonlocal visits
        visits += 1
        return plain(self, run, token)

    monkeypatch.setattr(Node, "after", counted)
    assert patterns.match("http://a.org/" + "a/" * 12 + "no") is None
    assert 2**12 <= visits <= len(patterns.automaton.nodes)
