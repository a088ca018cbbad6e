"""Large arrays for random access, in large memory pages where the system has them."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PAGE_BYTES = 2**21  #: of a large page


def large_zeros(shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """An array of zeros that begins on a page; parts that are never written take no memory.

    >>> large_zeros((3, 2), np.int16).sum()
    np.int64(0)
    """
    n_items = int(np.prod(shape))
    size = n_items * np.dtype(dtype).itemsize
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # Shared memory, which is the default, has small pages.
        memory = mmap.mmap(-1, size + _PAGE_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with suppress(OSError):  # a kernel without large pages: slower, with the same answers
            memory.madvise(mmap.MADV_HUGEPAGE)
    else:
        memory = mmap.mmap(-1, size + _PAGE_BYTES)
    first = -np.frombuffer(memory, np.uint8, 1).ctypes.data % _PAGE_BYTES
    return np.frombuffer(memory, dtype, n_items, first).reshape(shape)
