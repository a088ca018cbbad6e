"""Responses of the fetcher: decoding, the database row and the archived exchange."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from linksight.crawl.archive.http_messages import head_of
from linksight.crawl.archive.warc_records import Exchange, digest, http_head, request_head, request_headers
from linksight.crawl.frontier.records import Job
from linksight.crawl.run.config import CrawlConfig
from linksight.pages.input import content_decoding
from linksight.results import PageLabel
from linksight.url_model.site_prior import sigmoid
from linksight.urls.parser import site_of

CUT = "less came than the server had promised"
MAX_RETRY_AFTER = 86_400.0  #: seconds of ``Retry-After`` that are honoured
MAX_MEMBERS = 100  #: of a gzip body; each costs a copy of the rest, and servers send one or two


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a job."""

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    address: str = ""
    error: str = ""
    detail: str = ""
    at: float = 0.0
    cut: str = ""  #: "disconnect": less came than promised; "length": cut off at max_page_bytes
    request: bytes = b""  #: bytes on the wire; empty if they are not known
    response: bytes = b""  #: bytes on the wire, with the transfer encoding
    started: float = 0.0  #: actual start, by the frontier's clock; 0: there was no request
    took: float = 0.0  #: seconds from the start of the request to the end of the response

    def header(self, name: str) -> str:
        """The first header with this name, case-insensitive; empty if there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def payload(self) -> bytes:
        """The body as on the wire: the input of the archive's payload digest."""
        return self.response[len(head_of(self.response)) :] if self.response else self.body

    def headers_named(self, name: str) -> list[str]:
        """All headers with this name, case-insensitive."""
        return [value for key, value in self.headers if key.lower() == name]

    def addresses(self, name: str) -> str:
        """Headers that hold URLs; non-ASCII bytes are decoded as UTF-8, else percent-encoded.

        >>> [Answer(headers=(("Location", value),)).addresses("location") for value in ("/caf\xc3\xa9", "/caf\xe9")]
        ['/café', '/caf%E9']
        """
        value = ",".join(self.headers_named(name)[: None if name == "link" else 1])
        try:
            return value.encode("latin-1").decode("utf-8")
        except UnicodeError:
            return "".join(
                letter if letter.isascii() else quote(letter, encoding="latin-1") for letter in value
            )

    @property
    def retry_after(self) -> float:
        """Seconds of the ``Retry-After`` header, which is a number or a date; 0: no such header.

        >>> date = "Thu, 01 Jan 1970 00:01:40 GMT"
        >>> [Answer(headers=(("Retry-After", value),), at=40.0).retry_after for value in ("7", date, "soon")]
        [7.0, 60.0, 0.0]
        """
        value = self.header("retry-after").strip()
        if value.isdecimal():
            return min(float(value[:12]), MAX_RETRY_AFTER)
        try:
            end = parsedate_to_datetime(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return 0.0
        return min(max(end - self.at, 0.0), MAX_RETRY_AFTER)

    @property
    def mime(self) -> str:
        """The content type without its parameters and without unprintable characters.

        >>> Answer(headers=(("Content-Type", "Text/HTML\\0; charset=utf-8"),)).mime
        'text/html'
        """
        value = self.header("content-type").partition(";")[0].strip().lower()
        return "".join(letter for letter in value if letter.isprintable())[:120]


def conditions(job: Job) -> dict[str, str]:
    """The headers of a conditional request, by the validators of the latest capture."""
    before = job.previous if job.previous and job.previous["warc"] else {}
    headers = {"If-None-Match": before.get("etag"), "If-Modified-Since": before.get("modified")}
    return {name: value for name, value in headers.items() if value}


def exchange_of(
    url: str, answer: Answer, user_agent: str, metadata: dict[str, Any] | None = None
) -> Exchange:
    """The request and the response, to be archived as on the wire."""
    if answer.response:
        head = head_of(answer.response)
        body = answer.response[len(head) :]
    else:  # robots.txt on record, and tests
        head = http_head(answer.status, _phrase(answer.status), answer.headers, len(answer.body))
        body = answer.body
    request = answer.request or request_head(url, request_headers(user_agent))
    payload = digest(body)
    return Exchange(url, head, body, payload, answer.at, answer.address, request, metadata, answer.cut)


def page_row(job: Job, answer: Answer, label: PageLabel, links: int) -> dict[str, Any]:
    """The row of ``pages``, without its place in a WARC file."""
    return {
        "url": job.url,
        "host": job.host,
        "site": site_of(job.url)[:300],
        "fetched_at": answer.at,
        "status": answer.status,
        "mime": answer.mime,
        "size": len(answer.body),
        "address": answer.address,
        "language": label.language,
        "script": label.script[:16],
        "encoding": label.encoding[:32],
        "confidence": float(label.confidence),
        "predicted": _predicted(job),
        "reason": job.reason,
        "sampled": job.sampled,
        "depth": job.depth,
        "links": links,
        "digest": digest(answer.payload),
        "etag": answer.header("etag")[:200] or None,
        "modified": answer.header("last-modified")[:60] or None,
        "simhash": None,
        "duplicate": False,
        "seed": job.seed,
    }


def _predicted(job: Job) -> float | None:
    """The predicted probability of the language; None if there was no prediction."""
    return None if job.log_odds is None else sigmoid(job.log_odds)


def page_exchange(
    job: Job, answer: Answer, label: PageLabel, config: CrawlConfig, predicted: float | None = None
) -> Exchange:
    """A page to be archived, with the prediction and the label as metadata."""
    metadata = {
        "language": label.language,
        "script": label.script,
        "encoding": label.encoding,
        "confidence": round(float(label.confidence), 4),
        "candidates": [[code, round(float(p), 4)] for code, p in label.candidates[:5]],
        "target": config.language,
        "prediction": {"probability": predicted, "reason": job.reason, "evidence": job.evidence},
        "strategy": config.strategy,
        "depth": job.depth,
        "sampled": job.sampled,
        "negotiation": {
            "accept-language": config.request_headers().get("Accept-Language", ""),
            "content-language": answer.header("content-language"),
            "vary": answer.header("vary"),
        },
    }
    return exchange_of(job.url, answer, config.user_agent, metadata)


def unpacked(body: bytes, encoding: str, max_bytes: int) -> bytes | None:
    """Decode a body; None if it would exceed ``max_bytes``.

    >>> import gzip
    >>> unpacked(gzip.compress(b"page"), "gzip", 100), unpacked(gzip.compress(bytes(1000)), "gzip", 100)
    (b'page', None)
    """
    for coding in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        # Some servers send an encoding that the request did not accept.
        if codec := content_decoding.CODECS.get(coding):
            body = content_decoding.unpacked(body, codec, max_bytes + 1)
        elif (out := _inflated(body, coding, max_bytes)) is not None:
            body = out
        if len(body) > max_bytes:
            return None
    return body if len(body) <= max_bytes else None


def beginning(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Decode a body up to ``max_bytes``.

    >>> import gzip
    >>> beginning(gzip.compress(b"rules" + bytes(1000)), "gzip", 5)
    b'rules'
    """
    decoded = unpacked(body, encoding, max_bytes)
    if decoded is None:
        decoded = _inflated(body, encoding.strip().lower(), max_bytes) or body
    return decoded[:max_bytes]


def _inflated(body: bytes, coding: str, max_bytes: int) -> bytes | None:
    """Inflate gzip or deflate, at most one byte beyond ``max_bytes``; None for another format."""
    for window_bits in {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}.get(coding, ()):
        out, rest = b"", body
        try:
            for _ in range(MAX_MEMBERS):
                if not rest or len(out) > max_bytes:
                    break
                inflater = zlib.decompressobj(window_bits)
                out += inflater.decompress(rest, max_bytes + 1 - len(out))
                # gzip may have several members; anything else behind a member is not a part of the page.
                rest = inflater.unused_data if inflater.unused_data[:2] == b"\x1f\x8b" else b""
        except zlib.error:
            if not out:
                continue
        return out
    return None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
