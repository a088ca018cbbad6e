"""Processes of our own: what they need to find the library that we are."""

from __future__ import annotations

import os
from pathlib import Path

import linksight


def child_environment() -> dict[str, str]:
    """The environment for a process that uses the library that we are, wherever it was found."""
    home = str(Path(linksight.__file__).parents[1])
    return os.environ | {"PYTHONPATH": os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])}
