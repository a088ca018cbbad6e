"""A page from a form: pasted, uploaded, or fetched on behalf of the visitor, never from private networks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.datastructures import FormData, UploadFile

from linksight.errors import BadData, CrawlError
from linksight.studio.config import Settings
from linksight.studio.middleware.request_body import too_large
from linksight.urls.parser import Url

if TYPE_CHECKING:
    from linksight.sites.gathering.fetcher import Page

_MARKUP = re.compile(rb"<[a-z/!?]", re.IGNORECASE)
TIMEOUT_SECONDS = 10.0  #: a visitor waits no longer for a page


def page_of(form: FormData, settings: Settings) -> Page | None:
    """The page that a form submits, or None."""
    from linksight.sites.gathering.fetcher import Page

    file, pasted = form.get("file"), str(form.get("html", ""))
    base = base_of(form)
    if isinstance(file, UploadFile) and file.filename:
        kind = file.content_type if (file.content_type or "").startswith("text/html") else ""
        return Page(base, 200, kind or "", _sent(file, settings.max_page))
    if pasted.strip():
        return Page(base, 200, "text/html; charset=utf-8", pasted.encode("utf-8", "replace"))
    address = str(form.get("address", "")).strip()
    return fetch(address, settings) if address else None


def base_of(form: FormData) -> str:
    """The address that the form gives for a pasted or uploaded page; the scheme may be missing."""
    base = str(form.get("base", "")).strip()
    if not base:
        return ""
    base = base if "://" in base else f"https://{base}"
    Url.parse(base)  # an invalid one is an error: without it, relative links would be dropped
    return base


def _sent(file: UploadFile, most: int) -> bytes:
    """The page in an uploaded file, decompressed."""
    from linksight.sites.gathering.bounded_gunzip import gunzip

    body, has_more = file.file.read(most + 1), False
    if body.startswith(b"\x1f\x8b") and len(body) <= most:
        unpacked, has_more = gunzip(body, most)
        body, has_more = (unpacked, has_more) if unpacked else (body, False)  # damaged: as it is
    if has_more or len(body) > most:
        raise BadData(f"{file.filename}: {too_large(most)}")
    if body.startswith(b"WARC/"):
        raise BadData(
            f"{file.filename}: a WARC file, not a page; Sites learns from it, and the command"
            " linksight identify labels its pages"
        )
    return body


def page_in(text: str, base: str = "") -> Page | None:
    """The page whose HTML was pasted into a text field; None if the text is not HTML.

    >>> page_in("see <A HREF='/x'>x</A>").body, page_in("a <b and href=7")
    (b"see <A HREF='/x'>x</A>", None)
    """
    from linksight.sites.gathering.fetcher import Page

    small = text.lower()
    if "<a " not in small or "href" not in small:
        return None
    return Page(base, 200, "text/html; charset=utf-8", text.encode("utf-8", "replace"))


def text_in(page: Page) -> str:
    """The text of a plain-text file, such as a list of addresses; empty for HTML and for binary files.

    >>> from linksight.sites.gathering.fetcher import Page
    >>> text_in(Page("", 200, "", b"http://a.nl/")), text_in(Page("", 200, "", b"<p>http://a.nl/"))
    ('http://a.nl/', '')
    """
    if _MARKUP.search(page.body):
        return ""
    charset = with_encoding(page).content_type.lower().partition("charset=")[2]
    try:
        return page.body.decode(charset.strip(" \"'") or "utf-8", "replace") if charset else ""
    except LookupError:  # encodings that Python has no name for
        return ""


def with_encoding(page: Page) -> Page:
    """The page with the encoding detected from its bytes, if it declares none."""
    from linksight import identify

    if "charset" in page.content_type.lower() or not page.body:
        return page
    encoding = identify(page.body, page.content_type or None, page.url or None).encoding
    return replace(page, content_type=f"text/html; charset={encoding}") if encoding != "binary" else page


def fetch(address: str, settings: Settings) -> Page:
    """A page of the public web, fetched politely."""
    from linksight.sites.gathering.fetch_errors import reason_of
    from linksight.sites.gathering.fetcher import Fetcher, FetchOptions

    url = address if "://" in address else f"https://{address}"
    options = FetchOptions(
        delay_s=0.0,
        timeout_s=TIMEOUT_SECONDS,
        retries=0,
        max_bytes=settings.max_page,
        allow_private=settings.allow_private,
    )
    page = Fetcher(options).get(url)
    if page.problem:
        raise CrawlError(f"{url}: {reason_of(page.problem)}")
    return page
