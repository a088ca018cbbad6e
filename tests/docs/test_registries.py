"""Every setting and every reason that the code knows stands in the reference, and every one there is in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import linksight
from linksight import reasons
from linksight.crawl.config import CrawlConfig
from linksight.crawl.why import REASONS as CRAWL
from linksight.sites.reasons import REASONS as SITES
from linksight.studio.settings import Settings
from linksight.variables import VARIABLES

PACKAGE = Path(linksight.__file__).parent
REFERENCE = (PACKAGE.parents[1] / "docs" / "reference.md").read_text()


def _trees(part: str = "") -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((PACKAGE / part).rglob("*.py")):
        yield path, ast.parse(path.read_text())


def _name(call: ast.AST) -> str:
    if not isinstance(call, ast.Call):
        return ""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _text(node: ast.AST | None) -> set[str]:
    """The texts that an expression can be, numbers in them as N."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.JoinedStr):
        return {"".join(part.value if isinstance(part, ast.Constant) else "N" for part in node.values)}
    if isinstance(node, ast.IfExp):
        return _text(node.body) | _text(node.orelse)
    return set()


def _variables() -> set[str]:
    found = set()
    for path, tree in _trees():
        if path.name == "variables.py":
            continue
        for node in ast.walk(tree):
            reads = isinstance(node, ast.Call | ast.Subscript) and "environ" in ast.unparse(
                node.func if isinstance(node, ast.Call) else node.value
            )
            if reads:
                found |= _text(
                    node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "slice", None)
                )
            if isinstance(node, ast.keyword) and node.arg == "envvar":
                found |= _text(node.value)
    return found


def test_every_variable_that_is_read_is_declared_and_no_other() -> None:
    assert _variables() | {"PYTHONPATH"} == set(VARIABLES)
    assert not [name for name in VARIABLES if f"| `{name}` |" not in REFERENCE]


@pytest.mark.parametrize("kind", [CrawlConfig, Settings])
def test_every_setting_stands_in_the_reference(kind: type) -> None:
    import dataclasses

    names = {field.name for field in dataclasses.fields(kind)} - {"secret"}
    assert not [name for name in names if f"| `{name}` |" not in REFERENCE]


def _url_reasons() -> set[str]:
    found = set()
    for _, tree in _trees():
        for node in ast.walk(tree):
            if _name(node) == "BadUrl" and isinstance(node, ast.Call) and len(node.args) == 2:
                found |= _text(node.args[1])
    return {re.sub(r"\(N:\)", "(SCHEME:)", text) for text in found}


def test_every_reason_of_a_url_is_declared_and_no_other() -> None:
    assert _url_reasons() == set(reasons.URLS)


def test_every_reason_of_a_row_is_declared_and_no_other() -> None:
    from linksight.studio.api.streaming import TOO_LONG
    from linksight.tabular.delimited import WRONG_FIELDS
    from linksight.tabular.filters import NO_URL, NOT_JSON
    from linksight.tabular.jsonlines import NOT_JSON as NO_OBJECT

    declared = {name.partition(" (")[0] for name in reasons.ROWS}
    assert declared == {
        WRONG_FIELDS,
        NO_URL,
        NOT_JSON,
        NO_OBJECT,
        reasons.UNCLOSED,
        re.sub(r"[\d,]+", "N", TOO_LONG),
    }


def _page_reasons() -> set[str]:
    """Texts beside UND or ZXX in a tuple, and those given as ``reason=`` to a label."""
    found = set()
    for _, tree in _trees("pages"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple) and {"UND", "ZXX"} & {
                getattr(part, "id", "") for part in node.elts
            }:
                found |= set().union(*map(_text, node.elts))
            if _name(node) == "PageLabel" and isinstance(node, ast.Call):
                found |= set().union(
                    *(_text(keyword.value) for keyword in node.keywords if keyword.arg == "reason")
                )
    return {re.sub(r"N$", "KIND", text) for text in found} - {"ascii", "binary", "Zyyy", "lang", "", "mul"}


def test_every_reason_of_a_page_is_declared_and_no_other() -> None:
    assert _page_reasons() == set(reasons.PAGES)


def _literals(part: str, but: set[str]) -> set[str]:
    return {
        text
        for path, tree in _trees(part)
        if path.name not in but
        for node in ast.walk(tree)
        for text in _text(node)
    }


def _decided() -> set[str]:
    """Reasons that the crawl gives: of decisions, outcomes, failed answers, traps and refusals."""
    found = set()
    for _, tree in _trees("crawl"):
        for node in ast.walk(tree):
            if _name(node) in ("Decision", "Outcome") and isinstance(node, ast.Call) and len(node.args) > 2:
                found |= _text(node.args[2])
            if isinstance(node, ast.keyword) and node.arg in ("error", "reason"):
                found |= _text(node.value)
            if isinstance(node, ast.FunctionDef) and re.search(r"trap|refus", node.name):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Return):
                        found |= _text(inner.value)
    return {re.sub(r"-N$", "-", text) for text in found if re.fullmatch(r"[a-z]+(-[a-zN]+)*", text)}


def test_every_reason_of_a_crawl_is_declared_and_in_use() -> None:
    unknown = _decided() - set(CRAWL) - {"status-", "done"}
    assert not unknown
    unused = (
        set(CRAWL) - _literals("crawl", {"why.py"}) - {"never-seen", "rules", "site-cap"}
    )  # told by ``why`` alone
    assert not unused
    assert not [name for name in CRAWL if f"| `{name}` |" not in REFERENCE]


def _site_problems() -> set[str]:
    found = set()
    for path, tree in _trees("sites"):
        for node in ast.walk(tree):
            if _name(node) in ("Page", "Hub") and isinstance(node, ast.Call):
                found |= set().union(
                    *(_text(keyword.value) for keyword in node.keywords if keyword.arg == "problem")
                )
            if (
                path.name == "fetch.py"
                and isinstance(node, ast.FunctionDef)
                and node.name == "_network_problem"
            ):
                found |= set().union(
                    *(_text(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Return))
                )
    return found


def test_every_problem_of_gathering_a_site_is_declared_and_in_use() -> None:
    assert not _site_problems() - set(SITES)
    unused = (
        {name for name in SITES if not name.startswith("http-")}
        - _literals("sites", {"reasons.py"})
        - {"login-wall", "not-html"}
    )
    assert not unused


def test_every_voice_of_the_default_strategy_is_declared() -> None:
    from linksight.crawl.policy import Adaptive, Link

    link = Link(
        "http://a.nl/",
        model=1.0,
        anchor=1.0,
        memory=1.0,
        prefix=1.0,
        pattern=1.0,
        lesson=1.0,
        referrer=0.9,
        hreflang=True,
    )
    assert set(Adaptive("nl").evidence(link)) | {"hops"} == set(reasons.EVIDENCE)


def test_the_scan_would_see_a_new_reason() -> None:
    tree = ast.parse(
        'raise BadUrl(raw, f"longer than {most:,} characters")\nreturn Page(url, problem="a" if x else "b")'
    )
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert _text(calls[0].args[1] if _name(calls[0]) == "BadUrl" else calls[1].args[1]) == {
        "longer than N characters"
    }
    assert any(_text(keyword.value) == {"a", "b"} for call in calls for keyword in call.keywords)
