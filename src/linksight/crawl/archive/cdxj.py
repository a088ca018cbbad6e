"""CDXJ index of a crawl: one sorted line for each archived response, for pywb and other tools."""

from __future__ import annotations

import json
import re
import string
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlsplit

from sqlalchemy import Engine, select

from linksight.crawl.frontier import sql_schema
from linksight.system.atomic_write import whole_file

FILE = "index.cdxj"
MAX_LINES = 200_000  #: in memory, about 80 MB
_PORTS = {"http": 80, "https": 443}
_WWW = re.compile(r"^www\d*\.")
_SAFE = "".join(set(string.punctuation) - set("#%"))
#: Session identifiers, which keys omit.
_PATH_SESSION = re.compile(r"/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)/(?=[^?]+\.aspx)")
_QUERY_SESSION = re.compile(
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)",
    re.IGNORECASE,
)


def urlkey(url: str) -> str:
    """The index key of a URL: its SURT as pywb and cdxj-indexer compute it.

    >>> urlkey("https://www2.Example.co.uk:8080/Path/?b=2&a=1")
    'uk,co,example:8080)/path?a=1&b=2'
    """
    parts = urlsplit(url)
    host = _WWW.sub("", (parts.hostname or "").lower(), count=1)
    port = "" if parts.port in (None, 0, _PORTS.get(parts.scheme)) else f":{parts.port}"
    path = _PATH_SESSION.sub("/", _escaped(_plain_path(_unescaped(parts.path))).lower())
    query = _QUERY_SESSION.sub("", _escaped(_unescaped(parts.query))).lower()
    fields = sorted(field.split("=", 1) for field in query.split("&"))
    ordered = "&".join("=".join(field) for field in fields)
    key = ",".join(reversed(host.split("."))) + port + ")" + (path.removesuffix("/") or "/")
    return f"{key}?{ordered}" if ordered else key


def _plain_path(path: bytes) -> bytes:
    """A path without empty and dot segments."""
    resolved: list[bytes] = []
    segments = path.split(b"/")[1:]
    for segment in segments:
        if segment == b".." and resolved:
            resolved.pop()
        elif segment != b".":
            resolved.append(segment)
    last = resolved.pop() if resolved else b""
    return b"/" + b"".join(segment + b"/" for segment in resolved if segment) + last


def _unescaped(part: str) -> bytes:
    """Decode percent codes until none is left."""
    before, decoded = b"", part.encode()
    while decoded != before:
        before, decoded = decoded, unquote_to_bytes(decoded)
    return decoded


def _escaped(part: bytes) -> str:
    return quote(part, safe=_SAFE)


def write_index(engine: Engine, folder: Path, max_lines: int = MAX_LINES) -> int:
    """Write the index of all stored pages and robots.txt files; returns the number of lines.

    Lines are sorted ``max_lines`` at a time and then merged: a large crawl does not fit into memory.
    """
    n_lines, lines = 0, _lines(engine)
    with ExitStack() as files, whole_file(folder / FILE, "w") as file:
        parts: list[Iterable[str]] = []
        while part := sorted(islice(lines, max_lines)):
            n_lines += len(part)
            if len(part) < max_lines:
                parts.append(part)
                break
            chunk = files.enter_context(
                tempfile.TemporaryFile("w+", dir=folder, encoding="utf-8", newline="\n")
            )
            parts.append(chunk)
            chunk.writelines(part)
            chunk.seek(0)
            part.clear()
        file.writelines(merge(*parts))
    return n_lines


def _lines(engine: Engine) -> Iterator[str]:
    with engine.connect().execution_options(stream_results=True) as connection:
        for row in connection.execute(select(sql_schema.pages).where(sql_schema.pages.c.warc.isnot(None))):
            yield _line(row, row.original is not None, row.language)
        for row in connection.execute(select(sql_schema.archived)):
            yield _line(row)


def _line(row: Any, is_revisit: bool = False, language: str = "") -> str:
    at = datetime.fromtimestamp(row.fetched_at, UTC).strftime("%Y%m%d%H%M%S")
    fields = {
        "url": row.url,
        "mime": "warc/revisit" if is_revisit else row.mime or "unk",
        "status": str(row.status),
        "digest": row.digest,
        "length": str(row.length),
        "offset": str(row.offset),
        "filename": row.warc,
    }
    fields |= {"languages": language} if language else {}
    return f"{urlkey(row.url)} {at} {json.dumps(fields, ensure_ascii=False)}\n"
