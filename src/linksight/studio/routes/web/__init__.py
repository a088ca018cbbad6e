"""The pages of the studio.

inspector, links, pages    URLs, the links of a page, a page
sites, hubs                the pattern workbench
crawls, jobs               crawls; progress of work
reports, login             reports and the model card; sign in
"""

from __future__ import annotations

from fastapi import APIRouter

from linksight.studio.routes.web import crawls, hubs, inspector, jobs, links, login, pages, reports, sites


def router() -> APIRouter:
    """All pages."""
    combined = APIRouter()
    for part in (inspector, jobs, pages, links, sites, hubs, crawls, reports, login):
        combined.include_router(part.router)
    return combined
