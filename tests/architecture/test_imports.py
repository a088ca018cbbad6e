"""The flow of docs/architecture.md, held: imports point up, starting is light, names are exact."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linksight

PACKAGE = Path(linksight.__file__).parent
#: Parts from the base up; a part may import from those before it, and from itself.
FLOW = (
    ("errors", "paths", "bundle", "archive"),
    (
        "languages",
        "reasons",
        "records",
        "variables",
        "networks",
        "wholefile",
        "modelfile",
        "counts",
        "processes",
        "kernelcache",
        "codepages",
    ),
    ("percents",),
    ("hostnames",),
    ("urls",),
    ("store",),
    ("columns",),
    ("features",),
    ("tables", "wordlist"),
    ("models",),
    (
        "calibration",
        "memory",
        "explanation",
        "reason_words",
        "extension",
        "scorer",
        "scorerfile",
        "kernel",
        "compiled",
        "questions",
        "batches",
    ),  # the model
    ("pages",),
    ("tabular",),
    ("sites",),
    ("crawl",),
    ("lab",),
    ("spark",),
    ("studio",),
    ("cli",),
)
RANK = {part: rank for rank, parts in enumerate(FLOW) for part in parts}
FACE = {"__init__", "__main__"}  # the public face: imports inside functions only
#: Imports inside functions that point down, each with its reason.
ALLOWED = {
    ("models", "scorer"): "an additive classifier compiles itself to the scorer's table",
    ("models", "kernel"): "training counts features with the compiled reader",
    ("models", "batches"): "training reads columns of any kind as the scorer does",
    ("features", "kernel"): "training counts features with the compiled reader",
}


def _part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path) -> list[tuple[str, bool]]:
    """(part of linksight, whether at module level) for each import; those for types only do not count."""
    tree = ast.parse(path.read_text())
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, top: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names = (
                [f"linksight.{alias.name}" for alias in node.names]
                if node.module == "linksight"
                else [node.module]
            )
        for name in names:
            if name.startswith("linksight."):
                part = name.split(".")[1]
                if part in RANK:  # else a name of the public face
                    found.append((part, top))
        inner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            visit(child, top and not inner)

    visit(tree, True)
    return found


MODULES = sorted(PACKAGE.rglob("*.py"))
PAGE = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text()


def test_every_part_of_the_package_has_its_place_in_the_flow() -> None:
    assert {_part(path) for path in MODULES} - FACE == set(RANK)


def test_every_part_stands_in_the_picture_and_in_the_table() -> None:
    _, picture, text = re.split(r"```\w*\n", PAGE, maxsplit=2)
    assert not set(RANK) - set(re.findall(r"\w+", picture))
    assert not set(RANK) - set(re.findall(r"`(\w+)`", text.partition("\n## ")[0]))


@pytest.mark.parametrize("part", ["pages", "crawl"])
def test_every_module_of_a_part_stands_in_its_picture(part: str) -> None:
    picture = PAGE.partition(f"## Inside the {part}")[2].partition("\n## ")[0]
    modules = {path.stem for path in (PACKAGE / part).glob("*.py")} - FACE
    assert not modules - set(re.findall(r"\w+", picture))


def test_every_menu_that_a_change_goes_to_is_there() -> None:
    table = PAGE.partition("## Where a change goes")[2].partition("\n## ")[0]
    menus = re.findall(r"`(\w+)` of `([\w/.]+)`", table)
    assert menus
    for name, path in menus:
        place = PACKAGE.parents[1] / path if path.startswith("tests/") else PACKAGE / path
        assert re.search(rf"^(class |def |){name}\b", place.read_text(), re.MULTILINE), (name, path)


@pytest.mark.parametrize("part", ["sites", "studio", "lab", "tabular", "models", "kernel", "features"])
def test_every_module_of_a_part_stands_in_the_map_at_its_head(part: str) -> None:
    told = ast.get_docstring(ast.parse((PACKAGE / part / "__init__.py").read_text())) or ""
    inside = {path.stem for path in (PACKAGE / part).glob("*.py")} - FACE
    inside |= {path.name for path in (PACKAGE / part).iterdir() if (path / "__init__.py").exists()}
    assert not inside - set(re.findall(r"\w+", told))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_up_the_flow(path: Path) -> None:
    part = _part(path)
    if part in FACE:
        assert not [name for name, top in _imports(path) if top and name not in ("cli",)]
        return
    wrong = {
        (part, name)
        for name, top in _imports(path)
        if RANK[name] > RANK[part] and (top or (part, name) not in ALLOWED)
    }
    assert not wrong, f"{path.relative_to(PACKAGE)} imports what comes after it: {sorted(wrong)}"


def _loaded_by(code: str) -> set[str]:
    program = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    # Without what somebody, or a test before this one, has settled for all processes: compiled code, a terminal.
    settled = ("LINKSIGHT_PAGES", "FORCE_COLOR", "TTY_COMPATIBLE")
    places = {name: value for name, value in os.environ.items() if name not in settled}
    places["PYTHONPATH"] = str(PACKAGE.parent)
    done = subprocess.run(
        [sys.executable, "-c", program], env=places, capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


HEAVY = {
    "numpy", "numba", "pyarrow", "pandas", "polars", "sklearn", "scipy", "scrapy", "twisted", "sqlalchemy", "fastapi",
    "uvicorn", "pyspark", "matplotlib", "lxml", "rich", "playwright", "warcio",
}  # fmt: skip


@pytest.mark.parametrize(
    "code",
    [
        "import linksight",
        "from linksight.cli import main\ntry: main(['--help'], standalone_mode=False)\nexcept SystemExit: pass",
    ],
    ids=["import linksight", "linksight --help"],
)
def test_starting_imports_nothing_heavy(code: str) -> None:
    assert not _loaded_by(code) & HEAVY


def test_loading_the_bundled_model_starts_little_beside_numpy() -> None:
    """Each of these takes a tenth of the time that the load may take, or more."""
    started = _loaded_by("import linksight; linksight.load()") - _loaded_by("import numpy")
    assert not started & {"difflib", "ipaddress", "logging", "pathlib", "pyarrow", "tempfile", "zipfile"}


def test_a_page_is_identified_without_what_other_pages_need(tmp_path: Path) -> None:
    """No bar where nobody watches, nothing of the web for a file, nothing compiled for one page."""
    page = tmp_path / "page.html"
    page.write_text("<p>Het is vandaag mooi weer in Nederland, zegt de krant van gisteren.")
    started = _loaded_by(
        f"from linksight.cli import main\nmain(['identify', {str(page)!r}], standalone_mode=False)"
    )
    assert not started & {"rich", "http", "ssl", "pyarrow", "numba", "tempfile"}


def test_the_public_face_is_exact() -> None:
    """Whatever is in __all__ is there, and whatever is public is in it."""
    public = {
        name
        for name, value in vars(linksight).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == "linksight"
    }
    assert public | {"__version__"} == set(linksight.__all__)
    assert all(hasattr(linksight, name) for name in linksight.__all__)
    assert sorted(linksight.__all__) == linksight.__all__


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_what_it_is_and_all_is_true(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), f"{path}: no docstring"
    defined = {
        name
        for node in ast.walk(tree)
        for name in (
            [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef)
            else [alias.asname or alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom)
            else [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            else []
        )
    }  # fmt: skip
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            names = ast.literal_eval(node.value)
            assert len(set(names)) == len(names)
            assert set(names) <= defined | {"__version__"}, set(names) - defined


def test_there_is_no_pickle_no_eval_and_no_drawer_for_everything() -> None:
    for path in MODULES:
        assert path.stem not in ("utils", "helpers", "misc", "common"), path
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = {getattr(node, "module", "") or "", *(alias.name for alias in node.names)}
                assert not modules & {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile"), f"{path}:{node.lineno}"
