"""Removes the temporary files of killed processes: hidden files beside their output.

A writing process locks its hidden file; the lock ends with the process. So a later run can
distinguish files in use from stale ones, and removes only the stale ones. Without
file locks (some network disks, Windows) nothing is removed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from linksight.system.atomic_write import whole_file
from linksight.system.file_lock import try_lock

_HIDDEN = re.compile(r"\.(.+)\.[0-9a-f]{8}")  #: names of the temporary files of ``whole_file``


@contextmanager
def held_file(target: str | os.PathLike[str]) -> Iterator[IO[Any]]:
    """A file as of ``whole_file``, that others can see is being written until it is in its place."""
    with ExitStack() as behind, whole_file(target) as file:
        # The lock is of the opened file, by whichever number: this one is closed after the file has been moved.
        number = os.dup(file.fileno())
        behind.callback(os.close, number)
        _lock(number)
        yield file


def sweep(targets: Iterable[Path]) -> int:
    """Remove the temporary files of killed processes for these outputs; returns their number.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / ".a.parquet.0123abcd").touch()
    >>> sweep([folder / "a.parquet"]), list(folder.iterdir())
    (1, [])
    """
    outputs, swept = set(targets), 0
    for folder in {target.parent for target in outputs}:
        for path in folder.iterdir():
            found = _HIDDEN.fullmatch(path.name)
            if found and path.with_name(found[1]) in outputs and path.is_file() and not path.is_symlink():
                with suppress(OSError):  # it is gone by now, or belongs to somebody else
                    swept += _taken_away(path)
    return swept


def _taken_away(path: Path) -> bool:
    number = os.open(path, os.O_RDWR)  # some disks give locks only to those who may write
    try:
        if free := _lock(number):
            path.unlink()
        return free
    finally:
        os.close(number)


def _lock(number: int) -> bool:
    """Lock an open file; False if another process holds the lock or the file system has no locks."""
    try:
        return try_lock(number)
    except OSError:
        return False
