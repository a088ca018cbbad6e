"""Errors are one line with the next step; every command has examples that parse."""

from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import COMMANDS, main
from linksight.cli.extras import extra_of


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _commands(below, f"{path} {name}")


ALL = dict(_commands(main, "linksight"))


def test_every_option_has_help() -> None:
    options = [
        (path, option)
        for path, command in ALL.items()
        for option in command.params
        if isinstance(option, click.Option)
    ]
    assert not [(path, option.opts) for path, option in options if not option.help]


WITHOUT = """
import sys
from linksight.cli.extras import EXTRAS, module_of
sys.modules.update((module_of(package), None) for _, packages in EXTRAS.values() for package in packages)
from linksight.cli import main
main()
"""


@pytest.mark.parametrize(
    "command",
    ["crawl run http://a.example/ -l nl -o new", "crawl report old", "site learn urls.txt", "serve"],
)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(command: str, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("http://a.example/1\nhttp://a.example/2\n")
    words = [sys.executable, "-c", WITHOUT, *shlex.split(command)]
    places = {**os.environ, "PYTHONPATH": str(Path(linksight.__file__).parents[1])}
    done = subprocess.run(words, cwd=tmp_path, env=places, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r'Error: .* needs \w+: pip install "linksight\[(crawl|studio)\]"\n', done.stderr), (
        done.stderr
    )


def test_a_module_that_belongs_to_no_extra_stays_a_bug() -> None:
    assert extra_of("linksight.no_such") is None
    assert extra_of("twisted.internet") == ("scrapy", "crawl", "crawling and learning sites")


def test_a_command_that_does_not_exist_is_answered_with_the_nearest() -> None:
    done = CliRunner().invoke(main, ["detekt"])
    assert done.exit_code == 2
    assert "No such command 'detekt'. Did you mean 'detect'?" in done.stderr


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, "Error: here: No space left on device (free some space, or write elsewhere)\n"),
        (errno.EROFS, "Error: here: Read-only file system (write elsewhere, or make it writable)\n"),
        (errno.EISDIR, "Error: here: Is a directory\n"),
    ],
)
def test_what_the_disk_refuses_is_one_line(number: int, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number), "here")

    monkeypatch.setattr("linksight.cli.commands.languages._rows", refuse)
    done = CliRunner().invoke(main, ["languages"])
    assert done.exit_code == 1
    assert done.stderr == told


def test_every_command_has_help_with_an_example() -> None:
    for path, command in ALL.items():
        lines = [line.strip() for line in (command.help or "").splitlines()]
        examples = [line for line in lines if re.match(r"(.*\| )?linksight ", line)]
        assert any(path in line for line in examples), f"{path}: no example"


def _used(line: str) -> tuple[str, list[str]] | None:
    """The deepest command that a line calls and the words after it."""
    words = shlex.split(
        line.partition(" | ")[0]
        if line.startswith("linksight")
        else line.partition("| ")[2].partition(" | ")[0]
    )
    path = "linksight"
    rest = words[1:]
    while rest and f"{path} {rest[0]}" in ALL:
        path, rest = f"{path} {rest[0]}", rest[1:]
    return (path, rest) if words[:1] == ["linksight"] else None


def test_every_option_of_an_example_exists_and_every_choice_is_one() -> None:
    for line in "\n".join(command.help or "" for command in ALL.values()).splitlines():
        if not re.match(r"\s*(.*\| )?linksight \w+", line) or (found := _used(line.strip())) is None:
            continue
        check_words(*found)


def check_words(path: str, words: list[str]) -> None:
    """Fails where a word is an option that the command does not have, or a value that it does not take."""
    options = {
        name: option
        for option in ALL[path].params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    for at, word in enumerate(words):
        if word in (">", "<", "|", "&&"):
            break
        if not re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word):
            continue
        name = word.partition("=")[0]
        assert name in {*options, "-h", "--help", "--version"}, f"{path} has no {name}"
        option = options.get(name)
        if option is not None and isinstance(option.type, click.Choice) and at + 1 < len(words):
            assert words[at + 1] in option.type.choices, f"{path} {name} {words[at + 1]}"


def test_the_overview_names_every_command() -> None:
    done = CliRunner().invoke(main, ["--help"])
    assert all(re.search(rf"^  {name} ", done.stdout, re.MULTILINE) for name in COMMANDS)


ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(linksight [^`]*)`")


def _mentioned(text: str) -> list[str]:
    """Commands of a synopsis, a line each, and between backticks, which may run over the end of a line.

    Other blocks are run: tests/docs/test_examples.py.
    """
    lines = [
        line for kind, block in FENCED.findall(text) if kind == "synopsis" for line in block.splitlines()
    ]
    inline = [" ".join(found.split()) for found in INLINE.findall(FENCED.sub("", text))]
    return [
        found[0]
        for line in (*lines, *inline)
        if (found := re.search(r"(?<!\S)(?<!-n )linksight [a-z].*", line))
    ]


def test_every_command_that_a_page_mentions_exists_with_those_options() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    # The reference of the commands is made from the commands themselves.
    text = "\n\n".join(page.read_text() for page in pages if page.name != "commands.md")
    for line in _mentioned(text):
        words = re.sub(r"[\[\](){}…;,'\"]|\.\.\.", " ", line.split("   ")[0]).split()
        found, rest = "linksight", words[1:]
        while rest and f"{found} {rest[0]}" in ALL:
            found, rest = f"{found} {rest[0]}", rest[1:]
        assert found != "linksight" or "|" in words[1], f"no such command: {line}"
        check_words(found, rest)
