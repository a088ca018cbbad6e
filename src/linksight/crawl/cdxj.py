"""The index of a crawl: CDXJ, one line for each answer that is kept, sorted, as pywb and others read it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Engine, select

from linksight.crawl import tables
from linksight.wholefile import whole_file

FILE = "index.cdxj"


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


def write_index(engine: Engine, folder: Path) -> int:
    """Write the index of all pages on record, and of each robots.txt; answers how many lines."""
    with engine.connect() as connection:
        kept = connection.execute(select(tables.pages).where(tables.pages.c.warc.isnot(None)))
        lines = [_line(row, row.original is not None, row.language) for row in kept]
        lines += [_line(row) for row in connection.execute(select(tables.archived))]
    with whole_file(folder / FILE, "w") as file:
        file.writelines(sorted(lines))
    return len(lines)


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
