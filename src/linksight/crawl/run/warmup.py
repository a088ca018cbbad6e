"""Warming up: the reader of pages is compiled beside the crawl, where no earlier run has done it.

Compiled code reads a page many times faster than plain Python, and takes a while to make, once an
installation. A process of its own makes it and leaves it on disk; the crawl goes on meanwhile, and
takes it up when it is there.
"""

from __future__ import annotations

import subprocess
import sys

from linksight.pages.jit.compile_on_demand import Pace
from linksight.system.processes import child_environment

_COMPILE = (
    "import linksight; linksight.identify(b'<html lang=nl><p>' + b'alle mensen worden vrij geboren ' * 40)"
)


ENOUGH = 150  #: pages after which a crawl is taken for one that goes on


class Warmup:
    """Has the reader compiled; to be looked after from time to time."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._started = pace.mode != "auto" or pace.take_up()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Have the compiled code made, where it is wanted and not on disk."""
        if self._started:
            return
        self._started = True
        places = child_environment() | {"LINKSIGHT_PAGES": "compiled"}
        # A session of its own: Ctrl-C is for the crawl.
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", _COMPILE], env=places, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def look(self, pages: int) -> bool:
        """Take the compiled code up if it is there now; answers whether there is nothing left to do.

        A crawl of a few pages is over before it would pay: it begins after some.
        """
        if pages >= ENOUGH:
            self.start()
        if self._process is not None and self._process.poll() is not None:
            self._process = None
            self.pace.take_up()
        return self._process is None

    def stop(self) -> None:
        """The crawl is over: nobody waits for it any more."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
