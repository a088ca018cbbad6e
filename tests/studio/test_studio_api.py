"""The HTTP interface: what it answers, and what it says to nonsense."""

from __future__ import annotations

import gzip
import json
import socket
import time
import urllib.error
import urllib.request

import pytest

import linksight
from linksight.studio.services.crawl_processes import Crawls

LE_MONDE = "https://www.lemonde.fr/economie/"


def test_one_url_has_the_answer_of_the_library(visitor):
    told = visitor.get("/v1/detect", params={"url": LE_MONDE, "explain": "true"}).json()
    found = linksight.detect(LE_MONDE, explain=True)
    assert told["language"] == found.language
    assert told["probability"] == pytest.approx(found.probability, abs=1e-4)
    assert [reason["feature"] for reason in told["reasons"]] == [feature for feature, _, _ in found.reasons]


@pytest.mark.parametrize(
    "url", [LE_MONDE, "http://a.nl/x y", "http://例え.jp/é", "a.nl", "http://a.nl/?b=c&d=é+f"]
)
def test_the_direct_answer_is_that_of_the_route(visitor, url):
    direct = visitor.get("/v1/detect", params={"url": url})
    routed = visitor.get("/v1/detect", params={"url": url, "explain": "false"})
    assert (direct.status_code, direct.json()) == (routed.status_code, routed.json())
    assert "x-request-id" in direct.headers
    assert (
        visitor.get("/v1/detect", params={"url": url, "languages": "nl,fy", "rates": "nl=0.5"}).status_code
        == 200
    )


def test_get_and_post_say_the_same(visitor):
    got = visitor.get("/v1/detect", params={"url": LE_MONDE, "languages": "nl,de", "rates": "nl=0.5"}).json()
    posted = visitor.post(
        "/v1/detect", json={"url": LE_MONDE, "languages": ["nl", "de"], "rates": {"nl": 0.5}}
    )
    assert got == posted.json()
    assert {pair["language"] for pair in got["candidates"]} <= {"nl", "de"}


def test_base_rates_change_the_answer(visitor):
    url = "https://example.com/nieuws"
    few = visitor.get("/v1/detect", params={"url": url, "languages": "nl,en", "rates": "nl=0.0001"}).json()
    many = visitor.get("/v1/detect", params={"url": url, "languages": "nl,en", "rates": "nl=0.9"}).json()
    chance = [
        next((c["probability"] for c in told["candidates"] if c["language"] == "nl"), 0)
        for told in (few, many)
    ]
    assert chance[0] < chance[1]


def test_a_batch_keeps_the_order_and_reports_rows_that_cannot_be_used(visitor):
    urls = [LE_MONDE, "mailto:a@b.nl", "http://www.zeitung.de/politik", "\ud800"]
    told = visitor.post(
        "/v1/detect/batch",
        content=json.dumps({"urls": urls}),
        headers={"content-type": "application/json"},
    )
    answer = told.json()
    assert (answer["count"], answer["language"][:3]) == (4, ["fr", "und", "de"])
    assert set(answer["problems"]) == {"1", "3"}


def test_a_gap_in_a_column_is_a_row_that_cannot_be_used(visitor):
    told = visitor.post("/v1/detect/batch", json={"urls": [LE_MONDE, None, "http://www.zeitung.de/politik"]})
    assert told.json()["language"] == ["fr", "und", "de"]
    assert told.json()["problems"] == {"1": "empty"}


@pytest.mark.parametrize("odd", [7, 1.5, True, ["http://a.nl/"], {"url": "http://a.nl/"}])
def test_what_is_no_text_stops_neither_a_batch_nor_a_match(visitor, odd):
    told = visitor.post("/v1/detect/batch", json={"urls": [LE_MONDE, odd, "http://www.zeitung.de/politik"]})
    assert told.json()["language"] == ["fr", "und", "de"]
    assert told.json()["problems"] == {"1": "not text"}
    asked = {"urls": ["http://a.org/p/1", odd, None], "patterns": ["http://a.org/p/*"]}
    assert visitor.post("/v1/patterns/match", json=asked).json()["matches"] == [0, -2, -2]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b'{"url": ', 400, "the body is not JSON: "),
        (b"[]", 422, 'the body is not a JSON object, such as {"url": '),
        (b'{"url": "http://a.nl/", "priors": {}}', 422, "unknown field 'priors'; the known ones are in /openapi.json"),
        (b'{"languages": ["nl"]}', 422, "url: Field required"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_read_is_told_why_in_words(visitor, body, status, message):
    told = visitor.post("/v1/detect", content=body, headers={"content-type": "application/json"})
    assert (told.status_code, told.json()["code"]) == (
        status,
        "bad-request" if status == 400 else "invalid-input",
    )
    assert told.json()["detail"].startswith(message)


def test_a_page_in_a_form_and_json_by_another_name_are_told_the_way(visitor):
    told = visitor.post("/v1/identify", files={"file": ("page.html", b"<p>Alle mensen worden vrij geboren")})
    assert (told.status_code, told.json()["code"]) == (415, "wrong-type")
    assert "--data-binary" in told.json()["detail"]
    form = {"content-type": "application/x-www-form-urlencoded"}
    told = visitor.post("/v1/detect", content=json.dumps({"url": LE_MONDE}), headers=form)
    assert (told.status_code, told.json()["code"]) == (415, "wrong-type")
    assert "Content-Type: application/json" in told.json()["detail"]


def test_a_batch_of_lines_is_a_batch(visitor):
    body = f"{LE_MONDE}\nhttp://www.zeitung.de/politik"
    told = visitor.post("/v1/detect/batch", content=body, headers={"content-type": "text/plain"}).json()
    assert told["language"] == ["fr", "de"]


@pytest.mark.parametrize("route", ["/v1/detect/batch", "/v1/detect/stream"])
def test_lines_are_restricted_by_the_query(visitor, route):
    """A text has no place for settings: in a query they once were taken and forgotten."""
    sent = {"content": "http://www.example.com/kantoor\n", "headers": {"content-type": "text/plain"}}
    told = visitor.post(route, params={"languages": "fy,af"}, **sent)
    assert any(code in told.text for code in ('"fy"', '"af"'))
    assert visitor.post(route, params={"languages": "klingonish"}, **sent).status_code == 422
    plain = visitor.post(route, **sent).json()["probability"]
    assert visitor.post(route, params={"rates": "nl=0.9"}, **sent).json()["probability"] != plain


def test_settings_of_a_batch_are_given_once(visitor):
    sent = {"urls": ["http://www.nu.nl/"], "languages": ["nl"]}
    told = visitor.post("/v1/detect/batch", params={"languages": "de"}, json=sent)
    assert told.status_code == 422
    assert "languages" in told.json()["detail"]


@pytest.mark.parametrize("route", ["/v1/detect/batch", "/v1/detect/stream", "/v1/identify"])
def test_a_gzipped_body_has_the_answer_of_a_plain_one(visitor, route):
    body = b"http://www.nu.nl/sport\n"
    plain = visitor.post(route, content=body, headers={"content-type": "text/plain"})
    headers = {"content-type": "text/plain", "content-encoding": "gzip"}
    packed = visitor.post(route, content=gzip.compress(body), headers=headers)
    assert (packed.status_code, packed.text) == (200, plain.text)
    assert visitor.post(route, content=b"not gzip", headers=headers).status_code == 400 or "stream" in route
    other = visitor.post(route, content=body, headers=headers | {"content-encoding": "br"})
    assert (other.status_code, other.json()["code"]) == (415, "wrong-type")


def test_a_large_answer_is_gzipped_on_request(visitor):
    plain = visitor.get("/v1/languages", headers={"accept-encoding": "identity"})
    packed = visitor.get("/v1/languages", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()


def test_errors_are_problem_json_with_the_wrong_part_and_a_request_id(visitor):
    answer = visitor.post("/v1/detect", json={"url": 7}, headers={"x-request-id": "mine-1"})
    told = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert (told["status"], told["title"], told["code"]) == (422, "Invalid input", "invalid-input")
    assert told["errors"][0]["pointer"] == "/url"
    assert told["request_id"] == answer.headers["x-request-id"] == "mine-1"
    bad = visitor.get("/v1/detect", params={"url": "x:y"}).json()
    assert (bad["code"], bad["errors"][0]["parameter"]) == ("bad-url", "url")
    bad = visitor.post("/v1/detect", json={"url": LE_MONDE, "languages": ["klingonish"]}).json()
    assert (bad["code"], bad["errors"][0]["pointer"]) == ("bad-language", "/languages")
    assert visitor.get("/v1/health", headers={"x-request-id": "a b"}).headers["x-request-id"] != "a b"


def test_the_description_has_security_readable_names_examples_and_the_limits_in_force(make_studio):
    studio = make_studio(token="a-long-secret-token", max_urls=77)
    described = studio.app.openapi()
    assert described["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert described["security"] == [{"bearer": []}]
    assert described["components"]["schemas"]["Batch"]["properties"]["urls"]["maxItems"] == 77
    names = [route["operationId"] for methods in described["paths"].values() for route in methods.values()]
    assert len(set(names)) == len(names)
    assert all(name.isalpha() for name in names)
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            assert route["summary"], path
            for kind, content in route.get("requestBody", {}).get("content", {}).items():
                schema = content["schema"]
                model = described["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {})
                assert content.get("example") or content.get("examples") or model.get("examples"), (
                    path,
                    method,
                    kind,
                )


def test_pages_of_allowed_origins_may_call_the_api(make_studio):
    ask = {"origin": "https://app.example", "access-control-request-method": "POST"}
    with make_studio(cors_origins=("https://app.example",)).visitor() as visitor:
        preflight = visitor.options("/v1/detect", headers=ask)
        assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (
            204,
            ask["origin"],
        )
        assert "POST" in preflight.headers["access-control-allow-methods"]
        crossed = {"origin": ask["origin"], "sec-fetch-site": "cross-site"}
        answer = visitor.post("/v1/detect", json={"url": LE_MONDE}, headers=crossed)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, ask["origin"])
        foreign = visitor.post(
            "/v1/detect", json={"url": LE_MONDE}, headers={"origin": "https://evil.example"}
        )
        assert foreign.status_code == 403
        assert "access-control-allow-origin" not in foreign.headers
        assert visitor.post("/inspector", data={}, headers=crossed).status_code == 403


def test_reasons_are_also_given_in_words(visitor):
    told = visitor.get("/v1/detect", params={"url": LE_MONDE, "explain": "true"}).json()
    assert any("counts for French" in reason["text"] for reason in told["reasons"])


def test_sites_jobs_and_crawls_have_routes(make_studio):
    with make_studio().visitor() as visitor:
        urls = [f"http://shop.example/{kind}/{n}" for n in range(40) for kind in ("product", "author")]
        begun = visitor.post("/v1/sites", json={"name": "shop", "urls": urls})
        assert begun.status_code == 202, begun.text
        job = begun.json()
        until = time.monotonic() + 60
        while job["state"] not in ("done", "failed"):
            assert time.monotonic() < until
            time.sleep(0.1)
            job = visitor.get(f"/v1/jobs/{job['id']}").json()
        assert (job["state"], job["error"]) == ("done", "")
        assert [one["id"] for one in visitor.get("/v1/jobs").json()] == [job["id"]]
        assert visitor.get("/v1/sites").json() == ["shop"]
        assert len(visitor.get("/v1/sites/shop").json()["patterns"]) == 2
        told = visitor.post("/v1/patterns/match", json={"site": "shop", "urls": [urls[0], urls[1]]}).json()
        assert set(told["matches"]) == {0, 1}
        assert visitor.delete(f"/v1/jobs/{job['id']}").json()["state"] == "done"
        assert visitor.delete("/v1/sites/shop").status_code == 204
        for path in ("/v1/sites/shop", "/v1/jobs/0", "/v1/crawls/none"):
            assert (visitor.get(path).status_code, visitor.get(path).json()["code"]) == (404, "not-found")
        assert visitor.get("/v1/crawls").json() == []
        wrong = visitor.post("/v1/crawls", json={"seeds": ["http://a.nl/"], "language": "nl", "delay": -1})
        assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/delay")


def test_a_broken_line_of_a_stream_is_not_json(visitor):
    told = visitor.post("/v1/detect/stream", content='{"url": "http://a.nl/"\n').json()
    assert (told["problem"], told["url"]) == ("not JSON", None)


def test_a_question_with_an_unknown_setting_is_told_so(visitor):
    """``language=nl`` for ``languages=nl`` is soon written, and an answer from all languages looks like one."""
    told = visitor.get("/v1/detect", params={"url": "http://www.nu.nl/", "language": "nl"})
    assert told.status_code == 422
    assert "unknown parameter 'language'" in told.json()["detail"]


def test_a_route_that_is_none_is_an_error_for_programs(visitor):
    for path in ("/v1", "/v1/", "/v1/nothing"):
        assert visitor.get(path).json()["code"] == "not-found"


def test_a_large_batch_agrees_with_single_answers(visitor):
    urls = [f"https://www.site{n}.{tld}/pagina/{n}" for n in range(700) for tld in ("nl", "de", "com")]
    told = visitor.post("/v1/detect/batch", json={"urls": urls}).json()
    for row in (0, 1, 2, 2099):
        found = linksight.detect(urls[row])
        assert (told["language"][row], told["probability"][row]) == (
            found.language,
            pytest.approx(found.probability, abs=2e-4),
        )


def test_an_empty_batch_is_an_empty_answer(visitor):
    told = visitor.post("/v1/detect/batch", json={"urls": []}).json()
    assert told == {"count": 0, "language": [], "probability": [], "problems": {}}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 422),
        (b'{"urls": "http://a.nl"}', 422),
        (b'{"urls": [], "more": 1}', 422),
        (b'{"urls": [], "languages": ["klingonese"]}', 422),
        (b'{"urls": [], "rates": {"nl": "much"}}', 422),
        (b"[" * 100_000, 400),
    ],
)
def test_a_batch_that_is_none_is_told_so(visitor, body, status):
    answer = visitor.post("/v1/detect/batch", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_streams_answer_line_by_line_and_keep_other_fields(visitor):
    lines = [LE_MONDE, json.dumps({"url": "http://www.zeitung.de/", "id": 7}), "", "x:y", '"http://a.fr/"']
    answer = visitor.post("/v1/detect/stream", content="\n".join(lines))
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["language"] for row in told] == ["fr", "de", "und", "fr"]
    assert told[1]["id"] == 7
    assert told[2]["problem"]


def test_a_stream_answers_before_it_has_ended(studio):
    """Full duplex: the first answer arrives while the client has not sent its second line."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    connection.putrequest("POST", "/v1/detect/stream")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    line = f"{LE_MONDE}\n".encode()
    connection.send(b"%x\r\n%s\r\n" % (len(line), line))
    answer = connection.getresponse()
    assert json.loads(answer.readline())["language"] == "fr"
    connection.send(b"0\r\n\r\n")
    assert answer.read() == b""
    connection.close()


def test_a_stream_may_be_sent_whole_before_its_answer_is_read(studio):
    """Most clients do so: each waited for the other, and for ever."""
    body = b"".join(b"https://www.lemonde.fr/economie/article-%d\n" % n for n in range(20_000))
    head = b"POST /v1/detect/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)  # nothing to lay the answers aside in
        client.settimeout(60)
        client.connect(("127.0.0.1", studio.port))
        client.sendall(head % len(body) + body)
        told = b"".join(iter(lambda: client.recv(1 << 20), b""))
    assert told.count(b'"language": "fr"') == 20_000


@pytest.mark.parametrize("path", ["/v1/detect/batch", "/v1/identify"])
def test_who_closes_behind_his_question_is_told_that_it_is_too_large(make_studio, path):
    """Such as Python's urllib, which saw a connection that was reset."""
    studio = make_studio(max_body=1 << 20, max_page=1 << 20)
    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(studio.url + path, b"x" * (20 << 20), timeout=60)
    assert told.value.code == 413
    assert "1 MiB" in json.load(told.value)["detail"]


def test_a_stream_that_grows_too_long_says_so_in_its_last_line(make_studio):
    """Its status is out already: the connection was cut, and nobody was told why."""
    import http.client

    studio, line = make_studio(max_upload=2_000), f"{LE_MONDE}\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    connection.putrequest("POST", "/v1/detect/stream")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    connection.send(b"%x\r\n%s\r\n" % (len(line), line))
    answer = connection.getresponse()
    assert json.loads(answer.readline())["language"] == "fr"
    connection.send(b"%x\r\n%s\r\n" % (len(line) * 100, line * 100))
    *_, last = answer.read().splitlines()
    assert json.loads(last) == {
        "url": None,
        "language": "und",
        "probability": 0.0,
        "problem": "the body is larger than the 2,000 bytes that are allowed here; what follows was not read",
    }
    connection.close()


def test_a_page_is_identified_from_its_bytes(visitor):
    page = "<p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.</p>".encode("cp1252")
    told = visitor.post("/v1/identify", content=page, headers={"content-type": "text/html"}).json()
    assert (told["language"], told["script"]) == ("it", "Latn")


def test_patterns_that_are_sent_are_matched(visitor):
    asked = {"urls": ["https://a.org/p/1", "https://a.org/q", "x"], "patterns": ["http://a.org/p/*"]}
    assert visitor.post("/v1/patterns/match", json=asked).json()["matches"] == [0, -1, -2]


def test_a_site_that_is_not_there_is_named(visitor):
    answer = visitor.post("/v1/patterns/match", json={"urls": [], "site": "nowhere"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    assert "nowhere" in answer.json()["detail"]


def test_the_languages_are_those_of_the_models(visitor):
    told = {row["code"]: row for row in visitor.get("/v1/languages").json()}
    assert {code for code, row in told.items() if row["urls"]} == set(linksight.load().languages)
    assert told["nl"]["name"] == "Dutch"


def test_requests_and_urls_are_counted(make_studio):
    with make_studio().visitor() as visitor:
        visitor.post("/v1/detect/batch", json={"urls": [LE_MONDE] * 5})
        visitor.get("/v1/detect", params={"url": "x:y"})
        text = visitor.get("/metrics").text
    assert 'linksight_items_total{kind="urls"} 5' in text
    assert 'linksight_http_requests_total{method="GET",route="/v1/detect",status="422"} 1.0' in text


@pytest.mark.parametrize("url", ["x:y", "", "http://", "\x00", "http://[", "a" * 200_000])
def test_a_url_that_is_none_is_an_error_that_names_it(visitor, url):
    answer = visitor.post("/v1/detect", json={"url": url})
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_health_needs_nothing(visitor):
    assert visitor.get("/v1/health").json() == {"status": "ok", "version": linksight.__version__}


@pytest.mark.parametrize("route", ["/v1/detect/batch", "/v1/detect/stream", "/v1/identify"])
def test_no_route_passes_over_a_setting_that_it_does_not_know(visitor, route):
    told = visitor.post(f"{route}?language=nl", content=LE_MONDE, headers={"content-type": "text/plain"})
    assert told.status_code == 422
    assert "unknown parameter 'language'; known: " in told.json()["detail"]


@pytest.mark.parametrize(
    ("route", "asked"),
    [("/v1/detect", {"url": LE_MONDE}), ("/v1/patterns/match", {"urls": [], "patterns": []})],
)
def test_settings_beside_a_body_of_json_are_told_where_they_stand(visitor, route, asked):
    """They were passed over, and the answer looked as if they had been heeded."""
    told = visitor.post(f"{route}?languages=nl", json=asked)
    assert told.status_code == 422
    assert "unknown parameter 'languages'; parameters belong in the body" in told.text


@pytest.mark.parametrize("route", ["/v1/languages", "/v1/sites"])
def test_a_list_that_has_no_settings_says_so(visitor, route):
    told = visitor.get(f"{route}?q=nl")
    assert told.status_code == 422
    assert "there are none" in told.text


@pytest.mark.parametrize("route", ["/v1/detect", "/v1/detect/batch"])
@pytest.mark.parametrize("rate", [True, "0.5"])
def test_a_base_rate_is_a_number_on_every_route(visitor, route, rate):
    asked = {"url" if route == "/v1/detect" else "urls": LE_MONDE if route == "/v1/detect" else [LE_MONDE]}
    assert visitor.post(route, json=asked | {"rates": {"nl": rate}}).status_code == 422
    assert visitor.post(route, json=asked | {"rates": {"nl": 1}}).status_code == 200


def test_languages_may_be_given_one_by_one(visitor):
    """So do clients that are handed a list; of two the last alone was asked for."""
    joined = visitor.get(
        "/v1/detect", params={"url": LE_MONDE, "languages": "nl,de", "rates": "nl=0.5,de=0.1"}
    )
    given = {"url": LE_MONDE, "languages": ["nl", "de"], "rates": ["nl=0.5", "de=0.1"]}
    assert visitor.get("/v1/detect", params=given).json() == joined.json()
    for route in ("/v1/detect/batch", "/v1/detect/stream"):
        settings = {name: given[name] for name in ("languages", "rates")}
        one, other = (
            visitor.post(
                route, params=params, content=LE_MONDE, headers={"content-type": "text/plain"}
            ).json()
            for params in (settings, {"languages": "nl,de", "rates": "nl=0.5,de=0.1"})
        )
        assert one == other


@pytest.mark.parametrize(
    "twice", ["url=http://a.fr/&url=http://b.de/", "url=http://a.fr/&explain=1&explain=0"]
)
def test_what_can_be_given_once_is_not_given_twice(visitor, twice):
    told = visitor.get(f"/v1/detect?{twice}")
    assert told.status_code == 422
    assert "given 2 times" in told.json()["detail"]


def test_two_base_rates_of_a_language_are_none(visitor):
    told = visitor.get("/v1/detect", params={"url": LE_MONDE, "rates": "nl=0.1,Dutch=0.2"})
    assert told.status_code == 422
    assert "two base rates for 'nl'" in told.json()["detail"]


def test_a_stream_may_begin_with_the_mark_of_windows(visitor):
    for line in (LE_MONDE, json.dumps({"url": LE_MONDE})):
        told = json.loads(visitor.post("/v1/detect/stream", content=f"\ufeff{line}\n").text)
        assert told["url"] == LE_MONDE
        assert told["language"] == "fr"


def test_the_problem_of_a_line_is_ours(visitor):
    """One that came with the line, of whoever was asked before, looked like an answer."""
    line = json.dumps({"url": LE_MONDE, "problem": "mine", "language": "xx", "id": 7})
    told = json.loads(visitor.post("/v1/detect/stream", content=line).text)
    assert told["language"] == "fr"
    assert "problem" not in told
    assert told["id"] == 7


def test_a_number_that_json_does_not_have_comes_back_as_null(visitor):
    """Lines that no other reader of JSON takes ended the pipe behind the stream."""
    lines = [f'{{"url": "{LE_MONDE}", "x": {number}, "y": [0.5, {number}]}}' for number in ("NaN", "1e999")]
    answer = visitor.post("/v1/detect/stream", content="\n".join(lines))
    for line in answer.text.splitlines():
        told = json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert (told["x"], told["y"], told["language"]) == (None, [0.5, None], "fr")


@pytest.mark.parametrize("charset", ["utf-16", "UTF-16LE", '"iso-8859-1"', "us-ascii"])
def test_lines_are_read_in_the_charset_that_they_are_sent_in(visitor, charset):
    """Each line in UTF-16 was a bad host name."""
    lines = f"{LE_MONDE}\nhttp://www.zeitung.de/"
    kind = {"content-type": f"text/plain; charset={charset}"}
    told = visitor.post("/v1/detect/batch", content=lines.encode(charset.strip('"')), headers=kind).json()
    assert told["language"] == ["fr", "de"]


@pytest.mark.parametrize("charset", ["martian", "hex"])
def test_lines_in_a_charset_that_is_none_are_refused(visitor, charset):
    kind = {"content-type": f"text/plain; charset={charset}"}
    told = visitor.post("/v1/detect/batch", content=LE_MONDE, headers=kind)
    assert told.status_code == 415
    assert charset in told.json()["detail"]


@pytest.mark.parametrize(
    ("path", "allowed"), [("/v1/detect", "GET, POST, HEAD"), ("/v1/detect/batch", "POST"), ("/crawls", "GET, POST, HEAD")]
)  # fmt: skip
def test_a_wrong_method_is_told_all_right_ones(visitor, path, allowed):
    told = visitor.delete(path)
    assert (told.status_code, told.headers["allow"]) == (405, allowed)


def test_what_is_no_address_is_told_apart_where_there_are_no_patterns_either(visitor):
    asked = {"urls": ["https://a.org/p/1", "x"], "patterns": []}
    assert visitor.post("/v1/patterns/match", json=asked).json()["matches"] == [-1, -2]


@pytest.mark.parametrize(
    "long", ["http://a.fr/" + "x" * (3 << 20), json.dumps({"url": LE_MONDE, "page": "x" * (3 << 20)})]
)
def test_a_line_without_measure_is_marked_and_stops_no_stream(visitor, long):
    """The connection was cut, and what came behind it was not answered."""
    answer = visitor.post(
        "/v1/detect/stream", content="\n".join([LE_MONDE] * 5000 + [long, "http://www.nu.nl/"])
    )
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["language"] for row in told[4999:]] == ["fr", "und", "nl"]
    assert told[5000]["problem"] == "line longer than 1,048,576 bytes"
    assert long.startswith(told[5000]["line"])


def test_a_body_behind_an_upgrade_to_http2_is_refused(visitor):
    """The parser drops the body; without an error a client would get an empty answer."""
    headers = {"upgrade": "h2c", "connection": "Upgrade, HTTP2-Settings", "content-type": "text/plain"}
    told = visitor.post("/v1/detect/batch", content=b"http://a.nl/\n", headers=headers)
    assert (told.status_code, told.json()["code"]) == (400, "bad-request")


def test_a_second_crawl_of_a_name_is_a_conflict(visitor, monkeypatch):
    monkeypatch.setattr(Crawls, "_spawn", lambda *_: None)
    crawl = {
        "name": "twice",
        "language": "nl",
        "seeds": ["https://www.nu.nl/"],
        "contact": "a@library.example",
    }
    assert [visitor.post("/v1/crawls", json=crawl).status_code for _ in range(2)] == [201, 409]


def test_types_of_json_fields_are_strict(visitor):
    answer = visitor.post("/v1/detect", json={"url": "https://www.nu.nl/", "explain": 0})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/explain"
