"""Sources of pages: files, folders, WARC files, ZIP archives, standard input, web addresses.

Each source yields pages; an unreadable file is a page with a ``problem``, so that a batch goes on.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from linksight.errors import BadData, MissingExtra
from linksight.pages.input import gzip_stream, zip_archives
from linksight.pages.input.content_decoding import body_of, decode_content
from linksight.pages.input.unwrap import MAX_PAGE_BYTES

HEAD_BYTES = 1 << 12  #: bytes that identify the format of a file
TIMEOUT_SECONDS = 20
MAX_REDIRECTS = 10
#: Other compressions of WARC files, and the commands that decompress them.
PACKED = {".zst": "zstd -d", ".bz2": "bunzip2", ".xz": "unxz"}
WARC, ARC = b"WARC/", b"filedesc://"  #: magic bytes of WARC and ARC files
#: Records that have a page: as a server sent it, as a crawler found it elsewhere, and its text alone (WET files).
WITH_PAGES = ("response", "resource", "conversion")
NO_PAGES = ("dns:", "whois:")  #: schemes of auxiliary records that crawlers archive


@dataclass(frozen=True, slots=True)
class Page:
    """One page with its metadata."""

    name: str
    body: bytes
    content_type: str | None = None
    url: str | None = None
    problem: str | None = None  #: why it could not be read
    date: str | None = None  #: when it was archived, as its WARC record has it
    status: str | None = None  #: of the HTTP response
    digest: str | None = None  #: of the payload, as its WARC record has it

    @property
    def mime_type(self) -> str | None:
        """The content type without its parameters."""
        return (self.content_type or "").partition(";")[0].strip().lower() or None


def find(where: str) -> Iterator[Page]:
    """The pages of one argument: ``-``, an http address, a folder (all files in it), a WARC file or a page."""
    if not where.strip():  # an empty variable of a script must not mean the folder where it runs
        raise BadData(f"{where!r}: no name of a file or folder")
    if where == "-":
        yield from from_stream(sys.stdin.buffer, "-")
    elif where.startswith(("http://", "https://")):
        yield fetched(where)
    else:
        path = Path(where)
        if path.is_dir():
            children = [child for child in sorted(path.rglob("*")) if child.is_file()]
            if not children:
                raise BadData(f"{where}: no file in this folder")
            for child in children:
                yield from from_file(child)
        elif path.exists():
            yield from from_file(path)
        else:
            raise BadData(f"{where}: no such file or folder")


def from_file(path: Path) -> Iterator[Page]:
    """A page, or every response of a WARC file, or the members of a zip."""
    try:
        with path.open("rb") as stream:
            is_zip = stream.read(len(zip_archives.MAGIC)) == zip_archives.MAGIC
            stream.seek(0)
            yield from (from_zip if is_zip else from_stream)(stream, str(path))
    except OSError as error:
        yield Page(str(path), b"", problem=error.strerror or str(error))


def from_zip(stream: BinaryIO, name: str) -> Iterator[Page]:
    """The pages of a zip, or the zip as a page if it has none; an unreadable member is a row."""
    found, inside = 0, name
    try:
        for member, part in zip_archives.members(stream, name):
            found, inside = found + 1, f"{name}/{member}"
            if isinstance(part, str):
                yield Page(inside, b"", problem=part)
            else:
                yield from from_stream(cast(BinaryIO, part), inside)
    except zip_archives.DAMAGES as error:
        if found or zip_archives.is_archive_name(name):
            yield Page(inside, b"", problem=f"damaged ZIP archive: {error}")
            return
    if not found:
        stream.seek(0)
        yield from from_stream(stream, name)


def from_stream(stream: BinaryIO, name: str) -> Iterator[Page]:
    """The pages of an open file; its first bytes show the format."""
    head = stream.read(HEAD_BYTES)
    stream = cast(BinaryIO, io.BufferedReader(_Again(head, stream)))
    start = _unpacked(head)
    if start.startswith(ARC):
        yield from from_warc(stream, name, is_arc=True)
    elif name.lower().endswith((".warc", ".warc.gz")) or start.startswith(WARC):
        yield from from_warc(stream, name)
    elif unpacker := _unpacker(name):
        yield Page(
            name, b"", problem=f"a WARC file that is not packed with gzip: unpack it first, by {unpacker}"
        )
    else:
        yield Page(name, stream.read(MAX_PAGE_BYTES))


def _unpacker(name: str) -> str | None:
    """The command that decompresses a WARC file of such a name, if this module cannot.

    >>> _unpacker("crawl-00001.warc.zst"), _unpacker("crawl-00001.warc.gz"), _unpacker("page.html.xz")
    ('zstd -d', None, None)
    """
    path = Path(name.lower())
    return PACKED.get(path.suffix) if ".warc" in path.suffixes[:-1] else None


def _unpacked(head: bytes) -> bytes:
    """The first bytes of a file, decompressed if it is gzip.

    >>> _unpacked(b"WARC/1.1"), _unpacked(gzip.compress(b"WARC/1.0"))
    (b'WARC/1.1', b'WARC/1.0')
    """
    if not head.startswith(gzip_stream.MAGIC):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, len(ARC))
    except zlib.error:
        return b""


class _Again(io.RawIOBase):
    """A stream whose first bytes were read and are to be read again: a pipe cannot be wound back."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        data = self._head[: len(into)] or self._stream.read(len(into))
        self._head = self._head[len(data) :]
        into[: len(data)] = data
        return len(data)


def from_warc(stream: BinaryIO, name: str, *, is_arc: bool = False) -> Iterator[Page]:
    """Every page of a WARC file but robots.txt, its transfer and content encoding decode_content; of an ARC file, which is older, too.

    A truncated or damaged file yields the pages before the damage, then a row with the problem and its position.
    """
    try:
        from warcio.archiveiterator import ArchiveIterator, WARCIterator
        from warcio.exceptions import ArchiveLoadFailed

        from linksight.pages.input.warc_heads import limit_heads
    except ImportError:
        raise MissingExtra("warcio", "crawl", "reading WARC files") from None
    # warcio raises unrelated errors on a damaged header.
    damages = (ArchiveLoadFailed, EOFError, zlib.error, ValueError, AttributeError, TypeError, OSError)
    unpacked, begun = gzip_stream.Unpacked(stream), 0
    try:
        # To the latter nearly any text is an ARC file.
        records = limit_heads(ArchiveIterator(unpacked, arc2warc=True) if is_arc else WARCIterator(unpacked))
        for record in records:
            begun = records.offset
            page = _page_of(record, name)
            missing = _missing(record)
            if missing:
                cut_off = f"the file ends inside the record at {unpacked.place(begun)}: {missing}"
                yield Page(page.name if page else name, b"", url=page.url if page else None, problem=cut_off)
                return
            if page:
                yield page
    except (*damages, OverflowError) as error:
        # The error is in the data behind the last complete record.
        what: object = error
        if unpacked.is_cut:
            what = "the file ends there"
        elif isinstance(error, AttributeError | TypeError | OverflowError):
            what = "its header makes no sense"
        elif isinstance(error, zlib.error):
            what = "what is packed there cannot be unpacked"
        problem = (
            f"damaged {'ARC' if is_arc else 'WARC'} file behind the record at {unpacked.place(begun)}: {what}"
        )
        yield Page(name, b"", problem=problem)
        return
    # warcio takes a record without a body for the end of the file, and is content without its last empty line.
    ends = unpacked.last.replace(b"\r", b"").endswith(b"\n" if is_arc else b"\n\n")
    if unpacked.is_cut or not ends or unpacked.tell() > records.offset:
        begun = records.offset if unpacked.tell() > records.offset else begun
        yield Page(name, b"", problem=f"the file ends inside the record at {unpacked.place(begun)}")


def _page_of(record: Any, name: str) -> Page | None:
    """The page of a record, or None."""
    if record.rec_type not in WITH_PAGES:
        return None
    url = record.rec_headers.get_header("WARC-Target-URI")
    if (url or "").endswith("/robots.txt") or (url or "").startswith(NO_PAGES):
        return None
    kind = (record.http_headers or record.rec_headers).get_header("Content-Type")
    body, problem = b"", None
    try:
        body = body_of(record, MAX_PAGE_BYTES)
    except (OSError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        problem = f"damaged record: {'cannot be unpacked' if isinstance(error, zlib.error) else error}"
    date, digest = map(record.rec_headers.get_header, ("WARC-Date", "WARC-Payload-Digest"))
    status = record.http_headers.get_statuscode() if record.http_headers else None
    return Page(f"{name}#{url}", body, kind, url, problem, date, status or None, digest)


def _missing(record: Any) -> str | None:
    """The description of a truncated record, whose header declares more bytes; reads it to its end."""
    if not (record.rec_headers.get_header("Content-Length") or "").strip().isdigit():
        return "its header is not complete"
    while record.raw_stream.read(1 << 16):
        pass
    left = int(record.raw_stream.limit)
    return f"{left:,} of {record.length:,} bytes are missing" if left > 0 else None


def fetched(url: str) -> Page:
    """A page from the web, fetched once."""
    import urllib.error

    try:
        with _followed(url) as answer:
            # The request accepts no compression, but some servers send nothing else.
            body = decode_content(
                answer.read(MAX_PAGE_BYTES), answer.headers.get("Content-Encoding", ""), MAX_PAGE_BYTES
            )
            return Page(url, body, answer.headers.get("Content-Type"), answer.geturl())
    except (OSError, ValueError, urllib.error.URLError) as error:
        reason = getattr(error, "reason", None) or error
        return Page(url, b"", None, url, f"cannot be fetched: {getattr(reason, 'strerror', None) or reason}")


def _followed(url: str) -> Any:
    """The answer at the end of the redirects; these lead into a private network only from an address inside one."""
    import urllib.error
    import urllib.parse
    import urllib.request

    from linksight.system.guarded_connections import PrivateAddress, opener

    is_inside, is_first = False, True
    for _ in range(MAX_REDIRECTS):
        request = urllib.request.Request(url, headers={"User-Agent": "linksight (language identification)"})
        try:
            return opener(is_inside).open(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as error:
            place = error.headers.get("Location")
            if error.code not in (301, 302, 303, 307, 308) or not place:
                raise
            url, is_first = urllib.parse.urljoin(url, place), False
        except urllib.error.URLError as error:
            if not isinstance(error.reason, PrivateAddress) or is_inside or not is_first:
                raise
            is_inside = True
    raise OSError("too many redirects")
