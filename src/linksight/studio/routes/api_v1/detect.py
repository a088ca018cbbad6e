"""Detect: one URL, or a batch."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.errors import BadData
from linksight.results import Detection
from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.arrow_batches import as_utf8, asked_of, columns, lines_of
from linksight.studio.routes.api_v1.query_parameters import check_query, settings_of
from linksight.studio.routes.api_v1.schemas import ERRORS, EXAMPLE, Answer, Asked, Batch, BatchAnswer
from linksight.studio.services import language_service

router = APIRouter(prefix="/v1", tags=["detect"], responses=ERRORS)
LONGEST_URL = 100_000
Settings = tuple[tuple[str, ...] | None, language_service.Rates]


@router.get("/detect", response_model=Answer, summary="The language behind one URL")
async def detect_one(
    request: Request,
    url: str = Query(max_length=LONGEST_URL, examples=[EXAMPLE], description="the address, percent-encoded"),
    languages: str = Query("", description="choose among these only, e.g. nl,de"),
    rates: str = Query("", description="base rates, e.g. nl=0.02,de=0.1"),
    explain: bool = Query(False, description="with the reasons, each with its weight"),
) -> Response:
    """The language of the page behind a URL, from the URL alone; nothing is fetched."""
    languages, rates = settings_of(request, "url", "explain")
    among = language_service.wanted_languages(languages)
    return _answer(request, url, among, language_service.rates_of(rates), explain)


@router.post("/detect", response_model=Answer, summary="The language behind one URL")
async def detect_posted(request: Request, asked: Asked) -> Response:
    """The same for URLs that are too long or too private for a query."""
    check_query(request)
    among = language_service.wanted_languages(asked.languages)
    return _answer(request, asked.url, among, language_service.rates_of(asked.rates), asked.explain)


def _answer(
    request: Request, url: str, among: tuple[str, ...] | None, rates: language_service.Rates, explain: bool
) -> Response:
    # Less than a millisecond: a thread would cost more than it frees.
    found = (
        language_service.model(rates).detect(url, among, explain=True)
        if explain
        else language_service.detect(url, among, rates)
    )
    request.app.state.metrics.urls("urls", 1)
    return Json(as_answer(found, explain))


def as_answer(found: Detection, explain: bool) -> dict[str, Any]:
    """A detection with its pairs named."""
    told: dict[str, Any] = {
        "url": found.url,
        "language": found.language,
        "probability": round(found.probability, 4),
        "candidates": [{"language": code, "probability": round(p, 4)} for code, p in found.candidates],
    }
    if explain:
        told["reasons"] = [
            {"feature": feature, "language": code, "weight": round(weight, 4)}
            for feature, code, weight in found.reasons
        ]
    return told


_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": Batch.model_json_schema(ref_template="#/components/schemas/{model}")
            },
            "text/plain": {"schema": {"type": "string"}, "example": f"{EXAMPLE}\nhttp://www.zeitung.de/"},
        },
    }
}


@router.post(
    "/detect/batch", response_model=BatchAnswer, summary="Many URLs at a time", openapi_extra=_BODY
)  # fmt: skip
async def detect_batch(
    request: Request,
    languages: str = Query("", description="choose among these only, e.g. nl,de"),
    rates: str = Query("", description="base rates, e.g. nl=0.02"),
) -> Response:
    """Columns of languages and probabilities, in the order of the URLs.

    The URLs are JSON, or text with one a line. A URL that cannot be used is ``und`` and has its reason
    among the ``problems``; it stops nothing. Languages and rates stand in the query, or in the JSON.
    """
    languages, rates = settings_of(request)
    body = await request.body()
    header = request.headers.get("content-type", "application/json")
    kind = header.partition(";")[0].strip().lower()
    if kind not in ("application/json", "text/plain"):
        raise HTTPException(415, f"URLs come as application/json or text/plain, not as {kind[:80]!r}")
    most = request.app.state.settings.max_urls
    settings = language_service.wanted_languages(languages), language_service.rates_of(rates)
    answer, count = await run_in_threadpool(
        _batch, body, header if kind == "text/plain" else "", settings, most
    )
    request.app.state.metrics.urls("urls", count)
    return Response(answer, media_type="application/json")


def _batch(body: bytes, text: str, settings: Settings, most: int) -> tuple[bytes, int]:
    """The answer to a batch and its number of URLs; ``text`` is the content type of lines, empty for JSON."""
    urls, among, rates = (lines_of(as_utf8(body, text)), None, ()) if text else asked_of(body)
    for name, here, there in (("languages", settings[0], among), ("rates", settings[1], rates)):
        if here and there:
            raise BadData(f"{name}: in the query and in the body; give them once")
    among, rates = settings[0] or among, settings[1] or rates
    if len(urls) > most:
        raise HTTPException(413, f"{len(urls):,} URLs: at most {most:,} are allowed at a time")
    return columns(language_service.predict(urls, among, rates)), len(urls)
