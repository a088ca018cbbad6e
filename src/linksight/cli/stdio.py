"""The three streams of a program, whatever state it was started in.

A closed one becomes the null device: the next file that is opened would otherwise take its number, and what is
meant for a message would stand in that file. Data go out as UTF-8 (which JSON must be) unless somebody looks at
them; what a terminal of an older kind, or no encoding at all, can show is spelt out.
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
        os.fstat(number)  # taken since by something else, which is not ours to close
    except OSError:
        os.dup2(null, number)
        os.close(null)
        null = number
    return open(null, mode, encoding="utf-8", closefd=False)


def _coding(stream: io.TextIOWrapper) -> dict[str, Any]:
    known = stream.encoding.lower() in _CODINGS or stream.isatty()
    return {"errors": "backslashreplace"} | ({} if known else {"encoding": "utf-8"})
