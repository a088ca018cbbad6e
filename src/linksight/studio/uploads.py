"""Columns of URLs from what people paste or drop: text, CSV, JSON lines, Parquet, plain or gzipped."""

from __future__ import annotations

import gzip
import io
import shutil
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

_NAMES = ("url", "urls", "address", "link", "href", "uri")
MAX_UNPACKED = 2 << 30


def pasted(text: str, most: int) -> pa.Array:
    """The URLs of a text, one a line; lines without one are left out.

    >>> pasted("http://a.org/\\n\\n  b.nl/x ", 10).to_pylist()
    ['http://a.org/', 'b.nl/x']
    """
    import pyarrow as pa

    lines = [line.strip() for line in text.encode("utf-8", "replace").decode().splitlines()]
    return _checked(pa.array([line for line in lines if line], pa.large_string()), most, "the text")


def from_file(file: IO[bytes], name: str, most: int) -> pa.Array:
    """The URLs of an uploaded file; what it holds is told by its name's ending."""
    ending = name.lower().removesuffix(".gz").rpartition(".")[2]
    try:
        source = _unpacked(file) if name.lower().endswith(".gz") else file
        if ending in ("parquet", "pq"):
            column = _column(_parquet(source), name)
        elif ending in ("csv", "tsv"):
            column = _column(_csv(source, "\t" if ending == "tsv" else ","), name)
        elif ending in ("jsonl", "ndjson"):
            column = _column(_json_lines(source), name)
        else:
            return pasted(source.read().decode("utf-8", "replace"), most)
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, BadData):
            raise
        raise BadData(f"{name}: cannot be read: {str(error).splitlines()[0][:200]}") from None
    return _checked(column, most, name)


def kept(file: IO[bytes], name: str, folder: Path) -> Path:
    """An uploaded file on disk under a name of our own, with the ending of the visitor's."""
    folder.mkdir(parents=True, exist_ok=True)
    endings = "".join(Path(name).suffixes[-2:]).lower()
    safe = "".join(c for c in endings if c.isalnum() or c == ".")[:20]
    with tempfile.NamedTemporaryFile(dir=folder, prefix="upload-", suffix=safe, delete=False) as copy:
        shutil.copyfileobj(file, copy)
    return Path(copy.name)


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    data = gzip.GzipFile(fileobj=file, mode="rb").read(MAX_UNPACKED + 1)
    if len(data) > MAX_UNPACKED:
        raise BadData(f"unpacked it is larger than {MAX_UNPACKED >> 30} GiB")
    return io.BytesIO(data)


def _parquet(source: IO[bytes]) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(source)


def _csv(source: IO[bytes], separator: str) -> Any:
    import pyarrow.csv as pc

    return pc.read_csv(source, parse_options=pc.ParseOptions(delimiter=separator))


def _json_lines(source: IO[bytes]) -> Any:
    import pyarrow.json as pj

    return pj.read_json(source)


def _column(table: Any, name: str) -> Any:
    """The column that holds URLs: by its name, else the first that holds text."""
    import pyarrow as pa

    for column in table.column_names:
        if column.lower().strip() in _NAMES:
            return table[column].cast(pa.large_string()).combine_chunks()
    for column in table.column_names:
        if pa.types.is_string(table[column].type) or pa.types.is_large_string(table[column].type):
            return table[column].cast(pa.large_string()).combine_chunks()
    raise BadData(f"{name}: no column of URLs; name it 'url'")


def _checked(column: Any, most: int, name: str) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.large_string())
    if not len(column):
        raise BadData(f"{name}: no URL in it")
    if len(column) > most:
        raise BadData(f"{name}: {len(column):,} rows; at most {most:,} are taken at a time")
    return column
