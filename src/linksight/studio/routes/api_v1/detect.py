"""Detect: one URL, or a batch."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.errors import BadData
from linksight.languages import registry
from linksight.results import Detection
from linksight.studio.responses import Json
from linksight.studio.routes.api_v1.arrow_batches import (
    as_utf8,
    asked_of,
    check_count,
    columns,
    lines_of,
    too_many,
)
from linksight.studio.routes.api_v1.query_parameters import check_query, settings_of
from linksight.studio.routes.api_v1.schemas import (
    ERRORS,
    EXAMPLE,
    MAX_URL_CHARACTERS,
    Answer,
    Asked,
    BatchAnswer,
)
from linksight.studio.services import language_service

router = APIRouter(prefix="/v1", tags=["detect"], responses=ERRORS)
Settings = tuple[tuple[str, ...] | None, language_service.Rates]


@router.get("/detect", response_model=Answer, summary="The language of one URL", operation_id="detectUrl")
async def detect_one(
    request: Request,
    url: str = Query(
        max_length=MAX_URL_CHARACTERS, examples=[EXAMPLE], description="the address, percent-encoded"
    ),
    languages: str = Query("", description="choose among these only, e.g. nl,de"),
    rates: str = Query("", description="base rates, e.g. nl=0.02,de=0.1"),
    explain: bool = Query(False, description="add the reasons, in words and with their weights"),
) -> Response:
    """Predict the language of a page from its URL alone; nothing is fetched."""
    languages, rates = settings_of(request, "url", "explain")
    among = language_service.wanted_languages(languages)
    return _answer(request, url, among, language_service.rates_of(rates), explain)


@router.post(
    "/detect", response_model=Answer, summary="The language of one URL", operation_id="detectPostedUrl"
)
async def detect_posted(request: Request, asked: Asked) -> Response:
    """The same with a JSON body, for long or private URLs."""
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
    answer: dict[str, Any] = {
        "url": found.url,
        "language": found.language,
        "probability": round(found.probability, 4),
        "candidates": [{"language": code, "probability": round(p, 4)} for code, p in found.candidates],
    }
    if explain:
        answer["reasons"] = [
            {
                "feature": feature,
                "language": code,
                "weight": round(weight, 4),
                "text": in_words(feature, code, weight),
            }
            for feature, code, weight in found.reasons
        ]
    return answer


def in_words(feature: str, code: str, weight: float) -> str:
    """A reason as a sentence.

    >>> in_words("t:fr/1", "fr", -0.2)[-21:]
    'counts against French'
    """
    from linksight.url_model.feature_labels import kind_of, value_of

    side = "for" if weight >= 0 else "against"
    return f"“{value_of(feature)}” ({kind_of(feature)}) counts {side} {registry.name(code)}"


_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Batch"}},
            "text/plain": {"schema": {"type": "string"}, "example": f"{EXAMPLE}\nhttp://www.zeitung.de/"},
        },
    }
}


@router.post(
    "/detect/batch", response_model=BatchAnswer, summary="Languages of many URLs", operation_id="detectBatch",
    openapi_extra=_BODY,
)  # fmt: skip
async def detect_batch(
    request: Request,
    languages: str = Query("", description="choose among these only, e.g. nl,de"),
    rates: str = Query("", description="base rates, e.g. nl=0.02"),
) -> Response:
    """Columns of languages and probabilities, in the order of the URLs.

    Send the URLs as JSON, or as text with one a line. An unusable URL gets ``und`` and its reason in
    ``problems``; the others are answered. Give languages and rates in the query or in the JSON.
    """
    languages, rates = settings_of(request)
    header = request.headers.get("content-type", "application/json")
    kind = header.partition(";")[0].strip().lower()
    if kind not in ("application/json", "text/plain"):
        raise HTTPException(415, f"URLs come as application/json or text/plain, not as {kind[:80]!r}")
    most = request.app.state.settings.max_urls
    body = await _read(request, most if kind == "text/plain" else None)
    settings = language_service.wanted_languages(languages), language_service.rates_of(rates)
    answer, count = await run_in_threadpool(
        _batch, body, header if kind == "text/plain" else "", settings, most
    )
    request.app.state.metrics.urls("urls", count)
    return Response(answer, media_type="application/json")


async def _read(request: Request, max_lines: int | None) -> bytes:
    """The body of a batch; a text with too many lines is refused while it arrives."""
    parts, lines = [], 0
    async for part in request.stream():
        parts.append(part)
        lines += part.count(b"\n")
        if max_lines is not None and lines > max_lines:
            raise too_many(lines, max_lines)
    return b"".join(parts)


def _batch(body: bytes, text: str, settings: Settings, most: int) -> tuple[bytes, int]:
    """Predict a batch; returns the JSON and the number of URLs. ``text`` is the content type of lines, empty for JSON."""
    body = as_utf8(body, text) if text else body
    check_count(body, bool(text), most)
    urls, among, rates = (lines_of(body), None, ()) if text else asked_of(body)
    for name, here, there in (("languages", settings[0], among), ("rates", settings[1], rates)):
        if here and there:
            raise BadData(f"{name}: given in the query and in the body; give them once")
    among, rates = settings[0] or among, settings[1] or rates
    if len(urls) > most:
        raise too_many(len(urls), most)
    return columns(language_service.predict(urls, among, rates)), len(urls)
