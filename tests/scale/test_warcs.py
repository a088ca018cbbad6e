"""Many WARC files at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.errors import BadConfig
from linksight.pages.input.batch import label_files
from linksight.pages.input.stale_files import sweep

#: Labels a file, and stays where all is written and nothing is in its place yet until it is told to go on.
HELD = """
import os, sys
def hold(number):
    print("held", flush=True)
    sys.stdin.readline()
os.fsync = hold
from linksight.pages.input.batch import label_file
label_file(*sys.argv[1:])
"""
#: Has labelled the first of its files; its process has the others, or waits for more.
BEGUN = """
import sys
from linksight.pages.input.batch import label_files
reports = label_files(sys.argv[2:], sys.argv[1], n_processes=1)
next(reports)
print("begun", flush=True)
sys.stdin.readline()
"""


def _started(program: str, *words: Path) -> subprocess.Popen[str]:
    places = os.environ | {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    command, pipe = [sys.executable, "-c", program, *map(str, words)], subprocess.PIPE
    return subprocess.Popen(command, env=places, stdin=pipe, stdout=pipe, text=True, start_new_session=True)


@contextmanager
def _held(path: Path, target: Path) -> Iterator[subprocess.Popen[str]]:
    target.parent.mkdir(exist_ok=True)
    with _started(HELD, path, target) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_labels_of_many_files_in_processes(warc, tmp_path):
    paths = [str(warc(f"{i}.warc.gz", copies=i + 1)) for i in range(3)]
    reports = list(label_files(paths, tmp_path / "labels", n_processes=2))
    assert sorted(report.path for report in reports) == paths
    assert sum((report.languages for report in reports), Counter()) == {"de": 6, "fr": 6, "nl": 6}
    rows = pq.read_table(tmp_path / "labels" / "2.warc.gz.parquet").to_pylist()
    assert {(row["url"], row["language"]) for row in rows} >= {
        ("http://nl2.example/", "nl"),
        ("http://fr0.example/", "fr"),
    }
    assert {row["script"] for row in rows} == {"Latn"}
    again = list(label_files(paths, tmp_path / "labels", n_processes=2))
    assert all(report.was_done for report in again)
    assert sorted(path.name for path in (tmp_path / "labels").iterdir()) == [
        f"{i}.warc.gz.parquet" for i in range(3)
    ]


def test_what_cannot_be_read_is_a_row(warc, tmp_path):
    whole = warc("a.warc.gz").read_bytes()
    (tmp_path / "bad.warc.gz").write_bytes(whole + b"\x1f\x8b\x08 and no more")
    (report,) = label_files([str(tmp_path / "bad.warc.gz")], tmp_path / "labels", n_processes=1)
    rows = pq.read_table(tmp_path / "labels" / "bad.warc.gz.parquet").to_pylist()
    assert report.languages["unreadable"] == 1
    assert [row["language"] for row in rows] == ["de", "fr", "nl", None]
    assert rows[-1]["problem"]


def test_what_a_killed_run_left_is_taken_away_by_the_next(warc, tmp_path):
    path, target = warc("a.warc.gz"), tmp_path / "labels" / "a.warc.gz.parquet"
    with _held(path, target) as process:
        process.kill()
    (left,) = _names(target.parent)
    assert left.startswith(".a.warc.gz.parquet.")
    (report,) = label_files([str(path)], target.parent, n_processes=1)
    assert not report.was_done
    assert _names(target.parent) == ["a.warc.gz.parquet"]
    assert pq.read_table(target).num_rows == 3


def test_what_another_run_is_writing_is_left_alone(warc, tmp_path):
    target = tmp_path / "labels" / "a.warc.gz.parquet"
    with _held(warc("a.warc.gz"), target) as process:
        assert sweep([target]) == 0
        process.communicate("go on\n")
    assert process.returncode == 0
    assert _names(target.parent) == ["a.warc.gz.parquet"]


def test_the_processes_of_a_killed_run_end_with_it(warc, tmp_path):
    with _started(BEGUN, tmp_path / "labels", warc("a.warc.gz"), warc("b.warc.gz")) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        process.kill()
        try:  # all of them have the other end of the pipe: it ends when the last of them does
            assert process.communicate(timeout=120) == ("", None)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def test_only_leftovers_of_the_own_files_are_taken_away(tmp_path):
    others = [
        ".b.parquet.0123abcd",
        ".a.parquet",
        ".a.parquet.0123abcg",
        "a.parquet.0123abcd",
        ".a.parquet.0123abcd.bak",
    ]
    for name in (*others, ".a.parquet.0123abcd"):
        (tmp_path / name).touch()
    (tmp_path / ".a.parquet.00000000").mkdir()
    (tmp_path / ".a.parquet.11111111").symlink_to(tmp_path / others[0])
    assert sweep([tmp_path / "a.parquet"]) == 1
    assert _names(tmp_path) == sorted([*others, ".a.parquet.00000000", ".a.parquet.11111111"])


def test_two_files_of_one_name(warc, tmp_path):
    (tmp_path / "other").mkdir()
    first = warc("a.warc.gz")
    second = tmp_path / "other" / "a.warc.gz"
    second.write_bytes(first.read_bytes())
    with pytest.raises(BadConfig, match="two files would both"):
        list(label_files([str(first), str(second)], tmp_path / "labels"))


def test_labels_of_another_file_of_the_same_name_are_not_taken_for_its_own(warc, tmp_path):
    path, labels = warc("a.warc.gz"), tmp_path / "labels"
    list(label_files([str(path)], labels, n_processes=1))
    kept = (labels / "a.warc.gz.parquet").read_bytes()
    path.write_bytes(path.read_bytes() * 2)  # of the next month, or longer by now
    with pytest.raises(BadConfig, match=r"labels of another a\.warc\.gz, or of this one before it changed"):
        list(label_files([str(path)], labels, n_processes=1))
    assert (labels / "a.warc.gz.parquet").read_bytes() == kept
    (labels / "a.warc.gz.parquet").write_text("notes")
    with pytest.raises(BadConfig, match="not the labels of a file"):
        list(label_files([str(path)], labels, n_processes=1))


def test_the_command(warc, tmp_path):
    warc("a.warc.gz"), warc("b.warc.gz")
    result = CliRunner().invoke(
        main, ["identify", str(tmp_path), "--into", str(tmp_path / "labels"), "--processes", "1"]
    )
    assert result.exit_code == 0, result.stderr
    assert "files: 2; pages labelled: 6" in result.stderr
    assert len(list(Path(tmp_path / "labels").iterdir())) == 2


def test_a_second_run_does_not_take_its_own_labels_for_pages(warc, tmp_path):
    warc("a.warc.gz")
    again = ["identify", str(tmp_path), "--into", str(tmp_path / "labels"), "--processes", "1"]
    CliRunner().invoke(main, again)
    result = CliRunner().invoke(main, again)
    assert result.stderr == "files: 1, 1 of them by an earlier run; pages labelled: 0\n"
    assert _names(tmp_path / "labels") == ["a.warc.gz.parquet"]


def test_the_command_ends_with_one_where_a_page_could_not_be_read(warc, tmp_path):
    path = warc("a.warc.gz")
    path.write_bytes(path.read_bytes()[:-30])
    result = CliRunner().invoke(
        main, ["identify", str(path), "--into", str(tmp_path / "labels"), "--processes", "1"]
    )
    assert result.exit_code == 1
    assert "1 unreadable" in result.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["-o", "x.csv"], "--output"),
        (["--format", "csv"], "--format"),
        (["--url", "http://a.example/"], "--url"),
        (["--content-type", "text/html"], "--content-type"),
    ],
)
def test_what_a_folder_of_labels_has_no_use_for_is_refused(tmp_path, more, told):
    result = CliRunner().invoke(main, ["identify", str(tmp_path), "--into", str(tmp_path / "labels"), *more])
    assert result.exit_code == 2
    assert f"{told} cannot be given with --into" in result.stderr


def test_processes_without_a_folder_of_labels_are_refused(tmp_path):
    (tmp_path / "a.html").write_bytes(b"<p>x")
    result = CliRunner().invoke(main, ["identify", str(tmp_path / "a.html"), "--processes", "2"])
    assert (result.exit_code, "--into" in result.stderr) == (2, True)


def test_a_folder_without_a_warc_file_is_said_to_have_none(tmp_path):
    (tmp_path / "a.html").write_bytes(b"<p>x")
    result = CliRunner().invoke(main, ["identify", str(tmp_path), "--into", str(tmp_path / "labels")])
    assert result.exit_code == 1
    assert "no WARC file" in result.stderr
