"""Documentation, help texts and error messages are plain English."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from doc_blocks import PAGES, ROOT
from plain_english import MAX_MEAN, MAX_OPTION_HELP, mean_words, problems, prose

from linksight import reasons
from linksight.cli import main
from linksight.crawl.report.explain import REASONS as CRAWL
from linksight.sites.gathering.fetch_errors import REASONS as SITES
from linksight.system.environment import VARIABLES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_plain_english(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    assert not problems(text), "\n".join(problems(text))
    assert mean_words(text) <= MAX_MEAN


def test_the_help_of_commands_and_options_is_short_and_plain(script: Callable[[str], ModuleType]) -> None:
    wrong: dict[str, object] = {}
    for path, command in script("recipes/reference.py").commands(main, "linksight"):
        prose_only = "\n\n".join(part for part in (command.help or "").split("\n\n") if "\b" not in part)
        wrong[path] = problems(prose_only)
        for option in command.params:
            text = getattr(option, "help", None) or ""
            too_long = len(_without_default(text)) > MAX_OPTION_HELP
            wrong[f"{path} {option.name}"] = problems(text) or (text if too_long else "")
    assert len(wrong) > 200
    assert not {where: found for where, found in wrong.items() if found}


def _without_default(text: str) -> str:
    """The help without the remark on the default, which may name a file or a language."""
    return text.partition("[default")[0].strip()


def _text(node: ast.expr) -> str:
    """The text of a string, with X for each value that it is filled with; empty for other expressions."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return _text(node.left) + _text(node.right) if isinstance(node, ast.BinOp) else ""


def _messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of errors that are raised and of lines that are printed or logged, with their line numbers."""
    for node in ast.walk(tree):
        raised = node.exc if isinstance(node, ast.Raise) else None
        call = raised or node
        if isinstance(call, ast.Call) and (raised or getattr(call.func, "attr", "") in PRINTING):
            for text in filter(None, map(_text, call.args)):
                yield call.lineno, text


PRINTING = ("echo", "secho", "warning", "error")


def test_explanations_of_reasons_and_settings_are_plain_english() -> None:
    families = (CRAWL, SITES, VARIABLES, reasons.URLS, reasons.ROWS, reasons.PAGES, reasons.EVIDENCE)
    texts = {name: text for family in families for name, text in family.items()}
    assert not {name: problems(text) for name, text in texts.items() if problems(text)}


def test_messages_are_plain_english() -> None:
    source = ROOT / "src" / "linksight"
    messages = [
        (f"{path.relative_to(source)}:{line}", text)
        for path in sorted(source.rglob("*.py"))
        for line, text in _messages(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert len(messages) > 500
    assert not [f"{where}: {problem}" for where, text in messages for problem in problems(text)]


def test_the_check_finds_what_it_is_for() -> None:
    assert problems("The page tells the language.") == [
        "“tells” (write: show, report, name, give): …The page tells the language.…"
    ]
    assert len(problems("word " * 41)) == 1
    assert not problems("nl 0.93 (12), " * 30)
    assert not problems(prose("```sh\ntold\n```\n| told |\n\nSee [this](told.md) and `told`."))
