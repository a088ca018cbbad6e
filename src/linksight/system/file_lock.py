"""Locks on open files that the system frees when a process ends; POSIX and Windows."""

from __future__ import annotations

import os
import sys

#: On Windows the locked byte lies far behind the content, because a lock there also blocks reading.
_FAR = 1 << 30


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process; False if another process holds the lock."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
