"""The HTTP interface, version 1: detect, identify, patterns, languages, health, metrics."""

from __future__ import annotations

from fastapi import APIRouter

from linksight.studio.routes.api_v1 import detect, identify, patterns_and_system, streaming


def router() -> APIRouter:
    """All routes of the interface."""
    whole = APIRouter()
    for part in (detect, streaming, identify, patterns_and_system):
        whole.include_router(part.router)
    return whole
