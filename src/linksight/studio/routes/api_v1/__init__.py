"""The HTTP API, version 1.

detect, direct_detect, streaming             languages of URLs: one or a batch, the fast path, streams
identify, patterns                           pages; matching of URL patterns
sites, crawls, jobs, service                 work of the studio; languages, health and metrics
schemas, query_parameters, arrow_batches     input and output
"""

from __future__ import annotations

from fastapi import APIRouter

from linksight.studio.routes.api_v1 import crawls, detect, identify, jobs, patterns, service, sites, streaming


def router() -> APIRouter:
    """All routes of the API."""
    routes = APIRouter()
    for part in (detect, streaming, identify, patterns, sites, crawls, jobs, service):
        routes.include_router(part.router)
    return routes
