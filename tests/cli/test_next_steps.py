"""What somebody may mean who gives a command the wrong thing, and the step that they are told."""

from __future__ import annotations

import csv
import gzip
import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import linksight
from linksight.cli import main

PAGE = "<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


# --- identify -----------------------------------------------------------------------------------


def test_labels_are_written_as_the_name_says(here: Path) -> None:
    assert run("identify", "page.html", "-o", "labels.csv").exit_code == 0
    rows = list(csv.DictReader((here / "labels.csv").read_text().splitlines()))
    assert [(row["page"], row["language"]) for row in rows] == [("page.html", "nl")]
    for name in ("labels.jsonl", "labels"):
        assert run("identify", "page.html", "--out", name).exit_code == 0
        assert json.loads((here / name).read_text())["language"] == "nl"
    assert run("identify", "page.html", "-o", "all.csv", "--format", "jsonl").exit_code == 0
    assert json.loads((here / "all.csv").read_text())["language"] == "nl"


@pytest.mark.parametrize("name", ["labels.xlsx", "labels.csv.gz", "labels.parquet.gz"])
def test_a_name_of_labels_that_tells_no_format_is_refused(here: Path, name: str) -> None:
    done = run("identify", "page.html", "-o", name)
    assert done.exit_code == 2
    assert ".jsonl, .ndjson, .json, .csv or .parquet" in done.stderr
    assert not (here / name).exists()


def test_a_list_of_addresses_given_for_a_page_is_told_its_command(here: Path) -> None:
    (here / "urls.txt.gz").write_bytes(
        gzip.compress(b"https://www.nu.nl/sport\nhttps://www.bbc.co.uk/news\n")
    )
    done = run("identify", "urls.txt.gz")
    assert "linksight detect -i urls.txt.gz" in done.stderr
    assert json.loads(done.stdout)["language"] == "zxx"
    assert run("identify", "page.html").stderr == ""


def test_damage_in_a_packed_file_is_told_in_words(here: Path) -> None:
    body = PAGE * 400
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.nl/\r\nContent-Length: {len(http)}\r\n"
    )
    kind = "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\r\n"
    packed = bytearray(gzip.compress(f"{head}{kind}{http}\r\n\r\n".encode()))
    packed[-6] ^= 255  # the checksum
    (here / "a.warc.gz").write_bytes(packed)
    done = run("identify", "a.warc.gz", "--format", "csv")
    assert done.exit_code == 1
    assert "cannot be unpacked" in done.stdout
    assert "Error -3" not in done.stdout + done.stderr


# --- languages ----------------------------------------------------------------------------------


def test_a_language_that_no_model_knows_is_named_as_it_was_typed(here: Path) -> None:
    done = run("detect", "http://a.nl/", "--languages", "nl,klingon")
    assert done.exit_code == 1
    assert "does not know Klingon (tlh), see `linksight languages`: 'klingon'" in done.stderr


def test_languages_that_no_model_knows_do_not_vanish() -> None:
    done = run("languages", "nederlands", "klingon")
    assert done.exit_code == 1
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["nl"]
    assert "klingon: known to no bundled model" in done.stderr
    assert run("languages", "nederlands").exit_code == 0


def test_a_language_of_pages_alone_is_not_said_to_be_unknown_everywhere() -> None:
    done = run("languages", "--model", "urls", "hsb")
    assert done.exit_code == 1
    assert "hsb: not known to the bundled model of URLs; teach one with" in done.stderr
    assert (
        "klingon: not known to the bundled model of pages\n"
        in run("languages", "--model", "pages", "klingon").stderr
    )


# --- detect and serve ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nope.csv", "lists/urls.txt.gz", "x.parquet"])
def test_the_name_of_a_file_that_is_not_there_is_told_how_files_are_given(here: Path, name: str) -> None:
    done = run("detect", name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{name}: not a URL, and no such file; a file is given with -i" in done.stderr


def test_a_port_that_is_taken_is_told_the_way_out(here: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = run("serve", "--port", str(other.getsockname()[1]))
    assert done.exit_code == 1
    assert "--port 0 takes any free port" in done.stderr


def test_many_lists_given_for_pages_are_told_the_other_command_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name in ("a.txt", "b.txt", "folder/c.txt"):
        Path(name).write_text("https://www.nu.nl/sport\nhttps://www.bbc.co.uk/news\n" * 40)
    done = CliRunner().invoke(main, ["identify", "folder", "a.txt", "b.txt"])
    assert (done.exit_code, done.stderr.count("linksight detect -i"), done.stderr.count("-i a.txt")) == (
        0,
        1,
        1,
    )


def test_an_empty_name_is_not_the_folder_where_a_command_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<p>Alle mensen worden vrij en gelijk geboren.")
    done = CliRunner().invoke(main, ["identify", ""])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "'': no name of a file or folder" in done.stderr


def test_a_pipe_into_detect_without_a_word_is_told_how_it_is_read():
    done = CliRunner().invoke(main, ["detect"], input="https://www.nu.nl/\n")
    assert (done.exit_code, "standard input is -i -" in done.stderr) == (2, True)


def test_patterns_given_for_classes_are_told_what_classes_are(tmp_path):
    hubs = [[f"http://shop.example/item/{20 * hub + i}" for i in range(20)] for hub in range(5)]
    linksight.learn_patterns(hubs).save(tmp_path / "p.json")
    done = CliRunner().invoke(main, ["site", "evaluate", str(tmp_path / "p.json")])
    assert (done.exit_code, "p.json holds patterns; CLASSES assigns" in done.stderr) == (2, True)
