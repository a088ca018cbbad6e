"""Documentation and help texts are plain English."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from doc_blocks import PAGES, ROOT
from plain_english import MAX_MEAN, MAX_OPTION_HELP, mean_words, problems, prose

from linksight.cli import main

#: Pages that follow with the parts that they describe.
PENDING = {"sites.md"}
REWRITTEN = [page for page in PAGES if page.name not in PENDING]


@pytest.mark.parametrize("page", REWRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_plain_english(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    assert not problems(text), "\n".join(problems(text))
    assert mean_words(text) <= MAX_MEAN


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _commands(below, f"{path} {name}")


COMMANDS = dict(_commands(main, "linksight"))


@pytest.mark.parametrize("path", COMMANDS)
def test_the_help_of_a_command_is_plain_english(path: str) -> None:
    parts = [part for part in (COMMANDS[path].help or "").split("\n\n") if "\b" not in part]
    assert not problems("\n\n".join(parts))


@pytest.mark.parametrize("path", COMMANDS)
def test_the_help_of_an_option_is_short_and_plain(path: str) -> None:
    helps = {option.name: getattr(option, "help", None) or "" for option in COMMANDS[path].params}
    long = {name: text for name, text in helps.items() if len(_without_default(text)) > MAX_OPTION_HELP}
    assert not long
    wrong = {name: problems(text) for name, text in helps.items() if problems(text)}
    assert not wrong


def _without_default(text: str) -> str:
    """The help without the remark on the default, which may name a file or a language."""
    return text.partition("[default")[0].strip()


def test_the_check_finds_what_it_is_for() -> None:
    assert problems("The page tells the language.") == [
        "“tells” (write: show, report, name, give): …The page tells the language.…"
    ]
    assert len(problems("word " * 41)) == 1
    assert not problems("nl 0.93 (12), " * 30)
    assert not problems(prose("```sh\ntold\n```\n| told |\n\nSee [this](told.md) and `told`."))
