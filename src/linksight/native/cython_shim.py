"""What uncompiled modules use of ``cython`` where that package is not installed: decorators and types without effect."""

from __future__ import annotations

from typing import Any

compiled = False


class _NoGil:
    """``@cython.nogil`` before a function and ``with cython.nogil:`` around statements."""

    def __call__(self, function: Any) -> Any:
        return function

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


nogil = gil = _NoGil()


def _same(function: Any) -> Any:
    return function


cfunc = ccall = cclass = inline = final = no_gc = _same


def exceptval(*_: object, **__: object) -> Any:
    """Exceptions pass through plain Python."""
    return _same


locals = returns = boundscheck = wraparound = freelist = exceptval


def cast(type_: Any, value: Any) -> Any:
    """Conversions whose result depends on the width of the type are functions of ``primitives``."""
    return value


def declare(type_: Any = None, value: Any = None, **_: object) -> Any:
    """The initial value."""
    return value
