"""Identify: language, script and encoding of a page that is sent."""

from __future__ import annotations

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.studio.middleware.request_body import too_large
from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, MAX_URL_CHARACTERS, Label

router = APIRouter(prefix="/v1", tags=["identify"], responses=ERRORS)
_BYTES = {
    "requestBody": {
        "required": False,  # an empty page is a page
        "content": {
            kind: {
                "schema": {"type": "string", "format": "binary"},
                "example": "<p>Alle mensen zijn vrij geboren.</p>",
            }
            for kind in ("text/html", "application/octet-stream")
        },
    }
}


@router.post(
    "/identify",
    response_model=Label,
    summary="Language, script and encoding of a page",
    operation_id="identifyPage",
    openapi_extra=_BYTES,
)
async def identify_page(
    request: Request,
    url: str | None = Query(None, description="address of the page: a hint", max_length=MAX_URL_CHARACTERS),
) -> Response:
    """Send the page as raw bytes; the content type of the request is that of the page."""
    from linksight import identify

    check_query(request, "url")
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        # The boundaries of a form would count as text of the page.
        raise HTTPException(
            415, "send the page as raw bytes, such as with curl --data-binary @page.html, not as a form"
        )
    body, most = await request.body(), request.app.state.settings.max_page
    if len(body) > most:
        raise HTTPException(413, too_large(most))
    label = await run_in_threadpool(identify, body, request.headers.get("content-type"), url)
    request.app.state.metrics.urls("pages", 1)
    answer = label.as_dict()
    answer["candidates"] = [{"language": code, "probability": p} for code, p in label.candidates]
    return Json(answer)
