"""How a command ends when somebody asks it to: at once, in order, and without a word that is no news."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

AGAIN_S = 0.01  #: until a stop that came at a bad moment is asked for again

#: What Python does with these by itself; where somebody else has a plan for one it is left to them.
_UNTOUCHED: dict[int, Any] = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}


@contextmanager
def orderly_end() -> Iterator[None]:
    """While the block runs SIGTERM (of a batch system, of ``kill``) ends it as Ctrl-C does: nothing half is left."""
    heard = [number for number in _UNTOUCHED if _listens(number)]
    try:
        yield
    except KeyboardInterrupt:
        sys.unraisablehook = _torn_down
        raise
    finally:
        for number in heard:
            signal.signal(number, _UNTOUCHED[number])


def _listens(number: int) -> bool:
    if signal.getsignal(number) is not _UNTOUCHED[number]:
        return False
    try:
        signal.signal(number, _stop)
    except ValueError:  # not in the main thread, where signals do not come
        return False
    return True


def _stop(number: int, frame: FrameType | None) -> None:
    """Unwind from wherever the main thread is, which may be in the middle of making an object."""
    sys.unraisablehook = _torn_down
    if _is_dropped(frame):
        _ask_again(number)
        return
    signal.signal(number, _UNTOUCHED[number])  # whoever asks again wants it at once
    _leave(number)


def _leave(number: int) -> NoReturn:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _is_dropped(frame: FrameType | None) -> bool:
    """Whether Python would drop an exception here: in a tear-down, or in the hook that hears of one."""
    while frame is not None:
        if frame.f_code is _torn_down.__code__ or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def _torn_down(trouble: sys.UnraisableHookArgs) -> None:
    """What a half-made object complains of as it goes is no news; a stop that was lost in one is asked for again."""
    if isinstance(trouble.exc_value, SystemExit):
        _ask_again(signal.SIGTERM)
    elif isinstance(trouble.exc_value, KeyboardInterrupt):
        _ask_again(signal.SIGINT)


def _ask_again(number: int) -> None:
    """A moment later, when the tear-down is over; by the system's alarm, since a thread takes locks to start."""
    signal.signal(signal.SIGALRM, _later(number))
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S)


def _later(number: int) -> Callable[[int, FrameType | None], None]:
    return lambda _, frame: _stop(number, frame)
