"""Crawls: start, follow, pause, resume, stop."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, CrawlDetails, CrawlTask
from linksight.studio.services.crawl_processes import CrawlState

router = APIRouter(prefix="/v1/crawls", tags=["crawls"], responses=ERRORS)
Name = Annotated[str, Path(description="name of the crawl")]
Action = Annotated[Literal["pause", "resume", "stop"], Path(description="pause, resume or stop")]


@router.get("", response_model=list[CrawlDetails], summary="Crawls", operation_id="listCrawls")
def list_crawls(request: Request) -> Response:
    """The latest crawls."""
    check_query(request)
    return Json([_details(state) for state in request.app.state.crawls.states()])


@router.post(
    "", response_model=CrawlDetails, status_code=201, summary="Start a crawl", operation_id="startCrawl"
)
def start_crawl(request: Request, crawl: CrawlTask) -> Response:
    """Start a crawl in a process; it survives the studio."""
    check_query(request)
    values = crawl.model_dump(exclude_none=True)
    name = values.pop("name", "") or time.strftime("crawl-%Y%m%d-%H%M%S")
    crawls = request.app.state.crawls
    crawls.start(name, values)
    return Json(_details(crawls.state(name)), 201)


@router.get("/{name}", response_model=CrawlDetails, summary="One crawl", operation_id="getCrawl")
def get_crawl(request: Request, name: Name) -> Response:
    """Phase and figures of a crawl."""
    check_query(request)
    return Json(_details(request.app.state.crawls.state(name)))


@router.post("/{name}/{action}", response_model=CrawlDetails, summary="Pause, resume or stop a crawl",
             operation_id="controlCrawl")  # fmt: skip
def control_crawl(request: Request, name: Name, action: Action) -> Response:
    """Pause, resume or stop a crawl; nothing it has fetched is lost."""
    check_query(request)
    crawls = request.app.state.crawls
    if action == "resume":
        crawls.resume(name)
    else:
        crawls.pause(name, is_final=action == "stop")
    return Json(_details(crawls.state(name)))


def _details(state: CrawlState) -> dict[str, Any]:
    names = ("pages", "hits", "harvest", "bytes", "hosts")
    totals = {name: state.totals.get(name) or 0 for name in names}
    return {"name": state.name, "language": state.language, "strategy": state.strategy, "phase": state.phase,
            "error": state.error, **totals, "queued": state.states.get("queued", 0)}  # fmt: skip
