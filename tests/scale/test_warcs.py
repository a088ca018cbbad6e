"""Many WARC files at a time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.errors import BadConfig
from linksight.pages.warcs import label_files


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


def test_two_files_of_one_name(warc, tmp_path):
    (tmp_path / "other").mkdir()
    first = warc("a.warc.gz")
    second = tmp_path / "other" / "a.warc.gz"
    second.write_bytes(first.read_bytes())
    with pytest.raises(BadConfig, match="two files would both"):
        list(label_files([str(first), str(second)], tmp_path / "labels"))


def test_the_command(warc, tmp_path):
    warc("a.warc.gz"), warc("b.warc.gz")
    result = CliRunner().invoke(
        main, ["identify", str(tmp_path), "--into", str(tmp_path / "labels"), "--processes", "1"]
    )
    assert result.exit_code == 0, result.stderr
    assert "files: 2; pages labelled: 6" in result.stderr
    assert len(list(Path(tmp_path / "labels").iterdir())) == 2
