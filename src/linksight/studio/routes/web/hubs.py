"""One hub of a site: its links, the skipped links with reasons, and the page coloured by pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from linksight.errors import BadData
from linksight.studio.responses import NotThere
from linksight.studio.routes.web.sites import found
from linksight.studio.security import FOREIGN_POLICY
from linksight.studio.services.workbench.shared_workbench import patterns_of
from linksight.studio.templating import shown

if TYPE_CHECKING:
    from linksight.sites.workbench.workbench import Hub, Workbench

router = APIRouter()


@router.get("/sites/{number}/hubs/{hub}")
def links(request: Request, number: int, hub: int) -> Response:
    """The links of a hub with their anchors and patterns; those left out with the reason."""
    bench = request.app.state.workbench.open()
    site, chosen = found(bench, number), _hub(bench, number, hub)
    valid = [link for link in chosen.links if link.problem is None]
    matched = patterns_of(bench, number).match_all([link.url for link in valid])
    left_out: dict[str, list[object]] = {}
    for link in chosen.links:
        if link.problem:
            left_out.setdefault(link.problem, []).append(link)
    values = {
        "site": site,
        "hub": chosen,
        "kept": list(zip(valid, matched, strict=True)),
        "left_out": left_out,
    }
    return shown(request, "hub.html", values)


@router.get("/sites/{number}/hubs/{hub}/page")
def page(request: Request, number: int, hub: int) -> Response:
    """The fetched page, sanitised, with its links coloured by pattern."""
    from linksight.sites.gathering.fetcher import Page
    from linksight.sites.patterns.highlighted_page import coloured_page

    bench = request.app.state.workbench.open()
    chosen = _hub(bench, number, hub)
    if not chosen.body:
        raise HTTPException(404, "the page of this hub was not kept")
    fetched = Page(chosen.url, 200, chosen.content_type, chosen.body)
    text = coloured_page(fetched, patterns_of(bench, number))
    headers = {"content-security-policy": FOREIGN_POLICY, "cache-control": "no-store"}
    return HTMLResponse(text.encode("utf-8", "replace"), headers=headers)


def _hub(bench: Workbench, number: int, hub: int) -> Hub:
    try:
        return bench.hub(number, hub)
    except (BadData, OverflowError):  # a number that no database takes
        raise NotThere(f"no hub {hub} of this site") from None
