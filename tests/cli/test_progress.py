"""Progress is drawn where someone watches, and rich, which is slow to start, is asked only there."""

from __future__ import annotations

import io
import sys

import pytest

from linksight.cli.progress import measured, working


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def nothing_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def _drawn(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, quiet: bool = False) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with working("counting", quiet) as step:
        step("counted")
    with measured(10, quiet) as update:
        update(10, 3)
    return stream.getvalue()


def test_a_terminal_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _drawn(monkeypatch, _Terminal())
    assert "counted" in shown
    assert "3 rows" in shown


def test_a_pipe_and_the_quiet_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _drawn(monkeypatch, io.StringIO()) == ""
    assert _drawn(monkeypatch, _Terminal(), quiet=True) == ""


@pytest.mark.parametrize(("name", "value", "shown"), [
    ("FORCE_COLOR", "1", True), ("FORCE_COLOR", "", False), ("TTY_COMPATIBLE", "1", True), ("TTY_COMPATIBLE", "0", False),
])  # fmt: skip
def test_what_forces_a_terminal_is_heard(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, shown: bool
) -> None:
    monkeypatch.setenv(name, value)
    assert bool(_drawn(monkeypatch, io.StringIO())) is shown


def test_where_there_is_no_stderr_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with working("counting") as step:
        step("counted")
