"""Commands whose standard streams are closed, of an old encoding, or named like files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import linksight

RUSSIAN = "http://www.example.ru/новости/😀"
LINKSIGHT = f"'{sys.executable}' -m linksight"


def run(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    found_at = {"PYTHONPATH": str(Path(linksight.__file__).parents[1])}
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        check=False,
        env=os.environ | found_at | environment,
        timeout=120,
    )


@pytest.mark.parametrize("coding", ["latin-1", "ascii", "cp1252"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "table"])
def test_data_are_utf_8_whatever_the_locale(coding, form):
    done = run(f"{LINKSIGHT} detect '{RUSSIAN}' --format {form}", PYTHONIOENCODING=coding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert RUSSIAN in done.stdout.decode()


@pytest.mark.parametrize("closing", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_error(closing):
    done = run(f"{LINKSIGHT} detect {RUSSIAN} {closing}")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_standard_input_has_no_rows():
    done = run(f"{LINKSIGHT} detect -i - --format csv <&-")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


def test_a_file_opened_later_does_not_take_the_messages(tmp_path):
    (tmp_path / "urls.txt").write_text("http://a.nl/\nnonsense\n")
    done = run(f"cd '{tmp_path}' && {LINKSIGHT} detect -i urls.txt -o found.jsonl 2>&- >&-")
    assert done.returncode == 1  # one row has a problem
    lines = (tmp_path / "found.jsonl").read_text().splitlines()
    assert [json.loads(line)["url"] for line in lines] == ["http://a.nl/", "nonsense"]


@pytest.mark.parametrize(
    "command",
    [
        "detect -i urls.txt -o /dev/stdout --format jsonl -q | cat",
        "detect -i urls.txt -o /dev/stdout -q | cat",
        "detect -i urls.txt -o - -q | cat",
        "identify page.html -o /dev/stdout -q | cat",
        "identify page.html -o >(cat) --format jsonl -q | cat",
        "detect -i urls.txt -o >(cat) --format jsonl -q | cat",
    ],
)
def test_what_a_shell_makes_of_a_pipe_is_written_to(tmp_path, command):
    (tmp_path / "urls.txt").write_text("http://a.nl/\n")
    (tmp_path / "page.html").write_text("<p>x")
    done = run(f"cd '{tmp_path}' && {LINKSIGHT} {command}")
    assert done.stderr == b""
    assert b'"language"' in done.stdout


def odd(folder: Path, ending: str) -> Path:
    """A name that is not UTF-8, as archives of another time have them."""
    return Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9" + ending.encode()))


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet", ".jsonl.gz"])
def test_a_name_that_is_not_utf_8_is_read_and_written(tmp_path, ending):
    odd(tmp_path, ".txt").write_text("http://a.nl/\n")
    done = run(f"cd '{tmp_path}' && {LINKSIGHT} detect -i caf*.txt -o $'caf\\xe9{ending}'")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert odd(tmp_path, ending).stat().st_size
    again = run(f"cd '{tmp_path}' && {LINKSIGHT} detect -i caf*{ending} --prefix x_ --format jsonl")
    assert (again.returncode, b"http://a.nl/" in again.stdout) == (0, True)


@pytest.mark.parametrize("form", ["jsonl", "csv", "table"])
@pytest.mark.parametrize("to", ["-o told", "> told"])
def test_pages_of_such_a_name_are_labelled(tmp_path, form, to):
    odd(tmp_path, ".html").write_text(
        "<p>Dit is een gewone zin in het Nederlands, en nog een paar woorden erbij."
    )
    done = run(f"cd '{tmp_path}' && {LINKSIGHT} identify --format {form} caf*.html {to}", LC_ALL="C.UTF-8")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    text = (tmp_path / "told").read_text("utf-8")
    page = json.loads(text)["page"] if form == "jsonl" else text
    assert "caf\\udce9.html" in page


def test_archives_of_such_a_name_are_labelled(tmp_path):
    odd(tmp_path, ".html").write_text(
        "<p>Dit is een gewone zin in het Nederlands, en nog een paar woorden erbij."
    )
    done = run(f"cd '{tmp_path}' && {LINKSIGHT} identify caf*.html --into labels --processes 1")
    assert (done.returncode, b"1 nl" in done.stderr) == (0, True)
