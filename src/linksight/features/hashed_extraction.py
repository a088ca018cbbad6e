"""Letters for the kernels that numba still compiles; ``native.learning.hashed_extraction`` has the features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from linksight.native.learning.hashed_extraction import LETTER_RANGES
from linksight.system.kernel_cache import guarded

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _compiled(function: _Function) -> _Function:
    """Compiled when it is first called, with the constants of other modules as they are now."""
    made = guarded(njit(cache=True, nogil=True)(function))
    return cast("_Function", made)


@_compiled
def is_letter(point: Any) -> Any:
    """Whether a code point is a letter of a word."""
    if point < 0x80:
        return 97 <= point <= 122
    for i in range(0, len(LETTER_RANGES), 2):
        if point < LETTER_RANGES[i]:
            return False
        if point <= LETTER_RANGES[i + 1]:
            return True
    return False
