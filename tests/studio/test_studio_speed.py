"""Batches read and written by column give what plain JSON would."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.studio.routes.api_v1 import arrow_batches


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=20), max_size=8))
def test_a_batch_in_json_is_read_as_python_reads_it(urls):
    for body in (json.dumps({"urls": urls}), json.dumps({"urls": urls}, separators=(",", ":"))):
        column = arrow_batches.asked_of(body.encode("utf-8", "surrogatepass"))[0]
        assert (column if isinstance(column, list) else column.to_pylist()) == urls


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)))
def test_lines_are_lines(urls):
    for newline in ("\n", "\r\n", "\r"):
        text = "".join(f"{url}{newline}" for url in urls)
        body = arrow_batches.as_utf8(text.encode(), "text/plain")
        assert arrow_batches.lines_of(body).to_pylist() == urls


def test_lines_in_another_encoding_are_still_lines():
    assert arrow_batches.lines_of(b"http://a.nl/\xff\nhttp://b.de").to_pylist() == [
        "http://a.nl/\ufffd",
        "http://b.de",
    ]


@pytest.mark.parametrize(
    "body", ['{"urls":["a"],"urls":["b"]}', '{"urls":["a"]}\n{"urls":["b"]}', '{"urls":["a", null]}', '{"urls":[1]}',
             '{"urls":null}', '{"urls":["a"]} null', '{"urls":["a",,"b"]}', '{"urls":["a" "b"]}', '{"urls":["a";"b"]}',
             '{"urls":["a", "b","c"]}', '{"urls":["a", "b"\\n]}', '{"urls":["\t"]}', '{"urls":["a"', '{"urls":["]}',
             '{"urls":["a",_"b",_"c"]}', '{"urls":["","" ,""]}', '{"urls":["a"],"languages":["nl"]}', '{"urls": ["2024-01-01"]}']
)  # fmt: skip
def test_an_unusual_batch_is_left_to_python(body):
    urls = arrow_batches._plain_urls(body.encode())
    assert urls is None or urls.to_pylist() == json.loads(body)["urls"]


@pytest.mark.parametrize("urls", [["a"], ["a", "b"], ["", "é", "日"], ["a, b", "]}", "["], ["x"] * 3])
def test_a_usual_batch_is_not(urls):
    for body in (
        json.dumps({"urls": urls}, ensure_ascii=False),
        json.dumps({"urls": urls}, separators=(",", ":")),
    ):
        if "\\" not in body:
            assert arrow_batches._plain_urls(body.encode()).to_pylist() == urls


def test_columns_are_the_json_of_the_table():
    rng = np.random.default_rng(1)
    n = 1_000
    codes = [["nl", "und", "ckb"][k] for k in rng.integers(0, 3, n)]
    problems = ["no host" if code == "und" else None for code in codes]
    chances = rng.random(n).astype(np.float32)
    half = pa.table({"language": codes, "probability": chances, "problem": pa.array(problems, pa.string())})
    for table in (half, pa.concat_tables([half, half.slice(3, 7)]), half.slice(5, 100)):
        told = json.loads(arrow_batches.columns(table))
        assert told["language"] == table["language"].to_pylist()
        assert told["probability"] == pytest.approx(table["probability"].to_pylist(), abs=6e-5)
        assert told["problems"] == {
            str(i): why for i, why in enumerate(table["problem"].to_pylist()) if why is not None
        }
