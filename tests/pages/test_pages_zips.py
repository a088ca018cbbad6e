"""Zips of pages: WACZ files, and zips of files; what is in other zips is left alone."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.pages.input.sources import from_file

PAGES = {
    "nl": b"<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>",
    "de": b"<p>Alle Menschen sind frei und gleich an Rechten geboren, mit Vernunft und Gewissen begabt.</p>",
}


def warc() -> bytes:
    warcio = pytest.importorskip("warcio")
    stream = io.BytesIO()
    writer = warcio.WARCWriter(stream, gzip=True)
    for language, body in PAGES.items():
        headers = warcio.StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        url = f"http://a.example/{language}"
        writer.write_record(
            writer.create_warc_record(
                url, "response", payload=io.BytesIO(body), length=len(body), http_headers=headers
            )
        )
    return stream.getvalue()


def wacz(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.warc.gz", warc())
        archive.writestr("pages/pages.jsonl", '{"format": "json-pages-1.0", "id": "pages"}\n')
        archive.writestr("datapackage.json", '{"profile": "data-package"}')
    return path


def zipped(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("site") if hasattr(archive, "mkdir") else archive.writestr("site/", b"")
        for language, body in PAGES.items():
            archive.writestr(f"site/{language}.html", body)
        archive.writestr("__MACOSX/site/._nl.html", b"\0\5\x16\7")
    return path


def rows(*arguments: str) -> tuple[int, list[dict]]:
    result = CliRunner().invoke(main, ["identify", *arguments, "--format", "jsonl"])
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_the_pages_of_a_wacz_file_are_read(tmp_path):
    path = wacz(tmp_path / "a.wacz")
    _, found = rows(str(path))
    assert [(row["page"], row["url"], row["language"]) for row in found] == [
        (f"{path}/archive/data.warc.gz#http://a.example/{code}", f"http://a.example/{code}", code)
        for code in PAGES
    ]


def test_the_files_of_a_zip_are_pages(tmp_path):
    path = zipped(tmp_path / "a.zip")
    code, found = rows(str(path))
    assert code == 0
    assert [(row["page"], row["language"]) for row in found] == [
        (f"{path}/site/{code}.html", code) for code in PAGES
    ]


def test_documents_that_are_zips_stay_what_they_are(tmp_path):
    path = zipped(tmp_path / "a.docx")
    _, found = rows(str(path))
    assert [row["reason"] for row in found] == ["binary: ZIP archive"]


@pytest.mark.parametrize("name", ["a.wacz", "a.zip"])
def test_a_zip_that_is_cut_off_is_a_row(tmp_path, name):
    path = (wacz if name == "a.wacz" else zipped)(tmp_path / name)
    path.write_bytes(path.read_bytes()[:-40])
    code, found = rows(str(path))
    assert (code, len(found)) == (1, 1)
    assert found[0]["problem"].startswith("damaged ZIP archive")


def test_a_damaged_member_costs_no_other(tmp_path):
    path = zipped(tmp_path / "a.zip")
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("site/nl.html").header_offset
    data = bytearray(path.read_bytes())
    data[at : at + 4] = b"nope"
    path.write_bytes(bytes(b"PK\3\4"[:4] + data[4:]) if at == 0 else bytes(data))
    found = list(from_file(path))
    assert [(page.problem is None, bool(page.body)) for page in found] == [(False, False), (True, True)]


def test_a_folder_of_wacz_files_is_labelled_into_another(tmp_path):
    (tmp_path / "in").mkdir()
    wacz(tmp_path / "in" / "a.wacz")
    result = CliRunner().invoke(
        main, ["identify", str(tmp_path / "in"), "--into", str(tmp_path / "out"), "--quiet"]
    )
    assert result.exit_code == 0
    table = pq.read_table(tmp_path / "out" / "a.wacz.parquet")
    assert table["language"].to_pylist() == list(PAGES)
