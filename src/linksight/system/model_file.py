"""Models on disk: a zip with one JSON manifest and plain arrays. No pickle, nothing that runs.

The manifest has the format, the version, and type, shape and SHA-256 digest of every array. Reading checks all of
them: a damaged, truncated, foreign or future file gives a clear error, and no file can run code or claim more memory
than its size on disk.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, ModelFormatError
from linksight.system.paths import path_text

MANIFEST = "manifest.json"
MAX_BITS = 26  #: a hashed table has no more than 2**26 rows
# A table takes the memory of its empty rows, too: one of a gigabyte is free, a larger one needs weights to show for it.
_FREE_NUMBERS, _NUMBERS_A_WEIGHT = 2**28, 64
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes, whenever it is written
_TYPES = frozenset("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split())
#: What Python, JSON and NumPy raise on values that are not what they seem; the third, on JSON nested too deep.
DAMAGE = (
    KeyError, ValueError, RecursionError, TypeError, IndexError, AttributeError, OverflowError, MemoryError
)  # fmt: skip
#: What zipfile raises on other files and on damage; RuntimeError is an encrypted member or an unknown compression.
NO_ZIP = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError)


def write_model(
    path: str | os.PathLike[str], kind: str, version: int, values: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:  # fmt: skip
    """Write a model file atomically."""
    from linksight.system.atomic_write import whole_file

    path = path_text(path)
    packed = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    entries = {
        name: {
            "type": array.dtype.name,
            "shape": list(array.shape),
            "sha256": hashlib.sha256(array.tobytes()).hexdigest(),
        }
        for name, array in packed.items()
    }
    manifest = {"format": kind, "version": version, **values, "arrays": entries}
    try:
        with whole_file(path) as file, zipfile.ZipFile(file, "w") as archive:
            text = json.dumps(manifest, ensure_ascii=False, indent=1)
            archive.writestr(zipfile.ZipInfo(MANIFEST, _EARLIEST), text)
            for name, array in packed.items():
                archive.writestr(zipfile.ZipInfo(f"{name}.bin", _EARLIEST), array.tobytes())
    except BadData as error:
        raise ModelFormatError(path, f"cannot be written: {str(error).removeprefix(f'{path}: ')}") from error


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a model, intact or damaged; an empty file counts, because a model may replace it."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()[:1] == [MANIFEST]
    except NO_ZIP:
        return os.path.getsize(path) == 0  # noqa: PTH202 (a path may be text)


def read_model(
    path: str | os.PathLike[str], kind: str, version: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The manifest and arrays of a model of the given kind, checked."""
    path = path_text(path)
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(path, archive)
            if manifest.get("format") != kind:
                found = manifest.get("format")
                raise ModelFormatError(path, f"not a {kind} file but {found!r}{_READ_BY.get(str(found), '')}")
            if not isinstance(manifest.get("version"), int) or manifest["version"] > version:
                raise ModelFormatError(
                    path, f"written by a later linksight (format {manifest.get('version')!r})"
                )
            arrays = {name: _array(path, archive, name, entry) for name, entry in manifest["arrays"].items()}
    except FileNotFoundError:
        raise ModelFormatError(path, "no such file") from None
    except IsADirectoryError:
        raise ModelFormatError(path, "a folder, where a file is needed") from None
    except ModelFormatError:
        raise
    except (*NO_ZIP, *DAMAGE) as error:
        raise ModelFormatError(path, f"damaged or not a linksight model ({error})") from error
    return manifest, arrays


#: Hints for model files of other formats.
_READ_BY = {
    "linksight-classifier": ", which is not a table of weights (rank order, a tree, hosting, custom features):"
    " linksight evaluate and linksight.models.load read it",
}


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """The format in the manifest of a model file; None for other files."""
    try:
        with zipfile.ZipFile(path_text(path)) as archive:
            kind = _manifest(path, archive).get("format")
    except (*NO_ZIP, *DAMAGE):
        return None
    return kind if isinstance(kind, str) else None


def _manifest(path: object, archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo(MANIFEST).file_size > 2**24:
        raise ModelFormatError(path, "its manifest is larger than 16 MB")
    names = archive.namelist()
    if len(set(names)) != len(names):
        # Programs differ in which of two they read.
        raise ModelFormatError(path, "two members with one name")
    if sum(member.file_size for member in archive.infolist() if not member.compress_type) > archive.start_dir:
        # Members that share bytes could together claim more memory than the file has.
        raise ModelFormatError(path, "its members are larger than the file")
    manifest = json.loads(archive.read(MANIFEST), parse_constant=_reject_number, parse_float=_finite)
    if not isinstance(manifest, dict):
        raise ModelFormatError(path, "its manifest is not an object")
    return manifest


def _array(path: object, archive: zipfile.ZipFile, name: str, entry: dict[str, Any]) -> NDArray[Any]:
    """Read an array; check its size, type, digest and values."""
    member = f"{name}.bin"
    # Stored, not compressed: what is claimed is there, so no small file can ask for much memory.
    if archive.getinfo(member).compress_type != zipfile.ZIP_STORED or entry["type"] not in _TYPES:
        raise ModelFormatError(path, f"array {name!r} is packed in a way that is not allowed")
    shape = entry["shape"]
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise ModelFormatError(path, f"array {name!r} has no shape but {str(shape)[:80]}")
    data = archive.read(member)
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ModelFormatError(path, f"array {name!r} is damaged: its digest does not match")
    array = np.frombuffer(data, dtype=entry["type"]).reshape(shape)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        # One such weight would make every probability that it touches one, too.
        raise ModelFormatError(path, f"array {name!r} has values that are not finite")
    return array


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _reject_number(text)


def _reject_number(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def table_of(rows: NDArray[Any], weights: NDArray[Any], bits: int, n_columns: int) -> NDArray[np.float32]:
    """The table of ``2**bits`` rows of which a file holds those that are not zero.

    >>> table_of(np.array([2]), np.array([[0.5]]), bits=2, n_columns=1).ravel().tolist()
    [0.0, 0.0, 0.5, 0.0]
    """
    if not 0 < bits <= MAX_BITS:
        raise ValueError(f"a table has 2 to 2**{MAX_BITS} rows, not 2**{bits}")
    if 2**bits * n_columns > max(_FREE_NUMBERS, _NUMBERS_A_WEIGHT * weights.size):
        raise ValueError("the table is larger than its weights account for")
    table = np.zeros((2**bits, n_columns), np.float32)
    table[rows] = weights
    return table
