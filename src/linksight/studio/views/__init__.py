"""The pages of the studio, one module for each part."""

from __future__ import annotations

from fastapi import APIRouter

from linksight.studio.views import doorway, inspector, jobs, links, pages


def router() -> APIRouter:
    """All pages."""
    whole = APIRouter()
    for part in (inspector, jobs, pages, links, doorway):
        whole.include_router(part.router)
    return whole
