"""The Declaration, half to train and half to test, all its languages.

    LINKSIGHT_DATA=... python benchmarks/pages_declaration.py [--keep]

The paragraphs of every translation go to the two halves in turn; a model is trained on one half in the way of the
bundled one, and labels the other: whole, and cut into pieces of about 200 characters. A translation counts as
right if its language is named (variants of one language count as that language).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1] / "recipes"))
import page_model
import page_weights
from kept_figures import keep

from linksight.errors import BadLanguage
from linksight.languages import registry
from linksight.pages import pipeline
from linksight.pages.langid import model

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))


def halves() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """class -> paragraphs to train on, and to test on; a class is the code and the file's name."""
    train, test = {}, {}
    with zipfile.ZipFile(DATA / "texts/udhr2.zip") as archive:
        for name in sorted(archive.namelist()):
            stem = Path(name).stem
            if not name.endswith(".txt"):
                continue
            try:
                code = registry.find(stem.split("_")[0])
            except BadLanguage:
                code = stem.split("_")[0]
            text = archive.read(name).decode("utf-8", "replace")
            lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 30]
            if len(lines) >= 20 and "\ufffd" not in text:
                train[f"{code}-{stem}"], test[f"{code}-{stem}"] = lines[::2], lines[1::2]
    return train, test


def trained(train: dict[str, list[str]]) -> model.PageModel:
    texts = {name: [("udhr", lines)] for name, lines in train.items()}
    unique, row, kinds, weights, bias = page_weights.build(
        *page_weights.count(texts), mu=2_000.0, n_pairs=2_500_000, row_most=255
    )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "half.model"
        page_model.pack_model(
            list(texts), unique, row, kinds, weights, bias, np.zeros(len(texts)), texts, 0.16, out
        )
        return model.load(out)


def pieces(lines: list[str], size: int = 200) -> list[str]:
    found, part = [], ""
    for line in lines:
        part += line + "\n"
        if len(part) >= size:
            found.append(part)
            part = ""
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", action="store_true", help="write the figures into the documentation")
    options = parser.parse_args()
    train, test = halves()
    half = trained(train)
    whole = parts = total = 0
    wrong = []
    for name, lines in test.items():
        code = name.partition("-")[0]
        found = pipeline.identify("<p>".join(lines).encode(), model=half)
        whole += found.language == code
        if found.language != code:
            wrong.append(f"{name}: {found.language}")
        for piece in pieces(lines):
            parts += pipeline.identify(piece.encode(), model=half).language == code
            total += 1
    languages_ = len({name.partition("-")[0] for name in test})
    table = f"""| {len(test)} translations, {languages_} languages | right |
|---|---|
| whole halves | {whole / len(test):.3f} |
| pieces of about 200 characters | {parts / total:.3f} |"""
    print(table)
    if options.keep:
        figures = {"translations": len(test), "whole": whole / len(test), "pieces": parts / total}
        keep("pages", "pages_declaration", figures, table)
    print("wrong:", ", ".join(wrong))


if __name__ == "__main__":
    main()
