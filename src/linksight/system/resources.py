"""Paths of bundled models and tables.

Plain paths instead of ``importlib.resources``, whose import takes longer than reading the bundled model.
"""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")  # noqa: PTH118, PTH120 (pathlib is slow to start, too)


def path_of(name: str) -> str:
    """Return the path of a bundled file.

    >>> os.path.isfile(path_of("languages.json"))
    True
    """
    return os.path.join(_FOLDER, name)  # noqa: PTH118


def bytes_of(name: str) -> bytes:
    """Read a bundled file."""
    with open(path_of(name), "rb") as file:  # noqa: PTH123
        return file.read()
