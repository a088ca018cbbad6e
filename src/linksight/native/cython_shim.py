"""What uncompiled modules use of ``cython`` where that package is not installed: decorators and types without effect."""

from __future__ import annotations

from typing import Any

compiled = False
_TYPES = frozenset(
    "Py_ssize_t bint const double float int longlong short uchar uint ulonglong ushort void".split()
)


class _NoGil:
    """``@cython.nogil`` before a function and ``with cython.nogil:`` around statements."""

    def __call__(self, function: Any) -> Any:
        return function

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


nogil = _NoGil()


def _same(function: Any) -> Any:
    return function


cfunc = ccall = cclass = inline = final = _same


def cast(type_: Any, value: Any) -> Any:
    """Conversions whose result depends on the width of the type are functions of ``primitives``."""
    return value


def declare(type_: Any = None, value: Any = None, **_: object) -> Any:
    """The initial value."""
    return value


def __getattr__(name: str) -> Any:
    """A type, which plain Python ignores."""
    if name in _TYPES:
        return object
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
