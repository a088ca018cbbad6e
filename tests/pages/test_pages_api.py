"""Options of ``identify``, and labels of many pages."""

from __future__ import annotations

import pickle
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pyarrow as pa
import pytest

import linksight
from linksight.errors import BadData, BadLanguage
from linksight.pages.input import sources
from linksight.system.guarded_connections import PrivateAddress

DUTCH = b"<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren."
NORWEGIAN = (
    "<p>Eg veit ikkje kvifor dei ikkje kom heim i går, men det var nok noko som hende på vegen.".encode()
)


def test_languages_restrict_the_answer():
    assert linksight.identify(DUTCH, languages=["de", "af"]).language == "af"
    assert linksight.identify(DUTCH, languages="Dutch, de").language == "nl"
    with pytest.raises(BadLanguage):
        linksight.identify(DUTCH, languages=["tlh"])


@pytest.mark.parametrize("options", [{"languages": 5}, {"languages": ["nl", 5]}, {"min_letters": "40"}])
def test_options_of_another_type_are_named(options):
    with pytest.raises(BadData, match=next(iter(options))):
        linksight.identify(DUTCH, **options)


def test_forms_of_norwegian_are_told_apart_on_request():
    assert linksight.identify(NORWEGIAN).language == "no"
    assert linksight.identify(NORWEGIAN, languages=["nb", "nn"]).language == "nn"


def test_headers_and_marks_are_declarations():
    page = linksight.identify(b"\xef\xbb\xbf" + DUTCH, content_language="nl-BE, fr")
    found = {(one.source, one.kind): (one.value, one.agrees) for one in page.declared}
    assert found == {("bom", "encoding"): ("utf-8", True), ("http", "language"): ("nl-BE", True)}


def test_a_label_is_a_plain_value():
    page = linksight.identify(
        DUTCH * 3 + b"<p>Tous les hommes naissent libres et egaux en dignite et en droits."
    )
    assert pickle.loads(pickle.dumps(page)) == page
    assert hash(page) == hash(
        linksight.identify(
            DUTCH * 3 + b"<p>Tous les hommes naissent libres et egaux en dignite et en droits."
        )
    )
    assert page.reliable
    assert page.as_dict()["reliable"] is True


@pytest.mark.parametrize("n_processes", [1, 2])
def test_many_pages_are_an_arrow_table_in_order(n_processes, monkeypatch):
    from linksight.pages import many

    monkeypatch.setattr(many, "CHUNK", 2)
    pages = [DUTCH, b"<p>Tous les hommes naissent libres et egaux.", None, b"12", DUTCH]
    for given in (pages, iter(pages), pa.array(pages, pa.binary())):
        table = linksight.identify_many(given, n_processes=n_processes)
        assert table.column_names == list(many.COLUMNS)
        assert table["language"].to_pylist() == ["nl", "fr", "und", "zxx", "nl"]
    assert linksight.identify_many([]).num_rows == 0


@pytest.mark.parametrize(
    "text", ["Ｔｈｅ ｃｏｕｎｃｉｌ ｄｅｃｉｄｅｄ ｔｈａｔ ｔｈｅ ｌｉｂｒａｒｙ ｗｉｌｌ ｂｅ ｒｅｂｕｉｌｔ", "𝐓𝐡𝐞 𝐜𝐨𝐮𝐧𝐜𝐢𝐥 𝐝𝐞𝐜𝐢𝐝𝐞𝐝 𝐭𝐡𝐚𝐭 𝐭𝐡𝐞 𝐥𝐢𝐛𝐫𝐚𝐫𝐲 𝐰𝐢𝐥𝐥 𝐛𝐞 𝐫𝐞𝐛𝐮𝐢𝐥𝐭"]
)  # fmt: skip
def test_full_width_and_mathematical_letters_are_read(text):
    page = linksight.identify(f"<p>{text}".encode())
    assert (page.language, page.script) == ("en", "Latn")


ENGLISH = [
    "The council decided yesterday that the old library beside the river will be rebuilt next spring.",
    "Visitors who arrive early can leave their coats in the hall and take a map of the building with them.",
    "Nobody had expected so many letters, and it took three weeks to answer the last of them properly.",
    "Rain is likely in the north on Friday, but the weekend should stay dry and a little warmer than usual.",
]
SPANISH = "El ayuntamiento decidió ayer que la vieja biblioteca junto al río será reconstruida en primavera por completo."


@pytest.mark.parametrize("place", [0, 1, 10, 20])
def test_a_foreign_paragraph_does_not_decide_wherever_it_stands(place):
    parts = [f"{ENGLISH[n % 4]} {n}" for n in range(20)]
    parts.insert(place, SPANISH)
    assert linksight.identify("".join(f"<p>{part}</p>" for part in parts).encode()).language == "en"


def test_a_page_that_was_cut_inside_a_program_is_read_without_it():
    style = (
        "<style>.kb-header-container{background-color:var(--global-palette9, #ffffff);display:none;} "
        + ".sv-skal{top:0;} " * 200
    )
    body = "".join(f"<p>{text}</p>" for text in ENGLISH)
    assert linksight.identify(f"<html><body>{body}{style}".encode()).language == "en"


class _Redirects(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(302 if self.path == "/start" else 200)
        if self.path == "/start":
            self.send_header("Location", "/end")
        self.end_headers()
        self.wfile.write(DUTCH)

    def log_message(self, *_):
        """Silent."""


@pytest.fixture
def server():
    server = HTTPServer(("127.0.0.1", 0), _Redirects)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_redirects_are_followed(server):
    page = sources.fetched(f"{server}/start")
    assert (page.problem, page.url, page.body) == (None, f"{server}/end", DUTCH)


def test_a_redirect_does_not_lead_from_outside_into_a_private_network(server, monkeypatch):
    import urllib.error

    from linksight.system import guarded_connections

    real = guarded_connections.opener

    class Outside:
        """A public host that sends its visitors inside."""

        def open(self, request, timeout):
            if request.full_url == "http://public.example/":
                headers = {"Location": f"{server}/end"}
                raise urllib.error.HTTPError(request.full_url, 302, "found", headers, None)
            return real(False).open(request, timeout=timeout)

    monkeypatch.setattr(guarded_connections, "opener", lambda allow_private: Outside())
    page = sources.fetched("http://public.example/")
    assert page.body == b""
    assert "private" in page.problem
    assert issubclass(PrivateAddress, OSError)
