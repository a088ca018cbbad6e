"""The documentation is true: its examples run, its reference is complete, and its site builds."""

from __future__ import annotations

import contextlib
import difflib
import doctest
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MARK = "--- what came before was"
RUN = re.compile(r"<!-- run -->\n```console\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_recipe", ROOT / "recipes" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", [ROOT / "README.md", *DOCS], ids=lambda path: path.name)
def test_python_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = "".join(re.findall(r"```python\n(>>> .*?)```", path.read_text(), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    told: list[str] = []
    runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


#: Pages with Python that is no session of questions and answers, and the test that runs all of it.
SCRIPTS = {
    "api.md": "tests/studio/test_studio_docs.py::test_the_python_example_runs",
    "classifiers.md": "tests/models/test_classifiers_page.py::test_the_example_by_hosting_runs",
    "crawl.md": "tests/crawl/test_crawl_replay.py::test_the_strategy_of_the_docs_runs_as_it_stands_there",
    "detect.md": "tests/scale/test_engines.py::test_python_of_the_docs_runs",
    "scale.md": "tests/scale/test_spark.py::test_python_of_the_docs_runs",
}


def test_every_page_with_python_has_a_test_that_runs_it() -> None:
    pages = {
        path.name
        for path in (ROOT / "README.md", *DOCS)
        if re.search(r"```python\n(?!>>> )", path.read_text())
    }
    assert pages == set(SCRIPTS)
    for test in SCRIPTS.values():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), test


def _steps(block: str) -> list[tuple[str, str]]:
    """(command, expected output) pairs of a console block."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


RUNNING = [path for path in DOCS if RUN.search(path.read_text())]


@pytest.mark.parametrize("path", RUNNING, ids=lambda path: path.name)
def test_commands_give_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    """All blocks of a page in one shell, as a reader would type them; a shop on this machine is the site to learn."""
    # Two runs of the tests at once must not meet on the port that the page names.
    text = path.read_text().replace("8791", str(_free_port()))
    steps = [step for block in RUN.findall(text) for step in _steps(block)]
    check = doctest.OutputChecker().check_output
    for (command, wanted), (code, told) in zip(steps, _typed(steps, tmp_path), strict=True):
        assert code == 0, f"{command}\n{told}"
        assert check(wanted, told, FLAGS), f"{command}\n{told}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.1.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _typed(steps: list[tuple[str, str]], folder: Path) -> list[tuple[int, str]]:
    """(exit code, what was shown) of each command, typed into one shell in a copy of what a clone has."""
    programs = folder / "bin"
    programs.mkdir()
    for name, code in (("linksight", "-m linksight "), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {code}"$@"\n')
        (programs / name).chmod(0o755)
    for name in ("benchmarks", "recipes"):
        (folder / name).symlink_to(ROOT / name)
    places = {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"}
    script = "".join(f"{command}\necho; echo {MARK} $?\n" for command, _ in steps)
    with (folder / "shown").open("w+") as shown:
        shell = subprocess.Popen(
            ["bash"], cwd=folder, env={**os.environ, **places}, stdin=subprocess.PIPE, stdout=shown,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            shell.communicate(script, timeout=300)
        finally:
            with contextlib.suppress(ProcessLookupError):  # whatever a page started and did not stop
                os.killpg(shell.pid, signal.SIGTERM)
        shown.seek(0)
        told = shown.read()
    parts = re.split(rf"\n{MARK} (\d+)\n", told)
    return [(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=False)]


def test_the_reference_is_up_to_date(reference: ModuleType) -> None:
    page = reference.page()
    changed = list(
        difflib.unified_diff(reference.PAGE.read_text().splitlines(), page.splitlines(), lineterm="", n=0)
    )
    assert not changed, "run python recipes/reference.py\n" + "\n".join(changed[:20])


def test_every_command_and_option_says_what_it_does(reference: ModuleType) -> None:
    from linksight.cli import main

    lacking = [
        name
        for path, command in reference.commands(main, "linksight")
        for name in reference.undocumented(path, command)
    ]
    assert not lacking


def test_every_public_name_has_a_docstring() -> None:
    import linksight

    assert all(getattr(linksight, name).__doc__ for name in linksight.__all__ if name != "__version__")


def test_every_command_stands_in_a_guide() -> None:
    from linksight.cli import COMMANDS

    text = "".join(path.read_text() for path in DOCS if path.name != "reference.md")
    assert not [name for name in COMMANDS if f"linksight {name}" not in text]


def test_the_site_builds_with_warnings_as_errors_and_asks_no_other_server(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"((?:https?:)?//[^\"]+)", page.read_text()
        )
        assert not loaded, f"{page.name} loads {loaded}"
