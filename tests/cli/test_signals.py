"""SIGTERM ends a command in order: temporary files go, and the exit status names the signal."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from linksight.cli.signals import exit_on_sigterm


def terminate_self(steps: list[str]) -> None:
    with exit_on_sigterm():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            signal.sigtimedwait([], 5)
        finally:
            steps.append("cleaned")


def test_sigterm_runs_finally_blocks_and_exits_with_143():
    steps: list[str] = []
    with pytest.raises(SystemExit) as end:
        terminate_self(steps)
    assert (end.value.code, steps) == (143, ["cleaned"])


def test_the_previous_handler_returns_after_the_block():
    before = signal.getsignal(signal.SIGTERM)
    with exit_on_sigterm():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_run_the_block_without_a_handler():
    before, seen = signal.getsignal(signal.SIGTERM), []

    def run() -> None:
        with exit_on_sigterm():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]
