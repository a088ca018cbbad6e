"""Processes: the cores that ours may use, and what one of our own needs to find the library that we are."""

from __future__ import annotations

import os
from pathlib import Path

import linksight


def n_cores() -> int:
    """Cores that this process may use, which may be fewer than the machine has.

    >>> 1 <= n_cores() <= os.cpu_count()
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def child_environment() -> dict[str, str]:
    """The environment for a process that uses the library that we are, wherever it was found."""
    home = str(Path(linksight.__file__).parents[1])
    return os.environ | {"PYTHONPATH": os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])}
