"""A disk that is full, as the system says it: ENOSPC."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linksight import load
from linksight.bulk.annotate import Labels
from linksight.bulk.job import Job
from linksight.bulk.partitioned_writer import Files
from linksight.bulk.readers import Reader
from linksight.bulk.sources import find_sources

URLS = [f"http://www.zeitung{i}.de/politik/artikel-{i}" for i in range(4_000)]
FULL = Path("/dev/full")  # a device of Linux that has no room, ever


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "t.txt"
    path.parent.mkdir()
    path.write_text("\n".join(URLS))
    return path


class FullDisk(Job):
    """A job whose parts lie on a disk without room."""

    def _files(self, folder: Path, first: bool, schema: object) -> Files:
        for name in ("rows", *(f"{code}.{self.form}" for code in load().languages), f"und.{self.form}"):
            (folder / name).symlink_to(FULL)
        return super()._files(folder, first, schema)


@pytest.mark.skipif(not FULL.exists(), reason="not Linux")
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("by_language", [False, True])
def test_a_full_disk_leaves_nothing_behind(source, tmp_path, form, by_language):
    output = tmp_path / f"o.{form}"
    reader, labels = Reader(find_sources([str(source)])), Labels(scorer=load())
    work = FullDisk(reader=reader, labels=labels, form=form, output=output, by_language=by_language)
    with pytest.raises(OSError, match="No space left on device") as full:
        work.run()
    assert full.value.errno == errno.ENOSPC
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert source.read_text() == "\n".join(URLS)


def test_a_disk_without_room_for_the_plan_has_nothing_left_on_it(source, tmp_path, monkeypatch):
    def full(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    work = Job(
        reader=Reader(find_sources([str(source)])),
        labels=Labels(scorer=load()),
        form="csv",
        output=tmp_path / "o.csv",
    )
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left on device"):
        work.run()
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.skipif(not FULL.exists(), reason="not Linux")
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_full_standard_output_is_one_line_of_error(source, environment, form):
    command = [sys.executable, "-m", "linksight", "detect", "-i", str(source), "--format", form]
    with FULL.open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment,
                              check=False, timeout=600)  # fmt: skip
    assert done.returncode == 1
    assert "No space left on device" in done.stderr or "disk full" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_file_system(source, tmp_path, environment):
    """A file system of 200 kB, where this machine lets us mount one; the tests above run everywhere."""
    room = tmp_path / "room"
    room.mkdir()
    script = (
        f"mount -t tmpfs -o size=200k tmpfs {room} || exit 77; cd {room};"
        f" {sys.executable} -m linksight detect -q -i {source} -o o.csv; code=$?; ls -A; exit $code"
    )
    prefix = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
    if not shutil.which("unshare"):
        pytest.skip("no namespaces here")
    done = subprocess.run([*prefix, "sh", "-c", script], capture_output=True, text=True, env=environment,
                          check=False, timeout=600)  # fmt: skip
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("this machine lets us mount nothing")
    assert done.returncode == 1, done.stderr
    assert done.stderr.strip().endswith("o.csv: disk full; nothing was written there")
    assert done.stdout == "", "something was left"
