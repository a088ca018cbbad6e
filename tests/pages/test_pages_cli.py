"""``linksight identify`` and ``linksight languages``."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from linksight.cli import main

DUTCH = b"<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"
GREEK = "<p>Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.</p>".encode("cp1253")


def run(*arguments: str, **options):
    return CliRunner().invoke(main, ["identify", *arguments], **options)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.html").write_bytes(DUTCH)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.html").write_bytes(GREEK)
    return tmp_path


def test_a_folder_gives_a_line_for_every_file(folder):
    result = run(str(folder), "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["language"], row["encoding"]) for row in rows] == [("nl", "ascii"), ("el", "windows-1253")]
    assert "1 nl" in result.stderr


@pytest.mark.parametrize(
    ("ending", "unpacker"), [("zst", "zstd -d"), ("bz2", "bunzip2"), ("xz", "unxz"), ("wet.zst", "zstd -d")]
)
def test_a_warc_file_packed_in_another_way_is_told_how_to_unpack_it(tmp_path, ending, unpacker):
    (tmp_path / f"a.warc.{ending}").write_bytes(b"(\xb5/\xfd" + bytes(range(200)))
    result = run(str(tmp_path / f"a.warc.{ending}"), "--format", "jsonl")
    row = json.loads(result.stdout)
    assert (result.exit_code, row["language"]) == (1, None)
    assert row["problem"].endswith(f"unpack it first, by {unpacker}")


def test_a_table_is_a_line_a_page_whatever_the_files_are_called(tmp_path):
    (tmp_path / "new\nline.html").write_bytes(DUTCH)
    result = run(str(tmp_path), "--format", "table", "-q")
    assert len(result.stdout.splitlines()) == 1


def test_standard_input_is_a_page():
    assert json.loads(run("-", "--format", "jsonl", "-q", input=DUTCH).stdout)["language"] == "nl"


def test_csv_has_a_header_and_goes_to_a_file(folder):
    out = folder / "out.csv"
    assert run(str(folder / "a.html"), "--format", "csv", "-o", str(out)).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert rows[0]["language"] == "nl"
    assert not list(folder.glob(".*"))


def test_the_table_names_language_script_and_encoding(folder):
    assert run(str(folder / "a.html"), "--format", "table").stdout.split()[:3] == ["nl", "Latn", "ascii"]


def test_a_missing_file_is_one_line_on_stderr():
    result = run("no/such/file.html")
    assert result.exit_code == 1
    assert result.stderr.strip() == "Error: no/such/file.html: no such file or folder"


def test_of_several_files_a_missing_one_is_a_row_and_the_others_are_read(folder):
    result = run("no/such/file.html", str(folder / "a.html"), "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["language"], row.get("problem")) for row in rows] == [
        (None, "no such file or folder"),
        ("nl", None),
    ]
    assert result.exit_code == 1  # a script shall know


def test_every_response_of_a_warc_file_is_labelled(tmp_path):
    warcio = pytest.importorskip("warcio")
    path = tmp_path / "crawl.warc.gz"
    ask = b"GET / HTTP/1.1\r\n\r\n"
    with path.open("wb") as stream:
        writer = warcio.WARCWriter(stream, gzip=True)
        for url, body in (("http://a.example/", DUTCH), ("http://b.example/", GREEK)):
            headers = warcio.StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    url, "response", payload=io.BytesIO(body), length=len(body), http_headers=headers
                )
            )
            writer.write_record(
                writer.create_warc_record(url, "request", payload=io.BytesIO(ask), length=len(ask))
            )
    rows = [json.loads(line) for line in run(str(path), "--format", "jsonl").stdout.splitlines()]
    assert [(row["url"], row["language"]) for row in rows] == [
        ("http://a.example/", "nl"),
        ("http://b.example/", "el"),
    ]


def archive(path):
    """A WARC file of one response of status 404 and one page that names no language."""
    warcio = pytest.importorskip("warcio")
    with path.open("wb") as stream:
        writer = warcio.WARCWriter(stream, gzip=True)
        for url, status, body in (
            ("http://a.example/", "404 Not Found", DUTCH),
            ("http://b.example/", "200 OK", b"<p>1 2"),
        ):
            headers = warcio.StatusAndHeaders(
                status, [("Content-Type", "text/HTML; charset=utf-8")], protocol="HTTP/1.1"
            )
            writer.write_record(
                writer.create_warc_record(
                    url, "response", payload=io.BytesIO(body), length=len(body), http_headers=headers
                )
            )


def test_formats_have_the_same_columns_and_what_the_archive_knows_of_a_page(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    archive(path)
    for name in ("rows.parquet", "rows.csv", "rows.jsonl"):
        assert run(str(path), "-q", "-o", str(tmp_path / name)).exit_code == 0
    table = pq.read_table(tmp_path / "rows.parquet")
    rows = table.to_pylist()
    first = {
        name: rows[0][name] for name in ("url", "status", "mime_type", "language", "reliable", "problem")
    }
    assert first == {
        "url": "http://a.example/",
        "status": "404",
        "mime_type": "text/html",
        "language": "nl",
        "reliable": True,
        "problem": None,
    }
    assert rows[0]["digest"].startswith("sha1:")
    assert rows[0]["date"].startswith("20")
    assert (rows[1]["language"], rows[1]["confidence"], rows[1]["reason"]) == ("zxx", None, "no letters")
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert next(csv.reader(file)) == table.column_names
    for line, row in zip((tmp_path / "rows.jsonl").read_text().splitlines(), rows, strict=True):
        found = json.loads(line)
        assert list(found)[: len(row)] == table.column_names
        assert {name: found[name] for name in row if name != "confidence"} == {
            name: value for name, value in row.items() if name != "confidence"
        }
    assert run(str(path), "-q", "--into", str(tmp_path / "labels")).exit_code == 0
    assert pq.read_table(tmp_path / "labels/crawl.warc.gz.parquet").drop(["path"]).to_pylist() == rows


def test_parquet_is_not_written_to_standard_output(folder):
    result = run(str(folder / "a.html"), "--format", "parquet")
    assert (result.exit_code, "name a file with -o" in result.stderr) == (2, True)


def test_a_damaged_warc_file_is_counted_and_named(tmp_path):
    pytest.importorskip("warcio")
    (tmp_path / "bad.warc.gz").write_bytes(b"\x1f\x8b\x08\0nonsense")
    result = run(str(tmp_path / "bad.warc.gz"), "--format", "jsonl")
    assert result.exit_code == 1
    assert "damaged" in result.stdout


def test_other_methods_can_be_asked_for(folder):
    assert (
        json.loads(run(str(folder / "a.html"), "--method", "chew2011", "--format", "jsonl", "-q").stdout)[
            "language"
        ]
        == "nl"
    )


def test_languages_lists_what_each_was_trained_on():
    result = CliRunner().invoke(main, ["languages", "--model", "pages", "--format", "jsonl"])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) >= 180
    assert all(row["trained_on"] and row["pages"] for row in rows)


def test_languages_takes_names():
    result = CliRunner().invoke(main, ["languages", "Dutch", "--model", "pages"])
    assert result.stdout.startswith("nl ")
