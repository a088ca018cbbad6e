"""What -o may replace: never an input, and by `train` nothing but a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from linksight.cli import main

TOUCHED = "is an input file; choose another output"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        row for i in range(30) for row in (f"https://krant{i}.nl/nieuws,nl", f"https://zeitung{i}.de/neu,de")
    ]
    Path("labelled.csv").write_text("url,language\n" + "\n".join(rows) + "\n")
    Path("urls.txt").write_text("".join(f"https://books.example/item/{i}\n" for i in range(40)))
    Path("page.csv").write_text("<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.")
    Path("words.txt").write_text("skoalle\nnijs\nfrysk\n")
    return tmp_path


def _run(line: str) -> Result:
    return CliRunner().invoke(main, line.split())


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("train labelled.csv -o labelled.csv", "labelled.csv"),
        ("train labelled.csv -o ./same.csv", "labelled.csv"),
        ("train --extend --words words.txt -l fy -o words.txt", "words.txt"),
        ("evaluate bundled labelled.csv -o labelled.csv", "labelled.csv"),
        ("evaluate bundled labelled.csv --json labelled.csv", "labelled.csv"),
        ("identify page.csv -o page.csv", "page.csv"),
        ("site learn urls.txt -o urls.txt", "urls.txt"),
        ("site match patterns.json -i urls.txt -o urls.txt", "urls.txt"),
        ("site match patterns.json -i urls.txt -o patterns.json", "patterns.json"),
        ("site export patterns.json --format regex -o patterns.json", "patterns.json"),
        ("site show patterns.json --format json -o patterns.json", "patterns.json"),
        ("bench urls --url-data labelled.csv -o labelled.csv", "labelled.csv"),
        ("detect -i urls.txt --format csv -o urls.txt --overwrite", "urls.txt"),
    ],
)
def test_no_command_writes_over_what_it_reads(here: Path, line: str, name: str) -> None:
    assert _run("site learn urls.txt -o patterns.json --quiet").exit_code == 0
    Path("same.csv").symlink_to("labelled.csv")
    before = Path(name).read_bytes()
    told = _run(line)
    assert (told.exit_code, Path(name).read_bytes()) == (1, before), told.output
    assert TOUCHED in told.stderr


def test_a_model_is_replaced_and_that_is_said(here: Path) -> None:
    first, second = (_run("train labelled.csv -o model -a nb") for _ in range(2))
    assert "wrote model" in first.stderr
    assert "replaced model" in second.stderr
    third = _run("train --extend --words words.txt -l fy --model model2 -o model2")
    assert third.exit_code == 1  # there is no such model to start from, and none is written
    assert not Path("model2").exists()


def test_a_file_that_is_no_model_is_kept(here: Path) -> None:
    told = _run("train labelled.csv -o page.csv")
    assert told.exit_code == 1
    assert "page.csv: exists and is not a model" in told.stderr
    assert Path("page.csv").read_text().startswith("<p>")
    Path("empty").touch()  # as a script makes one to have the name
    assert _run("train labelled.csv -o empty -a nb").exit_code == 0


def test_an_option_for_the_output_is_never_ignored(here: Path) -> None:
    assert _run("site learn urls.txt -o patterns.json --quiet").exit_code == 0
    for line in ("site show patterns.json -o t.txt", "site show patterns.json --languages -o t.txt"):
        told = _run(line)
        assert told.exit_code == 2
        assert "-o goes with" in told.stderr


@pytest.mark.parametrize("option", ["-o", "--json", "--plot"])
def test_a_place_that_is_not_there_is_told_before_the_work(here: Path, option: str) -> None:
    told = _run(f"bench urls --url-data labelled.csv {option} nowhere/figures")
    assert told.exit_code == 1
    assert "no such folder" in told.stderr
