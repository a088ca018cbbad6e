"""Identify: language, script and encoding of a page that is sent."""

from __future__ import annotations

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.studio.rate_limits import too_large
from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, Label

router = APIRouter(prefix="/v1", tags=["identify"], responses=ERRORS)
_BYTES = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("text/html", "application/octet-stream")
        },
    }
}


@router.post("/identify", response_model=Label, summary="Language, script, encoding", openapi_extra=_BYTES)
async def identify_page(
    request: Request,
    url: str | None = Query(None, description="where the page is from: a hint", max_length=100_000),
) -> Response:
    """Send the page as it is, as raw bytes; the request's content type is taken for the page's."""
    from linksight import identify

    check_query(request, "url")
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        # The envelope of a form would be read as text of the page.
        raise HTTPException(
            415, "a page is sent as it is, such as by curl --data-binary @page.html, not as a form"
        )
    body, most = await request.body(), request.app.state.settings.max_page
    if len(body) > most:
        raise HTTPException(413, too_large(most))
    label = await run_in_threadpool(identify, body, request.headers.get("content-type"), url)
    request.app.state.metrics.urls("pages", 1)
    told = label.as_dict()
    told["candidates"] = [{"language": code, "probability": p} for code, p in label.candidates]
    return Json(told)
