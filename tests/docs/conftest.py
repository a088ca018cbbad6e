"""A web, a database and a folder for the examples of the documentation."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
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
def loaded() -> Iterator[Path]:
    """Where a process that has linksight loaded waits for commands."""
    from doc_sandbox import MODULES

    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="ls-docs-", dir="/tmp") as folder:
        where = Path(folder) / "socket"
        server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("doc_server.py")), str(where)], text=True,
            env={**os.environ, "PYTHONPATH": MODULES}, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        with server:
            assert server.stdout is not None
            assert server.stdout.readline() == "ready\n"
            yield where
            os.killpg(server.pid, signal.SIGTERM)


@pytest.fixture(scope="session")
def example_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like that of ``LINKSIGHT_DATA``, with a few labelled URLs and pages."""
    from doc_sandbox import write_data

    folder = tmp_path_factory.mktemp("data") / "data"
    write_data(folder)
    return folder
