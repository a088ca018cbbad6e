"""A disk that is full or cannot be written: a clear refusal, what was there stays, nothing half is left."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from faults_places import LABELLED, ROOT, Ended

from linksight.system.model_file import MANIFEST

PAGE = "<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand.</p>"
OLD = b"what was there before"

#: name -> (words of the command, the files that it would make, bytes of room that are too few)
COMMANDS: dict[str, tuple[list[str], list[str], int]] = {
    "train": (["train", "labelled.csv", "-o", "out.model", "-a", "nb", "-q"], ["out.model"], 0),
    "train --extend": (["train", "labelled.csv", "--extend", "-o", "out.linksight", "-q"], ["out.linksight"], 65_536),
    "detect to CSV": (["detect", "-i", "urls.txt", "-o", "out.csv", "--overwrite"], ["out.csv"], 4_096),
    "detect to Parquet": (["detect", "-i", "urls.txt", "-o", "out.parquet", "--overwrite"], ["out.parquet"], 0),
    "detect by language": (["detect", "-i", "urls.txt", "--split-by-language", "outs"], [], 4_096),
    "identify": (["identify", "page.html", "-o", "out.csv", "--format", "csv"], ["out.csv"], 0),
    "evaluate": (["evaluate", "bundled", "labelled.csv", "-o", "out.json", "--format", "json"], ["out.json"], 0),
    "bench": (["bench", "--figures", str(ROOT / "docs" / "comparison.json"), "-o", "out.md", "--format", "markdown"], ["out.md"], 0),
    "site learn": (["site", "learn", "site.txt", "-o", "out.json", "--store", "outs.db"], ["out.json"], 300_000),
    "site match": (["site", "match", "patterns.json", "-i", "site.txt", "-o", "out.csv", "--format", "csv"], ["out.csv"], 0),
    "reproduce": (["reproduce", "table-v", "--data", "labelled.csv", "--size", "100", "--folds", "2", "--out", "outs"], [], 4_096),
}  # fmt: skip


@pytest.fixture
def inputs(before: Path) -> Path:
    """What the commands read, and files of an earlier time where they write."""
    import linksight

    rows = "".join(f"{url},{language}\n" for url, language in LABELLED)
    (before / "labelled.csv").write_text("url,language\n" + rows)
    (before / "urls.txt").write_text("".join(f"{url}\n" for url, _ in LABELLED * 14))
    site = [f"http://shop.example/{kind}/{i}" for i in range(300) for kind in ("item", "author")]
    (before / "site.txt").write_text("".join(f"{url}\n" for url in site))
    (before / "page.html").write_text(PAGE)
    linksight.learn_patterns([site[i : i + 60] for i in range(0, 600, 60)]).save(before / "patterns.json")
    return before


def _prepared(inputs: Path, name: str) -> tuple[list[str], int]:
    words, made, room = COMMANDS[name]
    for target in made:
        (inputs / target).write_bytes(OLD)
        if name.startswith("train"):  # which replaces an older model, and no other file
            with zipfile.ZipFile(inputs / target, "w") as model:
                model.writestr(MANIFEST, OLD)
    return words, room


def _nothing_else(found: dict[str, bytes], inputs: Path) -> None:
    """Every file is as it was; new are at most a database and the parts of a run that --resume goes on with."""
    for path in inputs.iterdir():
        assert found.pop(path.name) == path.read_bytes(), path.name
    assert not [
        name for name in found if not name.startswith(("outs.db", "outs/")) and ".parts/" not in name
    ], sorted(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_said_and_what_was_there_stays(
    name: str, inputs: Path, full_disk: Callable[..., Ended]
) -> None:
    words, room = _prepared(inputs, name)
    ended = full_disk(words, room)
    ended.refused("No space left", "disk full", "disk is full", "File too large")
    _nothing_else(ended.files, inputs)


@pytest.mark.parametrize(
    "name", ["train", "detect to Parquet", "identify", "site learn", "site match", "reproduce"]
)
def test_a_disk_that_cannot_be_written_is_said(
    name: str, inputs: Path, read_only: Callable[..., Ended]
) -> None:
    words, _ = _prepared(inputs, name)
    ended = read_only(words)
    ended.refused("Read-only", "unable to open", "Permission denied", "No such file")
    _nothing_else(ended.files, inputs)
