"""WARC reader: reads the records of a file one by one and checks each.

A WARC file is a sequence of gzip members. After a damaged member the reader searches for the next one, so
that a flipped bit affects one record only.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from linksight.crawl.archive.http_messages import head_of
from linksight.crawl.archive.warc_records import digest

MAGIC = b"\x1f\x8b\x08"  #: the first bytes of a gzip member
UNPACKABLE = "the record cannot be unpacked: some of its bytes have changed"
_HEAD = b"WARC/1."


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record in a file."""

    offset: int
    length: int
    kind: str = ""  #: response, request, ...; empty if unreadable
    url: str = ""
    payload: str = ""  #: the payload digest in the record's header
    problem: str = ""  #: why it is broken; empty if it is intact


def stored_records(path: Path, end: int | None = None) -> Iterator[StoredRecord]:
    """All records of a compressed WARC file, up to ``end``; unreadable ranges are records with a problem."""
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        place, size = 0, min(end or len(data), len(data))
        while place < size:
            length, content, problem = _member(data, place, size)
            if problem:
                length = _next_record(data, place + 1, size) - place
                yield StoredRecord(place, length, problem=problem)
            else:
                yield _checked(place, length, content)
            place += length


def _member(data: mmap.mmap, place: int, size: int) -> tuple[int, bytes, str]:
    """Length and content of the gzip member at an offset, or the problem with it."""
    if data[place : place + 3] != MAGIC:
        return 0, b"", UNPACKABLE
    inflater = zlib.decompressobj(31)
    content, at = [], place
    try:
        while not inflater.eof and at < size:
            content.append(inflater.decompress(data[at : min(at + 65_536, size)]))
            at += 65_536
    except zlib.error:  # zlib's message has only error numbers
        return 0, b"", UNPACKABLE
    if not inflater.eof:
        return 0, b"", "is cut short"
    return min(at, size) - len(inflater.unused_data) - place, b"".join(content), ""


def _next_record(data: mmap.mmap, place: int, size: int) -> int:
    """The offset of the next record, or the end."""
    while (place := data.find(MAGIC, place, size)) >= 0:
        try:
            if zlib.decompressobj(31).decompress(data[place : place + 512], 64).startswith(_HEAD):
                return place
        except zlib.error:
            pass
        place += 1
    return size


def _checked(offset: int, length: int, content: bytes) -> StoredRecord:
    head, _, rest = content.partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "replace").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    kind = fields.get("warc-type", "")
    values = (kind, fields.get("warc-target-uri", ""), fields.get("warc-payload-digest", ""))
    return StoredRecord(offset, length, *values, problem=_problem(lines[0], fields, rest))


def _problem(first: str, fields: dict[str, str], rest: bytes) -> str:
    size = fields.get("content-length", "")
    if not first.startswith(_HEAD.decode()) or not size.isdecimal():
        return "not a WARC record"
    block = rest[: int(size)]
    if len(block) != int(size) or rest[int(size) :] != b"\r\n\r\n":
        return "length differs from Content-Length"
    if fields.get("warc-block-digest", digest(block)) != digest(block):
        return "block digest differs"
    if fields.get("warc-type") == "response" and "warc-payload-digest" in fields:
        payload = block[len(head_of(block)) :]
        if fields["warc-payload-digest"] != digest(payload):
            return "payload digest differs"
    return ""
