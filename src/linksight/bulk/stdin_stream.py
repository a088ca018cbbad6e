"""Streaming filter: answers each line at once, and waiting lines as one batch.

A line is a URL, a JSON string, or a JSON object with the URL under ``url``; an object's other
fields are returned with the answer, so that a caller can match them. An empty line is answered
too, so that every input line has an output line. Arrow is loaded only for many lines.
"""

from __future__ import annotations

import codecs
import json
import os
import select
import sys
from collections import Counter
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadUrl
from linksight.reasons import NOT_TEXT
from linksight.results import UND, shortest

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

NOT_JSON = "not JSON"
NO_URL = "no url field"
_MAX_BATCH_BYTES = 4 << 20  #: most input read as one batch


def run_filter(
    scorer: UrlLanguageModel, source: IO[bytes], sink: IO[bytes], *, languages: str | None = None, column: str = "url",
    prefix: str = "", explain: bool = False,
) -> Counter[str]:  # fmt: skip
    """Answer every line of ``source`` on ``sink`` until it ends; counts problems by reason."""
    problems: Counter[str] = Counter()
    for lines in waiting_lines(source):
        out = []
        for row, url, problem in (_request(line, column) for line in lines):
            found: dict[str, Any] = {"language": UND, "probability": 0.0, "problem": problem}
            if problem is None:
                found = _answer(scorer, url, languages, explain)
            if found["problem"]:
                problems[found["problem"]] += 1
            out.append(_line(row | {prefix + name: value for name, value in found.items()}))
        sink.write(("\n".join(out) + "\n").encode("utf-8", "replace"))
        sink.flush()
    return problems


def _line(row: dict[str, Any]) -> str:
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False)
    except ValueError:  # Python reads numbers that JSON does not have
        from linksight.bulk.formats.json_writer import json_of

        return json_of(row)


def waiting_lines(source: IO[bytes]) -> Iterator[list[bytes]]:
    """The lines that are there, as soon as there is one; half a line waits for its end."""
    rest, is_first = b"", True
    while piece := _waiting(source):
        lines = (rest + piece).split(b"\n")
        if is_first and len(lines) > 1:  # by the mark of Windows its first line would be neither URL nor JSON
            lines[0], is_first = lines[0].removeprefix(codecs.BOM_UTF8), False
        rest = lines.pop()
        if lines:
            yield lines
    if rest:
        yield [rest.removeprefix(codecs.BOM_UTF8) if is_first else rest]


def _waiting(source: IO[bytes]) -> bytes:
    try:
        descriptor = source.fileno()
    except (OSError, AttributeError, ValueError):  # not a pipe: bytes in memory
        return source.read(_MAX_BATCH_BYTES)
    pieces = [os.read(descriptor, 1 << 16)]
    size = len(pieces[0])
    while pieces[-1] and size < _MAX_BATCH_BYTES and _is_ready(descriptor):
        pieces.append(os.read(descriptor, 1 << 16))
        size += len(pieces[-1])
    return b"".join(pieces)


def _is_ready(descriptor: int) -> bool:
    """Whether a read returns at once; unknown for pipes on Windows."""
    return sys.platform != "win32" and bool(select.select([descriptor], [], [], 0)[0])


def _request(line: bytes, column: str) -> tuple[dict[str, Any], str, str | None]:
    """The fields to return, the URL, and the problem of a line."""
    text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if not text.startswith(("{", '"')):
        return {column: text}, text, None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {column: None, "line": text[:1000]}, "", NOT_JSON
    row = value if isinstance(value, dict) else {column: value}
    *path, name = (column,) if column in row else column.split(".")
    holder = _holder(row, path)
    if name not in holder:
        return row, "", NO_URL
    url = holder[name]
    return row, url if isinstance(url, str) else "", None if isinstance(url, str | None) else NOT_TEXT


def _holder(row: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """The object at the end of a path of fields; empty if it does not exist."""
    holder: Any = row
    for name in path:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder if isinstance(holder, dict) else {}


def _answer(scorer: UrlLanguageModel, url: str, languages: str | None, explain: bool) -> dict[str, Any]:
    try:
        found = scorer.detect(url, languages)
        answer: dict[str, Any] = {
            "language": found.language,
            "probability": shortest(found.probability),
            "problem": None,
        }
        return answer | ({"explanation": scorer.explain(url, languages).as_dict()} if explain else {})
    except BadUrl as error:
        return {"language": UND, "probability": 0.0, "problem": error.reason}
