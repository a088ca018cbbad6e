"""A command that is asked to end does so at any moment, and says nothing that is no news."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# On a busy machine a stop that is asked for again comes while Python still tells of the one that was dropped.
BEGIN = """
import os, sys, time, weakref
from linksight.cli import ending
from linksight.cli.signals import orderly_end
soon = ending._ask_again
def late(number):
    ending._ask_again = soon
    soon(number)
    time.sleep(busy)
ending._ask_again = late
"""

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
    time.sleep(300)
"""

# The signal comes while an object is torn down, where Python drops every exception.
TORN_DOWN = """
class Gone:
    def __del__(self):
        os.kill(os.getpid(), number)
        len("a call, in which the signal is heard")
with orderly_end():
    Gone()
    time.sleep(300)
"""

# The signal comes where Python drops exceptions without a method's name to tell it by.
CALLED_BACK = """
class Gone:
    pass
def told(_):
    os.kill(os.getpid(), number)
    len("a call, in which the signal is heard")
with orderly_end():
    gone = Gone()
    watched = weakref.ref(gone, told)
    del gone
    time.sleep(300)
"""


@pytest.mark.parametrize("busy", [0.0, 0.1], ids=["", "on a busy machine"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize(
    "moment", [HALF_MADE, TORN_DOWN, CALLED_BACK], ids=["made", "torn down", "called back"]
)
def test_a_signal_ends_the_block_wherever_it_comes(
    moment: str, number: signal.Signals, code: int, busy: float
) -> None:
    script = (
        BEGIN
        + f"number, busy = {int(number)}, {busy}\ntry:\n"
        + "".join(f"    {line}\n" for line in moment.splitlines())
        + "except KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert (ended.returncode, ended.stderr) == (code, "")
