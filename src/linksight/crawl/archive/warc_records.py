"""WARC 1.1 records of an exchange (request and response), each one gzip member.

response   the bytes that the server sent
revisit    instead of a response whose payload is already archived: headers and a reference
request    the bytes that the crawler sent
metadata   prediction and label of the page, as JSON
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

GZIP_LEVEL = 4  #: two thirds of the time of level 6, 3 % more bytes
METADATA = "urn:linksight:metadata:"  #: prefix of the URI of a metadata record, before the URL of its page
_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
PROFILE = f"{_PROFILES}identical-payload-digest"
UNMODIFIED_PROFILE = f"{_PROFILES}server-not-modified"

_DROPPED = frozenset(("transfer-encoding", "connection", "keep-alive"))


@dataclass(frozen=True, slots=True)
class Original:
    """The first capture of a payload."""

    id: int | None  #: id of its URL, if known
    url: str
    at: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response; written once the commit knows whether the payload is new."""

    url: str
    head: bytes  #: status line and headers
    body: bytes
    payload: str  #: the digest of the body
    at: float
    address: str = ""
    request: bytes = b""
    metadata: Mapping[str, Any] | None = None
    cut: str = ""  #: why it is incomplete: the value of WARC-Truncated
    is_unmodified: bool = False  #: status 304: the payload is that of the previous capture

    def records(self, original: Original | None = None) -> tuple[bytes, ...]:
        """The records, the response first; with an ``original`` it is a revisit record."""
        response = new_id()
        records = [self._answer(response, original)]
        if self.request:
            fields = self._fields(new_id(), "application/http; msgtype=request")
            records.append(record("request", fields | {"WARC-Concurrent-To": response}, self.request))
        if self.metadata is not None:
            fields = self._fields(new_id(), "application/json")
            fields["WARC-Target-URI"] = metadata_uri(self.url)
            fields |= {"WARC-Concurrent-To": response, "WARC-Refers-To": response}
            block = json.dumps(self.metadata, ensure_ascii=False).encode()
            records.append(record("metadata", fields, block))
        return tuple(records)

    def _answer(self, name: str, original: Original | None) -> bytes:
        fields = self._fields(name, "application/http; msgtype=response")
        fields["WARC-Payload-Digest"] = self.payload
        if self.address:
            fields["WARC-IP-Address"] = self.address
        if self.cut:
            fields["WARC-Truncated"] = self.cut
        if original is None:
            return record("response", fields, self.head + self.body)
        fields |= {
            "WARC-Profile": UNMODIFIED_PROFILE if self.is_unmodified else PROFILE,
            "WARC-Refers-To-Target-URI": original.url,
            "WARC-Refers-To-Date": warc_date(original.at),
        }
        return record("revisit", fields, self.head)

    def _fields(self, name: str, kind: str) -> dict[str, str]:
        return {
            "WARC-Record-ID": name,
            "WARC-Date": warc_date(self.at),
            "WARC-Target-URI": self.url,
            "Content-Type": kind,
        }


def metadata_uri(url: str) -> str:
    """The URI of a page's metadata; replay tools would serve a record with the page's URL as the page.

    >>> metadata_uri("http://a.nl/")
    'urn:linksight:metadata:http://a.nl/'
    """
    return METADATA + url


def page_of_metadata(uri: str) -> str:
    """The page of a metadata record; in early crawls the record has the page's URL itself.

    >>> page_of_metadata("urn:linksight:metadata:http://a.nl/"), page_of_metadata("http://a.nl/")
    ('http://a.nl/', 'http://a.nl/')
    """
    return uri.removeprefix(METADATA)


def record(kind: str, fields: Mapping[str, str], block: bytes) -> bytes:
    """One WARC record as a gzip member.

    >>> import gzip
    >>> gzip.decompress(record("metadata", {"WARC-Target-URI": "http://a.nl/"}, b"x"))[:29]
    b'WARC/1.1\\r\\nWARC-Type: metadata'
    """
    lines = ["WARC/1.1", f"WARC-Type: {kind}"]
    lines += [f"{name}: {one_line(value)}" for name, value in fields.items()]
    lines += [f"WARC-Block-Digest: {digest(block)}", f"Content-Length: {len(block)}", "", ""]
    deflater = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 31)
    head = "\r\n".join(lines).encode("utf-8")
    return (
        deflater.compress(head) + deflater.compress(block) + deflater.compress(b"\r\n\r\n") + deflater.flush()
    )


def http_head(status: int, reason: str, headers: Sequence[tuple[str, str]], size: int) -> bytes:
    """The status line and headers for a body without transfer encoding."""
    forwarded = [(n, v) for n, v in headers if n.lower() not in _DROPPED | {"content-length"}]
    lines = [f"HTTP/1.1 {status} {reason}".rstrip()]
    lines += [f"{one_line(name)}: {one_line(value)}" for name, value in forwarded]
    return "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode("latin-1", "replace")


def request_head(url: str, headers: Mapping[str, str]) -> bytes:
    """The bytes of a GET request.

    >>> request_head("http://a.nl:8080/x?y=1", {"User-Agent": "us"})
    b'GET /x?y=1 HTTP/1.1\\r\\nHost: a.nl:8080\\r\\nUser-Agent: us\\r\\n\\r\\n'
    """
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [f"GET {target} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}"]
    lines += [f"{name}: {one_line(value)}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


def request_headers(user_agent: str) -> dict[str, str]:
    """The headers of every request, except Host."""
    return {
        "User-Agent": user_agent,
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Encoding": "gzip, deflate, br, zstd",
    }


def digest(data: bytes) -> str:
    """The SHA-1 of data as WARC tools write it.

    >>> digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def new_id() -> str:
    """A new record id."""
    return f"<urn:uuid:{uuid.uuid4()}>"


def warc_date(at: float) -> str:
    """A time as WARC 1.1 writes it.

    >>> warc_date(0.5)
    '1970-01-01T00:00:00.500000Z'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def one_line(value: str) -> str:
    """A header value without line breaks, which would start another header.

    >>> one_line("a\\r\\nb")
    'a  b'
    """
    return value.replace("\r", " ").replace("\n", " ")
