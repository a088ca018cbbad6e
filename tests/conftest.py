"""Fixtures that several test modules share, and the rule that CI skips nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of labelled URLs, pages and texts."""
    where = os.environ.get("LINKSIGHT_DATA")
    if not where or not Path(where).is_dir():
        pytest.skip("LINKSIGHT_DATA is not set")
    return Path(where)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """With LINKSIGHT_NO_SKIPS a skipped test is a failed one: CI must not go blind quietly."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("LINKSIGHT_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but LINKSIGHT_NO_SKIPS is set: {report.longrepr}"
