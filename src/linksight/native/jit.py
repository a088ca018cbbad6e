"""How the kernel is compiled: without the interpreter lock, kept on disk, and without counting uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core.options import DefaultOptions

from linksight.system.kernel_cache import guarded

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"nogil": True, "cache": True}
# By default every call counts the uses of each array that it is given, in one atomic step each: a good part of
# the time of small functions. Here arrays are only lent, and none is made. The option is numba's own.
if hasattr(DefaultOptions, "_nrt"):
    _OPTIONS["_nrt"] = False


def compiled(function: _Function) -> _Function:
    """The function, compiled when it is first called."""
    return _made(function)


def compiled_fast(function: _Function) -> _Function:
    """The same; the order of sums of floats may change."""
    return _made(function, fastmath=True)


def compiled_step(function: _Function) -> _Function:
    """The same, for the steps of one long pass: whoever calls them has their code within its own.

    ``inlined`` writes out the source and is for what is small; this is done to what was compiled, and costs less time.
    A call hands over seven numbers for each array: where a step takes some ten nanoseconds, that is a good part of it.
    What is within others is compiled again with each of them, though: all of ``scoring._gather`` within its caller
    would be a tenth faster still, and take twice as long to compile.
    """
    return _made(function, fastmath=True, forceinline=True)


def inlined(function: _Function) -> _Function:
    """The same, written out wherever it is called."""
    return _made(function, inline="always")


def _made(function: _Function, **options: Any) -> _Function:
    made: _Function = guarded(njit(**_OPTIONS, **options)(function))
    return made
