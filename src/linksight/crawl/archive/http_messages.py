"""HTTP messages as bytes: where the head ends, and interim responses.

>>> head_of(b"HTTP/1.1 200 OK\\r\\nA: b\\r\\n\\r\\nbody")
b'HTTP/1.1 200 OK\\r\\nA: b\\r\\n\\r\\n'
>>> final_response(b"HTTP/1.1 100 Continue\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n\\r\\n")
b'HTTP/1.1 200 OK\\r\\n\\r\\n'
"""

from __future__ import annotations

import re

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_INTERIM = re.compile(rb"HTTP/1\.\d 1\d\d[ \r\n]")


def head_of(message: bytes) -> bytes:
    """Status or request line and headers, up to and including the empty line; the complete message if it has none."""
    found = _HEAD_END.search(message)
    return message[: found.end()] if found else message


def final_response(message: bytes) -> bytes:
    """The message without the interim responses (100 Continue and the like) before it."""
    while _INTERIM.match(message):
        message = message[len(head_of(message)) :]
    return message
