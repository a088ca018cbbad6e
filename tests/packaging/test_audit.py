"""The audit says what is wrong, and never takes silence for a clean bill; the scripts are ones that a shell reads."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PARTS = [
    {"name": "a", "version": "1.0", "licenses": [{"license": {"name": "MIT"}}]},
    {"name": "b", "version": "2.0", "licenses": [{"license": {"name": "BSD"}}]},
]
FRESH = '<a href="x">{name}-{version}-py3-none-any.whl</a>'


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The recipe, with two packages of which nothing bad is known."""
    monkeypatch.syspath_prepend(ROOT / "recipes")
    module = importlib.import_module("audit")
    page = "".join(FRESH.format(**part) for part in PARTS)
    monkeypatch.setattr(module, "bill_of", lambda extras: PARTS)
    monkeypatch.setattr(module, "advisories", lambda parts: ({}, set()))
    monkeypatch.setattr(module, "registry_page", lambda name: page)
    monkeypatch.setattr(sys, "argv", ["audit.py"])
    return module


def _ends_with(audit: ModuleType) -> int:
    with pytest.raises(SystemExit) as ended:
        audit.main()
    return int(ended.value.code or 0)


def test_its_own_examples_are_true(audit: ModuleType) -> None:
    found = doctest.testmod(audit)
    assert found.attempted >= 3
    assert not found.failed


def test_a_clean_bill_passes(audit: ModuleType) -> None:
    assert _ends_with(audit) == 0


def test_a_known_vulnerability_fails(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "advisories", lambda parts: ({"a": ["PYSEC-1"]}, set()))
    assert _ends_with(audit) == 1
    assert "WRONG a: PYSEC-1" in capsys.readouterr().out


def test_a_withdrawn_version_fails(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = "".join(FRESH.format(**part) for part in PARTS).replace("<a ", '<a data-yanked="" ', 1)
    monkeypatch.setattr(audit, "registry_page", lambda name: page)
    assert _ends_with(audit) == 1
    assert "WRONG a 1.0: withdrawn" in capsys.readouterr().out


@pytest.mark.parametrize("silent", ["advisories", "registry"])
def test_a_service_that_does_not_answer_is_no_clean_bill(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, silent: str
) -> None:
    if silent == "advisories":
        monkeypatch.setattr(audit, "advisories", lambda parts: ({}, {"a", "b"}))
    else:
        monkeypatch.setattr(audit, "registry_page", lambda name: "")
    assert _ends_with(audit) == 3


@pytest.mark.parametrize("licence", ["unknown", "GPL-3.0-only"])
def test_a_licence_that_is_unknown_or_reaches_further_fails(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], licence: str
) -> None:
    parts = [PARTS[0], {**PARTS[1], "licenses": [{"license": {"name": licence}}]}]
    monkeypatch.setattr(audit, "bill_of", lambda extras: parts)
    assert _ends_with(audit) == 1
    assert f"WRONG b: licence {licence}" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").iterdir()), ids=lambda path: path.name)
def test_every_script_parses_and_stops_at_an_error(path: Path) -> None:
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
    assert "set -euo pipefail" in path.read_text()


def test_the_wheel_is_tried_on_every_python_that_is_promised() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    promised = {line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)}
    tried = set(
        re.findall(
            r"3\.\d+", re.search(r"for version in (.*);", (ROOT / "scripts/check-wheel").read_text())[1]
        )
    )  # type: ignore[index]
    assert promised <= tried
