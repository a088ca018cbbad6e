"""The functions of ``byte_steps.h`` for modules that run uncompiled."""

from __future__ import annotations


def seek(body, at, size, low, high):
    """The first place from ``at`` on whose byte is from ``low`` to ``high``; ``size`` if there is none before it."""
    while at < size and not low <= body[at] <= high:
        at += 1
    return at


def copy(body, i, stop, out, o):
    """Copy text from ``body[i:stop]`` to ``out[o:]`` and return the number of bytes copied.

    The copy ends at possible markup (``&``, ``<``, ``=``, ``>``) and at white space other than a single space.
    A byte of the same text must precede ``o``. Bytes behind the copy may be overwritten.
    """
    begun = i
    while i < stop:
        c = body[i]
        if c == 38 or 60 <= c <= 62 or c < 32 or (c == 32 and out[o - 1] == 32):
            break
        out[o] = c
        o += 1
        i += 1
    return i - begun


def prefetch_slot(slots, at):
    """Load ``slots[at]`` into the cache."""


def prefetch_row(pairs, at):
    """Load the three cache lines from ``pairs[at]`` on into the cache: no row is longer."""
