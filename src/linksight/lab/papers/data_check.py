"""Validates a folder of labelled data: digest, and missing files by experiment (``data_files.json``)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from linksight.errors import BadData


@dataclass(frozen=True)
class FileCheck:
    """One file of a data folder."""

    name: str
    rows: int
    problem: str  #: empty when the experiments can use the file
    published: bool  #: whether the content is that of the published report
    needed_by: tuple[str, ...]


@cache
def data_files() -> dict[str, dict[str, Any]]:
    """The files that experiments read: columns, rows and hash of the published run, experiments."""
    found: dict[str, dict[str, Any]] = json.loads(
        Path(__file__).with_name("data_files.json").read_text(encoding="utf-8")
    )
    return found


def check_folder(folder: Path) -> list[FileCheck]:
    """Check every file that an experiment reads."""
    if not folder.is_dir():
        raise BadData(f"{folder}: not a folder")
    return list(_checks(folder))


def _checks(folder: Path) -> Iterator[FileCheck]:
    for name, expected in data_files().items():
        path = folder / name
        rows, problem = _rows(path, expected["columns"]) if path.is_file() else (0, "missing")
        same = path.is_file() and file_digest(path) == expected["sha256"]
        yield FileCheck(name, rows, problem, same, tuple(expected["needed_by"]))


def _rows(path: Path, columns: list[str]) -> tuple[int, str]:
    """The number of rows or members of a file, and the reason if it is unusable."""
    import pyarrow
    import pyarrow.parquet

    try:
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                return len(archive.namelist()), ""
        with pyarrow.parquet.ParquetFile(path) as file:
            lacking = [name for name in columns if name not in file.schema_arrow.names]
            problem = f"lacks the columns {', '.join(lacking)}" if lacking else ""
            return file.metadata.num_rows, problem or ("" if file.metadata.num_rows else "no rows")
    except (OSError, BadZipFile, pyarrow.ArrowException) as error:
        return 0, f"damaged: {str(error).splitlines()[0]}"


def data_digest(folder: Path | None) -> str | None:
    """A digest of the contents of all files that experiments read."""
    if folder is None:
        return None
    present = [name for name in data_files() if (folder / name).is_file()]
    notes = "\n".join(f"{name} {file_digest(folder / name)}" for name in present)
    return hashlib.sha256(notes.encode()).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
