"""Shell completion: the script of each shell is there, and commands, options and values complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import linksight

#: shell -> how it is told what was typed so far ("linksight crawl re" with the cursor behind it)
TYPED = {
    "bash": {"COMP_WORDS": "linksight {words}", "COMP_CWORD": "{count}"},
    "zsh": {"COMP_WORDS": "linksight {words}", "COMP_CWORD": "{count}"},
    "fish": {"COMP_WORDS": "linksight {words}", "COMP_CWORD": "{last}"},
}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """A machine with ``linksight`` on its path."""
    program = tmp_path / "linksight"
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from linksight.cli import main; main(prog_name=\'linksight\')" "$@"\n'
    )
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(Path(linksight.__file__).parents[1])}


def _run(words: list[str], places: dict[str, str]) -> str:
    done = subprocess.run(words, env=places, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", TYPED)
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("cr", "crawl"),
        ("crawl re", "report"),
        ("detect --expl", "--explain"),
        ("site export --format sc", "scrapy"),
        ("detect --languages nl,f", "nl,fy"),
        ("crawl run -l fris", "fy"),
        ("crawl run -l dut", "dutch"),
        ("crawl run --strategy ada", "adaptive"),
        ("crawl replay -s random,bre", "random,breadth-first"),
        ("train -a mar", "markov"),
        ("reproduce table-v", "table-vii"),
    ],
)
def test_commands_options_and_values_complete(
    shell: str, words: str, wanted: str, places: dict[str, str]
) -> None:
    typed = words.split()
    told = {
        key: text.format(words=words, count=len(typed), last=typed[-1]) for key, text in TYPED[shell].items()
    }
    shown = _run(["linksight"], {**places, **told, "_LINKSIGHT_COMPLETE": f"{shell}_complete"})
    offered = {line.removeprefix("plain,").partition("\t")[0] for line in shown.splitlines()}
    assert wanted in offered, shown


FILES = [
    "detect -i u", "identify u", "site learn u", "site match p.json -i u", "site show --page u", "crawl run --patterns u",
    "crawl run --model u", "crawl run --labels u", "crawl run -i u", "train u", "evaluate u", "serve --store u",
]  # fmt: skip


@pytest.mark.parametrize("words", FILES)
def test_files_complete_wherever_one_may_be_given(words: str) -> None:
    from click.shell_completion import BashComplete

    from linksight.cli import main

    typed = words.split()
    found = BashComplete(main, {}, "linksight", "_LINKSIGHT_COMPLETE").get_completions(typed[:-1], typed[-1])
    assert [(item.type, item.value) for item in found] == [("file", "u")]


def test_a_list_does_not_offer_what_is_in_it() -> None:
    from click.shell_completion import BashComplete

    from linksight.cli import main

    shell = BashComplete(main, {}, "linksight", "_LINKSIGHT_COMPLETE")
    offered = {item.value for item in shell.get_completions(["detect", "--languages"], "nl,n")}
    assert "nl,no" in offered
    assert "nl,nl" not in offered
    tables = {item.value for item in shell.get_completions(["reproduce", "table-v"], "table-v")}
    assert tables == {"table-vi", "table-vii"}


SCRIPTS = {
    "bash": 'eval "$(_LINKSIGHT_COMPLETE=bash_source linksight)"; COMP_WORDS=(linksight cr); COMP_CWORD=1;'
    ' _linksight_completion linksight; echo "${COMPREPLY[@]}"',
    "zsh": 'autoload -U compinit; compinit -D; eval "$(_LINKSIGHT_COMPLETE=zsh_source linksight)"; whence -w _linksight_completion',
    "fish": "_LINKSIGHT_COMPLETE=fish_source linksight | source; complete -C 'linksight cr'",
}
ANSWERS = {"bash": "crawl", "zsh": "_linksight_completion: function", "fish": "crawl"}


@pytest.mark.parametrize("shell", [name for name in SCRIPTS if shutil.which(name)])
def test_the_line_of_the_page_works_in_the_real_shell(shell: str, places: dict[str, str]) -> None:
    assert ANSWERS[shell] in _run([shell, "-c", SCRIPTS[shell]], places)


def test_the_installation_page_shows_the_line_for_every_shell() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "install.md").read_text()
    assert all(f"_LINKSIGHT_COMPLETE={shell}_source linksight" in page for shell in SCRIPTS)
