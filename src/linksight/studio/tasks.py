"""Job handlers, and the tasks that routes submit to the job queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from linksight.errors import LinksightError
from linksight.studio.jobs import Job, Work
from linksight.studio.services.inspector_runs import Run, run_from
from linksight.studio.services.workbench import learning_tasks


def handlers(state: Any) -> dict[str, Work]:
    """The work of each kind of job, for the state of an application."""
    return {
        "run": lambda job: make_run(state, job),
        "learn": lambda job: learning_tasks.learn(state.workbench.open(), job),
        "evaluate": lambda job: learning_tasks.evaluate(state.workbench.open(), job),
    }


def run_task(run: Run, urls: Any, uploaded: Any, lines: Any, folder: Path) -> dict[str, Any]:
    """Save the URLs of a list and the uploaded columns, for :func:`make_run`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = {"urls": pa.table({"url": urls}), "given": uploaded, "lines": lines}
    for name, table in parts.items():
        if table is not None:
            pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    return {"run": asdict(run), "folder": str(folder.resolve())}


def make_run(state: Any, job: Job) -> str:
    """Predict the languages of a saved list."""
    import pyarrow.parquet as pq

    task = job.task or {}
    parts = {
        name: pq.read_table(path) if (path := Path(task["folder"]) / f"{name}.parquet").exists() else None
        for name in ("urls", "given", "lines")
    }
    if parts["urls"] is None:
        raise LinksightError("the files of this job are gone: upload the list again")
    run = run_from(task["run"])
    state.runs.make(job, parts["urls"]["url"], run, parts["given"], parts["lines"])
    state.metrics.urls("urls", parts["urls"].num_rows)
    return f"/runs/{run.id}"


def submit(state: Any, job: Job, prepare: Callable[[Path], dict[str, Any]]) -> Job:
    """Check the visitor's quota, prepare the task with its files, and queue the job."""
    state.jobs.check_room(job.owner)
    try:
        job.task = prepare(state.jobs.files_of(job))
    except BaseException:
        state.jobs.discard(job)
        raise
    submitted: Job = state.jobs.submit(job)
    return submitted
