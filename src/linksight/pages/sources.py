"""Where pages come from: files, folders, WARC files, standard input, web addresses.

Each source gives (name, bytes, content type, address); what cannot be read gives the reason instead, so that one
bad file does not end a batch.
"""

from __future__ import annotations

import gzip
import sys
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from linksight.errors import BadData, MissingExtra

MOST = 2 << 20  #: bytes read of each page: a label needs no more
TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was found."""

    name: str
    body: bytes
    content_type: str | None = None
    url: str | None = None
    problem: str | None = None  #: why it could not be read


def find(where: str) -> Iterator[Page]:
    """The pages of one argument: ``-``, an http address, a folder (all files in it), a WARC file or a page."""
    if where == "-":
        yield Page("-", sys.stdin.buffer.read(MOST))
    elif where.startswith(("http://", "https://")):
        yield fetched(where)
    else:
        path = Path(where)
        if path.is_dir():
            for child in sorted(path.rglob("*")):
                if child.is_file():
                    yield from from_file(child)
        elif path.exists():
            yield from from_file(path)
        else:
            raise BadData(f"{where}: no such file or folder")


def from_file(path: Path) -> Iterator[Page]:
    """A page, or every response of a WARC file."""
    if path.name.lower().endswith((".warc", ".warc.gz")):
        yield from from_warc(path)
        return
    try:
        with path.open("rb") as stream:
            yield Page(str(path), stream.read(MOST))
    except OSError as error:
        yield Page(str(path), b"", problem=error.strerror or str(error))


def from_warc(path: Path) -> Iterator[Page]:
    """Every response of a WARC file, its transfer and content encoding undone."""
    try:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed
    except ImportError:
        raise MissingExtra("warcio", "crawl", "reading WARC files") from None
    with path.open("rb") as stream:
        try:
            for record in ArchiveIterator(stream):
                if record.rec_type not in ("response", "resource"):
                    continue
                url = record.rec_headers.get_header("WARC-Target-URI")
                kind = record.http_headers.get_header("Content-Type") if record.http_headers else None
                try:
                    yield Page(f"{path}#{url}", record.content_stream().read(MOST), kind, url)
                except (OSError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
                    yield Page(f"{path}#{url}", b"", kind, url, f"damaged record: {error}")
        # A damaged header makes warcio trip over what it takes for granted.
        except (
            ArchiveLoadFailed,
            EOFError,
            zlib.error,
            ValueError,
            AttributeError,
            TypeError,
            OSError,
        ) as error:
            yield Page(str(path), b"", problem=f"damaged WARC file: {error}")


def fetched(url: str) -> Page:
    """A page from the web, fetched once."""
    request = urllib.request.Request(url, headers={"User-Agent": "linksight (language identification)"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return Page(url, answer.read(MOST), answer.headers.get("Content-Type"), answer.geturl())
    except (OSError, ValueError, urllib.error.URLError) as error:
        return Page(url, b"", None, url, f"cannot be fetched: {error}")
