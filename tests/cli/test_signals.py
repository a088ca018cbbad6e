"""SIGTERM ends a command in order: temporary files go, and the exit status names the signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import linksight

PROGRAM = """
import sys, time
from linksight.cli import main
from linksight.system.atomic_write import whole_file

@main.command()
def wait():
    with whole_file("out.txt", "w"):
        print("ready", flush=True)
        time.sleep(60)

main.get_command = lambda context, name: wait
main(["wait"])
"""


def test_sigterm_removes_partial_files_and_exits_with_143(tmp_path: Path) -> None:
    places = {**os.environ, "PYTHONPATH": str(Path(linksight.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=places, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        assert list(tmp_path.iterdir())
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == 143
    assert not list(tmp_path.iterdir())
