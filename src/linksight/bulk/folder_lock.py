"""A folder that one run has to itself: two that write the same output would spoil each other's parts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linksight.errors import BadConfig


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
    """Whether a folder is ours for the block; where the system has no such locks it is taken for ours."""
    try:
        import fcntl
    except ImportError:  # folders cannot even be opened there
        yield True
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        is_free = True
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_free = False
        except OSError:  # a file system without locks
            pass
        yield is_free and folder.is_dir()  # else the other run has just ended, and its folder with it
    finally:
        os.close(number)
