"""The short ways say what the long ways say."""

from __future__ import annotations

import json
import socket

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight
from linksight.errors import BadUrl
from linksight.studio import service
from linksight.studio.api import batches
from linksight.studio.lane import quick_answer

URLS = ["https://www.lemonde.fr/economie/", "http://www.zeitung.de/politik", "https://example.com/?a=b&c=d"]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("among", [None, ("nl", "de")])
def test_one_url_by_the_compiled_code_is_what_the_library_says(url, among):
    scorer = linksight.load()
    quick, plain = service.compiled_detect(scorer, url, among), scorer.detect(url, among)
    assert (quick.url, quick.language) == (plain.url, plain.language)
    assert [code for code, _ in quick.candidates[:2]] == [code for code, _ in plain.candidates[:2]]
    assert quick.probability == pytest.approx(plain.probability, abs=1e-3)


@pytest.mark.parametrize("url", ["x:y", "", "http://[", "\ud800", "a\x00b:"])
def test_the_compiled_code_names_the_same_problems(url):
    scorer = linksight.load()
    with pytest.raises(BadUrl) as plain:
        scorer.detect(url)
    with pytest.raises(BadUrl) as quick:
        service.compiled_detect(scorer, url, None)
    assert str(quick.value) == str(plain.value)


@pytest.mark.parametrize(
    "query",
    ["url=http://a.nl/&explain=true", "url=http://a.nl/&url=http://b.de/", "", "languages=nl", "url=x:y",
     "url=http://a.nl/&languages=klingonese", "url=http://a.nl/&rates=nl=much", "url=http://a.nl/&rates=nl=7"],
)  # fmt: skip
def test_what_is_not_plainly_in_order_goes_the_long_way(query):
    assert quick_answer(query.encode()) is None


def test_both_ways_give_the_same_answer(visitor):
    asked = {"url": URLS[2], "languages": "nl,de,en", "rates": "nl=0.2"}
    short = visitor.get("/v1/detect", params=asked)
    long = visitor.get("/v1/detect", params=asked | {"explain": "false"})
    assert short.json() == long.json()
    assert short.headers.keys() == long.headers.keys()
    metrics = visitor.get("/metrics").text
    assert 'route="/v1/detect",method="GET",status="200"} 2' in metrics


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=20), max_size=8))
def test_a_batch_in_json_is_read_as_python_reads_it(urls):
    for body in (json.dumps({"urls": urls}), json.dumps({"urls": urls}, separators=(",", ":"))):
        column = batches.asked_of(body.encode("utf-8", "surrogatepass"))[0]
        assert (column if isinstance(column, list) else column.to_pylist()) == urls


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)))
def test_lines_are_lines(urls):
    for newline in ("\n", "\r\n", "\r"):
        text = "".join(f"{url}{newline}" for url in urls)
        assert batches.lines_of(text.encode()).to_pylist() == urls


def test_lines_in_another_encoding_are_still_lines():
    assert batches.lines_of(b"http://a.nl/\xff\nhttp://b.de").to_pylist() == [
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
    urls = batches._plain_urls(body.encode())
    assert urls is None or urls.to_pylist() == json.loads(body)["urls"]


@pytest.mark.parametrize("urls", [["a"], ["a", "b"], ["", "é", "日"], ["a, b", "]}", "["], ["x"] * 3])
def test_a_usual_batch_is_not(urls):
    for body in (
        json.dumps({"urls": urls}, ensure_ascii=False),
        json.dumps({"urls": urls}, separators=(",", ":")),
    ):
        if "\\" not in body:
            assert batches._plain_urls(body.encode()).to_pylist() == urls


def test_columns_are_the_json_of_the_table():
    rng = np.random.default_rng(1)
    n = 1_000
    codes = [["nl", "und", "ckb"][k] for k in rng.integers(0, 3, n)]
    problems = ["no host" if code == "und" else None for code in codes]
    chances = rng.random(n).astype(np.float32)
    half = pa.table({"language": codes, "probability": chances, "problem": pa.array(problems, pa.string())})
    for table in (half, pa.concat_tables([half, half.slice(3, 7)]), half.slice(5, 100)):
        told = json.loads(batches.columns(table))
        assert told["language"] == table["language"].to_pylist()
        assert told["probability"] == pytest.approx(table["probability"].to_pylist(), abs=6e-5)
        assert told["problems"] == {
            str(i): why for i, why in enumerate(table["problem"].to_pylist()) if why is not None
        }


@pytest.mark.parametrize("together", [True, False])
def test_a_proposal_of_http2_is_let_pass(studio, together):
    """As Java's own client makes it, with a body behind, and the connection is kept."""
    head = (
        b"POST /v1/detect/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
        b"upgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\nContent-Type: text/plain\r\nContent-Length: 20\r\n\r\n"
    )
    body = b"http://a.nl/h2c/x/h\n"
    with socket.create_connection(("127.0.0.1", studio.port), timeout=600) as connection:
        for _ in range(2):
            for piece in [head + body] if together else [head, body]:
                connection.sendall(piece)
            told = b""
            while b'"problems"' not in told:
                told += connection.recv(65_536)
            assert told.startswith(b"HTTP/1.1 200")
            assert b'"count":1' in told
