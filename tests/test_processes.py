"""What processes of our own are given."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import linksight
from linksight.system.processes import child_environment

SCRIPT = "import json, sys; print(json.dumps(sys.path[1:]))"


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)


def places_of_a_child() -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=child_environment(), capture_output=True, check=True
    )
    return json.loads(told.stdout)


def test_a_child_looks_for_modules_where_its_parent_does(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, Path("no text"), ""])
    assert places_of_a_child() == list(dict.fromkeys(place for place in sys.path[:-2] if place))


def test_places_that_are_named_for_children_alone_come_first(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert places_of_a_child()[0] == str(tmp_path)


def test_a_child_finds_the_library_wherever_it_was_found(monkeypatch):
    home = str(Path(linksight.__file__).parents[1])
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != home])
    assert places_of_a_child()[0] == home
