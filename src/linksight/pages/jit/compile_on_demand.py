"""Compiling what is worth compiling, when it is worth it.

A kernel is a plain Python function over byte and number sequences. It answers the first pages as it is: a page
takes milliseconds, loading compiled code nearly a second, compiling half a minute. Once enough bytes have gone
through, numba takes over; enough is less when an earlier run left the compiled code on disk. Both give the same
numbers: it is the same function.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from linksight.system.kernel_cache import is_fresh

ENOUGH = 4_000_000  #: bytes through plain Python before loading what was compiled pays
ENOUGH_COLD = 40_000_000  #: and before compiling does


class Pace:
    """Counts the work done and says whether to run compiled code.

    ``LINKSIGHT_PAGES=python`` or ``compiled`` settles it beforehand.

    >>> pace = Pace("python")
    >>> pace.compiled(10**9)
    False
    """

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode if mode is not None else (os.environ.get("LINKSIGHT_PAGES") or "auto")
        self.done = 0
        self._fast = self.mode == "compiled"
        self._enough = ENOUGH if self.mode == "auto" and _on_disk() else ENOUGH_COLD

    def compiled(self, size: int) -> bool:
        """Whether a page of ``size`` bytes is to be read, or its spans found, by compiled code."""
        if not self._fast and self.mode == "auto":
            self.done += size
            self._fast = self.done > self._enough
        return self._fast

    def take_up(self) -> bool:
        """Run compiled code from now on if it is on disk, by whichever process; answers whether it is."""
        if self.mode == "auto" and _on_disk():
            self._fast = True
        return self._fast


def _on_disk() -> bool:
    """Whether numba has left compiled kernels of this very source beside this module."""
    folder = Path(__file__).parents[1] / "langid" / "__pycache__"
    return is_fresh(folder) and any(folder.glob("classifier.*.nbi"))


class Kernel:
    """A function and, from when it is first asked for, its compiled self.

    ``parts`` are kernels that it calls, by the global name that it calls them by.
    """

    def __init__(self, function: Callable[..., Any], **parts: Kernel) -> None:
        self._function, self._parts = function, parts
        self._compiled: Callable[..., Any] | None = None
        self.__doc__ = function.__doc__

    @property
    def plain(self) -> Callable[..., Any]:
        """The function as it is."""
        return self._function

    @property
    def compiled(self) -> Callable[..., Any]:
        """The function compiled, now or in an earlier run."""
        if self._compiled is None:
            from linksight.native.jit import compiled_step

            function = self._function
            if self._parts:
                names = {name: part.compiled for name, part in self._parts.items()}
                function = FunctionType(function.__code__, function.__globals__ | names, function.__name__)
                function.__module__, function.__qualname__ = (
                    self._function.__module__,
                    self._function.__qualname__,
                )
            self._compiled = compiled_step(function)
        return self._compiled


class Twin(Kernel):
    """A kernel whose compiled self is written apart and gives the same: the function ``name`` of ``vectors``."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        super().__init__(function)
        self._name = name

    @property
    def compiled(self) -> Callable[..., Any]:
        if self._compiled is None:
            self._compiled = getattr(import_module("linksight.pages.jit.simd_steps"), self._name)
        return self._compiled
