"""One hub of a site: its links, what was left out and why, and the page coloured by pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from linksight.errors import BadData
from linksight.studio.security import FOREIGN_POLICY
from linksight.studio.templating import shown
from linksight.studio.views.sites import found

if TYPE_CHECKING:
    from linksight.sites.workbench import Hub

router = APIRouter()


@router.get("/sites/{number}/hubs/{hub}")
def links(request: Request, number: int, hub: int) -> Response:
    """The links of a hub with their anchors and patterns; those left out with the reason."""
    bench = request.app.state.workbench.open()
    site, chosen = found(bench, number), _hub(request, number, hub)
    kept = [link for link in chosen.links if link.problem is None]
    try:
        matched = bench.patterns(number).match_all([link.url for link in kept])
    except BadData:
        matched = [None] * len(kept)
    left_out: dict[str, list[object]] = {}
    for link in chosen.links:
        if link.problem:
            left_out.setdefault(link.problem, []).append(link)
    values = {
        "site": site,
        "hub": chosen,
        "kept": list(zip(kept, matched, strict=True)),
        "left_out": left_out,
    }
    return shown(request, "hub.html", values)


@router.get("/sites/{number}/hubs/{hub}/page")
def page(request: Request, number: int, hub: int) -> Response:
    """The page as it was fetched, harmless, its links coloured by pattern."""
    from linksight.sites.coloured import coloured_page
    from linksight.sites.fetch import Page

    bench, chosen = request.app.state.workbench.open(), _hub(request, number, hub)
    if not chosen.body:
        raise HTTPException(404, "the page of this hub was not kept")
    fetched = Page(chosen.url, 200, chosen.content_type, chosen.body)
    text = coloured_page(fetched, bench.patterns(number))
    headers = {"content-security-policy": FOREIGN_POLICY, "cache-control": "no-store"}
    return HTMLResponse(text.encode("utf-8", "replace"), headers=headers)


def _hub(request: Request, number: int, hub: int) -> Hub:
    bench = request.app.state.workbench.open()
    hubs: list[Hub] = bench.hubs(number, usable_only=False, with_body=True)
    for one in hubs:
        if one.id == hub:
            return one
    raise HTTPException(404, f"no hub {hub} of this site")
