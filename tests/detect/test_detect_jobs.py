"""Jobs over files: killed, interrupted and resumed; outputs that must not be touched; full disks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight import load
from linksight.bulk.annotate import Labels
from linksight.bulk.job import Job
from linksight.bulk.readers import Reader
from linksight.bulk.sources import find_sources
from linksight.errors import BadConfig

pytestmark = pytest.mark.usefixtures("small_blocks")


def job(source: Path, output: Path, **options: object) -> Job:
    form = options.pop("form", output.suffix.removeprefix("."))
    return Job(
        reader=Reader(find_sources([str(source)])),
        labels=Labels(scorer=load()),
        form=form,
        output=output,
        **options,
    )


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
def test_resumed_output_is_that_of_one_run(tmp_path, tables, many_urls, form, kind):
    source = tables.write(tmp_path / f"big.{kind}", [{"url": url, "n": i} for i, url in enumerate(many_urls)])
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


@pytest.mark.parametrize(
    "other",
    [
        Labels(scorer=replace(load(), table=replace(load().table, output=load().table.output[:, ::-1]))),
        Labels(scorer=replace(load(), table=replace(load().table, scales=load().table.scales * 2))),
        Labels(scorer=replace(load(), calibration=replace(load().calibration, label_noise=0.3))),
        Labels(scorer=load(), explain=True),
    ],
    ids=["output", "scales", "surprise", "explain"],
)
def test_what_another_model_found_is_not_gone_on_with(tmp_path, big, other):
    """Two models may differ in their weights alone, as two that were trained by oneself do."""
    interrupted(job(big, tmp_path / "o.jsonl", part_rows=200), after=500)
    work = replace(job(big, tmp_path / "o.jsonl", part_rows=200), labels=other)
    with pytest.raises(BadConfig, match="the model or the options are others"):
        work.run(resume=True)


@pytest.mark.parametrize("note", [None, ""])
def test_a_run_that_was_stopped_before_its_first_part_is_begun_anew(tmp_path, big, tables, note):
    work = job(big, tmp_path / "out.csv")
    work.parts.mkdir()
    if note is not None:
        (work.parts / "job.json").write_text(note)
    assert work.run(resume=True).n_rows == 900
    assert len(tables.read(tmp_path / "out.csv")) == 900


def test_a_folder_with_other_files_is_not_replaced_by_files_by_language(tmp_path, big):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    for overwrite in (False, True):
        with pytest.raises(BadConfig, match=r"'thesis\.tex'.*choose a separate folder"):
            job(big, folder, form="csv", by_language=True).run(overwrite=overwrite)
    assert [path.name for path in tmp_path.joinpath("mine").iterdir()] == ["thesis.tex"]


def test_an_empty_folder_is_filled_with_files_by_language_and_then_replaced_when_asked(tmp_path, big):
    folder = tmp_path / "by"
    folder.mkdir()
    assert not job(big, folder, form="csv", by_language=True).is_finished
    job(big, folder, form="csv", by_language=True).run()
    with pytest.raises(BadConfig, match="--overwrite"):
        job(big, folder, form="jsonl", by_language=True).run()
    job(big, folder, form="jsonl", by_language=True).run(overwrite=True)
    assert {path.suffix for path in folder.iterdir()} == {".jsonl"}


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
from linksight.bulk import readers
readers.BLOCK_ROWS = 100
from dataclasses import replace
from linksight.bulk.job import Job
from linksight.bulk.annotate import Labels
from linksight.bulk.sources import find_sources
job = Job(reader=readers.Reader([replace(source, encoding=None) for source in find_sources([sys.argv[1]])]), labels=Labels(scorer=load()), form="parquet",
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
    assert refused.stderr.count("go on with --resume") == 1
    assert "rows are done and kept in" in refused.stderr
    other = run("-i", big, "-o", output, "--resume", "--languages", "nl,de")
    assert "cannot go on" in other.stderr
    assert "--resume" not in other.stderr  # which was just tried
    result = run("-i", big, "-o", output, "--resume")
    assert result.is_done, result.stderr
    assert "900 rows" in result.stderr
    assert [row["n"] for row in tables.read(output)] == list(range(900))
    assert tables.read(output)[7]["tags"] == [7, 8]


def test_finished_parts_of_other_input_are_not_used(tmp_path, big):
    interrupted(job(big, tmp_path / "o.csv", part_rows=200), after=500)
    pq.write_table(pq.read_table(big).slice(1), big)
    with pytest.raises(BadConfig, match="are others than in the unfinished run"):
        job(big, tmp_path / "o.csv", part_rows=200).run(resume=True)
    assert job(big, tmp_path / "o.csv").run(overwrite=True).n_rows == 899


def test_files_without_a_url_are_known_behind_a_resume_too(tmp_path, big):
    folder = tmp_path / "in"
    folder.mkdir()
    big.rename(folder / "big.parquet")
    (folder / "README.txt").write_text("These are URLs.\n")
    interrupted(job(folder, tmp_path / "o.jsonl", part_rows=200), after=500)
    summary = job(folder, tmp_path / "o.jsonl", part_rows=200).run(resume=True)
    assert (summary.n_rows, summary.unused) == (901, [str(folder / "README.txt")])


def test_notes_of_parts_are_json(tmp_path, big):
    interrupted(job(big, tmp_path / "o.csv", part_rows=200), after=500)
    notes = sorted((tmp_path / ".o.csv.parts").glob("part-*/part.json"))
    assert json.loads(notes[0].read_text())["rows"] == 200


def test_output_that_exists_or_is_the_input(tmp_path, big):
    (tmp_path / "o.csv").write_text("mine")
    with pytest.raises(BadConfig, match="is there already"):
        job(big, tmp_path / "o.csv").run()
    assert (tmp_path / "o.csv").read_text() == "mine"
    with pytest.raises(BadConfig, match="is an input file"):
        job(big, big).run(overwrite=True)
    with pytest.raises(BadConfig, match="no such folder"):
        job(big, tmp_path / "no" / "o.csv").run()


def test_full_disk(tmp_path, environment, many_urls):
    """A real refusal of the system, by a limit on the size of files."""
    (tmp_path / "t.txt").write_text("\n".join(many_urls * 40))
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from linksight.url_model.model import UrlLanguageModel\n"
        "import pyarrow as pa\n"
        "UrlLanguageModel.predict_table = lambda self, urls, languages=None: pa.table(\n"
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


def test_two_runs_do_not_write_one_output(run, tables, tmp_path):
    """As a job of every hour does that takes longer than one."""
    fcntl = pytest.importorskip("fcntl")
    source = tables.write(tmp_path / "t.csv")
    parts = tmp_path / ".o.csv.parts"
    parts.mkdir()
    other = os.open(parts, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        refused = run("-i", source, "-o", tmp_path / "o.csv", "--overwrite")
        assert (refused.exit_code, "another run is writing it" in refused.stderr) == (1, True)
        assert not (tmp_path / "o.csv").exists()
        (parts / "job.json").write_text("{}")  # nothing of the other run is touched
        assert run("-i", source, "-o", tmp_path / "o.csv").exit_code == 1
        assert (parts / "job.json").exists()
    finally:
        os.close(other)
    assert run("-i", source, "-o", tmp_path / "o.csv").is_done
    assert not parts.exists()
    assert len(tables.read(tmp_path / "o.csv")) == len(tables.rows)


def test_a_run_that_is_refused_leaves_no_folder(run, tables, tmp_path):
    source = tables.write(tmp_path / "t.csv")
    assert run("-i", source, "-o", tmp_path / "o.csv", "--column", "nope").exit_code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv"]
