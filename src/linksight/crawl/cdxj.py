"""The index of a crawl: CDXJ, one line for each answer that is kept, sorted, as pywb and others read it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Engine, select

from linksight.crawl import tables
from linksight.wholefile import whole_file

FILE = "index.cdxj"
AT_ONCE = 200_000  #: lines that are held in memory, some 80 MB


def urlkey(url: str) -> str:
    """A URL in sort-friendly order: the host from its end.

    >>> urlkey("https://www.Example.co.uk:8080/Path?b=2&a=1")
    'uk,co,example:8080)/path?a=1&b=2'
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    labels = host.split(".")
    turned = host if ":" in host or labels[-1].isdecimal() else ",".join(reversed(labels))
    port = f":{parts.port}" if parts.port and parts.port not in (80, 443) else ""
    query = "&".join(sorted(parts.query.lower().split("&"))) if parts.query else ""
    return f"{turned}{port}){parts.path.lower() or '/'}" + (f"?{query}" if query else "")


def write_index(engine: Engine, folder: Path, at_once: int = AT_ONCE) -> int:
    """Write the index of all pages on record, and of each robots.txt; answers how many lines.

    Lines are sorted ``at_once`` at a time, and then merged: a crawl may have more than fit into memory.
    """
    n_lines, lines = 0, _lines(engine)
    with ExitStack() as files, whole_file(folder / FILE, "w") as file:
        parts: list[Iterable[str]] = []
        while part := sorted(islice(lines, at_once)):
            n_lines += len(part)
            if len(part) < at_once:
                parts.append(part)
                break
            aside = files.enter_context(
                tempfile.TemporaryFile("w+", dir=folder, encoding="utf-8", newline="\n")
            )
            parts.append(aside)
            aside.writelines(part)
            aside.seek(0)
            part.clear()
        file.writelines(merge(*parts))
    return n_lines


def _lines(engine: Engine) -> Iterator[str]:
    with engine.connect().execution_options(stream_results=True) as connection:
        for row in connection.execute(select(tables.pages).where(tables.pages.c.warc.isnot(None))):
            yield _line(row, row.original is not None, row.language)
        for row in connection.execute(select(tables.archived)):
            yield _line(row)


def _line(row: Any, again: bool = False, language: str = "") -> str:
    at = datetime.fromtimestamp(row.fetched_at, UTC).strftime("%Y%m%d%H%M%S")
    about = {
        "url": row.url,
        "mime": "warc/revisit" if again else row.mime or "unk",
        "status": str(row.status),
        "digest": row.digest,
        "length": str(row.length),
        "offset": str(row.offset),
        "filename": row.warc,
    }
    about |= {"languages": language} if language else {}
    return f"{urlkey(row.url)} {at} {json.dumps(about, ensure_ascii=False)}\n"
