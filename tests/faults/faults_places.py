"""Disks that are full or cannot be written, for real, in a name space of their own; no root is needed.

A command runs with a small tmpfs as its folder: what it finds there is copied in first, what is left
there afterwards is copied out. Where the machine allows no name spaces a limit on the size of files
(the same refusal in the middle of a write) and a folder without the right to write stand in, so that
no test is ever skipped.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from linksight.cli import main

ROOT = Path(__file__).parents[2]
LINKSIGHT = (sys.executable, "-m", "linksight")
LANGUAGES = {"de": ("zeitung", "politik"), "fr": ("journal", "economie"), "nl": ("krant", "nieuws")}
#: Labelled URLs, enough for every command.
LABELLED = [
    (f"http://{word}{i}.example/{word}/{language}-{i}", language)
    for language, words in LANGUAGES.items()
    for word in words
    for i in range(35)
]

#: $1 size, $2 the folder, $3 what it holds at first, $4 what is left in the end, $5 ro or rw; then the command.
_INSIDE = """
set -e
mount -t tmpfs -o size="$1" tmpfs "$2"
cp -r "$3/." "$2"
if [ "$5" = ro ]; then mount -o remount,ro tmpfs "$2"; fi
left="$4"; place="$2"
shift 5
cd "$place"
set +e
"$@"
code=$?
cp -r "$place/." "$left"
exit $code
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and the files that it left."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]

    def refused(self, *words: str) -> None:
        """Fails unless the command said what is wrong, in words, and ended with an error."""
        assert self.code == 1, f"{self.code}\n{self.out}\n{self.err}"
        assert "Traceback" not in self.err, self.err
        assert "Error: " in self.err, self.err
        assert not words or any(word in self.err for word in words), self.err


class Gate:
    """Lets so many visitors in and has the next one wait: whoever is stopped then is stopped in the middle."""

    def __init__(self) -> None:
        self.someone_waits = threading.Event()
        self._open = threading.Event()
        self._open.set()
        self._left = 0
        self._lock = threading.Lock()

    def let_in(self, number: int) -> None:
        """So many may pass from now on."""
        self._left = number
        self._open.clear()

    def open(self) -> None:
        """Everybody may pass, those who wait as well."""
        self._open.set()

    def passed(self) -> None:
        """Waits until the one who calls it may pass."""
        with self._lock:
            self._left -= 1
            may = self._left >= 0
        if not may and not self._open.is_set():
            self.someone_waits.set()
            self._open.wait()


def run_in(folder: Path, words: list[str], **changes: object) -> subprocess.CompletedProcess[str]:
    """A command of linksight in a folder."""
    places = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"}
    return subprocess.run(
        [*LINKSIGHT, *words], cwd=folder, env=places, capture_output=True, text=True, timeout=600, check=False,
        **changes,  # type: ignore[call-overload]
    )  # fmt: skip


def invoke_in(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """The same in this process, for faults that do not touch the process: the tests share its imports."""
    with contextlib.chdir(folder):
        done = CliRunner(env={"COLUMNS": "100"}).invoke(main, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@cache
def _has_name_spaces() -> bool:
    if not shutil.which("unshare"):
        return False
    trial = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def on_small_disk(tmp_path: Path, size: int, words: list[str], mode: str) -> Ended:
    before, place, left = (tmp_path / name for name in ("before", "place", "left"))
    place.mkdir()
    left.mkdir()
    if _has_name_spaces():
        inside = [
            "unshare",
            "-rm",
            "sh",
            "-c",
            _INSIDE,
            "sh",
            str(size),
            *map(str, (place, before, left)),
            mode,
        ]
        places = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"}
        done = subprocess.run(
            [*inside, *LINKSIGHT, *words],
            env=places,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    elif mode == "ro":
        done = _without_rights(before, left, words)
    else:
        done = _with_small_files(before, left, size, words)
    found = Ended(done.returncode, done.stdout, done.stderr, files_of(left))
    shutil.rmtree(place)
    shutil.rmtree(left)
    return found


def _with_small_files(
    before: Path, left: Path, size: int, words: list[str]
) -> subprocess.CompletedProcess[str]:
    import resource
    import signal

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

    shutil.copytree(before, left, dirs_exist_ok=True)
    return run_in(left, words, preexec_fn=limit)


def _without_rights(before: Path, left: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    shutil.copytree(before, left, dirs_exist_ok=True)
    if os.geteuid() == 0:  # rights do not bind root, but nobody can make a file there
        words = [word.replace("out", "/proc/self/out") if word.startswith("out") else word for word in words]
        return run_in(left, words)
    left.chmod(0o555)
    try:
        return run_in(left, words)
    finally:
        left.chmod(0o755)
