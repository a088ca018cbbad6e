"""CPU count and environment of child processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import linksight
from linksight.errors import BadConfig


def n_cores() -> int:
    """Return the number of CPU cores that this process may use.

    >>> 1 <= n_cores() <= os.cpu_count()
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(n_threads: int | None = None) -> int:
    """Threads to use: ``n_threads`` if given, else ``LINKSIGHT_THREADS``, else the cores of this process.

    >>> thread_count(3)
    3
    """
    if n_threads is None:
        setting = os.environ.get("LINKSIGHT_THREADS", "")
        if not setting:
            return n_cores()
        if not (setting.isascii() and setting.isdigit() and int(setting)):
            raise BadConfig(f"LINKSIGHT_THREADS is a number of threads, 1 or more, not {setting!r}")
        return int(setting)
    if not isinstance(n_threads, int) or isinstance(n_threads, bool) or n_threads < 1:
        raise BadConfig(f"n_threads is a number of threads, 1 or more, not {n_threads!r}")
    return n_threads


def child_environment() -> dict[str, str]:
    """Return an environment in which a child process imports the same modules in the same order.

    The parent may have extended ``sys.path``. The order is kept, so that no backport in site-packages shadows the
    standard library.
    """
    home = str(Path(linksight.__file__).parents[1])
    places = [place for place in sys.path if place and isinstance(place, str)]
    asked = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), home]
    first = [place for place in asked if place and place not in places]
    return os.environ | {"PYTHONPATH": os.pathsep.join([*first, *places])}
