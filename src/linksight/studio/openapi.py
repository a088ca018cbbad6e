"""The OpenAPI description: security, limits in force, bodies that routes parse by themselves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from linksight.studio.config import Settings
from linksight.studio.middleware.guard import max_bytes
from linksight.studio.routes.api_v1.schemas import COMPONENTS

SUMMARY = "See what is behind a link before you fetch it."
_REF = "#/components/schemas/{model}"


def describe(app: FastAPI, settings: Settings) -> dict[str, Any]:
    """The description of the API with the limits of these settings; made once."""
    if app.openapi_schema:
        return app.openapi_schema
    found = get_openapi(title=app.title, version=app.version, summary=SUMMARY, description=_limits(settings),
                        routes=app.routes)  # fmt: skip
    schemas = found["components"].setdefault("schemas", {})
    _, more = models_json_schema([(model, "validation") for model in COMPONENTS], ref_template=_REF)
    schemas |= more["$defs"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for name in ("Batch", "Match"):
        schemas[name]["properties"]["urls"]["maxItems"] = settings.max_urls
    found["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "the token of the studio"}
    }
    found["security"] = [{"bearer": []}] if settings.token else [{}, {"bearer": []}]
    found["paths"]["/v1/health"]["get"]["security"] = [{}]
    for path, methods in found["paths"].items():
        if (body := methods.get("post", {}).get("requestBody")) is not None:
            body["description"] = (
                f"at most {max_bytes(path, settings):,} bytes; may be gzipped (Content-Encoding: gzip)"
            )
    app.openapi_schema = found
    return found


def _limits(settings: Settings) -> str:
    rate = (
        f"{settings.rate:g} requests a second and visitor"
        if settings.rate
        else "no limit on the rate of requests"
    )
    return (
        f"Limits in force: {settings.max_urls:,} URLs a batch, {settings.max_page:,} bytes a page, {rate}. "
        "Errors are application/problem+json with a code, the wrong parts of the input and a request id. "
        "Answers are gzipped on request."
    )
