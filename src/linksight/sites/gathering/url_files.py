"""Lists of URLs in files of any kind: text, CSV, TSV, JSON lines, Parquet; plain or packed.

Tables are read as ``linksight detect`` reads them, so both commands read a file alike.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from linksight.errors import BadData, BadUrl
from linksight.sites.learning.tokens import split_url
from linksight.system.atomic_write import is_device
from linksight.urls.parser import site_of

if TYPE_CHECKING:
    from linksight.bulk.sources import Source

#: File extensions of lists of URLs.
ENDINGS = (".txt", ".lst", ".urls", ".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".pq",
           ".cdx", ".cdxj", ".warc", ".gz", ".zst", ".bz2")  # fmt: skip


_UTF_8 = "utf-8-sig"  # with or without a byte order mark


def url_list(path: str | Path, column: str | None = None) -> list[str]:
    """The URLs of a file: one on each line, or those in the column of a table.

    In a text file blank lines and ``#`` comments are skipped; in a table rows without a URL are.
    """
    from linksight.bulk.sources import check_text

    source = table_of(path)
    if source is not None:
        return [url for chunk in column_chunks(source, column) for url in chunk if url]
    if column is not None:
        raise BadData(f"{path}: one URL a line, so there is no column {column!r}")
    with Path(path).open("rb") as file:
        check_text(str(path), file.read(4096))
    with open_text(path) as lines:
        found = list(text_lines(path, lines))
    if any("\0" in line for line in found[:100]):  # lines of binary data may look like host names
        raise BadData(f"{path}: not a text file: it has bytes that no text has")
    return [line.strip() for line in found if line.strip() and not line.startswith("#")]


def table_of(path: str | Path) -> Source | None:
    """The file as a table, by its name or its first bytes; None for plain text."""
    from linksight.bulk.sources import find_sources

    with open_text(path):  # raises an error with the name if the file cannot be opened
        pass
    source = find_sources([str(path)])[0]
    packed = Path(path).suffix.lower() in (".zst", ".bz2")
    return source if source.kind != "text" or packed else None


def column_chunks(source: Source, column: str | None = None) -> Iterator[list[str]]:
    """The URLs of a table in chunks, one for each row; empty if the row has no URL."""
    from linksight.bulk.readers import Reader

    for block in Reader([source], has_header=None).blocks():
        yield [(url or "").strip() for url in block.look(column).urls.to_pylist()]


def other_sites_warning(urls: list[str]) -> str:
    """A warning if a few URLs of a list are of other sites than the rest; else empty.

    >>> other_sites_warning([f"https://www.kb.nl/{n}" for n in range(30)] + ["https://else.example/x"])[:46]
    '1 URL of 31 is not of kb.nl but of else.exampl'
    >>> other_sites_warning(["https://a.example/", "https://b.example/"])
    ''
    """
    hosts = Counter(host for url in urls if (host := _host(url)))
    sites: Counter[str] = Counter()
    for host, count in hosts.items():
        sites[site_of(f"http://{host}/") or host] += count
    (main, n_main), *rest = sites.most_common() or [("", 0)]
    if not rest or n_main < 0.8 * sites.total():
        return ""
    n, other_names = (
        sites.total() - n_main,
        ", ".join(site for site, _ in rest[:3]) + ", ..." * (len(rest) > 3),
    )
    verb = "are" if n > 1 else "is"
    note = f"{n:,} URL{'s' * (n > 1)} of {sites.total():,} {verb} not of {main} but of {other_names}"
    return f"{note}: there are patterns for these too, unless the site is named (--site http://{main}/)"


def encoding_warning(urls: list[str]) -> str:
    """A warning if a list has invalid UTF-8; else empty.

    >>> encoding_warning(["http://a.org/m\ufffdtier"])[:33]
    'not all of the list is UTF-8, and'
    """
    note = "not all of the list is UTF-8, and what could not be read became \ufffd; make it UTF-8 first, such as with:"
    return f"{note} iconv -f windows-1252 -t utf-8 FILE" if any("\ufffd" in url for url in urls) else ""


def main_sites(urls: list[str]) -> str:
    """The three sites of a list with the most URLs, as text.

    >>> main_sites(["https://www.kb.nl/x", "https://kb.nl/y", "https://else.example/"])
    'kb.nl, else.example'
    """
    sites = Counter(site_of(f"http://{host}/") or host for url in urls if (host := _host(url)))
    return ", ".join(site for site, _ in sites.most_common(3)) + ", ..." * (len(sites) > 3)


def _host(url: str) -> str:
    try:
        return split_url(url).tokens[0].lower()
    except (BadUrl, IndexError):
        return ""


def text_lines(path: str | Path, file: IO[str]) -> Iterator[str]:
    """The lines of a file; :class:`BadData` if it is damaged."""
    try:
        yield from file
    except (OSError, EOFError, zlib.error) as error:
        raise BadData(f"{path}: damaged or cut off ({error})") from None


def open_text(path: str | Path) -> IO[str]:
    """A text file, plain or gzipped."""
    if is_device(path):  # it can be read only once
        raise BadData(
            f"{path}: a pipe, which can be read once; give it as standard input (-), or save it in a file"
        )
    try:
        with Path(path).open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        if packed:
            return gzip.open(path, "rt", encoding=_UTF_8, errors="replace")
        return Path(path).open(encoding=_UTF_8, errors="replace")
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}") from None
