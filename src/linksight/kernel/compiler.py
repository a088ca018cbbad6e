"""How the kernel is compiled: without the interpreter lock, kept on disk, and without counting uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core.options import DefaultOptions

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"nogil": True, "cache": True}
# By default every call counts the uses of each array that it is given, in one atomic step each: a good part of
# the time of small functions. Here arrays are only lent, and none is made. The option is numba's own.
if hasattr(DefaultOptions, "_nrt"):
    _OPTIONS["_nrt"] = False


def compiled(function: _Function) -> _Function:
    """The function, compiled when it is first called."""
    made: _Function = njit(**_OPTIONS)(function)
    return made


def compiled_fast(function: _Function) -> _Function:
    """The same; the order of sums of floats may change."""
    made: _Function = njit(**_OPTIONS, fastmath=True)(function)
    return made


def compiled_step(function: _Function) -> _Function:
    """The same, for the steps of one long pass: whoever calls them has their code within its own.

    ``inlined`` writes out the source and is for what is small; this is done to what was compiled, and costs less time.
    """
    made: _Function = njit(**_OPTIONS, fastmath=True, forceinline=True)(function)
    return made


def inlined(function: _Function) -> _Function:
    """The same, written out wherever it is called."""
    made: _Function = njit(**_OPTIONS, inline="always")(function)
    return made
