"""What a person sees: colours, a table with names, progress; a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest


@pytest.fixture
def on_terminal(environment):
    """Runs ``linksight detect``, or another command, on a terminal of 100 columns; answers all that it showed."""

    def run(*arguments: object, command: str = "detect", status: int = 0) -> str:
        ours, theirs = pty.openpty()
        words = [sys.executable, "-m", "linksight", command, *map(str, arguments)]
        settings = environment | {"TERM": "xterm-256color", "COLUMNS": "100"}
        settings.pop("NO_COLOR", None)
        with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=settings) as process:
            os.close(theirs)
            shown = b"".join(iter(lambda: _read(ours), b""))
            assert process.wait(300) == status, shown
        os.close(ours)
        return shown.decode().replace("\r\n", "\n")

    return run


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end was closed
        return b""


def test_table_with_the_names_of_languages(on_terminal):
    shown = click.unstyle(
        on_terminal(
            "https://www.lemonde.fr/economie/", "http://www.zeitung.de/politik", "mailto:a@b", status=1
        )
    )
    assert "French" in shown
    assert "German" in shown
    assert "not a web address" in shown


def test_explained_url_is_coloured_character_by_character(on_terminal):
    shown = on_terminal("--explain", "https://www.lemonde.fr/economie/")
    first = shown.splitlines()[0]
    assert "\x1b[38;5;" in first
    assert click.unstyle(first) == "www.lemonde.fr/economie/"
    assert "evidence for French" in shown


def test_progress_shows_rows_and_rate(on_terminal, tmp_path: Path):
    (tmp_path / "t.txt").write_text("http://www.zeitung.de/politik\n" * 300)
    shown = click.unstyle(on_terminal("-i", tmp_path / "t.txt", "-o", tmp_path / "o.jsonl"))
    assert "300 rows" in shown
    assert "rows/s" in shown
    quiet = on_terminal("-i", tmp_path / "t.txt", "-o", tmp_path / "p.jsonl", "--quiet")
    assert quiet == ""


def test_parquet_is_not_shown_on_a_terminal(environment, tmp_path: Path):
    (tmp_path / "t.txt").write_text("http://www.zeitung.de/politik\n")
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "linksight",
        *"detect --format parquet -i".split(),
        str(tmp_path / "t.txt"),
    ]
    done = subprocess.run(
        command, stdout=theirs, stderr=subprocess.PIPE, text=True, env=environment, check=False, timeout=600
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert "give -o FILE" in done.stderr


def test_rows_of_a_file_have_a_heading_names_and_percentages(on_terminal, tmp_path: Path):
    (tmp_path / "t.txt").write_text("http://www.zeitung.de/politik\nmailto:a@b\n\n")
    shown = click.unstyle(on_terminal("-i", tmp_path / "t.txt", status=1))
    heading, first, second, third, *_ = shown.splitlines()
    assert heading.split() == ["language", "sure", "URL"]
    assert first.split()[:2] == ["de", "German"]
    assert first.split()[2].endswith("%")
    assert first.index("http") == heading.index("URL") == second.index("mailto")
    assert second.endswith("(not a web address (mailto:))")
    assert third.endswith("(empty)")


def test_pages_have_a_heading_and_names_and_no_bar_among_them(on_terminal, tmp_path: Path):
    text = "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren."
    for name, page in (("a.html", f"<p>{text}</p>"), ("b.html", "<p>1 2</p>")):
        (tmp_path / name).write_text(page)
    shown = on_terminal(tmp_path / "a.html", tmp_path / "b.html", command="identify")
    heading, first, second, counts = click.unstyle(shown).splitlines()
    assert heading.split() == ["language", "script", "encoding", "sure", "page"]
    assert first.split() == ["nl", "Dutch", "Latin", "ascii", "100.0%", str(tmp_path / "a.html")]
    assert second.split()[0] == "zxx"
    assert "-" in second.split()  # no share without a language
    assert counts == "1 nl, 1 zxx"


def test_a_language_is_told_in_lines_no_longer_than_the_terminal(on_terminal):
    shown = click.unstyle(on_terminal("nl", "fy", command="languages"))
    assert "Dutch" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_an_address_cannot_talk_to_the_terminal(on_terminal, tmp_path: Path):
    url = "http://www.zeitung.de/\x1b[2Jpolitik\u202e"
    (tmp_path / "t.txt").write_text(url + "\n")
    for shown in (on_terminal("-i", tmp_path / "t.txt"), on_terminal(url), on_terminal("--explain", url)):
        assert "\x1b[2J" not in shown
        assert "\u202e" not in shown
    assert "zeitung.de/\\x1b[2Jpolitik\\u202e" in click.unstyle(on_terminal("-i", tmp_path / "t.txt"))


def test_the_table_shows_the_runner_up_from_one_per_cent_on_and_the_strongest_words(on_terminal):
    shown = click.unstyle(on_terminal("https://www.lemonde.fr/economie/"))
    assert "0%," not in shown
    heading, first = shown.splitlines()
    assert heading.split() == ["language", "sure", "next", "because", "URL"]
    assert ".fr, economie" in first


def test_a_long_url_is_cut_in_the_middle(on_terminal):
    shown = click.unstyle(on_terminal(f"https://www.lemonde.fr/{'economie/' * 20}article.html"))
    assert len(shown.splitlines()) == 2
    assert "https://www.lemonde." in shown
    assert "…" in shown
    assert "article.html" in shown
