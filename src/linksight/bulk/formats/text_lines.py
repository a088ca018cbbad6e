"""Text files with one row a line, read in complete lines; refuses files that only look like lists.

Web archives, their indexes and JSON arrays also have lines: the error has the command
that converts them to a list.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any

from linksight.bulk.sources import Source
from linksight.errors import BadData

CHUNK_BYTES = 4 << 20  #: bytes that are read at once
MAX_LINE_BYTES = 64 << 20  #: bytes of a line
_CDXJ = re.compile(rb"[^\s)]*\)[^\s]* [0-9]{8,14} \{")  # nl,nu)/sport 20240101000000 {"url": ...


def lined(
    source: Source, raw: Any, stream: Any, check: Callable[[Source, bytes], None]
) -> Iterator[tuple[bytes, float]]:
    """Complete lines, many at a time, each time with the bytes that were read by then.

    ``check`` sees the first bytes and may refuse the file.
    """
    complete = b""
    rest: list[bytes] = []
    for piece in _pieces(source, stream, check):
        end = piece.rfind(b"\n") + 1
        if end:
            if complete:
                yield complete, place(raw, source)
            # Hold them back: a last line without a line end belongs to the previous block.
            complete, rest = b"".join((*rest, piece[:end])), []
        rest.append(piece[end:])
        if sum(map(len, rest)) > MAX_LINE_BYTES:
            raise BadData(f"{source.name}: a line of over {MAX_LINE_BYTES >> 20} MB is no row of a table")
    if text := b"".join((complete, *rest)):
        yield text, float(source.size)


def _pieces(source: Source, stream: Any, check: Callable[[Source, bytes], None]) -> Iterator[bytes]:
    """The file in chunks, without a byte order mark; carriage returns of old Macs become line feeds."""
    of_mac = False
    if piece := stream.read(CHUNK_BYTES):
        check(source, piece)
        of_mac = source.kind == "text" and _is_of_mac(piece)
        # The UTF-8 byte order mark of Windows is part of neither URL nor JSON.
        piece = piece.removeprefix(codecs.BOM_UTF8)
    while piece:
        yield piece.replace(b"\r", b"\n") if of_mac else piece
        piece = stream.read(CHUNK_BYTES)


def _is_of_mac(head: bytes) -> bool:
    """Whether carriage returns alone separate the URLs, as on old Macs."""
    return b"\n" not in head and b"\r" in head and head.count(b"://") > 1


def check_rows(source: Source, head: bytes) -> None:
    """Refuse one JSON array around all rows."""
    if b"".join(head.removeprefix(codecs.BOM_UTF8).split()) == b"[]":
        raise BadData(f"{source.name}: a JSON array with no rows in it")
    found = re.match(rb"(?:\xef\xbb\xbf)?\s*\[\s*([{\"])", head)
    first, _, others = head.lstrip().partition(b"\n")
    if found is None or (others.strip() and first.rstrip().endswith(b"]")):  # a row among rows
        return
    how = "jq -c" if found[1] == b"{" else "jq -r"
    raise BadData(
        f"{source.name}: one JSON array, where each line is a row; make lines of it with:"
        f" {how} '.[]' {'FILE' if source.stream is not None else source.name}"
        + (" > urls.txt" if found[1] != b"{" else " > rows.jsonl")
    )


def check_list(source: Source, head: bytes) -> None:
    """Refuse WARC and CDX files: their lines are not URLs."""
    name = "FILE" if source.stream is not None else source.name
    if head.startswith(b"WARC/"):
        raise BadData(f"{source.name}: a WARC file; the languages of its pages: linksight identify {name}")
    show = {"gzip": "zcat", "zstd": "zstdcat", "bz2": "bzcat"}.get(source.packer or "", "cat")
    if head.lstrip().startswith(b"CDX "):
        raise BadData(
            f"{source.name}: a CDX index; the URLs are one of its columns, mostly the third:"
            f" {show} {name} | tail -n +2 | cut -d' ' -f3 | linksight detect -i -"
        )
    if _CDXJ.match(head):
        raise BadData(
            f"{source.name}: a CDXJ index; it becomes JSON lines by:"
            f" {show} {name} | cut -d' ' -f3- | linksight detect -i - --from jsonl"
        )


def place(raw: Any, source: Source) -> float:
    """How many bytes of a file have been read, for the progress; 0 where its size is unknown."""
    return float(raw.tell()) if source.size else 0.0
