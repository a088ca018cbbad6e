"""The files of one part: one, or one a language."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from linksight.bulk.row_block import Block
from linksight.bulk.writers import Labelled, Writer, make_writer

if TYPE_CHECKING:
    import pyarrow as pa

_ENDINGS = {"gzip": ".gz", "zstd": ".zst", "bz2": ".bz2", None: ""}
MAX_BUFFERED_BYTES = 96 << 20  #: of all languages together, before the largest is written
GROUP_ROWS = 131_072  #: buffered rows of one language that make a row group


@dataclass(kw_only=True)
class Files:
    """Writes one file per language. Buffers the rows of a language up to a row group."""

    folder: Path
    form: str
    packer: str | None
    schema: pa.Schema | None
    split_by: str  #: the column that chooses the file; nothing: there is one
    is_new: Callable[[str], bool]  #: whether a file is the first of its name, and begins with a header
    held_bytes: int = MAX_BUFFERED_BYTES
    _writers: dict[str, Writer] = field(default_factory=dict)
    _buffers: dict[str, list[Labelled]] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)

    def write(self, item: Labelled) -> None:
        """Add a block with its labels."""
        if not self.split_by:
            self._writer("rows").write([item])
            return
        for language, rows, labels in split(*item, self.split_by):
            buffer = self._buffers.setdefault(language, [])
            buffer.append((rows, labels))
            self._sizes[language] = self._sizes.get(language, 0) + rows.n_bytes + labels.nbytes
            if sum(block.n_rows for block, _ in buffer) >= GROUP_ROWS:
                self._flush(language)
        while sum(self._sizes.values()) > self.held_bytes:
            self._flush(max(self._sizes, key=lambda language: self._sizes[language]))

    def close(self) -> pa.Schema | None:
        """End all files; answers the columns that the next part must have."""
        for language in list(self._buffers):
            self._flush(language)
        for writer in self._writers.values():
            writer.close()
            self.schema = self.schema or getattr(writer, "schema", None)
        return self.schema

    def _flush(self, language: str) -> None:
        self._writer(language).write(self._buffers.pop(language))
        del self._sizes[language]

    def _writer(self, key: str) -> Writer:
        if key not in self._writers:
            name = f"{key}.{self.form}{_ENDINGS[self.packer]}" if self.split_by else key
            self._writers[key] = make_writer(
                self.form, self.folder / name, self.packer, first=self.is_new(name), schema=self.schema
            )
        return self._writers[key]


def split(block: Block, found: pa.Table, column: str) -> Iterator[tuple[str, Block, pa.Table]]:
    """The rows of a block by language."""
    import numpy as np

    codes = found[column].combine_chunks().dictionary_encode()
    indices = np.asarray(codes.indices)
    order = np.argsort(indices, kind="stable")
    ends = np.searchsorted(indices[order], np.arange(len(codes.dictionary) + 1))
    for k, language in enumerate(codes.dictionary.to_pylist()):
        rows = order[ends[k] : ends[k + 1]]
        yield language, block.take(rows), found.take(rows)


def join_bytes(parts: Sequence[Path], path: Path, form: str) -> None:
    """Append file to file: lines follow lines, and gzip, zstd and bzip2 allow several streams in one file."""
    with path.open("wb") as target:
        for part in parts:
            with part.open("rb") as stream:
                shutil.copyfileobj(stream, target, 1 << 22)
