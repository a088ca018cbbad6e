"""Answers of the fetcher: what came back for a job, unpacked, and as the row and the exchange to be kept."""

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
MAX_WISHED_PAUSE = 86_400.0  #: seconds of ``Retry-After`` that are honoured
MAX_MEMBERS = 100  #: of a gzip body; each is a copy of what follows it, and servers send one or two


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a job."""

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    address: str = ""
    error: str = ""
    detail: str = ""
    at: float = 0.0
    cut: str = ""  #: "disconnect": less came than promised; "length": cut off at max_page_bytes
    request: bytes = b""  #: as it went over the connection; empty where that is not known
    response: bytes = b""  #: the same, with its transfer encoding
    started: float = 0.0  #: when the request really started, by the frontier's clock; 0: it was none
    took: float = 0.0  #: seconds from the start of the request to the end of the response

    def header(self, name: str) -> str:
        """The first header of a name, in any case; empty where there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def payload(self) -> bytes:
        """The body as it went over the connection: what an archive's payload digest is of."""
        return self.response[len(head_of(self.response)) :] if self.response else self.body

    def headers_named(self, name: str) -> list[str]:
        """All headers of a name, in any case."""
        return [value for key, value in self.headers if key.lower() == name]

    def addresses(self, name: str) -> str:
        """The headers of a name that hold addresses; beyond ASCII they are UTF-8, else bytes of an unknown encoding.

        >>> [Answer(headers=(("Location", told),)).addresses("location") for told in ("/caf\xc3\xa9", "/caf\xe9")]
        ['/café', '/caf%E9']
        """
        told = ",".join(self.headers_named(name)[: None if name == "link" else 1])
        try:
            return told.encode("latin-1").decode("utf-8")
        except UnicodeError:
            return "".join(
                letter if letter.isascii() else quote(letter, encoding="latin-1") for letter in told
            )

    @property
    def wished_pause(self) -> float:
        """The seconds that ``Retry-After`` asks for, as a number or as the time when they are over; 0: none.

        >>> date = "Thu, 01 Jan 1970 00:01:40 GMT"
        >>> [Answer(headers=(("Retry-After", told),), at=40.0).wished_pause for told in ("7", date, "soon")]
        [7.0, 60.0, 0.0]
        """
        told = self.header("retry-after").strip()
        if told.isdecimal():
            return min(float(told[:12]), MAX_WISHED_PAUSE)
        try:
            over = parsedate_to_datetime(told).timestamp()
        except (ValueError, OverflowError, OSError):
            return 0.0
        return min(max(over - self.at, 0.0), MAX_WISHED_PAUSE)

    @property
    def mime(self) -> str:
        """The content type without its parameters, and without what no database would take.

        >>> Answer(headers=(("Content-Type", "Text/HTML\\0; charset=utf-8"),)).mime
        'text/html'
        """
        named = self.header("content-type").partition(";")[0].strip().lower()
        return "".join(letter for letter in named if letter.isprintable())[:120]


def conditions(job: Job) -> dict[str, str]:
    """The headers of a conditional request, by the validators of the latest capture."""
    before = job.previous if job.previous and job.previous["warc"] else {}
    named = {"If-None-Match": before.get("etag"), "If-Modified-Since": before.get("modified")}
    return {name: value for name, value in named.items() if value}


def exchange_of(
    url: str, answer: Answer, user_agent: str, metadata: dict[str, Any] | None = None
) -> Exchange:
    """The request and the response, to be archived as they went over the connection."""
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
    """The probability of the language before the fetch; None where nobody was asked."""
    return None if job.log_odds is None else sigmoid(job.log_odds)


def page_exchange(
    job: Job, answer: Answer, label: PageLabel, config: CrawlConfig, predicted: float | None = None
) -> Exchange:
    """A page to be kept, with what was thought and found of it."""
    told = {
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
    return exchange_of(job.url, answer, config.user_agent, told)


def unpacked(body: bytes, encoding: str, most: int) -> bytes | None:
    """A body without its content encoding; None where it would grow beyond bounds.

    >>> import gzip
    >>> unpacked(gzip.compress(b"page"), "gzip", 100), unpacked(gzip.compress(bytes(1000)), "gzip", 100)
    (b'page', None)
    """
    for coding in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if codec := content_decoding.CODECS.get(
            coding
        ):  # nobody was asked for it, and some send it all the same
            body = content_decoding.unpacked(body, codec, most + 1)
        elif (out := _inflated(body, coding, most)) is not None:
            body = out
        if len(body) > most:
            return None
    return body if len(body) <= most else None


def beginning(body: bytes, encoding: str, most: int) -> bytes:
    """A body without its content encoding, cut off where it would grow beyond bounds.

    >>> import gzip
    >>> beginning(gzip.compress(b"rules" + bytes(1000)), "gzip", 5)
    b'rules'
    """
    whole = unpacked(body, encoding, most)
    if whole is None:
        whole = _inflated(body, encoding.strip().lower(), most) or body
    return whole[:most]


def _inflated(body: bytes, coding: str, most: int) -> bytes | None:
    """A body without gzip or deflate, one byte more than allowed at most; None where it is not packed so."""
    for way in {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}.get(coding, ()):
        out, rest = b"", body
        try:
            for _ in range(MAX_MEMBERS):
                if not rest or len(out) > most:
                    break
                pressed = zlib.decompressobj(way)
                out += pressed.decompress(rest, most + 1 - len(out))
                # gzip may be of several members, one after the other; what else follows is no part of the page.
                rest = pressed.unused_data if pressed.unused_data[:2] == b"\x1f\x8b" else b""
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
