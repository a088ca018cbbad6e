"""Make standard input, output and error usable, in any state in which the program was started.

A closed stream becomes the null device; otherwise the next file that is opened would take its number and receive
messages. Output that is not for a terminal is UTF-8. Characters that a terminal cannot show are escaped.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

_CODINGS = ("utf-8", "utf8", "cp65001")


def prepare() -> None:
    """Make standard input, output and error usable; streams that somebody put in their place are left alone."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nothing(number, mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(**_coding(sys.stdout))


def _nothing(number: int, mode: str) -> Any:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(number)  # another file has this number now
    except OSError:
        os.dup2(null, number)
        os.close(null)
        null = number
    return open(null, mode, encoding="utf-8", closefd=False)


def _coding(stream: io.TextIOWrapper) -> dict[str, Any]:
    known = stream.encoding.lower() in _CODINGS or stream.isatty()
    return {"errors": "backslashreplace"} | ({} if known else {"encoding": "utf-8"})
