"""Detect: one URL, or a batch."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.errors import BadData
from linksight.records import Detection
from linksight.studio import service
from linksight.studio.answers import Json
from linksight.studio.api.shapes import ERRORS, EXAMPLE, Answer, Asked, Batch, BatchAnswer

router = APIRouter(prefix="/v1", tags=["detect"], responses=ERRORS)


@router.get("/detect", response_model=Answer, summary="The language behind one URL")
async def detect_one(
    request: Request,
    url: str = Query(max_length=100_000, examples=[EXAMPLE]),
    languages: str = Query("", description="choose among these only, e.g. nl,de"),
    rates: str = Query("", description="base rates, e.g. nl=0.02,de=0.1"),
    explain: bool = False,
) -> Response:
    """The language of the page behind a URL, from the URL alone; nothing is fetched."""
    among = service.wanted_languages(languages)
    return _answer(request, url, among, service.rates_of(rates), explain)


@router.post("/detect", response_model=Answer, summary="The language behind one URL")
async def detect_posted(request: Request, asked: Asked) -> Response:
    """The same for URLs that are too long or too private for a query."""
    among = service.wanted_languages(asked.languages)
    return _answer(request, asked.url, among, service.rates_of(asked.rates), asked.explain)


def _answer(
    request: Request, url: str, among: tuple[str, ...] | None, rates: service.Rates, explain: bool
) -> Response:
    # Less than a millisecond: a thread would cost more than it frees.
    found = service.model(rates).detect(url, among, explain=explain)
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
async def detect_batch(request: Request) -> Response:
    """Columns of languages and probabilities, in the order of the URLs.

    The URLs are JSON, or text with one a line. A URL that cannot be used is ``und`` and has its reason
    among the ``problems``; it stops nothing.
    """
    body = await request.body()
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind not in ("application/json", "text/plain"):
        raise HTTPException(415, f"URLs come as application/json or text/plain, not as {kind[:80]!r}")
    most = request.app.state.settings.max_urls
    answer, count = await run_in_threadpool(_batch, body, kind == "text/plain", most)
    request.app.state.metrics.urls("urls", count)
    return Response(answer, media_type="application/json")


def _batch(body: bytes, is_text: bool, most: int) -> tuple[bytes, int]:
    given = {"urls": body.decode("utf-8", "replace").splitlines()} if is_text else read_json(body)
    urls, among, rates = _checked(given)
    if len(urls) > most:
        raise HTTPException(413, f"{len(urls):,} URLs: at most {most:,} are allowed at a time")
    return columns(service.predict(urls, among, rates)), len(urls)


def _checked(given: Any) -> tuple[list[Any], tuple[str, ...] | None, service.Rates]:
    """What a batch may hold; a model of a million strings would take longer than their languages."""
    if not isinstance(given, dict) or not isinstance(given.get("urls"), list):
        raise BadData('a batch is written {"urls": [...]}')
    if unknown := given.keys() - {"urls", "languages", "rates"}:
        raise BadData(f"unknown field {min(unknown)[:80]!r}; known: urls, languages, rates")
    if not all(type(url) is str for url in given["urls"]):
        wrong = next(i for i, url in enumerate(given["urls"]) if type(url) is not str)
        raise BadData(f"urls[{wrong}] is no text")
    among, rates = given.get("languages"), given.get("rates")
    if not (among is None or (isinstance(among, list) and all(isinstance(x, str) for x in among))):
        raise BadData("languages: a list of codes or names")
    numbers = (int, float)
    if not (rates is None or (isinstance(rates, dict) and all(type(x) in numbers for x in rates.values()))):
        raise BadData("rates: languages with numbers")
    return given["urls"], service.wanted_languages(among), service.rates_of(rates)


def read_json(body: bytes) -> Any:
    """The body as JSON; 400 where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None


def columns(table: Any) -> bytes:
    """A table of detections as the JSON of :class:`BatchAnswer`, without a Python object a row."""
    import numpy as np
    import pyarrow.compute as pc

    problem, count = table.column("problem"), len(table)
    bad = (
        np.flatnonzero(np.asarray(pc.is_valid(problem))) if problem.null_count < count else np.array([], int)
    )
    problems = {str(row): problem[int(row)].as_py() for row in bad}
    chances = np.asarray(table.column("probability"))
    # Four decimals as text: thousandths of a cent of a probability help nobody and cost time.
    shown = _decimals()[np.rint(chances * 10_000).astype(np.int64)]
    codes = ",".join(f'"{code}"' for code in table.column("language").to_pylist())
    return (
        f'{{"count":{count},"language":[{codes}],'
        f'"probability":[{",".join(shown.tolist())}],"problems":{json.dumps(problems)}}}'
    ).encode("ascii")


@lru_cache(maxsize=1)
def _decimals() -> Any:
    import numpy as np

    return np.array([f"{n / 10_000:g}" for n in range(10_001)], dtype=object)
