"""The HTTP interface, version 1: detect, identify, patterns, languages, health, metrics."""

from __future__ import annotations

from fastapi import APIRouter

from linksight.studio.api import detection, knowledge, pages, streaming


def router() -> APIRouter:
    """All routes of the interface."""
    whole = APIRouter()
    for part in (detection, streaming, pages, knowledge):
        whole.include_router(part.router)
    return whole
