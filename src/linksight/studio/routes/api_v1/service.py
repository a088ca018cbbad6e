"""Languages, health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from linksight import __version__
from linksight.languages import registry
from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, Health, Language
from linksight.studio.services import language_service

router = APIRouter(responses=ERRORS)


@router.get("/v1/languages", response_model=list[Language], tags=["languages"], summary="Known languages",
            operation_id="listLanguages")  # fmt: skip
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
    """The languages of the page model."""
    from linksight.pages.langid.model import load

    return set(load().codes)


@router.get(
    "/v1/health", response_model=Health, tags=["service"], summary="Health check", operation_id="getHealth"
)
async def health() -> Response:
    """Answers as soon as the service takes requests."""
    return Json({"status": "ok", "version": __version__})


@router.get("/metrics", tags=["service"], summary="Counters for Prometheus", response_class=Response,
            operation_id="getMetrics",
            responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})  # fmt: skip
async def metrics(request: Request) -> Response:
    """Requests, times, URLs and jobs since the start, in Prometheus's text format."""
    state = request.app.state
    state.metrics.open_jobs.set(sum(not job.is_over for job in state.jobs.all()))
    return Response(state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
