"""Format byte counts with SI units."""

from __future__ import annotations


def size(count: float) -> str:
    """Format a number of bytes with an SI unit.

    >>> size(1_234_567)
    '1.2 MB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
