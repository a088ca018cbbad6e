"""Set up standard input, output and error.

A closed stream becomes the null device; otherwise the next opened file would get its descriptor and receive
messages. Output is UTF-8 unless it goes to a terminal. Characters that a terminal cannot show are escaped.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

_UTF8_NAMES = ("utf-8", "utf8", "cp65001")


def prepare() -> None:
    """Replace closed standard streams and set the encoding of stdout; replaced stream objects stay unchanged."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, _open_null(number, mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(**_encoding_options(sys.stdout))


def _open_null(number: int, mode: str) -> Any:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(number)  # the descriptor is in use by another file
    except OSError:
        os.dup2(null, number)
        os.close(null)
        null = number
    return open(null, mode, encoding="utf-8", closefd=False)


def _encoding_options(stream: io.TextIOWrapper) -> dict[str, Any]:
    keeps_encoding = stream.encoding.lower() in _UTF8_NAMES or stream.isatty()
    return {"errors": "backslashreplace"} | ({} if keeps_encoding else {"encoding": "utf-8"})
