"""How a command ends when somebody asks it to: at once, in order, and without a word that is no news."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def orderly_end() -> Iterator[None]:
    """While the block runs SIGTERM (of a batch system, of ``kill``) ends it as Ctrl-C does: nothing half is left."""
    heard = _listen()
    try:
        yield
    except KeyboardInterrupt:
        sys.unraisablehook = _torn_down
        raise
    finally:
        if heard:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _listen() -> bool:
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # somebody else has a plan for it
        return False
    try:
        signal.signal(signal.SIGTERM, _stop)
    except ValueError:  # not in the main thread, where signals do not come
        return False
    return True


def _stop(number: int, _: FrameType | None) -> None:
    """Unwind from wherever the main thread is, which may be in the middle of making an object."""
    sys.unraisablehook = _torn_down
    signal.signal(number, signal.SIG_DFL)  # whoever asks again wants it at once
    sys.exit(128 + number)


def _torn_down(trouble: sys.UnraisableHookArgs) -> None:
    """What a half-made object complains of as it goes is no news; a stop that was lost in one is asked for again."""
    if isinstance(trouble.exc_value, SystemExit):
        signal.signal(signal.SIGTERM, _stop)
        # A moment later and from outside: raised here and now, it would be dropped like the first one.
        told = (threading.main_thread().ident, signal.SIGTERM)
        later = threading.Timer(0.01, signal.pthread_kill, told)
        later.daemon = True
        later.start()
