"""Pages behind headers: mail, pages that a browser saved in one file, answers of servers. What is identified is the page."""

from __future__ import annotations

import base64
import gzip
import quopri
import zlib
from email.message import EmailMessage

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linksight
from linksight.pages.input import mime_unwrap

TEXTS = {
    "ru": "Городской совет вчера решил, что старая библиотека у реки будет перестроена следующей весной.",
    "ja": "市議会は昨日、川沿いの古い図書館を来年の春に建て替えることを決めました。多くの住民が場所を求めていました。",
    "nl": "De gemeenteraad heeft gisteren besloten dat de oude bibliotheek aan de rivier volgend voorjaar wordt herbouwd.",
    "pl": "Rada miasta postanowiła wczoraj, że stara biblioteka nad rzeką zostanie odbudowana na wiosnę.",
}
ENCODINGS = [("ru", "koi8-r"), ("ru", "utf-8"), ("ja", "utf-8"), ("pl", "iso-8859-2")]
HEAD = (
    "From: Ann <ann@example.org>\r\nSubject: news\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset={}\r\n"
    "Content-Transfer-Encoding: {}\r\n\r\n"
)
PICTURE = bytes(range(256)) * 40
ENGLISH = "This message was written in HTML. Your program for mail cannot show it, so please use another one."


def page(language: str) -> str:
    return (
        f'<html><head><title>1</title></head><body><p style="margin: 0px">{TEXTS[language]}</p></body></html>'
    )


def saved(language: str, boundary: str = "----MultipartBoundary--7k--") -> bytes:
    """A page as browsers save it in one file."""
    head = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\nSubject: =?utf-8?Q?=D0=B4?=\r\n"
        f'MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="{boundary}"\r\n\r\n\r\n'
    )
    parts = (
        ("text/html", "quoted-printable", quopri.encodestring(page(language).encode())),
        ("text/css", "quoted-printable", b"body { margin: 0px; }"),
        ("image/png", "base64", base64.encodebytes(PICTURE)),
        ("text/html", "8bit", f"<p>{ENGLISH}</p>".encode()),
    )
    for kind, coding, data in parts:
        headers = f"--{boundary}\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {coding}\r\n\r\n"
        head += headers + data.decode("latin-1") + "\r\n"
    return (head + f"--{boundary}--\r\n").encode("latin-1")


def mail(language: str) -> bytes:
    """A mail in two versions, with a picture."""
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", TEXTS[language][:20]
    message.set_content(ENGLISH)
    message.add_alternative(page(language), subtype="html", cte="base64")
    message.add_attachment(PICTURE, maintype="image", subtype="png", filename="a.png")
    return message.as_bytes()


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
@pytest.mark.parametrize("coding", ["quoted-printable", "base64", "8bit"])
def test_mail_is_read_as_the_bytes_that_it_stands_for(language, encoding, coding):
    data = TEXTS[language].encode(encoding)
    packed = {"quoted-printable": quopri.encodestring, "base64": base64.encodebytes}.get(coding, bytes)(data)
    label = linksight.identify(HEAD.format(encoding, coding).encode() + packed)
    assert (label.language, label.encoding) == (language, encoding)
    assert [(said.source, said.value, said.agrees) for said in label.declared] == [("http", encoding, True)]


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("wrapped", [saved, mail])
def test_of_several_parts_the_page_is_read(language, wrapped):
    label = linksight.identify(wrapped(language))
    assert (label.language, label.spans) == (language, ())


def test_what_the_page_of_a_mail_declares_is_told():
    html = quopri.encodestring(b'<html lang="nl"><meta charset="utf-8"><p>' + TEXTS["nl"].encode())
    body = (
        b"MIME-Version: 1.0\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n" + html
    )
    declared = [(said.source, said.value) for said in linksight.identify(body).declared]
    assert declared == [("meta", "utf-8"), ("lang", "nl")]


def test_a_mail_in_a_mailbox_is_read_without_its_headers():
    head = (
        "From ann Mon Jan  5 10:00:00 1998\nReceived: from mail.example.org by lists.example.org with SMTP\n"
    )
    head += "Message-Id: <1@example.org>\nFrom: ann@example.org\nSubject: Re: about the library\nDate: Mon, 5 Jan\n\n"
    assert linksight.identify((head + TEXTS["ru"]).encode("koi8-r")).language == "ru"


@pytest.mark.parametrize("cut", [10, 300, 600, 700, 900])
def test_a_saved_page_that_is_cut_off_gets_a_label(cut):
    assert linksight.identify(saved("nl")[:cut])


def test_boundaries_that_begin_alike_are_told_apart():
    inner = 'Content-Type: multipart/alternative; boundary="b-2"\n\n--b-2\n\n{}\n--b-2\n\n{}\n--b-2--'.format(
        ENGLISH, TEXTS["nl"]
    )
    body = f"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n{inner}\n--b--\n"
    assert mime_unwrap.unwrap_message(body.encode()).body.strip() == TEXTS["nl"].encode()


def test_messages_in_messages_without_end_are_no_trouble():
    body = b"MIME-Version: 1.0\n" + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" * 40_000
    assert linksight.identify(body).language


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("coding", ["", "gzip", "deflate", "br", "zstd", "no-such"])
def test_answers_of_servers_are_read_without_their_headers(language, coding):
    packers = {"gzip": gzip.compress, "deflate": zlib.compress}
    codecs = {"br": "brotli", "zstd": "zstd"}
    body = page(language).encode()
    body = (
        pa.compress(body, codecs[coding], asbytes=True)
        if coding in codecs
        else packers.get(coding, bytes)(body)
    )
    head = "HTTP/1.1 200 OK\r\nServer: Apache/2.4 (Debian)\r\nCache-Control: no-store, must-revalidate\r\n"
    head += f"Content-Encoding: {coding}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    label = linksight.identify(head.encode() + body)
    assert (label.language, label.spans) == (language, ())
    assert label.declared[0].source == "http"


@pytest.mark.parametrize("put_together", [False, True])
def test_chunks_of_an_answer_are_put_together(put_together):
    body = page("pl").encode("iso-8859-2")
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(body[k : k + 50]), body[k : k + 50]) for k in range(0, len(body), 50)
    )
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert mime_unwrap.unwrap_message(head + (body if put_together else chunks + b"0\r\n\r\n")).body == body


def test_of_answers_in_a_row_the_last_is_read():
    moved = b"HTTP/1.1 301 Moved Permanently\r\nLocation: /nl/\r\nContent-Length: 0\r\n\r\n"
    body = moved * 3 + b"HTTP/2 200\r\ncontent-type: text/html\r\n\r\n" + page("nl").encode()
    assert mime_unwrap.unwrap_message(body) == (page("nl").encode(), "text/html")


@pytest.mark.parametrize("pack", [zlib.compress, lambda data: gzip.compress(gzip.compress(data))])
def test_packed_pages_are_unpacked(pack):
    assert linksight.identify(pack(page("nl").encode())).language == "nl"


def test_a_page_in_zstd_is_unpacked():
    assert linksight.identify(pa.compress(page("nl").encode(), "zstd", asbytes=True)).language == "nl"


@pytest.mark.parametrize(
    "text",
    [
        b"<p>Content-Transfer-Encoding: quoted-printable writes =D0=B4.</p>",
        b"Note: the library is closed.\n\nContent-Type: text/plain",
        b"HTTP/1.1 is the protocol of the web",
        b"x^2 + y^2 = z^2 has solutions in whole numbers",
        b"Name: linksight\nVersion: 1\nSummary: pages\n\nAbout it",
    ],
)
def test_a_text_that_is_no_message_is_left_as_it_is(text):
    assert mime_unwrap.unwrap_message(text).body is text


@given(st.binary(max_size=400))
def test_any_message_is_opened(tail):
    for head in (
        HEAD.format("utf-8", "base64"),
        HEAD.format("utf-8", "quoted-printable"),
        "HTTP/1.1 200 OK\r\n",
    ):
        mime_unwrap.unwrap_message(head.encode() + tail)
        mime_unwrap.unwrap_message(
            head.encode()[:-2] + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + tail
        )
    mime_unwrap.unwrap_message(
        b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: br\n\n" + tail
    )
