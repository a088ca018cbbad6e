"""Limits on the heads of WARC and ARC records: warcio holds lines and headers in memory, however long they are."""

from __future__ import annotations

from typing import Any

from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed

MAX_HEAD_BYTES = 1 << 20  #: of one line, of the headers of a record, of the empty lines between two records


def limit_heads(records: Any) -> Any:
    """The records of a warcio iterator; a longer head raises ``ArchiveLoadFailed``."""
    records.reader = _LimitedLines(records.fh)
    return records


class _LimitedLines(DecompressingBufferedReader):  # type: ignore[misc]
    """Counts the bytes of successive lines, empty or not empty, since the last body."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._n_bytes, self._was_empty = 0, False

    def readline(self, length: int | None = None) -> bytes:
        line: bytes = super().readline(MAX_HEAD_BYTES if length is None else min(length, MAX_HEAD_BYTES))
        is_empty = not line.strip()
        self._n_bytes = len(line) + (self._n_bytes if is_empty == self._was_empty else 0)
        self._was_empty = is_empty
        if self._n_bytes >= MAX_HEAD_BYTES:
            raise ArchiveLoadFailed(f"the head of a record is longer than {MAX_HEAD_BYTES >> 20} MiB")
        return line

    def read(self, length: int | None = None) -> bytes:
        self._n_bytes = 0
        data: bytes = super().read(length)
        return data
