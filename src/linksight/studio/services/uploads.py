"""Columns of URLs from pasted or dropped input: text, CSV, JSON lines, Parquet, plain or gzipped."""

from __future__ import annotations

import re
import shutil
import tempfile
import zlib
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadData
from linksight.studio.services.upload_limits import TableLimits, check_table

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.bulk.row_block import Block
    from linksight.studio.services.extra_columns import ExtraColumns

_NAMES = ("url", "urls", "address", "link", "href", "uri")
_ADDRESS = re.compile(r"://|[^\W\d_]\.[^\W\d_]")
_BETWEEN = re.compile(
    r"\t|[,;|]?\s+(?=https?://)", re.IGNORECASE
)  #: cells of a table, addresses side by side
_PAGE = re.compile(rb"<(?:!doctype\s+(?:html|netscape-bookmark)|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"<(?:\?xml|urlset|sitemapindex|rss|feed)\b", re.IGNORECASE)
_SNIFFED_ROWS = 100  #: rows by which the column of URLs is found


def pasted(text: str, max_urls: int) -> pa.Array:
    """The URLs of a text, one a line; blank lines are skipped.

    >>> pasted("http://a.org/\\n\\n  b.nl/x ", 10).to_pylist()
    ['http://a.org/', 'b.nl/x']
    """
    import pyarrow as pa

    lines = [line.strip() for line in text.encode("utf-8", "replace").decode().splitlines()]
    found = [url for line in lines if line for url in _in_line(line)]
    if not found:
        raise BadData("no URLs: paste some, one a line, or choose a file")
    if len(found) > max_urls:
        raise BadData(f"the text has {len(found):,} rows; at most {max_urls:,} are allowed at a time")
    return pa.array(found, pa.large_string())


def _in_line(line: str) -> list[str]:
    """The URLs of a line, from the cells of a copied table or side by side; else the line itself.

    >>> _in_line("Le Monde\\thttps://www.lemonde.fr/"), _in_line("http://a.nl/, http://b.de/"), _in_line("a b")
    (['https://www.lemonde.fr/'], ['http://a.nl/', 'http://b.de/'], ['a b'])
    """
    pieces = [piece.strip() for piece in _BETWEEN.split(line)]
    urls = [piece for piece in pieces if "://" in piece]
    return urls or [piece for piece in pieces if _ADDRESS.search(piece)][:1] or [line]


def from_file(
    file: IO[bytes], name: str, limits: TableLimits, extra: ExtraColumns | None = None
) -> pa.ChunkedArray:
    """The URLs of an uploaded file; its name gives the format, its first bytes the compression.

    All columns go to ``extra``, if given.
    """
    import pyarrow as pa

    from linksight.bulk.readers import Reader
    from linksight.bulk.sources import Source, kind_of

    _check_head(_head(file), name)
    kind = kind_of(name) or "text"
    check_table(file, name, kind, limits)
    columns: list[Any] = []
    column = ""
    # A form has no option for a table without header: the first line decides.
    reader = Reader([Source(name, kind, 0, file)], has_header=None)
    for block in reader.blocks():
        if not block.n_rows:
            continue
        column = column or _column_name(block, name)
        look = block.look(column)
        urls = look.urls.cast(pa.large_string())
        columns += urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
        if sum(map(len, columns)) > limits.rows:
            raise BadData(f"{name}: more than the {limits.rows:,} rows that are allowed at a time")
        if extra is not None:
            extra.add(block, look.names)
    if not columns:
        raise BadData(f"{name}: no URLs in it")
    if extra is not None:
        extra.is_foreign = bool(reader.damaged)
    return pa.chunked_array(columns, pa.large_string())


def _head(file: IO[bytes]) -> bytes:
    """The first bytes of a file, unpacked; the file is at its beginning afterwards."""
    head = file.read(4096)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):  # the reader reports what is wrong
            return zlib.decompressobj(31).decompress(head, 4096)
    return head


def _check_head(head: bytes, name: str) -> None:
    """Refuse a page or an archive: its lines are not URLs."""
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _PAGE.match(begin):
        raise BadData(f"{name}: a page, not a list of URLs; upload it under Links or Pages")
    if _XML.match(begin):
        raise BadData(
            f"{name}: XML, not a list of URLs; Links finds the addresses in any pasted text, and Sites"
            " reads a sitemap if you give the address of the site"
        )
    if head.startswith(b"WARC/"):
        raise BadData(
            f"{name}: a WARC file, not a list of URLs; Sites learns from it, and the command"
            " linksight identify labels its pages"
        )


def column_of(path: Path, name: str, limits: TableLimits) -> str | None:
    """The URL column of a table in a file within the limits; None if the file is not a table."""
    from linksight.bulk.readers import Reader
    from linksight.sites.gathering.url_files import table_of

    with path.open("rb") as file:
        source = table_of(path)
        check_table(file, name, source.kind if source else "text", limits)
    if source is None:
        return None
    blocks = Reader([source], has_header=None).blocks()
    return next((_column_name(block, name) for block in blocks if block.n_rows), None)


def _column_name(block: Block, name: str) -> str:
    """The column that holds URLs: by its name, else the first with values that look like URLs."""
    import numpy as np

    names = block.columns.column_names
    if twice := next((column for column in names if names.count(column) > 1), None):
        raise BadData(f"{name}: two columns are named {twice!r}")
    rows = list(block.take(np.arange(min(block.n_rows, _SNIFFED_ROWS))).records())
    columns = list(dict.fromkeys(chain(names, chain.from_iterable(rows))))
    if found := next((column for column in columns if column.lower().strip() in _NAMES), None):
        return str(found)
    addresses = {key for row in rows for key, value in row.items()
                 if isinstance(value, str) and _ADDRESS.search(value)}  # fmt: skip
    if found := next((column for column in columns if column in addresses), None):
        return str(found)
    there = ", ".join(columns)[:200]
    raise BadData(f"{name}: no column of URLs; name it 'url' (there are: {there})")


def save_upload(file: IO[bytes], name: str, folder: Path) -> Path:
    """An uploaded file on disk under a generated name, with the ending of the visitor's name."""
    folder.mkdir(parents=True, exist_ok=True)
    endings = "".join(Path(name).suffixes[-2:]).lower()
    safe = "".join(c for c in endings if c.isalnum() or c == ".")[:20]
    with tempfile.NamedTemporaryFile(dir=folder, prefix="upload-", suffix=safe, delete=False) as copy:
        shutil.copyfileobj(file, copy)
    return Path(copy.name)
