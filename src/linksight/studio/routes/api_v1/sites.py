"""Sites of the workbench: list, learn from URLs, patterns, forget."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response

from linksight.errors import BadData
from linksight.studio import tasks
from linksight.studio.jobs import Job
from linksight.studio.responses import Json, read_json
from linksight.studio.routes.api_v1.arrow_batches import json_commas, too_many
from linksight.studio.routes.api_v1.jobs import as_state
from linksight.studio.routes.api_v1.patterns import checked, site_number
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, JobState, SiteDetails, SiteTask, json_body
from linksight.studio.services.workbench.learning_tasks import learning_task
from linksight.studio.services.workbench.shared_workbench import patterns_of
from linksight.studio.templating import visitor_of

router = APIRouter(prefix="/v1/sites", tags=["sites"], responses=ERRORS)
Name = Annotated[str, PathParameter(description="name of the site")]


@router.get("", response_model=list[str], summary="Sites of the workbench", operation_id="listSites")
def list_sites(request: Request) -> Response:
    """The names of the sites whose patterns URLs can be matched with."""
    check_query(request)
    return Json([row["name"] for row in request.app.state.workbench.open().sites()])


@router.post("", response_model=JobState, status_code=202, summary="Learn a site", operation_id="learnSite",
             openapi_extra=json_body(SiteTask))  # fmt: skip
async def learn_site(request: Request) -> Response:
    """Start a job that learns the patterns of a site from its URLs, or from its address on the web."""
    check_query(request)
    return Json(await run_in_threadpool(_learn, request, await request.body()), 202)


def _learn(request: Request, body: bytes) -> dict[str, object]:
    state = request.app.state
    if (count := json_commas(body)) > state.settings.max_urls + 10:
        raise too_many(count, state.settings.max_urls)
    site: SiteTask = checked(SiteTask, read_json(body))
    urls = "\n".join(url.replace("\n", " ") for url in site.urls or ())
    form = FormData({"name": site.name, "home": site.home, "urls": urls, "source": "urls" if urls else site.source,
                     "hubs": str(site.hubs), "delay": str(site.delay)})  # fmt: skip
    if not urls and not site.home:
        raise BadData("give urls, or home: the address of the site")
    bench, job = state.workbench.open(), Job("learn", "", back="/sites", owner=visitor_of(request))

    def prepare(folder: Path) -> dict[str, Any]:
        task = learning_task(bench, form, state.settings, folder)
        job.title = f"Learn the patterns of {task['name']}"
        return task

    return as_state(tasks.submit(state, job, prepare))


@router.get("/{name}", response_model=SiteDetails, summary="Patterns of a site", operation_id="getSite")
def get_site(request: Request, name: Name) -> Response:
    """A site with its patterns."""
    check_query(request)
    bench = request.app.state.workbench.open()
    number = site_number(bench, name)
    site = bench.site(number)
    shown = [
        {"id": p.id, "name": p.name, "pattern": p.text, "regex": p.regex, "n_urls": p.n_urls}
        for p in patterns_of(bench, number)
    ]
    return Json({"id": number, "name": site["name"], "home": site["home"] or "", "source": site["source"] or "",
                 "state": site["state"], "patterns": shown})  # fmt: skip


@router.delete("/{name}", status_code=204, summary="Forget a site", operation_id="forgetSite",
               response_class=Response)  # fmt: skip
def forget_site(request: Request, name: Name) -> Response:
    """Remove a site with its hubs, patterns and history."""
    check_query(request)
    bench = request.app.state.workbench.open()
    bench.forget_site(site_number(bench, name))
    return Response(status_code=204)
