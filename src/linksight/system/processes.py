"""Processes: the cores that ours may use, and what one of our own needs to find the library that we are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import linksight


def n_cores() -> int:
    """Cores that this process may use, which may be fewer than the machine has.

    >>> 1 <= n_cores() <= os.cpu_count()
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def child_environment() -> dict[str, str]:
    """The environment for a process that finds the library that we are, and all else, where and in the order we do.

    A program may have added places of its own, to ``PYTHONPATH`` as well; and site-packages before the standard
    library would let an old backport of one of its modules take that one's place.
    """
    home = str(Path(linksight.__file__).parents[1])
    places = [place for place in sys.path if place and isinstance(place, str)]
    asked = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), home]
    first = [place for place in asked if place and place not in places]
    return os.environ | {"PYTHONPATH": os.pathsep.join([*first, *places])}
