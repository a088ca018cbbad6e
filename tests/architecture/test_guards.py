"""The guard of ``tests/conftest.py`` sees what a test leaves behind, and puts it right; names of tests stay."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest


@pytest.fixture
def guard(request):
    """A guard that watches from now on."""
    ours = Path(__file__).parents[1] / "conftest.py"
    plugins = request.config.pluginmanager.get_plugins()
    watch = next(one for one in plugins if getattr(one, "__file__", None) == str(ours)).watch_environment()
    next(watch)
    return watch


def test_a_changed_environment_is_named_and_put_right(guard, monkeypatch):
    monkeypatch.setenv("LINKSIGHT_NEW", "1")
    monkeypatch.setenv("HOME", "/nowhere")
    with pytest.raises(AssertionError, match="environment: HOME, LINKSIGHT_NEW; set it with monkeypatch"):
        next(guard)
    assert os.environ["HOME"] != "/nowhere"
    assert "LINKSIGHT_NEW" not in os.environ


@pytest.mark.parametrize("gone", [False, True])
def test_another_working_directory_is_reported_and_left(guard, monkeypatch, tmp_path, gone):
    before = Path.cwd()
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    if gone:
        folder.rmdir()
    with pytest.raises(AssertionError, match="another working directory"):
        next(guard)
    assert Path.cwd() == before


def test_a_test_without_changes_passes(guard, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        patch.setenv("LINKSIGHT_NEW", "1")
        patch.chdir(tmp_path)
    with pytest.raises(StopIteration):
        next(guard)


@pytest.mark.parametrize("packed", [gzip.compress(b"", mtime=0), gzip.compress(b"", mtime=1)])
def test_the_second_in_which_tests_are_collected_is_not_in_their_names(request, packed):
    """Workers that disagree on a name run nothing."""
    assert request.node.name.partition("[")[2] in {"packed0]", "packed1]"}
    assert packed.startswith(b"\x1f\x8b")
