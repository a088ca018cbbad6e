"""Declarations of a page: encoding (HTTP, BOM, XML, meta) and language (HTTP, ``lang``, meta, hreflang).

>>> page = b'<html lang="nl-BE"><head><meta charset="iso-8859-15">'
>>> scan(page, "text/html; charset=utf-8")
[('http', 'encoding', 'utf-8'), ('meta', 'encoding', 'iso-8859-15'), ('lang', 'language', 'nl-BE')]
"""

from __future__ import annotations

import codecs
import re

from linksight.pages.charset import labels

RawDeclaration = tuple[str, str, str]  #: source, kind, value

HEAD_BYTES = 2_048  #: bytes of the page that are searched for declarations, or four times as many
HREFLANG_BYTES = 16_384  #: bytes of the page that are searched for hreflang links
MAX_TWINS = 64  #: a page can name its hreflang twins by the hundred
MAX_CHARSETS = 4  #: metas with an encoding that are read, up to the first that is known

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_ATTRIBUTE = re.compile(rb"""[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?""")
#: A tag: name, attributes, end; or other markup but comments (``_uncommented`` has removed those that end) up to ``>``.
_TAG = re.compile(
    rb"""<(?:/?([a-z][^\s/>]*)((?:[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?)*+)[\s/]*(>|\Z)|(?!!--)[!/?][^>]*>)"""
)
_CHARSET = re.compile(rb"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"'][^\s;]*))""")
_XML = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([a-z0-9_:.+-]{2,40})")
_LANG = re.compile(rb"\s(?:xml:)?lang\s*=\s*[\"']?([a-z]{2,8}(?:[_-][a-z0-9]{1,8})*)", re.I)
_HREFLANG = re.compile(rb"hreflang\s*=\s*[\"']?([a-z]{2,8}(?:[_-][a-z0-9]{1,8})*)", re.I)
#: Spellings of React and of old editors. Not every page is searched for them, which would take a while.
_ODD = (b"charSet", b"hrefLang", b"<META", b"HREFLANG")
_CONTENT = re.compile(rb"content\s*=\s*(?:[\"']\s*)?([a-z]{2,8}(?:[_-][a-z0-9]{1,8})*)", re.I)
_HTTP = re.compile(r"charset\s*=\s*(?:[\"']\s*)?([\w:.+-]{2,40})", re.I)


def scan(
    body: bytes, content_type: str | None = None, content_language: str | None = None
) -> list[RawDeclaration]:
    """All declarations, the strongest first, encodings as browsers rank them; ``content_language`` is the HTTP header."""
    found: list[RawDeclaration] = [
        ("bom", "encoding", name) for mark, name in _MARKS if body.startswith(mark)
    ][:1]
    if content_language and (tag := content_language.partition(",")[0].strip()):
        found.append(("http", "language", tag))
    if content_type and (match := _HTTP.search(content_type)):
        found.append(("http", "encoding", match[1].lower()))
    body = _uncommented(body)
    head = body[:HEAD_BYTES]
    lower = head.lower()
    if b"charset" not in lower:  # seldom, and late
        head = body[: 4 * HEAD_BYTES]
        lower = head.lower()
    if b"<?xml" in lower[:100] and (xml := _XML.search(lower[:400])):
        found.append(("xml", "encoding", xml[1].decode()))
    found += [("meta", "encoding", charset) for charset in _meta_charsets(lower)]
    found += _languages(head, lower)
    found += _twins(body, any(name in head for name in _ODD))
    return found


def encodings_of(declared: list[RawDeclaration]) -> list[str]:
    """The known encodings among declarations, the strongest first; a readable meta tag cannot be in UTF-16."""
    return [
        "utf-8" if source == "meta" and name.startswith("utf-16") else name
        for source, kind, value in declared
        if kind == "encoding" and (name := labels.find(value))
    ]


def _uncommented(body: bytes) -> bytes:
    """The page as far as declarations are looked for, without its comments; a comment without an end stays.

    >>> _uncommented(b"<p>a<!-- b --><p>c<!-- d")
    b'<p>a <p>c<!-- d'
    """
    begin = body.find(b"<!--", 0, HREFLANG_BYTES)
    if begin < 0:
        return body
    parts, size, at = [], 0, 0
    while begin >= 0 and (end := body.find(b"-->", begin + 2)) >= 0:
        parts.append(body[at:begin])
        size += begin - at
        at = end + 3
        begin = body.find(b"<!--", at, at + HREFLANG_BYTES - size)
    return b" ".join([*parts, body[at : at + HREFLANG_BYTES - size]])


def _meta_charsets(lower: bytes) -> list[str]:
    """The encodings in meta tags up to the first known one, by the algorithm of the HTML standard for a prescan.

    >>> _meta_charsets(b'<p title="<meta charset=big5>"><meta http-equiv=content-type content="text/html; charset=koi8-r">')
    ['koi8-r']
    """
    found: list[str] = []
    end = lower.rfind(b"charset")
    for tag in _TAG.finditer(lower) if end >= 0 else ():
        if tag.start() > end or len(found) == MAX_CHARSETS:
            break
        if tag[1] == b"meta" and tag[3] and (label := _charset_of(tag[2])) and not set(label) & set("\"'"):
            found.append(label)
            if labels.find(label):
                break
    return found


def _charset_of(attributes: bytes) -> str | None:
    """The encoding of a meta tag: its charset, or that of its content if it is an ``http-equiv``."""
    values: dict[bytes, bytes] = {}
    for name, *quoted in _ATTRIBUTE.findall(attributes):
        values.setdefault(name, b"".join(quoted))
    value = values.get(b"charset")
    if value is None and values.get(b"http-equiv") == b"content-type":
        match = _CHARSET.search(values.get(b"content", b""))
        value = b"".join(match.groups(b"")) if match else None
    return value.decode("latin-1").strip().rstrip("/") if value is not None else None


def _languages(head: bytes, lower: bytes) -> list[RawDeclaration]:
    found: list[RawDeclaration] = []
    has_lang = b"lang" in lower
    for name in (b"<html", b"<body", b"<rss", b"<feed") if has_lang else ():
        tag = lower.find(name)
        if tag >= 0:
            end = lower.find(b">", tag)
            if match := _LANG.search(head, tag, end if end >= 0 else tag + 1000):
                found.append(("lang", "language", match[1].decode()))
                break
    place = lower.find(b"content-language") if has_lang else -1
    if place >= 0 and (match := _CONTENT.search(head, max(0, place - 60), place + 120)):
        found.append(("meta", "language", match[1].decode()))
    return found


def _twins(body: bytes, is_odd: bool) -> list[RawDeclaration]:
    """Languages of the page's hreflang alternatives; the attribute is in lower case unless ``is_odd``."""
    found: list[RawDeclaration] = []
    page = body[:HREFLANG_BYTES].lower() if is_odd else body
    place = page.find(b"hreflang", 0, HREFLANG_BYTES)
    while place >= 0 and len(found) < MAX_TWINS:
        if match := _HREFLANG.match(body, place):
            found.append(("hreflang", "language", match[1].decode()))
        place = page.find(b"hreflang", place + 8, HREFLANG_BYTES)
    return found
