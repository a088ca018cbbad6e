"""A folder that one run has to itself: two that write the same output would spoil each other's parts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linksight.errors import BadConfig
from linksight.system.file_lock import try_lock


@contextmanager
def alone_in(folder: Path, output: Path) -> Iterator[None]:
    """A folder that no other run may use at the same time; it is made, and goes again where nothing came into it."""
    folder.mkdir(exist_ok=True)
    with _lock(folder) as is_ours:
        if not is_ours:
            raise BadConfig(f"{output}: another run is writing it; wait for its end, or give -o another name")
        try:
            yield
        finally:
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def _lock(folder: Path) -> Iterator[bool]:
    """Whether this run holds the lock on a folder during the block; always on systems that cannot lock folders."""
    if sys.platform == "win32":  # folders cannot be opened there
        yield True
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        try:
            is_free = try_lock(number)
        except OSError:  # a file system without locks
            is_free = True
        yield is_free and folder.is_dir()  # else the other run has just ended, and its folder with it
    finally:
        os.close(number)
