"""A page from a form: pasted, uploaded, or fetched on behalf of the visitor, never from private networks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.datastructures import FormData, UploadFile

from linksight.errors import BadData, CrawlError
from linksight.studio.limits import too_large
from linksight.studio.settings import Settings

if TYPE_CHECKING:
    from linksight.sites.fetch import Page

TIMEOUT_S = 10.0  #: a visitor waits no longer for a page


def page_of(form: FormData, settings: Settings) -> Page | None:
    """The page that a form gives; None if it gives none."""
    from linksight.sites.fetch import Page

    file, pasted = form.get("file"), str(form.get("html", ""))
    base = str(form.get("base", "")).strip()
    if isinstance(file, UploadFile) and file.filename:
        body = file.file.read(settings.max_page + 1)
        if len(body) > settings.max_page:
            raise BadData(f"{file.filename}: {too_large(settings.max_page)}")
        kind = file.content_type if (file.content_type or "").startswith("text/html") else ""
        return Page(base, 200, kind or "", body)
    if pasted.strip():
        return Page(base, 200, "text/html; charset=utf-8", pasted.encode("utf-8", "replace"))
    address = str(form.get("address", "")).strip()
    return fetch(address, settings) if address else None


def page_in(text: str, base: str = "") -> Page | None:
    """The page of which the source was pasted where a text was asked for; None where the text is no HTML.

    >>> page_in("see <A HREF='/x'>x</A>").body, page_in("a <b and href=7")
    (b"see <A HREF='/x'>x</A>", None)
    """
    from linksight.sites.fetch import Page

    small = text.lower()
    if "<a " not in small or "href" not in small:
        return None
    return Page(base.strip(), 200, "text/html; charset=utf-8", text.encode("utf-8", "replace"))


def with_encoding(page: Page) -> Page:
    """The page with the encoding that its bytes tell, where nobody says it: read as another its text is garbled."""
    from linksight import identify

    if "charset" in page.content_type.lower() or not page.body:
        return page
    encoding = identify(page.body, page.content_type or None, page.url or None).encoding
    return replace(page, content_type=f"text/html; charset={encoding}") if encoding != "binary" else page


def fetch(address: str, settings: Settings) -> Page:
    """A page of the public web, fetched politely."""
    from linksight.sites.fetch import Fetcher, FetchOptions
    from linksight.sites.reasons import reason_of

    url = address if "://" in address else f"https://{address}"
    options = FetchOptions(
        delay_s=0.0,
        timeout_s=TIMEOUT_S,
        retries=0,
        max_bytes=settings.max_page,
        allow_private=settings.allow_private,
    )
    page = Fetcher(options).get(url)
    if page.problem:
        raise CrawlError(f"{url}: {reason_of(page.problem)}")
    return page
