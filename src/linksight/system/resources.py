"""The models and tables that come with the package, by name.

Plain paths and no ``importlib.resources``: that one, with what it imports, takes longer to start than
the bundled model takes to read.
"""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")  # noqa: PTH118, PTH120 (pathlib is slow to start, too)


def path_of(name: str) -> str:
    """Where a bundled file is.

    >>> os.path.isfile(path_of("languages.json"))
    True
    """
    return os.path.join(_FOLDER, name)  # noqa: PTH118


def bytes_of(name: str) -> bytes:
    """The whole of a bundled file."""
    with open(path_of(name), "rb") as file:  # noqa: PTH123
        return file.read()
