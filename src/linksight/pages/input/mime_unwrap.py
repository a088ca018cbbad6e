r"""Pages inside messages: mail, MHTML and HTTP responses with headers.

Transfer and content encodings are decoded. The page of a mail is the part that mail programs show.

>>> unwrap_message(b"Content-Type: text/html; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8M/S1A==")
Message(body=b'\xf0\xcf\xd2\xd4', content_type='text/html; charset=koi8-r')
>>> unwrap_message(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n").body
b'<p>'
"""

from __future__ import annotations

import binascii
import re
from typing import NamedTuple

from linksight.pages.input import content_decoding

MAX_BYTES = 2 << 20  #: decoded bytes of a response body
MAX_HEADER_BYTES = 1 << 16  #: bytes in which the headers of a message end
MAX_RESPONSES = 12  #: answers in a row, as where redirections were followed
MAX_PARTS, MAX_DEPTH = 64, 4  #: parts of a message that are looked at, and messages in messages

_BEGIN = re.compile(rb"\s{0,9}(?:From |[A-Za-z][A-Za-z0-9-]{1,60}:[ \t])")
_STATUS = re.compile(rb"HTTP/[0-9](?:\.[0-9])? [0-9]{3}\b")
_END = re.compile(rb"\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]{0,9}(?:;[^\n]{0,200})?\r?\n")
_BOUNDARY = re.compile(r"\bboundary=(?:\"([^\"]{1,200})\"|([^\s;\"]{1,200}))", re.IGNORECASE)
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
#: A message has one of the MIME fields, or at least three of the mail fields.
_MIME_FIELDS = frozenset((b"mime-version", b"content-type", b"content-transfer-encoding"))
_MAIL_FIELDS = frozenset(
    b"from to subject date message-id received newsgroups path return-path references".split()
)
_PAGES = (
    "text/html",
    "text/plain",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
    "text/markdown",
    "text/enriched",
    "",
)


class Message(NamedTuple):
    """The page of a message, and its declared content type."""

    body: bytes
    content_type: str | None = None


Fields = dict[bytes, str]


def unwrap_message(body: bytes) -> Message:
    """The page inside a message; other data are unchanged."""
    if _STATUS.match(body):
        return _response(body)
    if _BEGIN.match(body) and (found := _headed(body.lstrip())):
        fields, rest = found
        if fields.keys() & _MIME_FIELDS or len(fields.keys() & _MAIL_FIELDS) > 2:
            page = _shown(fields, rest) or Message(rest)
            return page if page.body.strip() else Message(body)
    return Message(body)


def _response(body: bytes) -> Message:
    """The page of an HTTP response, the last of several in a row."""
    rest, fields = body, Fields()
    for _ in range(MAX_RESPONSES):
        end = rest.find(b"\n") + 1
        found = _headed(rest[end:]) if end and _STATUS.match(rest) else None
        if not found:
            break
        fields, rest = found
    if fields.get(b"transfer-encoding", "").strip().lower() == "chunked":
        rest = _unchunked(rest)
    packed_by = fields.get(b"content-encoding", "")
    return Message(
        content_decoding.decode_content(rest, packed_by, MAX_BYTES) if packed_by else rest,
        fields.get(b"content-type"),
    )


def _headed(message: bytes) -> tuple[Fields, bytes] | None:
    """The headers and the body of a message; None without headers."""
    if message.startswith(b"From "):  # a mailbox has such a line before each mail
        message = message[message.find(b"\n") + 1 :]
    end = _END.search(message, 0, MAX_HEADER_BYTES)
    if not end:
        return None
    fields = Fields()
    for line in _FOLD.sub(b" ", message[: end.start()]).splitlines():
        name, colon, value = line.partition(b":")
        if not colon or not name or b" " in name:
            return None
        fields.setdefault(name.lower(), value.strip().decode("latin-1"))
    return fields, message[end.end() :]


def _shown(fields: Fields, body: bytes, depth: int = 0) -> Message | None:
    """The page that a mail program shows: the last of alternative versions, else the first part."""
    content_type = fields.get(b"content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    boundary = _BOUNDARY.search(content_type)
    if kind.startswith("multipart/") and boundary and depth < MAX_DEPTH:
        found = [
            page
            for part in _parts(body, (boundary[1] or boundary[2]).encode("latin-1"))
            if (page := _of_part(part, depth + 1))
        ]
        return found[-1 if kind == "multipart/alternative" else 0] if found else None
    if depth and kind not in _PAGES:
        return None
    body = _plain(body, fields.get(b"content-transfer-encoding", "").lower())
    return Message(body, content_type or None) if body.strip() else None


def _of_part(part: bytes, depth: int) -> Message | None:
    bare = part.startswith((b"\n", b"\r\n"))
    fields, body = ({}, part) if bare else _headed(part) or ({}, b"")
    if fields.get(b"content-disposition", "").lower().startswith("attachment"):
        return None
    return _shown(fields, body, depth)


def _parts(body: bytes, boundary: bytes) -> list[bytes]:
    """The parts between the boundary lines."""
    mark = b"\n--" + boundary
    parts: list[bytes] = []
    for piece in (b"\n" + body).split(mark, MAX_PARTS)[1:]:
        line, _, part = piece.partition(b"\n")
        if line.strip() == b"--":
            break
        if line.strip() and parts:  # of a message within, whose boundary begins alike
            parts[-1] += mark + piece
        else:
            parts.append(part)
    return parts


def _plain(body: bytes, encoding: str) -> bytes:
    """The body after its transfer encoding is decoded."""
    if encoding.startswith("quoted-printable"):
        return binascii.a2b_qp(body)
    if encoding.startswith("base64"):
        letters = _NO_BASE64.sub(b"", body)
        letters = letters[: len(letters) - (len(letters) % 4 == 1)]  # cut inside of a byte
        return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
    return body


def _unchunked(body: bytes) -> bytes:
    """The chunks of a body joined; a body that is already joined is unchanged."""
    parts: list[bytes] = []
    at = 0
    while size := _CHUNK.match(body, at):
        length = int(size[1], 16)
        if not length:
            return b"".join(parts)
        parts.append(body[size.end() : size.end() + length])
        at = size.end() + length
        at += 2 if body.startswith(b"\r\n", at) else body.startswith(b"\n", at)
    return b"".join(parts) + body[at:]
