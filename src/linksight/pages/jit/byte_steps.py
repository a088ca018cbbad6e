"""Steps that a processor does at once and plain Python spells out: the parts that kernels are faster by.

Each is a twin, see ``compiled``: what stands here says what it gives, ``vectors`` has how compiled code does it.
"""

from __future__ import annotations

from typing import Any

from linksight.pages.jit.compile_on_demand import Twin


def _index(number: Any) -> Any:
    """A place in an array: compiled code need not ask of it whether it counts from the end.

    It is unsigned there; mix it with nothing but its like.
    """
    return number


def _ask(table: Any, at: int) -> None:
    """Asks memory for ``table[at]``, so that it is there when it is needed; changes nothing."""


def _seek(body: Any, at: int, size: int, low: int, high: int) -> int:
    """The first place from ``at`` on whose byte is from ``low`` to ``high``; ``size`` if there is none before it."""
    while at < size and not low <= body[at] <= high:
        at += 1
    return at


def _copy(body: Any, i: int, stop: int, out: Any, o: int) -> tuple[int, int]:
    """Copies text from ``body[i:stop]`` to ``out[o:]``; returns where it stopped to read and to write.

    It stops at what may be markup (``&``, ``<``, ``=``, ``>``) and at white space other than a single space. Before ``o`` must
    stand a byte of the same text. Behind what it wrote ``out`` may be written over.
    """
    while i < stop:
        c = body[i]
        if c == 38 or 60 <= c <= 62 or c < 32 or (c == 32 and out[o - 1] == 32):
            break
        out[o] = c
        o += 1
        i += 1
    return i, o


index = Twin(_index, "index")
ask = Twin(_ask, "ask")
seek = Twin(_seek, "seek")
copy = Twin(_copy, "copy")
