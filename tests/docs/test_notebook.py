"""The notebook for researchers runs from its first cell to its last, and is a notebook."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[2] / "docs" / "researchers.ipynb"


def test_every_cell_of_the_notebook_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    book = json.loads(PATH.read_text())
    assert book["nbformat"] == 4
    names: dict[str, Any] = {}
    shown: list[Any] = []
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], "clear the outputs before committing"
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, PATH.name, "exec"), names)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), PATH.name, "eval"), names))
    assert shown[0][0] == "nl"
    assert shown[2]["language"][2] == "und"
    assert names["result"].accuracy > 0.9
    assert "macro average" in capsys.readouterr().out
