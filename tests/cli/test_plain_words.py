"""What the commands say: units, names that are explained, options that are not lost, finished work."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from linksight.cli import main


@pytest.fixture
def urls(tmp_path: Path) -> Path:
    path = tmp_path / "urls.txt"
    path.write_text("https://www.nu.nl/sport\nhttps://www.lemonde.fr/economie/\n")
    return path


def _run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# --- explanations -------------------------------------------------------------------------------


def test_the_rival_of_an_explanation_is_the_second_candidate() -> None:
    lines = _run("detect", "--explain", "--format", "table", "https://www.nu.nl/sport").stdout.splitlines()
    candidates = [line.split()[0] for line in lines if line.startswith("  ") and "%" in line]
    told = next(line for line in lines if line.startswith("evidence for"))
    assert candidates[:2] == ["nl", "en"]
    assert told.startswith("evidence for Dutch over English ")
    assert "doubles the odds" in told


def test_an_explanation_has_words_instead_of_codes() -> None:
    shown = _run("detect", "--explain", "--format", "table", "https://www.nu.nl/a-3/").stdout
    assert " nl/1" not in shown
    assert "top-level domain, with a path .nl" in shown


@pytest.mark.parametrize(
    "url", ["https://www.nu.nl/sport", "https://example.com/a", "https://xn--e1afmkfd.example/"]
)
def test_the_order_of_an_explanation_is_that_of_the_candidates(url: str) -> None:
    import linksight

    model = linksight.load()
    told = model.explain(url)
    order = [told.languages[k] for k in told.order]
    candidates = [code for code, _ in model.detect(url).candidates]
    assert order[: len(candidates)] == candidates


# --- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["detect"], ["site", "match", "{patterns}"]])
def test_a_column_given_twice_is_an_error(words: list[str], urls: Path, tmp_path: Path) -> None:
    patterns = tmp_path / "p.json"
    patterns.write_text("{}")
    given = [word.format(patterns=patterns) for word in words]
    done = _run(*given, "-i", urls, "--column", "a", "--column", "b")
    assert done.exit_code == 2
    assert "given 2 times: a, b" in done.stderr


def test_resume_of_what_is_finished_says_so_and_is_no_error(urls: Path, tmp_path: Path) -> None:
    output = tmp_path / "o.csv"
    assert _run("detect", "-i", urls, "-o", output).exit_code == 0
    before = output.read_bytes()
    again = _run("detect", "-i", urls, "-o", output, "--resume")
    assert again.exit_code == 0
    assert "finished by an earlier run" in again.stderr
    assert output.read_bytes() == before
    assert _run("detect", "-i", urls, "-o", output).exit_code == 1
    assert _run("detect", "-i", urls, "-o", urls, "--resume", "--format", "csv").exit_code == 1  # the input


@pytest.mark.parametrize("words", [["train"], ["evaluate"], ["identify"], ["site", "learn"]])
def test_commands_that_replace_their_output_say_so(words: list[str]) -> None:
    assert "replace" in _run(*words, "--help").stdout


# --- counts -------------------------------------------------------------------------------------


def test_one_row_is_no_rows(tmp_path: Path) -> None:
    one = tmp_path / "one.txt"
    one.write_text("https://www.nu.nl/sport\n")
    assert _run("detect", "-i", one, "--format", "csv").stderr == "1 row: nl 1\n"
    one.write_text("https://www.nu.nl/sport\nhttps://www.nu.nl/weer\n")
    assert _run("detect", "-i", one, "--format", "csv").stderr == "2 rows: nl 2\n"


def test_one_pattern_is_no_patterns(tmp_path: Path) -> None:
    one = tmp_path / "one.txt"
    one.write_text("https://www.nu.nl/sport\n")
    told = _run("site", "learn", one, "-o", tmp_path / "p.json").stderr
    assert "1 pattern from 1 URL " in told
    assert "1 hubs" not in told
    bad = _run("site", "match", tmp_path / "p.json", "mailto:a@b.nl", "https://www.nu.nl/x").stderr
    assert "1 is no web address" in bad


def test_one_language_is_no_languages() -> None:
    assert _run("languages", "nl").stderr.startswith("1 language:")
    assert _run("languages", "nl", "fy").stderr.startswith("2 languages:")
