"""Jobs over files: killed and resumed, bad input, full disks; joined Parquet; memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight import load
from linksight.errors import BadConfig, BadData
from linksight.tabular.footers import join_parquet
from linksight.tabular.jobs import Job
from linksight.tabular.labels import Labels
from linksight.tabular.readers import Reader
from linksight.tabular.sources import find_sources

URLS = [
    f"http://www.zeitung{i}.de/politik/{i}" if i % 3 else f"https://journal{i}.fr/economie/{i}"
    for i in range(900)
]


@pytest.fixture
def big(tmp_path: Path) -> Path:
    path = tmp_path / "big.parquet"
    table = pa.table({"n": range(900), "url": URLS, "tags": [[i, i + 1] for i in range(900)]})
    pq.write_table(table, path, row_group_size=100)
    return path


def job(source: Path, output: Path, **options: object) -> Job:
    form = options.pop("form", output.suffix.removeprefix("."))
    return Job(
        reader=Reader(find_sources([str(source)])),
        labels=Labels(scorer=load()),
        form=form,
        output=output,
        **options,
    )


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 100 rows, so that a small table is a long one."""
    monkeypatch.setattr("linksight.tabular.readers.BLOCK_ROWS", 100)
    monkeypatch.setattr("linksight.tabular.readers._FEWEST_ROWS", 100)
    monkeypatch.setattr("linksight.tabular.readers._LINES_AT_ONCE", 4096)


def interrupted(work: Job, after: int) -> None:
    """Run until some rows are done, then fail as a power cut would: in the middle of a part."""

    def stop(n_rows: int) -> None:
        if n_rows > after:
            raise RuntimeError("power cut")

    work.on_rows = stop
    with pytest.raises(RuntimeError, match="power cut"):
        work.run()
    work.on_rows = lambda n_rows: None


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("kind", ["parquet", "txt", "csv.gz", "jsonl"])
def test_resumed_output_is_that_of_one_run(tmp_path, tables, form, kind):
    source = tables.write(tmp_path / f"big.{kind}", [{"url": url, "n": i} for i, url in enumerate(URLS)])
    whole, resumed = tmp_path / f"whole.{form}", tmp_path / f"resumed.{form}"
    done = job(source, whole, part_rows=250).run()
    interrupted(job(source, resumed, part_rows=250), after=600)
    assert not resumed.exists()
    work = job(source, resumed, part_rows=250)
    assert 0 < work.finished_rows() < 900
    again = work.run(resume=True)
    assert tables.read(resumed) == tables.read(whole)
    assert (again.n_rows, again.languages, again.problems) == (done.n_rows, done.languages, done.problems)
    assert not work.parts.exists()


@pytest.mark.parametrize("note", [None, ""])
def test_a_run_that_was_stopped_before_its_first_part_is_begun_anew(tmp_path, big, tables, note):
    work = job(big, tmp_path / "out.csv")
    work.parts.mkdir()
    if note is not None:
        (work.parts / "job.json").write_text(note)
    assert work.run(resume=True).n_rows == 900
    assert len(tables.read(tmp_path / "out.csv")) == 900


def test_split_by_language_resumes_too(tmp_path, big, tables):
    interrupted(job(big, tmp_path / "by", form="csv", by_language=True, part_rows=200), after=500)
    job(big, tmp_path / "by", form="csv", by_language=True, part_rows=200).run(resume=True)
    rows = [row for path in sorted((tmp_path / "by").iterdir()) for row in tables.read(path)]
    assert sorted(row["n"] for row in rows) == list(range(900))
    assert {path.stem for path in (tmp_path / "by").iterdir()} == {row["language"] for row in rows}


KILLED = """
import sys, time
from pathlib import Path
from linksight import load
from linksight.tabular import readers
readers.BLOCK_ROWS = readers._FEWEST_ROWS = 100
from linksight.tabular.jobs import Job
from linksight.tabular.labels import Labels
from linksight.tabular.sources import find_sources
job = Job(reader=readers.Reader(find_sources([sys.argv[1]])), labels=Labels(scorer=load()), form="parquet",
          output=Path(sys.argv[2]), part_rows=200)
job.on_rows = lambda n_rows: time.sleep(0.05 if n_rows <= 400 else 60)
job.run()
"""


def test_a_killed_process_leaves_no_output_and_the_command_goes_on(run, tmp_path, big, tables, environment):
    output = tmp_path / "out.parquet"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(big), str(output)], env=environment)
    parts = tmp_path / ".out.parquet.parts"
    deadline = time.monotonic() + 300
    while not (parts / "part-000001").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not output.exists()
    refused = run("-i", big, "-o", output)
    assert refused.exit_code == 1
    assert "--resume" in refused.stderr
    result = run("-i", big, "-o", output, "--resume")
    assert result.exit_code == 0, result.stderr
    assert "900 rows" in result.stderr
    assert [row["n"] for row in tables.read(output)] == list(range(900))
    assert tables.read(output)[7]["tags"] == [7, 8]


def test_finished_parts_of_other_input_are_not_used(tmp_path, big):
    interrupted(job(big, tmp_path / "o.csv", part_rows=200), after=500)
    pq.write_table(pq.read_table(big).slice(1), big)
    with pytest.raises(BadConfig, match="are others than in the unfinished run"):
        job(big, tmp_path / "o.csv", part_rows=200).run(resume=True)
    assert job(big, tmp_path / "o.csv").run(overwrite=True).n_rows == 899


# --- bad input ----------------------------------------------------------------------------------


def test_output_that_exists_or_is_the_input(tmp_path, big):
    (tmp_path / "o.csv").write_text("mine")
    with pytest.raises(BadConfig, match="is there already"):
        job(big, tmp_path / "o.csv").run()
    assert (tmp_path / "o.csv").read_text() == "mine"
    with pytest.raises(BadConfig, match="is the input"):
        job(big, big).run(overwrite=True)
    with pytest.raises(BadConfig, match="there is no folder"):
        job(big, tmp_path / "no" / "o.csv").run()


def test_damaged_row_group(run, tmp_path, big):
    data = bytearray(big.read_bytes())
    place = pq.ParquetFile(big).metadata.row_group(5).column(1).data_page_offset
    data[place : place + 40] = b"\xff" * 40
    big.write_bytes(data)
    result = run("-i", big, "-o", tmp_path / "o.parquet")
    assert result.exit_code == 1
    assert "big.parquet: row group 5 is damaged" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.parquet"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.parquet", b"PAR1 and nothing more", "not a Parquet file, or cut short"),
        ("t.parquet", b"", "not a Parquet file, or cut short"),
        ("t.csv", b"", "empty file"),
        ("t.csv", b"a,b\n1,2\n", "no column 'url'"),
        ("t.csv", b"url,url\n1,2\n", "two columns are named 'url'"),
        ("t.txt", b"", "no rows in the input"),
        ("t.txt.gz", b"\x1f\x8b\x08 not gzip after all", "cannot be read as text"),
        ("t.jsonl.zst", b"\x28\xb5\x2f\xfd broken", "cannot be read as jsonl"),
    ],
)
def test_files_that_are_no_tables(run, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    result = run("-i", tmp_path / name, "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_column_of_numbers_is_an_error_and_mixed_types_are_rows(run, tmp_path, tables):
    pq.write_table(pa.table({"url": [1, 2]}), tmp_path / "n.parquet")
    assert "column 'url' holds int64, not text" in run("-i", tmp_path / "n.parquet").stderr
    (tmp_path / "m.jsonl").write_text(
        '{"url": "http://www.zeitung.de/politik"}\n{"url": 5}\nnope\n{"url": ["a"]}\n'
    )
    result = run("-i", tmp_path / "m.jsonl", "-o", tmp_path / "o.csv")
    assert "3 could not be used: not text 2, not a JSON object 1" in result.stderr
    assert [row["language"] for row in tables.read(tmp_path / "o.csv")] == ["de", "und", "und", "und"]
    assert run("-i", tmp_path / "m.jsonl", "-o", tmp_path / "o.jsonl").exit_code == 0
    assert tables.read(tmp_path / "o.jsonl")[1]["url"] == 5


def test_rows_with_too_many_fields_and_foreign_bytes_are_counted(run, tmp_path, tables):
    (tmp_path / "t.csv").write_bytes(
        b"url,x\nhttp://www.zeitung.de/politik,1\na,b,c\nhttp://caf\xe9.fr/economie,2\n"
    )
    result = run("-i", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    assert "wrong number of fields 1" in result.stderr
    assert [row["language"] for row in tables.read(tmp_path / "o.csv")] == ["de", "und", "fr"]


@pytest.mark.parametrize("block", [7, 1 << 16])
def test_a_row_may_have_too_many_fields_and_foreign_bytes_at_once(run, tmp_path, tables, monkeypatch, block):
    monkeypatch.setattr(
        "linksight.tabular.delimited._HEAD", block
    )  # letters lie across the ends of what is read
    rows = [
        b"http://a\xe9.de/,1,2",
        b"\xff,\xe2\x82",
        "http://www.zeitung.de/\u20ac,\u20ac".encode(),
        b"\xe2\x82",
    ]
    (tmp_path / "t.csv").write_bytes(b"\n".join([b"url,x", *rows]))
    result = run("-i", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0
    assert "wrong number of fields 2" in result.stderr
    assert [row["url"] for row in tables.read(tmp_path / "o.csv")] == [
        "http://a\ufffd.de/",
        "\ufffd",
        "http://www.zeitung.de/\u20ac",
        "\ufffd",
    ]


def test_full_disk(tmp_path, environment):
    """A real refusal of the system, by a limit on the size of files."""
    (tmp_path / "t.txt").write_text("\n".join(URLS * 40))
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from linksight.scorer import Scorer\n"
        "import pyarrow as pa\n"
        "Scorer.predict_table = lambda self, urls, languages=None: pa.table(\n"
        "    {'language': ['de'] * len(urls), 'probability': [1.0] * len(urls), 'problem': pa.nulls(len(urls), pa.string())})\n"
        "from linksight.cli import main\n"
        "main(['detect', '-i', sys.argv[1], '-o', sys.argv[2]])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "t.txt"), str(tmp_path / "o.csv")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=600)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert "nothing was written there" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]


# --- Parquet end to end -------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.text(max_size=8) | st.none()), max_size=40), min_size=1, max_size=5),
    st.sampled_from(["snappy", "zstd", "none"]),
)  # fmt: skip
def test_joined_parquet_holds_the_rows_of_its_parts(tmp_path_factory, parts, compression):
    folder = tmp_path_factory.mktemp("join")
    schema = pa.schema([("n", pa.int64()), ("text", pa.string()), ("both", pa.list_(pa.string()))])
    paths, rows = [], []
    for i, part in enumerate(parts):
        some = [{"n": n, "text": text, "both": [text, "x"] if n % 2 else None} for n, text in part]
        clean = [row for row in some if row["text"] is None or row["text"].isprintable()]
        paths.append(folder / f"{i}.parquet")
        pq.write_table(
            pa.Table.from_pylist(clean, schema=schema), paths[-1], compression=compression, row_group_size=7
        )
        rows += clean
    with (folder / "all.parquet").open("wb") as target:
        join_parquet(paths, target)
    joined = pq.ParquetFile(folder / "all.parquet")
    assert joined.read().to_pylist() == rows
    assert joined.schema_arrow == schema
    assert joined.metadata.num_rows == len(rows)
    if rows:
        filtered = pq.read_table(folder / "all.parquet", filters=[("n", "==", rows[-1]["n"])])
        assert rows[-1] in filtered.to_pylist()


def test_parts_that_do_not_fit_are_refused(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": ["x"]}), tmp_path / "2.parquet")
    with (tmp_path / "all").open("wb") as target, pytest.raises(BadData, match="its columns are not those"):
        join_parquet([tmp_path / "1.parquet", tmp_path / "2.parquet"], target)
    (tmp_path / "3.parquet").write_bytes(b"PAR1 cut short")
    with (tmp_path / "all").open("wb") as target, pytest.raises(BadData, match="not a whole Parquet file"):
        join_parquet([tmp_path / "3.parquet"], target)


def test_large_row_groups_are_streamed(tmp_path, monkeypatch):
    """One row group of many rows comes in blocks, each read when it is wanted."""
    pq.write_table(pa.table({"url": URLS * 10}), tmp_path / "one.parquet", row_group_size=1_000_000)
    sizes = [block.n_rows for block in Reader(find_sources([str(tmp_path / "one.parquet")])).blocks()]
    assert sum(sizes) == 9000
    assert max(sizes) <= 100


@pytest.mark.parametrize("skip", [0, 1, 99, 100, 101, 450, 899, 900])
@pytest.mark.parametrize("kind", ["parquet", "txt", "jsonl"])
def test_reading_from_a_row_on(tmp_path, tables, kind, skip):
    path = tables.write(tmp_path / f"t.{kind}", [{"url": url} for url in URLS])
    urls = [
        url
        for block in Reader(find_sources([str(path)])).blocks(skip)
        for url in block.look("url").urls.to_pylist()
    ]
    assert urls == URLS[skip:]


def test_notes_of_parts_are_json(tmp_path, big):
    interrupted(job(big, tmp_path / "o.csv", part_rows=200), after=500)
    notes = sorted((tmp_path / ".o.csv.parts").glob("part-*/part.json"))
    assert json.loads(notes[0].read_text())["rows"] == 200


@pytest.mark.parametrize("data", [b"", b"http://www.zeitung.de/\n" * 3])
def test_bzip2_is_read_and_what_begins_like_it_is_text(tmp_path, data):
    import bz2

    from linksight.tabular.sources import _packer

    assert _packer(bz2.compress(data)) == "bz2"
    assert _packer(b"BZh9.example.org/\n") is None


@settings(max_examples=20, deadline=None)
@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=20))
def test_any_bytes_are_rows(tmp_path_factory, lines):
    """A row for every line, whatever is in it, and what is written can be read.

    The first line is an address: a file that begins like an archive is unpacked or refused.
    """
    folder = tmp_path_factory.mktemp("bytes")
    lines = [b"http://www.nu.nl/", *lines]
    (folder / "t.txt").write_bytes(
        b"\n".join([*lines, b"http://a.de/" + b"x" * 100_000, b"http://www.zeitung.de/politik\n"])
    )
    for form in ("jsonl", "parquet", "csv"):
        summary = job(folder / "t.txt", folder / f"o.{form}").run()
        assert summary.n_rows == len(lines) + 2
    rows = [json.loads(line) for line in (folder / "o.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    assert rows[-1]["language"] == "de"
    assert rows[-2]["problem"] == "longer than 65,536 characters"
    assert pq.read_table(folder / "o.parquet").num_rows == len(lines) + 2
