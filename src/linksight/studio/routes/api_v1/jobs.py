"""Jobs: their progress, and cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from linksight.studio import jobs as job_queue
from linksight.studio.responses import Json, NotThere
from linksight.studio.routes.api_v1.query_parameters import check_query
from linksight.studio.routes.api_v1.schemas import ERRORS, JobState

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], responses=ERRORS)
JobId = Annotated[str, Path(description="id of a job")]


@router.get("", response_model=list[JobState], summary="Jobs", operation_id="listJobs")
async def list_jobs(request: Request) -> Response:
    """The jobs of this studio, the latest first."""
    check_query(request)
    return Json([as_state(job) for job in request.app.state.jobs.all()])


@router.get("/{job_id}", response_model=JobState, summary="One job", operation_id="getJob")
async def get_job(request: Request, job_id: JobId) -> Response:
    """How far a job is."""
    check_query(request)
    return Json(as_state(_found(request, job_id)))


@router.delete("/{job_id}", response_model=JobState, summary="Cancel a job", operation_id="cancelJob")
async def cancel_job(request: Request, job_id: JobId) -> Response:
    """Cancel a job; one that has ended stays as it is."""
    check_query(request)
    job = _found(request, job_id)
    if not job.is_over:
        request.app.state.jobs.cancel(job)
    return Json(as_state(job))


def as_state(job: job_queue.Job) -> dict[str, object]:
    """A job as JSON."""
    names = ("id", "kind", "title", "state", "done", "total", "message", "error", "link")
    return {name: getattr(job, name) for name in names} | {"seconds": round(job.seconds, 3)}


def _found(request: Request, number: str) -> job_queue.Job:
    job: job_queue.Job | None = request.app.state.jobs.get(number)
    if job is None:
        raise NotThere(f"no job {number[:60]!r}; GET /v1/jobs lists them")
    return job
