"""Files as other systems leave them: folders that are columns, fields in fields, marks and line ends of other machines."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

DUTCH, FRENCH = "https://www.nu.nl/sport", "https://www.lemonde.fr/economie/"


def rows_of(found):
    assert found.is_done, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


@pytest.fixture
def hive(tmp_path):
    """A table in folders, as Hive, Spark and DuckDB write them."""
    folder = tmp_path / "hive"
    for path, url in {
        "lang=fr/day=2024-01-02/a.parquet": FRENCH,
        "lang=nl/day=__HIVE_DEFAULT_PARTITION__/a.parquet": DUTCH,
        "lang=nl/day=a%2Fb/a.parquet": DUTCH,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": [1], "url": [url]}), folder / path)
    (folder / "_SUCCESS").touch()
    return folder


def test_folders_named_key_and_value_are_columns(run, hive):
    rows = rows_of(run("-i", hive))
    assert [(row["lang"], row["day"], row["language"]) for row in rows] == [
        ("fr", "2024-01-02", "fr"), ("nl", None, "nl"), ("nl", "a/b", "nl"),
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", ["*/*/*.parquet", "lang=*/*/a.parquet", "**/*.parquet"])
def test_folders_that_a_pattern_goes_through_are_columns_too(run, hive, pattern):
    assert {row["lang"] for row in rows_of(run("-i", hive / pattern))} == {"fr", "nl"}


def test_a_folder_that_is_given_itself_and_a_file_by_name_add_nothing(run, hive):
    assert list(rows_of(run("-i", hive / "lang=fr"))[0])[-1] == "day"
    assert list(rows_of(run("-i", hive / "lang=fr/day=2024-01-02/a.parquet"))[0])[-1] == "problem"


@pytest.mark.parametrize("name", ["o.parquet", "o.csv", "o.jsonl"])
def test_folders_are_columns_of_every_kind_of_output(run, tables, hive, tmp_path, name):
    assert run("-i", hive, "-o", tmp_path / name).is_done
    assert [row["lang"] for row in tables.read(tmp_path / name)] == ["fr", "nl", "nl"]


def test_folders_are_columns_of_files_that_are_handed_through(run, tables, tmp_path):
    for code in ("de", "nl"):
        (tmp_path / f"big/lang={code}").mkdir(parents=True)
        urls = [f"https://www.site{n}.{code}/" for n in range(20_000)]
        pq.write_table(pa.table({"url": urls, "n": range(20_000)}), tmp_path / f"big/lang={code}/a.parquet")
    assert run("-i", tmp_path / "big", "-o", tmp_path / "o.parquet").is_done
    assert pq.ParquetFile(tmp_path / "o.parquet").metadata.num_row_groups == 2
    table = pq.read_table(tmp_path / "o.parquet")
    assert table.column_names == ["url", "n", "language", "probability", "problem", "lang"]
    assert table["lang"].to_pylist() == ["de"] * 20_000 + ["nl"] * 20_000
    assert run("-i", tmp_path / "big", "--split-by-language", tmp_path / "by").is_done
    assert set(pq.read_table(tmp_path / "by/nl.parquet")["lang"].to_pylist()) >= {"nl"}


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_column_of_the_file_itself_stays_as_it_is(run, tables, tmp_path, name):
    (tmp_path / "t/day=1").mkdir(parents=True)
    tables.write(tmp_path / "t/day=1" / name, [{"url": DUTCH, "day": "own"}])
    assert [row["day"] for row in rows_of(run("-i", tmp_path / "t"))] == ["own"]


def test_files_outside_of_such_folders_have_nothing_there(run, hive):
    pq.write_table(pa.table({"id": [7], "url": [FRENCH]}), hive / "zz.parquet")
    found = run("-i", hive, "--format", "csv")
    assert [row["lang"] for row in csv.DictReader(io.StringIO(found.stdout))] == ["fr", "nl", "nl", ""]


def test_a_folder_named_as_what_is_added_asks_for_other_names(run, tmp_path):
    (tmp_path / "t/language=nl").mkdir(parents=True)
    (tmp_path / "t/language=nl/a.jsonl").write_text(json.dumps({"url": FRENCH}) + "\n")
    refused = run("-i", tmp_path / "t")
    assert (refused.exit_code, "--prefix" in refused.stderr) == (1, True)
    row = rows_of(run("-i", tmp_path / "t", "--prefix", "found_"))[0]
    assert (row["language"], row["found_language"]) == ("nl", "fr")


def test_a_field_of_a_struct_is_a_column(run, tmp_path):
    rows = [{"page": {"at": {"url": url}}} for url in (DUTCH, None)] + [{"page": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("t.parquet", "t.jsonl"):
        found = rows_of(run("-i", tmp_path / name, "--column", "page.at.url"))
        assert [(row["language"], row["problem"]) for row in found] == [
            ("nl", None), ("und", "empty"), ("und", "empty"),
        ]  # fmt: skip
        refused = run("-i", tmp_path / name, "--column", "page.at.adres")
        assert "no column 'page.at.adres'; there are: page" in refused.stderr
    refused = run("-i", tmp_path / "t.parquet", "--column", "page")
    assert "not text; name a field of it, such as page.at" in refused.stderr


def test_a_column_with_a_dot_in_its_name_goes_before_a_field(run, tmp_path):
    (tmp_path / "t.jsonl").write_text(json.dumps({"page": {"url": DUTCH}, "page.url": FRENCH}) + "\n")
    assert rows_of(run("-i", tmp_path / "t.jsonl", "--column", "page.url"))[0]["language"] == "fr"


@pytest.mark.parametrize(
    "kind", [pa.binary_view(), pa.string_view(), pa.large_binary(), pa.binary()], ids=str
)
def test_every_kind_of_text_is_read(run, tmp_path, kind):
    urls = [url if kind == pa.string_view() else url.encode() for url in (DUTCH, FRENCH)]
    pq.write_table(pa.table({"url": pa.array(urls, kind)}), tmp_path / "t.parquet")
    assert [row["language"] for row in rows_of(run("-i", tmp_path / "t.parquet"))] == ["nl", "fr"]


def test_the_mark_of_windows_is_not_written_among_json_lines(run, tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + json.dumps({"url": DUTCH}).encode() + b"\r\n")
    found = run("-i", tmp_path / "*.jsonl")
    assert "\ufeff" not in found.stdout
    assert [row["language"] for row in rows_of(found)] == ["nl", "nl"]


@pytest.mark.parametrize("line", [DUTCH, json.dumps({"url": DUTCH})], ids=["text", "json"])
@pytest.mark.parametrize("end", ["", "\n", f"\n{FRENCH}\n"], ids=["no end", "one line", "two lines"])
def test_the_mark_of_windows_is_not_of_the_first_line_of_a_stream(run, line, end):
    rows = rows_of(run("--stream", stdin=b"\xef\xbb\xbf" + (line + end).encode()))
    assert (rows[0]["url"], rows[0]["language"]) == (DUTCH, "nl")


def test_lines_that_end_as_on_old_macs(run, tmp_path):
    (tmp_path / "t.txt").write_bytes(f"{DUTCH}\r{FRENCH}\r".encode())
    assert [row["url"] for row in rows_of(run("-i", tmp_path / "t.txt"))] == [DUTCH, FRENCH]
    (tmp_path / "t.csv").write_bytes(f"id,url\r1,{DUTCH}\r2,{FRENCH}\r".encode())
    refused = run("-i", tmp_path / "t.csv")
    assert (refused.exit_code, r"tr '\r' '\n' <" in refused.stderr) == (1, True)


def test_a_header_without_an_end_is_not_held_in_memory(run, tmp_path, monkeypatch):
    monkeypatch.setattr("linksight.bulk.formats.csv._MAX_HEADER_BYTES", 1 << 18)
    with (tmp_path / "t.csv").open("wb") as file:
        file.write(b"id,url,")
        file.write(b"x" * (1 << 20))
    refused = run("-i", tmp_path / "t.csv")
    assert (refused.exit_code, "is it another kind of file?" in refused.stderr) == (1, True)


CDXJ = f'nl,nu)/sport 20240101000000 {{"url": "{DUTCH}", "mime": "text/html"}}\n'
CDX = (
    f" CDX N b a m s k r M S V g\nnl,nu)/sport 20240101000000 {DUTCH} text/html 200 AAAA - - 1 0 a.warc.gz\n"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("WARC/1.0\r\nWARC-Type: response\r\n", "linksight identify"),
        (CDXJ, "cut -d' ' -f3- | linksight detect -i - --from jsonl"),
        (CDX, "tail -n +2 | cut -d' ' -f3 | linksight detect -i -"),
    ],
    ids=["warc", "cdxj", "cdx"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_archives_and_their_indexes_are_told_what_to_do(run, tmp_path, text, told, packed):
    data = gzip.compress(text.encode()) if packed else text.encode()
    path = tmp_path / "t.dump"
    path.write_bytes(data)
    refused = run("-i", path)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert told in refused.stderr
    assert ("zcat" in refused.stderr) == (packed and "linksight identify" not in told)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("http://127.0.0.1:9/x.csv", "http://127.0.0.1:9/x.csv: "),
        ("file:///no/such/x.csv", "no such file or folder"),
        ("gopher://a.example/x.csv", "Protocol not known: gopher"),
    ],
)
def test_an_unreachable_remote_file_is_an_error_of_one_line(run, given, told):
    refused = run("-i", given)
    assert (refused.exit_code, told in refused.stderr) == (1, True)


@pytest.mark.parametrize("more", [[], ["--format", "parquet"]])
def test_parquet_is_not_named_as_if_it_were_packed(run, tmp_path, more):
    refused = run(DUTCH, "-o", tmp_path / "o.parquet.gz", *more)
    assert (refused.exit_code, list(tmp_path.iterdir())) == (2, [])


@pytest.mark.parametrize("end", ["", "\n"], ids=["no end", "end"])
@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_a_last_line_without_an_end_is_a_row_like_the_others(run, tables, tmp_path, name, end):
    """A file that does not end with a line end is the rule where programs join lines."""
    rows = [{"url": DUTCH, "n": 1}, {"url": FRENCH, "n": 2.5, "more": "x"}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)) + end)
    done = run("-i", tmp_path / "t.jsonl", "-o", tmp_path / name)
    assert done.is_done, done.stderr
    assert [(row["n"], row["language"]) for row in tables.read(tmp_path / name)] == [(1, "nl"), (2.5, "fr")]


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
def test_the_mark_alone_is_an_empty_list(run, tmp_path, mark):
    for name in ("t.txt", "t.jsonl"):
        (tmp_path / name).write_text(mark, encoding="utf-8")
        assert run("-i", tmp_path / name).stderr == "0 rows\n"


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_table_without_rows_leaves_nothing_to_go_on_with(run, tmp_path, name):
    table = pa.table({"url": pa.array([], pa.string())})
    pq.write_table(table, tmp_path / name) if name == "a.parquet" else (tmp_path / name).write_text("url,n\n")
    for _ in range(2):
        found = run("-i", tmp_path / name, "--split-by-language", tmp_path / "by")
        assert (found.exit_code, found.stderr) == (1, "Error: no rows in the input\n")
    assert [path.name for path in tmp_path.iterdir()] == [name]
