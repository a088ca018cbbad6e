"""Batches between bytes and Arrow, without a Python object a row: a batch must not hold up single questions.

While Python's own JSON reads or writes a million strings nobody else gets to run.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from linksight.errors import BadData
from linksight.studio import service
from linksight.studio.answers import read_json

Batch = tuple[Any, tuple[str, ...] | None, service.Rates]


def lines_of(body: bytes) -> Any:
    r"""The lines of a text as a column.

    >>> lines_of("http://a.nl/\r\nhttp://b.de/é".encode()).to_pylist()
    ['http://a.nl/', 'http://b.de/é']
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not body:
        return pa.array([], pa.large_string())
    try:
        body.decode()
    except UnicodeDecodeError:
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
    """The column of a body that holds URLs and nothing else; None where it takes a closer look."""
    import pyarrow as pa
    import pyarrow.json as pj

    # One object, and one field: a second of the same name would be read otherwise than by Python.
    if not body.startswith(b'{"urls":') or body.find(b'"urls"', 8) > 0 or body.find(b"\n", 0, -2) > 0:
        return None
    schema = pa.schema([("urls", pa.list_(pa.string()))])
    parse = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    read = pj.ReadOptions(use_threads=False, block_size=len(body) + 1)
    try:
        table = pj.read_json(pa.BufferReader(body), read, parse)
    except pa.ArrowException:
        return None
    if table.num_rows != 1 or not table["urls"][0].is_valid:
        return None
    urls = table["urls"].chunk(0).values
    return None if urls.null_count else urls


def _checked(given: Any) -> Batch:
    """What a batch may hold; a model of a million strings would take longer than their languages."""
    if not isinstance(given, dict) or not isinstance(given.get("urls"), list):
        raise BadData('a batch is written {"urls": [...]}')
    if unknown := given.keys() - {"urls", "languages", "rates"}:
        raise BadData(f"unknown field {min(unknown)[:80]!r}; known: urls, languages, rates")
    if not all(type(url) is str for url in given["urls"]):
        wrong = next(i for i, url in enumerate(given["urls"]) if type(url) is not str)
        raise BadData(f"urls[{wrong}] is no text")
    among, rates = given.get("languages"), given.get("rates")
    if not (among is None or (isinstance(among, list) and all(isinstance(x, str) for x in among))):
        raise BadData("languages: a list of codes or names")
    numbers = (int, float)
    if not (rates is None or (isinstance(rates, dict) and all(type(x) in numbers for x in rates.values()))):
        raise BadData("rates: languages with numbers")
    return given["urls"], service.wanted_languages(among), service.rates_of(rates)


def columns(table: Any) -> bytes:
    """A table of detections as the JSON of :class:`BatchAnswer`."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    count = len(table)
    # Four decimals as text: thousandths of a cent of a probability help nobody and cost time.
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
