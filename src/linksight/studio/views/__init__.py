"""The pages of the studio, one module for each part."""

from __future__ import annotations

from fastapi import APIRouter

from linksight.studio.views import crawls, doorway, hubs, inspector, jobs, links, pages, reports, sites


def router() -> APIRouter:
    """All pages."""
    whole = APIRouter()
    for part in (inspector, jobs, pages, links, sites, hubs, crawls, reports, doorway):
        whole.include_router(part.router)
    return whole
