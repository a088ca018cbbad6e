"""Patterns: which URL pattern matches each URL."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.errors import BadData
from linksight.studio.responses import Json, NotThere, read_json
from linksight.studio.routes.api_v1.arrow_batches import json_commas, too_many
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, MAX_PATTERNS, Match, Matched, json_body

router = APIRouter(prefix="/v1", tags=["patterns"], responses=ERRORS)


@router.post("/patterns/match", response_model=Matched, summary="Match URL patterns", operation_id="matchPatterns",
             openapi_extra=json_body(Match))  # fmt: skip
async def match_patterns(request: Request) -> Response:
    """Find the pattern of each URL, among the patterns of a site or those in the body."""
    check_query(request)
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if not kind.endswith("json"):
        raise HTTPException(
            415, f"JSON is needed, sent as Content-Type: application/json, not as {kind[:80]!r}"
        )
    answer = await run_in_threadpool(_match, request, await request.body())
    request.app.state.metrics.urls("matches", len(answer["matches"]))
    return Json(answer)


def _match(request: Request, body: bytes) -> dict[str, Any]:
    from linksight.sites.patterns.pattern import PatternSet

    limit = request.app.state.settings.max_urls
    if (count := json_commas(body)) > limit + MAX_PATTERNS:
        raise too_many(count, limit)
    match = checked(Match, read_json(body))
    if len(match.urls) > limit:
        raise too_many(len(match.urls), limit)
    if (match.site is None) == (match.patterns is None):
        raise BadData("give a site or patterns, one of them")
    if match.patterns is not None:
        patterns = PatternSet.from_texts(match.patterns)
    else:
        bench = request.app.state.workbench.open()
        patterns = bench.patterns(site_number(bench, match.site or ""))
    found = patterns.match_indices(match.urls).tolist()
    shown = [{"id": p.id, "name": p.name, "pattern": p.text, "regex": p.regex} for p in patterns]
    return {"patterns": shown, "matches": found}


def checked(model: Any, value: Any) -> Any:
    """The value as a model; errors as FastAPI reports them."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        wrong = [one | {"loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        raise RequestValidationError(wrong) from None


def site_number(bench: Any, name: str) -> int:
    """The number of a site by its name; 404 if it does not exist."""
    try:
        number: int = bench.site_id(name)
    except BadData:
        raise NotThere(f"no site {name[:200]!r}; GET /v1/sites lists them") from None
    return number
