"""Batches between bytes and Arrow, without a Python object a row.

Reading or writing a million strings as Python objects would block all other requests.
"""

from __future__ import annotations

import codecs
import json
import re
from email.message import Message
from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException

from linksight.errors import BadData
from linksight.studio.responses import read_json
from linksight.studio.services import language_service

MAX_SETTINGS = 1_000  #: languages and base rates of a batch
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_FRAME, _END = re.compile(rb'{"urls": ?\["'), re.compile(rb'"\]}\s*\Z')
_PIECE_BYTES = 4 << 20  #: bytes that are counted or decoded at a time
Batch = tuple[Any, tuple[str, ...] | None, language_service.Rates]


def as_utf8(body: bytes, kind: str) -> bytes:
    """A text in UTF-8 with newlines, from the charset of its content type; 415 for an unknown charset.

    >>> as_utf8("é".encode("utf-16"), "text/plain; charset=UTF-16").decode(), as_utf8(b"e\\r\\n", "text/plain")
    ('é', b'e\\n')
    """
    message = Message()
    message["content-type"] = kind
    charset = message.get_content_charset("utf-8")
    try:
        b"a".decode(charset, "replace")
        if codecs.lookup(charset).name not in ("utf-8", "ascii"):
            decoder = codecs.getincrementaldecoder(charset)(
                "replace"
            )  # at once it would take four times the memory
            pieces = (body[k : k + _PIECE_BYTES] for k in range(0, len(body), _PIECE_BYTES))
            decoded = [decoder.decode(piece).encode("utf-8", "replace") for piece in pieces]
            body = b"".join([*decoded, decoder.decode(b"", True).encode("utf-8", "replace")])
    except (LookupError, ValueError):  # an unknown name, an invalid name, or a codec that is not for text
        raise HTTPException(415, f"unknown charset {charset[:80]!r}; UTF-8 needs no name") from None
    return body.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in body else body


def check_count(body: bytes, is_text: bool, max_urls: int) -> None:
    """Refuse a batch with too many rows before it is decoded.

    >>> check_count(b'{"urls": ["a,b", "c"]}', False, 2)
    """
    count = body.count(b"\n") if is_text else json_commas(body)
    # Settings of a JSON batch have commas, too.
    if count > max_urls + (0 if is_text else MAX_SETTINGS):
        raise too_many(count, max_urls)


def too_many(count: int, max_urls: int) -> HTTPException:
    """The error for a batch with too many URLs."""
    return HTTPException(413, f"{count:,} URLs: at most {max_urls:,} are allowed at a time")


def json_commas(body: bytes) -> int:
    r"""The number of commas in JSON outside of strings: one less than the values of a flat list.

    >>> json_commas(b'["a,b", "c\\\\", "\\",", 1]')
    3
    """
    import numpy as np

    count = is_inside = 0
    for first in range(0, len(body), _PIECE_BYTES):
        piece = body[first : first + _PIECE_BYTES]
        if b"\\" in body:  # escaped quotation marks do not end a string
            piece = _ESCAPED.sub(b"", _whole_escapes(body, first))
        data = np.frombuffer(piece, np.uint8)
        inside = (np.cumsum(data == ord('"'), dtype=np.uint32) + is_inside) % 2
        count += int(np.count_nonzero((data == ord(",")) & (inside == 0)))
        is_inside = int(inside[-1]) if len(inside) else is_inside
    return count


def _whole_escapes(body: bytes, first: int) -> bytes:
    """A piece of JSON without half of an escape at its start, with all of the one at its end."""
    piece = body[first : first + _PIECE_BYTES]
    if _open_escape(body, first):
        piece = piece[1:]
    end = first + _PIECE_BYTES
    return piece + body[end : end + 1] if _open_escape(body, end) else piece


def _open_escape(body: bytes, place: int) -> bool:
    """Whether the byte at a place is escaped: an odd number of backslashes comes before it."""
    n = 0
    while n < place < len(body) and body[place - 1 - n] == ord("\\"):
        n += 1
    return n % 2 == 1


def lines_of(body: bytes) -> Any:
    r"""The lines of a text as a column.

    >>> lines_of("http://a.nl/\nhttp://b.de/é".encode()).to_pylist()
    ['http://a.nl/', 'http://b.de/é']
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not body:
        return pa.array([], pa.large_string())
    if not _is_text(body):
        body = body.decode("utf-8", "replace").encode()
    body = body if body.endswith(b"\n") else body + b"\n"
    ends = np.flatnonzero(np.frombuffer(body, np.uint8) == ord("\n"))
    offsets = np.concatenate([[0], ends + 1])
    lines = pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(body))
    return pc.utf8_slice_codeunits(lines, 0, -1)


def asked_of(body: bytes) -> Batch:
    """The URLs, languages and rates of a batch in JSON."""
    if (urls := _plain_urls(body)) is not None:
        return urls, None, ()
    return _checked(read_json(body))


def _plain_urls(body: bytes) -> Any:
    """Fast path: the column of ``{"urls": ["…", "…"]}`` without escapes; None if full parsing is needed.

    Python's JSON parser would block other requests; Arrow's reader crashes on a lone ``null``.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    frame = _FRAME.match(body), _END.search(body, max(len(body) - 16, 0))
    if frame[0] is None or frame[1] is None or b"\\" in body or not _is_text(body):
        return None
    data = np.frombuffer(body, np.uint8)[frame[0].end() - 1 : frame[1].start() + 1]
    quotes = np.flatnonzero(data == ord('"'))
    if len(quotes) % 2 or (data < ord(" ")).any():
        return None
    # Between two strings there is always the same: a comma, or a comma and a space.
    gap = int(quotes[2] - quotes[1]) if len(quotes) > 2 else 2
    between = quotes[1:-1:2]
    if gap not in (2, 3) or (quotes[2::2] - between != gap).any() or (data[between + 1] != ord(",")).any():
        return None
    if gap == 3 and (data[between + 2] != ord(" ")).any():
        return None
    # Each text with its gap, so that texts follow each other as Arrow wants it; the gaps are cut off.
    offsets = np.append(quotes[::2] + 1, quotes[-1] + gap + 1)
    padded = data.tobytes() + b" " * gap
    column = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(quotes) // 2, [None, pa.py_buffer(offsets), pa.py_buffer(padded)]
    )
    return pc.binary_slice(column, 0, -gap - 1).cast(pa.large_string())


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _checked(payload: Any) -> Batch:
    """Validate a batch by hand: a pydantic model of a million strings is slower than detection."""
    if not isinstance(payload, dict) or not isinstance(payload.get("urls"), list):
        raise BadData('a batch is written {"urls": [...]}')
    if unknown := payload.keys() - {"urls", "languages", "rates"}:
        raise BadData(f"unknown field {min(unknown)[:80]!r}; known: urls, languages, rates")
    # A null is a missing value and treated as empty; other values that are not text are marked as such.
    if None in payload["urls"]:
        payload["urls"] = ["" if url is None else url for url in payload["urls"]]
    among, rates = payload.get("languages"), payload.get("rates")
    if not (among is None or (isinstance(among, list) and all(isinstance(x, str) for x in among))):
        raise BadData("languages: a list of codes or names")
    numbers = (int, float)
    if not (rates is None or (isinstance(rates, dict) and all(type(x) in numbers for x in rates.values()))):
        raise BadData("rates: languages with numbers")
    return payload["urls"], language_service.wanted_languages(among), language_service.rates_of(rates)


def columns(table: Any) -> bytes:
    """A table of detections as the JSON of :class:`BatchAnswer`."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    count = len(table)
    # Four decimals are enough, and as ready-made text they are fast.
    chances = np.rint(np.asarray(table["probability"]) * 10_000).astype(np.int64)
    codes = pc.binary_join_element_wise('"', table["language"].cast(pa.string()), '",', "")
    parts = [
        b'{"count":%d,"language":[' % count, _joined(codes),
        b'],"probability":[', _joined(_decimals().take(pa.array(chances))),
        b'],"problems":', _problems(table["problem"]), b"}",
    ]  # fmt: skip
    return b"".join(parts)


def _joined(texts: Any) -> bytes:
    """All texts one after the other, which is how Arrow keeps them, without the last comma."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    pieces = [
        memoryview(chunk.buffers()[2])[: pc.sum(pc.binary_length(chunk)).as_py()]
        for chunk in chunks
        if len(chunk)
    ]
    return b"".join(pieces)[:-1]


def _problems(column: Any) -> bytes:
    """The rows that could not be used, with their reasons."""
    import numpy as np
    import pyarrow.compute as pc

    if column.null_count == len(column):
        return b"{}"
    bad = np.flatnonzero(np.asarray(pc.is_valid(column)))
    return json.dumps({str(row): column[int(row)].as_py() for row in bad}).encode("ascii")


@lru_cache(maxsize=1)
def _decimals() -> Any:
    import pyarrow as pa

    return pa.array([f"{n / 10_000:g}," for n in range(10_001)], pa.large_string())
