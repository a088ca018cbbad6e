"""The wheel: the same bytes twice, everything in it that is needed, and it works on its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "setup.py", "MANIFEST.in", "pyproject.toml", "README.md", "LICENSE")


def _copy_sources(folder: Path, compiled: str = "") -> None:
    """A copy of the sources with other times; of the modules to compile only one, if it is named."""
    folder.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source,
                folder / name,
                ignore=shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc", "*.so", "*.egg-info"),
                copy_function=shutil.copyfile,
            )
        else:
            shutil.copyfile(source, folder / name)
    if compiled:
        for path in (folder / "src/linksight/native").rglob("*.py"):
            if "import cython\n" in path.read_text() and path.name != compiled:
                path.unlink()


def _build(folder: Path, *, compiled: str = "") -> Path:
    """A wheel from a copy of the sources that lies elsewhere."""
    _copy_sources(folder, compiled)
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder / "dist"),
        str(folder),
    ]
    places = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    done = subprocess.run(command, env=places, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(tmp_path_factory.mktemp("one") / "tree")


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    """One compiled module shows it: the others are built alike, and take minutes."""
    one, other = (_build(tmp_path / name, compiled="adagrad.py") for name in ("one", "another-place"))
    assert one.name == other.name
    assert one.read_bytes() == other.read_bytes()
    assert any(name.endswith((".so", ".pyd")) for name in zipfile.ZipFile(one).namelist())


#: Compiles as setuptools does on a machine without a compiler; from release 81 on it raises the error of the system.
WITHOUT_COMPILER = """
import runpy, sys
from setuptools.command.build_ext import build_ext

def no_compiler(self, extension):
    raise FileNotFoundError(2, "No such file or directory", "gcc")

build_ext.build_extension = no_compiler
sys.argv = ["setup.py", "build_ext", "--inplace"]
runpy.run_path("setup.py")
"""


def test_without_a_compiler_the_sources_run_instead(tmp_path: Path) -> None:
    _copy_sources(tmp_path / "tree", "adagrad.py")
    command = [sys.executable, "-c", WITHOUT_COMPILER]
    done = subprocess.run(
        command, cwd=tmp_path / "tree", capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "adagrad" in done.stderr, "no warning"
    assert not [*(tmp_path / "tree" / "src").rglob("*.so")]


def test_the_wheel_holds_models_and_templates_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "linksight",
        f"linksight-{wheel.name.split('-')[1]}.dist-info",
    }
    wanted = [
        "data/urls.linksight",
        "data/pages.model",
        "py.typed",
        "studio/templates/base.html",
        "studio/static/studio.css",
    ]
    assert not [name for name in wanted if f"linksight/{name}" not in names]
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbi", ".nbc", ".pyc"))]
    assert wheel.stat().st_size < 60 * 2**20


def test_the_wheel_works_without_the_sources(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(place)
    command = [sys.executable, "-m", "linksight"]
    places = {
        **{key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        "PYTHONPATH": str(place),
    }

    def run(*words: str) -> str:
        done = subprocess.run(
            [*command, *words],
            cwd=tmp_path,
            env=places,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert str(place) in run("doctor", "--fast")
    assert '"language": "fr"' in run("detect", "https://www.lemonde.fr/economie/")
    (tmp_path / "page.html").write_text(
        "<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"
    )
    assert '"language": "nl"' in run("identify", "page.html")
    assert run("--version").startswith("linksight, version ")
