"""WACZ export: a crawl as one ZIP file that replayweb.page and other tools open (WACZ 1.1.1)."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import select

import linksight
from linksight.crawl.archive.cdxj import FILE as INDEX
from linksight.crawl.archive.cdxj import write_index
from linksight.crawl.archive.verify import committed
from linksight.crawl.archive.warc_records import warc_date
from linksight.crawl.archive.warc_writer import path_of
from linksight.crawl.frontier import sql_schema
from linksight.crawl.report.crawl_queries import Ledger
from linksight.errors import CrawlError

_BLOCK = 1 << 20


def write_wacz(ledger: Ledger, folder: Path, target: Path) -> int:
    """Write a crawl's WARC files, index and list of pages as WACZ; returns the number of pages."""
    names = [name for name in committed(ledger.engine) if path_of(folder, name).is_file()]
    if not names:
        raise CrawlError(f"{folder}: no WARC file to export")
    write_index(ledger.engine, folder)
    resources: list[dict[str, Any]] = []
    part = target.with_name(f"{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as file:
            for name in names:
                with path_of(folder, name).open("rb") as source:
                    resources.append(_add(file, f"archive/{name}", _blocks(source)))
            with (folder / INDEX).open("rb") as source:
                resources.append(_add(file, "indexes/index.cdx", _blocks(source)))
            n_pages = [0]
            resources.append(_add(file, "pages/pages.jsonl", _pages(ledger, n_pages)))
            package = json.dumps(_package(ledger, resources), indent=2, ensure_ascii=False).encode()
            file.writestr("datapackage.json", package)
            digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(package).hexdigest()}"}
            file.writestr("datapackage-digest.json", json.dumps(digest, indent=2))
        part.replace(target)
    except OSError as error:
        raise CrawlError(f"{target}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    return n_pages[0]


def _blocks(source: BinaryIO) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block


def _add(file: zipfile.ZipFile, name: str, blocks: Iterator[bytes]) -> dict[str, Any]:
    """Add a member block by block; returns its entry in the data package."""
    digest, size = hashlib.sha256(), 0
    with file.open(name, "w", force_zip64=True) as member:
        for block in blocks:
            member.write(block)
            digest.update(block)
            size += len(block)
    return {
        "name": name.rpartition("/")[2],
        "path": name,
        "hash": f"sha256:{digest.hexdigest()}",
        "bytes": size,
    }


def _pages(ledger: Ledger, count: list[int]) -> Iterator[bytes]:
    """The list of pages, with their labels as further columns."""
    yield json.dumps({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}).encode() + b"\n"
    p = sql_schema.pages.c
    query = select(sql_schema.pages).where(p.warc.isnot(None), p.reason != "redirect").order_by(p.id)
    with ledger.engine.connect().execution_options(stream_results=True) as connection:
        for row in connection.execute(query):
            count[0] += 1
            page = {
                "id": f"page{row.id}", "url": row.url, "ts": warc_date(row.fetched_at), "title": row.url,
                "size": row.size, "mime": row.mime, "status": row.status, "language": row.language,
                "script": row.script, "encoding": row.encoding, "confidence": round(row.confidence, 4),
                "depth": row.depth, "sampled": bool(row.sampled), "duplicate": bool(row.duplicate),
            }  # fmt: skip
            yield json.dumps(page, ensure_ascii=False).encode() + b"\n"


def _package(ledger: Ledger, resources: list[dict[str, Any]]) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": f"Crawl for {ledger.config.language}",
        "created": now,
        "modified": now,
        "software": f"linksight {linksight.__version__}",
        "mainPageUrl": ledger.config.seeds[0] if ledger.config.seeds else "",
        "resources": resources,
    }
