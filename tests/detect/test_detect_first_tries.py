"""What people try first with lists of URLs, and what they are told."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.mark.parametrize("name", ["URL", "Url", " url "])
def test_a_column_named_url_in_any_case_is_the_column(run, tmp_path, name):
    (tmp_path / "t.csv").write_text(f"id,{name}\n1,https://www.nu.nl/sport\n")
    (tmp_path / "t.jsonl").write_text(json.dumps({"id": 1, name: "https://www.nu.nl/sport"}) + "\n")
    for source in ("t.csv", "t.jsonl"):
        found = run("-i", tmp_path / source, "--format", "csv")
        assert found.is_done, found.stderr
        assert [row["language"] for row in csv.DictReader(io.StringIO(found.stdout))] == ["nl"]


def test_url_itself_goes_before_other_cases_and_two_cases_are_a_question(run, tmp_path):
    (tmp_path / "t.csv").write_text("URL,url\nhttps://www.lemonde.fr/,https://www.nu.nl/sport\n")
    assert ",nl," in run("-i", tmp_path / "t.csv", "--format", "csv").stdout.replace('"', "")
    (tmp_path / "two.csv").write_text("URL,Url\nhttps://www.lemonde.fr/,https://www.nu.nl/sport\n")
    assert "choose one with --column: URL, Url" in run("-i", tmp_path / "two.csv").stderr


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ('[{"url": "https://www.nu.nl/"}, {"url": "https://www.lemonde.fr/"}]', "jq -c '.[]'"),
        ('[\n  {\n    "url": "https://www.nu.nl/"\n  }\n]\n', "jq -c '.[]'"),
        ('["https://www.nu.nl/",\n "https://www.lemonde.fr/"]', "jq -r '.[]'"),
    ],
)
def test_one_json_array_is_refused_with_the_step_that_makes_lines_of_it(run, tmp_path, text, how):
    (tmp_path / "t.json").write_text(text)
    refused = run("-i", tmp_path / "t.json", "-o", tmp_path / "o.csv")
    assert (refused.exit_code, (tmp_path / "o.csv").exists()) == (1, False)
    assert f"one JSON array, where each line is a row; make lines of it with: {how}" in refused.stderr


def test_an_array_among_lines_is_a_row_with_a_problem(run, tmp_path):
    (tmp_path / "t.jsonl").write_text('["a"]\n{"url": "https://www.nu.nl/"}\n')
    done = run("-i", tmp_path / "t.jsonl")
    assert [json.loads(line)["language"] for line in done.stdout.splitlines()] == ["und", "nl"]


def test_a_dash_alone_is_told_how_standard_input_is_given(run):
    refused = run("-")
    assert (refused.exit_code, "-i -" in refused.stderr) == (2, True)


def test_one_language_alone_is_remarked_upon(run):
    told = run("--languages", "Dutch", "https://www.lemonde.fr/")
    assert json.loads(told.stdout)["language"] == "nl"
    assert "only nl is considered, so every URL is nl" in told.stderr
    assert run("--languages", "nl", "https://www.lemonde.fr/", "--quiet").stderr == ""
    assert run("--languages", "nl,fr", "https://www.lemonde.fr/").stderr == ""


@pytest.mark.parametrize(("name", "head"), [("t.txt", b""), ("t.csv", b"url\n")])
def test_a_list_in_another_encoding_is_remarked_upon(run, tmp_path, name, head):
    lines = b"https://www.nu.nl/\nhttps://www.m\xfcller.de/\xfcber\nhttps://www.m\xc3\xbcller.de/\n"
    (tmp_path / name).write_bytes(head + lines)
    told = run("-i", tmp_path / name, "-o", tmp_path / "o.jsonl")
    assert told.is_done
    assert "not in its encoding 1" in told.stderr
    assert f"{tmp_path / name}: some bytes could not be decoded; give the encoding" in told.stderr
    (tmp_path / name).write_bytes(head + lines.decode("latin-1").encode())
    assert "encoding" not in run("-i", tmp_path / name, "-o", tmp_path / "p.jsonl").stderr


@pytest.mark.parametrize("pack", [None, "gzip", "zstd", "bz2"])
@pytest.mark.parametrize(
    "text",
    [
        b'{"id": 1, "url": "https://www.nu.nl/sport"}\n',
        b"id,url\n1,https://www.nu.nl/sport\n",
        b'"id";"URL"\r\n1;https://www.nu.nl/sport\r\n',
        b"\xef\xbb\xbfurl\tid\nhttps://www.nu.nl/sport\t1\n",
        b"https://www.nu.nl/sport\n",
    ],
)
def test_what_a_list_without_a_telling_name_holds_is_seen_by_its_first_line(run, tmp_path, text, pack):
    import pyarrow as pa

    data = pa.Codec(pack).compress(text, asbytes=True) if pack in ("gzip", "zstd") else text
    data = bz2.compress(text) if pack == "bz2" else data
    for name in ("export", "export.txt"):
        (tmp_path / name).write_bytes(data)
        assert _languages(run("-i", tmp_path / name, "--format", "csv")) == ["nl"]
    assert _languages(run("-i", "-", "--format", "csv", stdin=data)) == ["nl"]


def test_a_long_packed_pipe_is_read_from_its_beginning(run):
    text = "id,url\n" + "".join(f"{i},https://www.nu.nl/sport/{i * 7919 % 100_003}\n" for i in range(90_000))
    found = run("-i", "-", "--format", "csv", stdin=bz2.compress(text.encode()))
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert [int(row["id"]) for row in rows] == list(range(90_000))


def test_a_list_of_addresses_with_commas_stays_a_list(run, tmp_path):
    (tmp_path / "t.txt").write_text("https://www.nu.nl/a,url,b\nhttps://www.nu.nl/c,d\n")
    assert _languages(run("-i", tmp_path / "t.txt", "--format", "csv")) == ["nl", "nl"]


def _languages(found) -> list[str]:
    assert found.is_done, found.stderr
    return [row["language"] for row in csv.DictReader(io.StringIO(found.stdout))]


def rows(text: str) -> list[tuple[str, str, str]]:
    return [(row["url"], row["language"], row["problem"]) for row in csv.DictReader(io.StringIO(text))]


@pytest.mark.parametrize("header", ["url", "URL", '"url"'])
@pytest.mark.parametrize("given", ["file", "pipe"])
def test_a_list_of_one_column_has_its_header_and_addresses_with_delimiters(run, tmp_path, header, given):
    text = f'{header}\nhttps://www.nu.nl/sport,1.html\nhttps://www.nu.nl/a;b\n"https://www.nu.nl/c,d"\n'
    (tmp_path / "t.csv").write_text(text)
    found = run("-i", tmp_path / "t.csv" if given == "file" else "-", "--format", "csv", stdin=text)
    assert [row[:2] for row in rows(found.stdout.replace("URL,", "url,"))] == [
        ("https://www.nu.nl/sport,1.html", "nl"),
        ("https://www.nu.nl/a;b", "nl"),
        ("https://www.nu.nl/c,d", "nl"),
    ]
    assert "could not be used" not in found.stderr


@pytest.mark.parametrize("text", ["url,title\n", "url,title", "url,title\n\n\n"])
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_table_without_rows_is_a_table_without_rows(run, tmp_path, text, form):
    (tmp_path / "t.csv").write_text(text)
    found = run("-i", tmp_path / "t.csv", "-o", tmp_path / f"o.{form}")
    assert (found.exit_code, found.stderr) == (0, "0 rows\n")
    if form == "csv":
        assert (tmp_path / "o.csv").read_text() == "url,title,language,probability,problem\n"


@pytest.mark.parametrize("text", ["[]", " [ ]\n"])
def test_an_empty_json_array_is_no_row(run, tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    for given, stdin in ((tmp_path / "t.json", None), ("-", text)):
        refused = run("-i", given, stdin=stdin)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "a JSON array with no rows in it" in refused.stderr


def test_reasons_are_given_where_they_are_asked_for(run):
    plain, explained = (
        json.loads(run("https://www.lemonde.fr/economie/", "--format", "jsonl", *more).stdout)
        for more in ((), ("--explain",))
    )
    assert plain["reasons"] == []
    assert explained["reasons"][0][:2] == ["t:fr", "fr"]


def test_an_open_quotation_mark_is_told_with_the_lines_that_it_holds(run, tmp_path):
    lines = ["url,title", "https://www.nu.nl/a,1", '"https://www.nu.nl/b,2', "https://www.nu.nl/c,3"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "one.csv").write_text("\n".join(["url", *lines[1:3], *(["https://www.nu.nl/c"] * 5), 'x"']))
    found = run("-i", tmp_path / "t.csv", "--format", "csv")
    assert [row[1:] for row in rows(found.stdout)] == [
        ("nl", ""),
        ("und", "quotation mark not closed (2 lines)"),
    ]
    assert "1 could not be used: quotation mark not closed 1" in found.stderr
    assert "quotation mark not closed (7 lines)" in run("-i", tmp_path / "one.csv", "--format", "csv").stdout


def test_line_breaks_in_other_columns_and_within_an_address_are_no_matter(run, tmp_path):
    text = 'url,note\n"https://www.nu.nl/\nsport","see\nhttps://www.lemonde.fr/"\n'
    (tmp_path / "t.csv").write_text(text)
    assert [row[1:] for row in rows(run("-i", tmp_path / "t.csv", "--format", "csv").stdout)] == [("nl", "")]


@pytest.mark.parametrize(
    "given", [["nl,fy"], ["nl", "fy"], ["Dutch", "Western Frisian"]], ids=lambda given: "+".join(given)
)
def test_languages_may_be_given_together_or_one_by_one(run, given):
    words = [word for one in given for word in ("--languages", one)]
    answer = json.loads(run("https://www.krante.example/", *words, "--format", "jsonl").stdout)
    assert answer["language"] in ("nl", "fy")
    assert answer["probability"] < 1


def test_base_rates_may_be_given_one_by_one(run):
    pieces = ["--priors", "fy=0.9", "--priors", "nl=0.05"]
    one, other = (
        run("https://www.krante.example/", *words, "--format", "csv").stdout
        for words in (pieces, ["--priors", "fy=0.9,nl=0.05"])
    )
    assert one == other


@pytest.mark.parametrize(
    "text", ["\n\nurl,note\n", "\r\n \r\nurl,note\r\n", "\ufeff\nurl,note\n", "\nsep=,\n\nurl,note\n"]
)
def test_empty_lines_before_the_header_are_passed_over(run, tmp_path, text):
    (tmp_path / "t.csv").write_text(text + "https://www.nu.nl/sport,1\n", encoding="utf-8", newline="")
    found = run("-i", tmp_path / "t.csv", "--format", "csv")
    assert (found.exit_code, [row[1] for row in rows(found.stdout)]) == (0, ["nl"])


@pytest.mark.parametrize("given", ["lines", "gzip", "csv", "parquet"])
def test_a_pipe_by_name_is_read_whole(tmp_path, given):
    # As a shell makes one of: linksight detect -i <(zcat urls.txt.gz)
    lines = [f"https://www.nu.nl/sport/{n}" for n in range(300)]
    data = "\n".join(["id;url", *(f"1;{line}" for line in lines)] if given == "csv" else lines).encode()
    if given == "parquet":
        pq.write_table(pa.table({"url": lines}), tmp_path / "t")
        data = (tmp_path / "t").read_bytes()
    read, write = os.pipe()
    os.write(write, gzip.compress(data) if given == "gzip" else data)  # it holds that much without a reader
    os.close(write)
    words = [sys.executable, "-m", "linksight", "detect", "-i", f"/dev/fd/{read}", "--format", "csv"]
    done = subprocess.run(words, capture_output=True, text=True, pass_fds=[read], check=False)
    os.close(read)
    assert (done.returncode, done.stderr) == (0, "300 rows: nl 300\n")
    assert [row[0] for row in rows(done.stdout)] == lines


def test_a_dash_as_output_is_standard_output(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = run("https://www.nu.nl/sport", "--format", "csv").stdout
    assert run("https://www.nu.nl/sport", "--format", "csv", "-o", "-").stdout == wanted
    assert not list(tmp_path.iterdir())


def test_a_batch_system_that_ends_a_run_leaves_word_of_how_to_go_on(run, tmp_path, monkeypatch):
    def ended(self, **_):
        raise SystemExit(143)

    monkeypatch.setattr("linksight.bulk.job.Job.run", ended)
    monkeypatch.setattr("linksight.bulk.job.Job.finished_rows", lambda self: 7)
    (tmp_path / "t.txt").write_text("https://www.nu.nl/\n")
    stopped = run("-i", tmp_path / "t.txt", "-o", tmp_path / "o.csv")
    assert stopped.exit_code == 143
    assert "stopped; 7 rows are done and kept in" in stopped.stderr
    assert run("-i", tmp_path / "t.txt", "-o", tmp_path / "o.csv", "--quiet").stderr == ""
