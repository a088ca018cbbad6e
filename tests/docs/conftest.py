"""A web, a database and a folder for the examples of the documentation."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the tests of this folder share modules
collect_ignore = ["stand_ins"]  # programs, which are run and not imported


def _fixtures_of(part: str) -> Any:
    """The fixtures of another folder of tests: its examples stand in the documentation, too."""
    path = Path(__file__).parents[1] / part / "conftest.py"
    spec = importlib.util.spec_from_file_location(f"docs_{part}_conftest", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_MODELS, _SCALE = _fixtures_of("models"), _fixtures_of("scale")
database, dns_server = _MODELS.database, _MODELS.dns_server
spark = _SCALE.spark


@pytest.fixture(scope="session")
def example_web() -> Iterator[Any]:
    """News sites and a shop on the loopback addresses."""
    from doc_web import ExampleWeb

    with ExampleWeb() as web:
        yield web


@pytest.fixture(scope="session")
def example_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like that of ``LINKSIGHT_DATA``, with a few labelled URLs and pages."""
    from doc_sandbox import write_data

    folder = tmp_path_factory.mktemp("data") / "data"
    write_data(folder)
    return folder
