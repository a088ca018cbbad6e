"""Memory that kernels read and write."""

from __future__ import annotations

from struct import calcsize
from typing import Any


def zeros(kind: str, n: int) -> Any:
    """``n`` zeros of a type that ``struct`` knows."""
    return memoryview(bytearray(n * calcsize(kind))).cast(kind)


def view(array: Any) -> Any:
    """A NumPy array whose elements are plain numbers, so that uncompiled kernels do not overflow."""
    return memoryview(array)
