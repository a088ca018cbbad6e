"""Jobs: a page with a progress bar that refreshes itself, and a button that cancels."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from linksight.studio.jobs import Job
from linksight.studio.security import CheckedForm
from linksight.studio.templating import shown

router = APIRouter()


@router.get("/jobs/{number}")
def show(request: Request, number: str) -> Response:
    """The job's page, or its result once there is one."""
    job = found(request, number)
    page = shown(request, "job.html", {"job": job})
    # Checked after rendering: a job that ends meanwhile would leave a page without updates and without a link.
    return RedirectResponse(job.link or "/", 303) if job.state == "done" else page


@router.get("/jobs/{number}/part")
def part(request: Request, number: str) -> Response:
    """Only the bar, for the page's script."""
    return shown(request, "parts/job.html", {"job": found(request, number)})


@router.post("/jobs/{number}/cancel")
def cancel(request: Request, number: str, form: CheckedForm) -> Response:
    """Ask the job to end."""
    request.app.state.jobs.cancel(found(request, number))
    return RedirectResponse(f"/jobs/{number}", 303)


def found(request: Request, number: str) -> Job:
    """A job, or 404."""
    job: Job | None = request.app.state.jobs.get(number)
    if job is None:
        raise HTTPException(404, "no such job: it ended long ago, or another studio ran it")
    return job
