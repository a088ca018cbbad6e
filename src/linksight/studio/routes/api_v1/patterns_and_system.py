"""Patterns, languages, health and metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from linksight import __version__
from linksight.errors import BadData
from linksight.languages import registry
from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, Health, Language, Match, Matched
from linksight.studio.services import language_service

router = APIRouter(responses=ERRORS)


@router.post("/v1/patterns/match", response_model=Matched, tags=["patterns"], summary="Match URL patterns")
async def match_patterns(request: Request, asked: Match) -> Response:
    """The pattern of each URL: of a site of the workbench, or of patterns that are sent."""
    check_query(request)
    if (asked.site is None) == (asked.patterns is None):
        raise BadData("give a site or patterns, one of them")
    told = await run_in_threadpool(_match, request, asked)
    request.app.state.metrics.urls("matches", len(asked.urls))
    return Json(told)


def _match(request: Request, asked: Match) -> dict[str, Any]:
    from linksight.sites.patterns.pattern import PatternSet

    if asked.patterns is not None:
        patterns = PatternSet.from_texts(asked.patterns)
    else:
        bench = request.app.state.workbench.open()
        patterns = bench.patterns(bench.site_id(asked.site))
    found = patterns.match_indices(asked.urls).tolist()
    shown = [{"id": p.id, "name": p.name, "pattern": p.text, "regex": p.regex} for p in patterns]
    return {"patterns": shown, "matches": found}


@router.get("/v1/sites", response_model=list[str], tags=["patterns"], summary="Sites of the workbench")
def list_sites(request: Request) -> Response:
    """The names of the sites that patterns can be matched with."""
    check_query(request)
    return Json([row["name"] for row in request.app.state.workbench.open().sites()])


@router.get("/v1/languages", response_model=list[Language], tags=["languages"], summary="Known languages")
def list_languages(request: Request) -> Response:
    """The languages that the models know."""
    check_query(request)
    by_url, by_page = set(language_service.model().languages), page_languages()
    return Json(
        [
            {
                "code": code,
                "name": registry.name(code),
                "autonym": registry.autonym(code),
                "scripts": list(registry.scripts(code)),
                "urls": code in by_url,
                "pages": code in by_page,
            }
            for code in sorted(by_url | by_page)
        ]
    )


def page_languages() -> set[str]:
    """The languages that pages are told apart in."""
    from linksight.pages.langid.model import load

    return set(load().codes)


@router.get("/v1/health", response_model=Health, tags=["service"], summary="Is the service well?")
async def health() -> Response:
    """Answers as soon as the service can take requests."""
    return Json({"status": "ok", "version": __version__})


@router.get("/metrics", tags=["service"], summary="Counters for Prometheus", response_class=Response,
            responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})  # fmt: skip
async def metrics(request: Request) -> Response:
    """Requests, times, URLs and jobs since the start, in Prometheus's text format."""
    state = request.app.state
    waiting = sum(not job.is_over for job in state.jobs.all())
    state.metrics.gauge("linksight_jobs_open", "Jobs that run or wait.", waiting)
    return Response(state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
