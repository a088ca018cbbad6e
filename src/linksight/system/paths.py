"""Validate file paths."""

from __future__ import annotations

import os

from linksight.errors import BadData


def path_text(path: object) -> str:
    """Convert a path to text; raise BadData for anything that is not a path.

    >>> from pathlib import Path
    >>> path_text(Path("models/nl.linksight")), path_text(b"nl.linksight")
    ('models/nl.linksight', 'nl.linksight')
    >>> path_text(3)
    Traceback (most recent call last):
    linksight.errors.BadData: a path is text or a pathlib.Path, not int: 3
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise BadData(f"a path is text or a pathlib.Path, not {type(path).__name__}: {str(path)[:80]}")
    text = os.fsdecode(path)
    if not text:
        raise BadData("the path is empty")
    if "\0" in text:
        raise BadData(f"a path cannot contain a null character: {text[:80]!r}")
    return text
