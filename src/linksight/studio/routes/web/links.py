"""The links view: every link of a page with the language behind it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from linksight.errors import BadData
from linksight.studio.rendering.link_badges import badged_page, found_links, has_links, listed_links
from linksight.studio.security import FOREIGN_POLICY, CheckedForm
from linksight.studio.services import language_service
from linksight.studio.services.submitted_page import base_of, page_in, page_of, text_in, with_encoding
from linksight.studio.templating import shown

router = APIRouter()
MAX_LINKS = 20_000
MAX_SEEDS = 20  #: links of a group that the form of a crawl is filled with


@router.get("/links")
def ask(request: Request) -> Response:
    """The form, and the bookmarklet."""
    return shown(request, "links.html", {"groups": None, "form": {}})


@router.post("/links")
def tell(request: Request, form: CheckedForm) -> Response:
    """The links of a page or of a list, grouped by the language behind them."""
    state, listed = request.app.state, str(form.get("list", ""))
    page = page_of(form, state.settings) or page_in(listed, base_of(form))
    if page is not None and (text := text_in(page)):  # a file of URLs in the field for a page
        page, listed = None, text
    if page is not None:
        page = with_encoding(page)
        links, title = found_links(page)
    else:
        links, title = listed_links(listed), "Search results"
    if not links and page is not None and has_links(page):
        raise BadData(f"{title}: the links are relative: give the address of the page too")
    if not links:
        prefix = f"{page.url or 'the page'} has no links; " if page is not None and page.body else ""
        raise BadData(f"{prefix}give the address of a page, its HTML, or a text with addresses in it")
    links = links[:MAX_LINKS]
    among = language_service.wanted_languages(str(form.get("languages", "")))
    table = language_service.predict([link.url for link in links], among).to_pydict()
    state.metrics.urls("urls", len(links))
    rows = list(zip(links, table["language"], table["probability"], strict=True))
    groups: dict[str, list[object]] = {}
    for row in rows:
        groups.setdefault(row[1], []).append(row)
    number = None
    if page is not None:
        harmless = badged_page(page, {link.url: (code, chance) for link, code, chance in rows})
        number = state.previews.keep(harmless)
    values = {
        "groups": dict(sorted(groups.items(), key=lambda pair: -len(pair[1]))), "rows": rows, "title": title,
        "page": page, "preview": number, "form": form, "seeds_of": seeds_of,
    }  # fmt: skip
    return shown(request, "links.html", values)


def seeds_of(rows: list[Any]) -> str:
    """The first URLs of a group, one a line, as seeds of a crawl."""
    return "\n".join(row[0].url for row in rows[:MAX_SEEDS])


@router.get("/links/bridge")
def bridge(request: Request) -> Response:
    """The window of the bookmarklet: it takes URLs, asks the visitor, and returns languages."""
    page = shown(request, "bridge.html")
    page.headers["cross-origin-opener-policy"] = "unsafe-none"  # it sends messages to the page that opened it
    return page


@router.get("/preview/{number}")
def preview(request: Request, number: str) -> Response:
    """A foreign page, sanitised, under a policy that blocks anything missed."""
    text = request.app.state.previews.get(number)
    headers = {"content-security-policy": FOREIGN_POLICY, "cache-control": "no-store"}
    return HTMLResponse(text.encode("utf-8", "replace"), headers=headers)
