"""A release fails while placeholders stand in for URLs, and its scripts, workflows and source archive are complete."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _version() -> str:
    import linksight

    return linksight.__version__


def test_the_version_has_one_source_and_the_citation_names_it() -> None:
    assert PROJECT["dynamic"] == ["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(cited["version"]) == _version()
    assert cited["license"] == PROJECT["license"]


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A copy of the files that a release is checked by, with real URLs and a dated changelog."""
    for name in ("scripts/check-release", "pyproject.toml", "CITATION.cff", "src/linksight/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace("linksight.example", "linksight.org"))
    (tmp_path / "changes").mkdir()
    (tmp_path / "CHANGELOG.md").write_text(f"## {_version()} (2026-12-01)\n")
    return tmp_path


def _check(folder: Path, *words: str) -> str:
    """What scripts/check-release reports; nothing if it passes."""
    command = ["bash", str(folder / "scripts/check-release"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def test_a_complete_release_passes(released: Path) -> None:
    assert _check(released, f"v{_version()}") == ""


def test_placeholders_fail_a_release(released: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", released)
    assert "project.urls.Homepage is a placeholder" in _check(released)


def test_another_tag_a_missing_section_and_fragments_fail_a_release(released: Path) -> None:
    (released / "CHANGELOG.md").write_text("")
    (released / "changes/+more.added.md").write_text("More.")
    told = _check(released, "v0.0.1")
    assert "the tag v0.0.1" in told
    assert "no dated section" in told
    assert "+more.added.md" in told


def test_the_readme_of_a_package_has_absolute_links_alone(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    shutil.copy(ROOT / "README.md", page)
    subprocess.run([sys.executable, str(ROOT / "scripts/absolute-links"), str(page)], check=True)
    repository = PROJECT["urls"]["Repository"]
    text = page.read_text()
    assert not re.findall(r"\]\((?!https?://|#)", text)
    assert f"({repository}/raw/v{_version()}/docs/pictures/terminal.svg)" in text


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").iterdir()), ids=lambda path: path.name)
def test_every_script_parses_and_stops_at_an_error(path: Path) -> None:
    text = path.read_text()
    if "python3" in text.splitlines()[0]:
        compile(text, path.name, "exec")
        return
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
    assert "set -euo pipefail" in text


def test_the_wheel_is_tried_on_every_python_that_is_promised() -> None:
    promised = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    assert promised == {"3.11", "3.12", "3.13", "3.14"}
    wheels = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]["build"]
    assert {f"3.{minor}" for minor in re.findall(r"cp3(\d+)", wheels)} == promised
    tried = re.search(r"for version in (.*);", (ROOT / "scripts/check-wheel").read_text())
    assert tried
    assert promised <= set(tried[1].split())


def test_scripts_workflows_and_documents_name_files_that_exist() -> None:
    """A path in a workflow that is gone would fail only in the job that runs it."""
    callers = [
        *(ROOT / "scripts").iterdir(),
        *(ROOT / ".github").rglob("*.yml"),
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / ".ci/run",
        ROOT / "pyproject.toml",
    ]
    named = {
        (path.name, name)
        for path in callers
        for name in re.findall(
            r"(?<![\w/.])((?:scripts|tests|benchmarks|recipes|deploy|quality|packaging)/[\w./-]*\w)",
            path.read_text(),
        )
    }
    assert len(named) > 100
    assert not {(path, name) for path, name in named if not (ROOT / name).exists()}


@pytest.mark.parametrize("path", sorted((ROOT / ".github/workflows").iterdir()), ids=lambda path: path.name)
def test_every_workflow_is_valid(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(("run" in step) != ("uses" in step) for step in steps)


def test_the_image_runs_as_an_unprivileged_user_with_a_health_check() -> None:
    lines = (ROOT / "deploy/Dockerfile").read_text().splitlines()
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    assert [line for line in lines if line.startswith("USER")] == ["USER crawler"]
    assert all(
        re.search(r":[\w.-]+$|\$\{BASE\}", line.split(" AS ")[0]) for line in lines if line[:4] == "FROM"
    )
    copied = [
        words
        for line in lines
        if line.startswith("COPY") and "--from" not in line
        for words in line.split()[1:-1]
    ]
    assert not [name for name in copied if not (ROOT / name).exists()]


def test_the_conda_recipe_takes_version_and_dependencies_from_the_package() -> None:
    jinja2 = pytest.importorskip("jinja2")
    recipe = (ROOT / "packaging/conda/meta.yaml").read_text()
    source = (ROOT / "src/linksight/__init__.py").read_text()
    filled = jinja2.Template(recipe).render(
        compiler=str,
        PYTHON="python",
        load_file_data=lambda path, **_: {"project": PROJECT},
        load_file_regex=lambda regex_pattern, **_: re.search(regex_pattern, source),
    )
    found = yaml.safe_load(filled)
    assert found["package"]["version"] == _version()
    assert set(PROJECT["dependencies"]) <= set(found["requirements"]["run"])


@pytest.mark.packaging
def test_the_source_archive_is_complete_and_its_tests_run(
    tmp_path: Path, script: Callable[[str], object]
) -> None:
    command = [
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.glob("linksight-*/")
    for name in (
        "setup.py",
        "scripts/test",
        "tests/docs",
        "quality",
        "changes",
        ".github/workflows",
        "deploy/Dockerfile",
    ):
        assert (folder / name).exists(), name
    tests = ["tests/test_urls.py", "tests/test_readme.py", "tests/packaging/test_release.py"]
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not packaging", *tests]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
