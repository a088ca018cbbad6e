"""The examples of docs/api.md run as they stand, but for the port."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def block(language: str, studio) -> str:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found, f"no example for {language}"
    return found[1].replace("http://127.0.0.1:8765", studio.url)


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_example_runs(studio, tmp_path):
    (tmp_path / "example.py").write_text(block("python", studio))
    assert "('fr', 0.9" in run([sys.executable, "example.py"], tmp_path)


def test_the_java_example_runs(studio, tmp_path):
    if not shutil.which("javac"):
        pytest.skip("no Java here")
    (tmp_path / "Linksight.java").write_text(block("java", studio))
    run(["javac", "Linksight.java"], tmp_path)
    first, second = run(["java", "-XX:TieredStopAtLevel=1", "Linksight"], tmp_path).splitlines()
    assert first == "fr"
    assert '"language":["de","nl"]' in second


def test_the_curl_examples_run(studio, tmp_path):
    if not shutil.which("curl"):
        pytest.skip("no curl here")
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    lines = re.search(r"## curl\n\n```\n(.*?)```", text, re.DOTALL)[1].replace(
        "http://127.0.0.1:8765", studio.url
    )
    (tmp_path / "urls.txt").write_text("https://www.lemonde.fr/economie/\n")
    (tmp_path / "page.html").write_text(
        "<p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti."
    )
    wanted = ('"language":"fr"', '"language":["fr"]', '"language": "fr"', '"language":"it"')
    for line, answer in zip(lines.splitlines(), wanted, strict=True):
        assert answer in run(["bash", "-c", line.replace("curl ", "curl -sS --fail-with-body ")], tmp_path), (
            line
        )


def test_every_route_is_in_the_docs(studio):
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for path in studio.app.openapi()["paths"]:
        assert path in text


def test_every_picture_is_there_and_small():
    names = re.findall(r"\]\((pictures/[\w-]+\.png)\)", (DOCS / "studio.md").read_text(encoding="utf-8"))
    assert names
    for name in names:
        assert 0 < (DOCS / name).stat().st_size < 150_000, name


def test_every_option_of_the_command_is_explained():
    from linksight.cli.serve import serve

    for option in serve.params:
        assert option.help, option.name


def test_the_figures_of_the_page_are_those_that_were_measured():
    spec = importlib.util.spec_from_file_location(
        "studio_load", DOCS.parent / "benchmarks" / "studio_load.py"
    )
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    told = json.loads((DOCS / "api.json").read_text(encoding="utf-8"))
    assert load.section(told) in (DOCS / "api.md").read_text(encoding="utf-8")
