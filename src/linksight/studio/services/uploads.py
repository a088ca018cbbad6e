"""Columns of URLs from what people paste or drop: text, CSV, JSON lines, Parquet, plain or gzipped."""

from __future__ import annotations

import re
import shutil
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.bulk.row_block import Block
    from linksight.studio.services.extra_columns import Companions

_NAMES = ("url", "urls", "address", "link", "href", "uri")
_ADDRESS = re.compile(r"://|[^\W\d_]\.[^\W\d_]")
_BETWEEN = re.compile(
    r"\t|[,;|]?\s+(?=https?://)", re.IGNORECASE
)  #: cells of a table, addresses side by side
_PAGE = re.compile(rb"<(?:!doctype\s+(?:html|netscape-bookmark)|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"<(?:\?xml|urlset|sitemapindex|rss|feed)\b", re.IGNORECASE)
MAX_UNPACKED = 2 << 30


def pasted(text: str, most: int) -> pa.Array:
    """The URLs of a text, one a line; lines without one are left out.

    >>> pasted("http://a.org/\\n\\n  b.nl/x ", 10).to_pylist()
    ['http://a.org/', 'b.nl/x']
    """
    import pyarrow as pa

    lines = [line.strip() for line in text.encode("utf-8", "replace").decode().splitlines()]
    found = [url for line in lines if line for url in _in_line(line)]
    if not found:
        raise BadData("no URL: paste some, one a line, or choose a file")
    if len(found) > most:
        raise BadData(f"the text: {len(found):,} rows; at most {most:,} are taken at a time")
    return pa.array(found, pa.large_string())


def _in_line(line: str) -> list[str]:
    """The URLs of a line: of the cells of a table that was copied, or side by side; else the line as it is.

    >>> _in_line("Le Monde\\thttps://www.lemonde.fr/"), _in_line("http://a.nl/, http://b.de/"), _in_line("a b")
    (['https://www.lemonde.fr/'], ['http://a.nl/', 'http://b.de/'], ['a b'])
    """
    pieces = [piece.strip() for piece in _BETWEEN.split(line)]
    whole = [piece for piece in pieces if "://" in piece]
    return whole or [piece for piece in pieces if _ADDRESS.search(piece)][:1] or [line]


def from_file(file: IO[bytes], name: str, most: int, companions: Companions | None = None) -> pa.ChunkedArray:
    """The URLs of an uploaded file; what it holds is told by its name's ending, how it is packed by its head.

    All columns go to ``companions``, where these are given.
    """
    import pyarrow as pa

    from linksight.bulk.readers import Reader
    from linksight.bulk.sources import Source, kind_of

    _check_head(_head(file), name)
    columns: list[Any] = []
    wanted, n_rows, n_bytes = "", 0, 0
    # Nobody at a browser can say that a table names no columns: its first line tells.
    reader = Reader([Source(name, kind_of(name) or "text", 0, file)], has_header=None)
    for block in reader.blocks():
        if not block.n_rows:
            continue
        wanted = wanted or _column_name(block, name)
        look = block.look(wanted)
        urls = look.urls.cast(pa.large_string())
        columns += urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
        n_rows, n_bytes = n_rows + len(urls), n_bytes + block.n_bytes
        if n_rows > most:
            raise BadData(f"{name}: more than the {most:,} rows that are taken at a time")
        if n_bytes > MAX_UNPACKED:
            raise BadData(f"{name}: unpacked it is larger than {MAX_UNPACKED >> 30} GiB")
        if companions is not None:
            companions.add(block, look.names)
    if not n_rows:
        raise BadData(f"{name}: no URL in it")
    if companions is not None:
        companions.is_foreign = bool(reader.foreign)
    return pa.chunked_array(columns, pa.large_string())


def _head(file: IO[bytes]) -> bytes:
    """The first bytes of a file, unpacked; it is read from its beginning afterwards."""
    head = file.read(4096)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):  # the reader says what is wrong
            return zlib.decompressobj(31).decompress(head, 4096)
    return head


def _check_head(head: bytes, name: str) -> None:
    """Refuse a page or an archive: its lines would be rows of nonsense."""
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _PAGE.match(begin):
        raise BadData(f"{name}: a page and no list of URLs; Links and Pages take it")
    if _XML.match(begin):
        raise BadData(
            f"{name}: XML and no list of URLs; Links finds the addresses in any text that is pasted there, and Sites"
            " reads the sitemap of a site by the site's address"
        )
    if head.startswith(b"WARC/"):
        raise BadData(
            f"{name}: a WARC file and no list of URLs; Sites learns from it, and its pages are labelled by the"
            " command linksight identify"
        )


def column_of(path: Path, name: str) -> str | None:
    """The column with the URLs of a table that is there as a file; None where it is no table."""
    from linksight.bulk.readers import Reader
    from linksight.sites.gathering.url_files import table_of

    source = table_of(path)
    if source is None:
        return None
    blocks = Reader([source], has_header=None).blocks()
    return next((_column_name(block, name) for block in blocks if block.n_rows), None)


def _column_name(block: Block, name: str) -> str:
    """The column that holds URLs: by its name, else the first that holds what looks like one."""
    import numpy as np

    some = block.take(np.arange(min(block.n_rows, 100))).table()
    if twice := [column for column in some.column_names if some.column_names.count(column) > 1]:
        raise BadData(f"{name}: two columns are named {twice[0]!r}")
    text = [column for column in some.column_names if _holds_addresses(some[column])]
    named = [column for column in some.column_names if column.lower().strip() in _NAMES]
    if found := [*named, *text]:
        return str(found[0])
    there = ", ".join(some.column_names)[:200]
    raise BadData(f"{name}: no column of URLs; name it 'url' (there are: {there})")


def kept(file: IO[bytes], name: str, folder: Path) -> Path:
    """An uploaded file on disk under a name of our own, with the ending of the visitor's."""
    folder.mkdir(parents=True, exist_ok=True)
    endings = "".join(Path(name).suffixes[-2:]).lower()
    safe = "".join(c for c in endings if c.isalnum() or c == ".")[:20]
    with tempfile.NamedTemporaryFile(dir=folder, prefix="upload-", suffix=safe, delete=False) as copy:
        shutil.copyfileobj(file, copy)
    return Path(copy.name)


def _holds_addresses(column: Any) -> bool:
    from linksight.bulk.formats.arrow_values import values_of

    return any(isinstance(value, str) and _ADDRESS.search(value) for value in values_of(column))
