"""linksight doctor: tells what is missing, with the cure, and fails only when linksight cannot work."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

import linksight
from linksight.cli import extras as extras_module
from linksight.cli import main
from linksight.cli.commands import doctor

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def _names(requirements: list[str]) -> tuple[str, ...]:
    return tuple(re.match(r"[\w-]+", text)[0] for text in requirements)  # type: ignore[index]


def test_it_knows_the_packages_of_the_project() -> None:
    extras = PROJECT["optional-dependencies"]
    assert _names(PROJECT["dependencies"]) == doctor.CORE
    listed = {extra: packages for extra, (_, packages) in extras_module.EXTRAS.items()}
    assert listed == {extra: _names(extras[extra]) for extra in listed}
    assert set(_names(extras["all"])) == {"linksight"}
    assert extras["all"] == [f"linksight[{','.join(listed)}]"]


def test_a_sound_installation_passes() -> None:
    done = CliRunner().invoke(main, ["doctor", "--format", "jsonl"])
    assert done.exit_code == 0, done.output
    found = {row["what"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert {found[name]["state"] for name in ("URL model", "page model", "compiled core")} == {"ok"}


def test_what_is_missing_is_told_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.version

    def version(name: str) -> str:
        if name in ("orjson", "scrapy"):
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    done = CliRunner().invoke(main, ["doctor", "--fast"])
    assert done.exit_code == 1
    assert re.search(r"broken +orjson +not installed: pip install orjson", done.stdout)
    assert re.search(r'missing +\[crawl\].*no scrapy: pip install "linksight\[crawl\]"', done.stdout)
    assert "1 of" in done.stderr


def test_a_model_that_cannot_be_read_is_broken_and_the_rest_is_still_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def damaged() -> None:
        raise OSError("cut\noff")

    monkeypatch.setattr(linksight, "load", damaged)
    found = {finding.what: finding for finding in doctor.examine()}
    assert found["URL model"] == doctor.Finding("broken", "URL model", "OSError: cut off")
    assert found["page model"].state == "ok"
    assert "data" in found


def test_the_version_is_that_of_the_project() -> None:
    done = CliRunner().invoke(main, ["--version"])
    assert done.output == f"linksight, version {linksight.__version__}\n"


def test_modules_that_run_uncompiled_are_reported_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linksight.native.uncompiled_modules", lambda: ["urls.extract"])
    found = {finding.what: finding for finding in doctor.examine(fast=True)}
    assert found["compiled core"].state == "missing"
    assert "urls.extract: install a C compiler" in found["compiled core"].detail


def test_languages_are_counted_and_found_by_name() -> None:
    done = CliRunner().invoke(main, ["languages", "frisian"])
    assert done.exit_code == 0
    assert done.stderr.startswith("1 language: ")
    assert done.stdout.startswith("fy ")
    assert CliRunner().invoke(main, ["languages", "no such language"]).exit_code == 1


def test_slow_checks_are_announced_and_fast_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import contextmanager

    from linksight.cli import progress

    announced = []

    @contextmanager
    def working(text: str, quiet: bool = False):  # type: ignore[no-untyped-def]
        announced.append(text)
        yield lambda _: None

    monkeypatch.setattr(progress, "working", working)
    assert CliRunner().invoke(main, ["doctor", "--fast"]).exit_code == 0
    assert announced == []
    assert CliRunner().invoke(main, ["doctor"]).exit_code == 0
    assert [text.split()[0] for text in announced] == ["loading", "loading"]
