"""Work ahead and work behind: a thread reads the next blocks, another writes the last ones.

Arrow releases the GIL while it reads and writes, so scoring overlaps with input and output.
Queues are short: memory is bounded by a few blocks.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")
QUEUE_SIZE = 2
#: A reader that is stopped is waited for this long; one that waits for a pipe may never answer.
TIMEOUT_SECONDS = 2.0
_END: Any = object()


def ahead(items: Iterator[T], depth: int = QUEUE_SIZE) -> Iterator[T]:
    """The same items, made by a thread that is a few of them ahead.

    Closing it ends the thread and closes the items: Arrow must not read when Python exits, or the
    process is aborted.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    line: queue.Queue[Any] = queue.Queue(depth)
    stopped = threading.Event()

    def read() -> None:
        try:
            for item in items:
                if not _offered(line, (item, None), stopped):
                    return
            _offered(line, (_END, None), stopped)
        except BaseException as error:
            _offered(line, (_END, error), stopped)
        finally:
            _close(items)

    thread = threading.Thread(target=read, name="read ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = line.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        stopped.set()
        thread.join(TIMEOUT_SECONDS)


def mapped(
    function: Callable[[T], U], items: Iterator[T], at_once: int = 2
) -> Generator[tuple[T, U], None, None]:
    """Items with a function's results, in order; the next item starts while one is finished.

    Closed, or ended by an error, it closes the items.

    >>> list(mapped(str.upper, iter("abc")))
    [('a', 'A'), ('b', 'B'), ('c', 'C')]
    """
    pending: deque[tuple[T, Future[U]]] = deque()
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="label")
    try:
        for item in items:
            pending.append((item, pool.submit(function, item)))
            if len(pending) >= at_once:
                first, made = pending.popleft()
                yield first, made.result()
        for first, made in pending:
            yield first, made.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        _close(items)


def _close(items: Iterator[Any]) -> None:
    """Close a generator; other iterators need no close."""
    if isinstance(items, Generator):
        items.close()


def _offered(line: queue.Queue[Any], item: Any, stopped: threading.Event) -> bool:
    """Put where someone still listens."""
    while not stopped.is_set():
        try:
            line.put(item, timeout=0.2)
        except queue.Full:
            continue
        return True
    return False


@contextmanager
def behind(write: Callable[[T], None], depth: int = QUEUE_SIZE) -> Iterator[Callable[[T], None]]:
    """Gives a function that hands items to a thread that writes them; leaves when all are written."""
    line: queue.Queue[Any] = queue.Queue(depth)
    failed: list[BaseException] = []
    stopped = threading.Event()

    def run() -> None:
        try:
            while (item := line.get()) is not _END:
                write(item)
        except BaseException as error:
            failed.append(error)
            stopped.set()

    thread = threading.Thread(target=run, name="write behind", daemon=True)
    thread.start()

    def put(item: T) -> None:
        if not _offered(line, item, stopped):
            raise failed[0]

    try:
        yield put
        _offered(line, _END, stopped)
        thread.join()
    except BaseException:
        stopped.set()
        if thread.is_alive():
            _emptied(line)
            line.put(_END)
            thread.join()
        raise
    if failed:
        raise failed[0]


def _emptied(line: queue.Queue[Any]) -> None:
    try:
        while True:
            line.get_nowait()
    except queue.Empty:
        return
