"""No regular expression of the package can backtrack without bound: none repeats what repeats.

``(a+)+`` takes exponential time on the right text. An unbounded repetition inside an unbounded one is
refused unless something that the inner one cannot eat must stand between two rounds.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import linksight

try:
    from re import _constants as constants
    from re import _parser as parser
except ImportError:  # pragma: no cover
    pytest.fail("this Python has no parser of expressions where the test looks for it")

PACKAGE = Path(linksight.__file__).parent
REPEATS = {constants.MAX_REPEAT, constants.MIN_REPEAT}
CALLS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}


def _expressions() -> list[tuple[str, str | bytes]]:
    """Literal expressions given to the module re, with where they stand."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in CALLS
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.append((f"{path.relative_to(PACKAGE)}:{node.lineno}", node.args[0].value))
    return found


def _inner(item: Any) -> list[Any]:
    """The sequences inside an item of a parsed expression."""
    found: list[Any] = []
    stack = [item]
    while stack:
        top = stack.pop()
        if isinstance(top, parser.SubPattern):
            found.append(list(top))
        elif isinstance(top, tuple | list):
            stack.extend(top)
    return found


def _unbounded(item: Any) -> bool:
    return item[0] in REPEATS and item[1][1] is constants.MAXREPEAT


def _risky(items: list[Any]) -> bool:
    """Whether some unbounded repetition can begin and end with unbounded repetitions of its own."""
    for item in items:
        if _unbounded(item):
            body = list(item[1][2])
            while len(body) == 1 and body[0][0] is constants.SUBPATTERN:
                body = list(body[0][1][3])
            if body and all(_unbounded(part) for part in body):
                return True
        if any(_risky(inner) for inner in _inner(item[1:])):
            return True
    return False


@pytest.mark.parametrize("text", [r"(a+)+", r"(?:\w*)*x", r"a|(b(?:c*)+)", r"((?:a+b*))*"])
def test_the_check_sees_what_is_dangerous(text: str) -> None:
    assert _risky(list(parser.parse(text)))


@pytest.mark.parametrize("text", [r"(?:a+,)*", r"a+b+", r"(?:\w+)?", r"[a-z]*"])
def test_the_check_lets_through_what_is_not(text: str) -> None:
    assert not _risky(list(parser.parse(text)))


def test_no_expression_repeats_what_repeats() -> None:
    expressions = _expressions()
    assert len(expressions) > 20
    risky = []
    for where, text in expressions:
        source = text.decode("latin-1") if isinstance(text, bytes) else text
        if _risky(list(parser.parse(source, re.VERBOSE if "\n" in source else 0))):
            risky.append(f"{where}: {source}")
    assert not risky
