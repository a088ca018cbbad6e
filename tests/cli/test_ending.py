"""A command that is asked to end does so at any moment, and says nothing that is no news."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# The signal comes while an object is made: what __init__ has not set yet is missing when it is torn down.
HALF_MADE = """
class Half:
    def __init__(self):
        os.kill(os.getpid(), number)
        self.rest = 1
    def __del__(self):
        self.rest
with orderly_end():
    Half()
    time.sleep(30)
"""

# The signal comes while an object is torn down, where Python drops every exception.
TORN_DOWN = """
class Gone:
    def __del__(self):
        os.kill(os.getpid(), number)
        len("a call, in which the signal is heard")
with orderly_end():
    Gone()
    time.sleep(30)
"""


@pytest.mark.parametrize(
    ("moment", "number", "code"),
    [
        (HALF_MADE, signal.SIGTERM, 143),
        (HALF_MADE, signal.SIGINT, 130),
        (TORN_DOWN, signal.SIGTERM, 143),
    ],
    ids=["made, terminated", "made, interrupted", "torn down, terminated"],
)
def test_a_signal_ends_the_block_wherever_it_comes(moment: str, number: signal.Signals, code: int) -> None:
    script = (
        "import os, sys, time\nfrom linksight.cli.ending import orderly_end\n"
        f"number = {int(number)}\ntry:\n"
        + "".join(f"    {line}\n" for line in moment.splitlines())
        + "except KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20)
    assert (ended.returncode, ended.stderr) == (code, "")
