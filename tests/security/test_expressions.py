"""No regular expression of the package can be made to take for ever: every one reads a text in linear time.

Quadratic ones pass in modules that apply them to short texts alone.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight
from linksight.sites.patterns.pattern import Form
from linksight.sites.patterns.wildcards import AnySubdomain, Template

sys.path.insert(0, str(Path(__file__).parent))
from expression_paths import trouble

PACKAGE = Path(linksight.__file__).parent
ANCHORED = {"match", "fullmatch"}
CALLS = {"compile", "search", "sub", "subn", "split", "findall", "finditer", *ANCHORED}

#: Modules whose quadratic expressions are harmless -> why their texts are short.
SHORT_TEXTS = {
    "sites/learning/page_urls.py": "one URL, whose length is limited",
    "sites/learning/path_trees.py": "one segment of a URL",
    "sites/learning/segment_marks.py": "one segment of a URL",
    "sites/learning/tokens.py": "one URL",
    "studio/routes/web/reports.py": "a page that the package's own templates rendered",
    "system/database.py": "the address of a database, from the user",
    "lab/papers/report/svg_plots.py": "a picture that the lab drew",
    "pages/html/declarations.py": "the first 8,192 bytes of a page without comments",
    "pages/charset/byte_signatures.py": "the first 4,096 bytes of a page",
    "crawl/archive/cdxj.py": "the query of a URL that a crawl keeps, at most 2,000 characters",
    "crawl/run/config.py": "the contact of a crawl, from the user",
    "studio/services/crawl_processes.py": "one error message of a crawl",
}


@dataclass(frozen=True)
class Expression:
    """An expression and how it is used: at which places of a text, and whether up to its end."""

    module: str
    line: int
    text: str | bytes
    flags: int
    uses: frozenset[str]


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in CALLS
        ):
            yield node


def _uses(trees: list[ast.AST]) -> dict[str, set[str]]:
    """For each name the methods that are called on it, anywhere in the package."""
    found: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in CALLS:
                name = (
                    node.value.attr
                    if isinstance(node.value, ast.Attribute)
                    else getattr(node.value, "id", "")
                )
                found.setdefault(name, set()).add(node.attr)
    return found


def _flags(call: ast.Call) -> int:
    names = re.findall(r"re\.([A-Z]+)", " ".join(ast.unparse(value) for value in [*call.args[1:], *(word.value for word in call.keywords)]))  # fmt: skip
    return sum({int(getattr(re, name)) for name in names})


def _expressions() -> list[Expression]:
    """Every expression that is written down; tests below look at those that are put together."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
    uses = _uses(list(trees.values()))
    found = []
    for path, tree in trees.items():
        module = path.relative_to(PACKAGE).as_posix()
        names = {
            id(node.value): node.targets[0].id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for call in _calls(tree):
            if not isinstance(call.args[0], ast.Constant):
                continue
            method = call.func.attr  # type: ignore[attr-defined]
            own = uses.get(names.get(id(call), ""), {"search"}) if method == "compile" else {method}
            found.append(Expression(module, call.lineno, call.args[0].value, _flags(call), frozenset(own)))
    return found


EXPRESSIONS = _expressions()


@pytest.mark.parametrize(
    "text", [r"(a+)+b", r"(?:\w*)*x", r"a|(b(?:c*)+)d", r"((?:a+b*))*c", r"(a|a)*b", r"(a|ab|b)*c"]
)
def test_the_check_sees_what_is_exponential(text: str) -> None:
    assert trouble(text, searches=False) == "exponential"


@pytest.mark.parametrize("text", [r"<[^>]*>", r"\s+$", r"a*a*b", r"x\s*y?\s*z", r"\w+:", r"x(?:a*b?)*+c"])
def test_the_check_sees_what_is_quadratic(text: str) -> None:
    assert trouble(text) == "quadratic"


@pytest.mark.parametrize("text", [r"<[^<>]*>", r"\d+", r"^a+b", r"[a-z]{2,8}(?:[_-][a-z0-9]{1,8})*", r"x[^y]{0,200}y"])  # fmt: skip
def test_the_check_lets_through_what_is_linear(text: str) -> None:
    assert not trouble(text)


def test_no_expression_can_be_made_to_take_for_ever() -> None:
    wrong = []
    for one in EXPRESSIONS:
        found = trouble(
            one.text,
            one.flags,
            searches=not one.uses <= ANCHORED,
            to_the_end="fullmatch" in one.uses,
        )
        if found == "exponential" or (found and one.module not in SHORT_TEXTS):
            wrong.append(f"{one.module}:{one.line}: {found}: {one.text!r}")
    assert not wrong, "\n".join(wrong)


def test_expressions_made_of_tables_are_linear() -> None:
    from linksight.lab.papers import url_sources
    from linksight.sites.gathering import search_forms

    made = [
        one
        for module in (url_sources, search_forms)
        for one in vars(module).values()
        if isinstance(one, re.Pattern)
    ]
    assert made
    for one in made:
        assert not trouble(one.pattern, one.flags & re.IGNORECASE)


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.lists(
        st.none() | st.text(st.sampled_from("a0*+.(|)[]^$9-é"), min_size=1, max_size=12), max_size=6
    )
)
def test_expressions_made_of_patterns_are_linear(tokens: list[str | None]) -> None:
    """Tokens of a pattern file are literal text in the expression; placeholders end where their characters end."""
    segments = [
        token if token is None or "0" not in token else Template(re.sub("0+", "{number}", token))
        for token in tokens
    ]
    for token in segments:
        if isinstance(token, Template):
            assert not trouble(token.regex, searches=False, to_the_end=True)
    for host in ("a.org", None, *(AnySubdomain(token) for token in tokens if token)):
        form = Form((host, *segments), ("", *["/"] * len(segments)))
        assert not trouble(form.regex, searches=False)
    for token in tokens:
        assert token is None or not trouble(AnySubdomain(token).regex, searches=False, to_the_end=True)
