"""The inspector: a list of URLs as a table, and one URL with its reasons."""

from __future__ import annotations

import codecs
import re
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, RedirectResponse, Response

from linksight.errors import BadUrl, LinksightError
from linksight.studio import tasks
from linksight.studio.jobs import Job
from linksight.studio.rendering.highlighting import coloured, reasons
from linksight.studio.security import CheckedForm
from linksight.studio.services import language_service, uploads
from linksight.studio.services.extra_columns import ExtraColumns, write_labelled, write_lines
from linksight.studio.services.inspector_runs import (
    LINES,
    PAGE_ROWS,
    SORTS,
    Run,
    View,
    check_format,
    write_rows,
)
from linksight.studio.services.upload_limits import TableLimits
from linksight.studio.templating import shown, visitor_of
from linksight.system.plural import counted

router = APIRouter()
MAX_DIRECT_URLS = 500  #: URLs of a list that is answered without a job


EXAMPLES = (
    "https://www.lemonde.fr/economie/",
    "https://www.example.com/nl/nieuws/sport",
    "https://blog.example.org/2024/ricette-di-cucina",
)


@router.get("/")
def home(request: Request) -> Response:
    """The start page: one field, examples, earlier lists; no model is loaded for it."""
    state = request.app.state
    values = {
        "runs": state.runs.all()[:10],
        "jobs": state.jobs.open("run"),
        "max_urls": state.settings.max_urls,
        "examples": EXAMPLES,
        "proof": language_service.proof(),
    }
    return shown(request, "inspector.html", values)


@router.get("/runs")
def all_runs(request: Request) -> Response:
    """All earlier lists, a page at a time."""
    runs = request.app.state.runs.all()
    n_pages = max(1, -(-len(runs) // PAGE_ROWS))
    page = min(_page_of(request), n_pages)
    part = runs[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    return shown(request, "runs.html", {"runs": part, "n_runs": len(runs), "page": page, "n_pages": n_pages})


@router.post("/inspector")
def inspect(request: Request, form: CheckedForm) -> Response:
    """Take pasted URLs or a file; one URL is shown at once, many become a list."""
    state, file = request.app.state, form.get("file")
    among = language_service.wanted_languages(str(form.get("languages", "")))
    rates = language_service.rates_of(str(form.get("rates", "")))
    language_service.model(rates)
    settings, beside = state.settings, ExtraColumns()
    if isinstance(file, UploadFile) and file.filename:
        limits = TableLimits(settings.max_urls, settings.max_decoded)
        urls, title = uploads.from_file(file.file, file.filename, limits, beside), file.filename
    else:
        urls, title = uploads.pasted(str(form.get("urls", "")), settings.max_urls), ""
    if len(urls) == 1 and not title:
        query = {
            "url": urls[0].as_py(),
            "languages": form.get("languages", ""),
            "rates": form.get("rates", ""),
        }
        return RedirectResponse(f"/inspect?{_encoded(query)}", 303)
    run = Run(
        title or f"{urls[0].as_py()[:60]} and {len(urls) - 1:,} more", among, rates,
        left_out=beside.left_out, is_foreign=beside.is_foreign,
    )  # fmt: skip
    job = Job("run", f"Languages of {counted(len(urls), 'URL')}: {run.title}", owner=visitor_of(request))
    if len(urls) <= MAX_DIRECT_URLS:
        state.runs.make(job, urls, run, beside.table(), beside.lines())
        state.metrics.urls("urls", len(urls))
        return RedirectResponse(f"/runs/{run.id}", 303)
    tasks.submit(state, job, lambda folder: tasks.run_task(run, urls, beside.table(), beside.lines(), folder))
    return RedirectResponse(f"/jobs/{job.id}", 303)


@router.get("/runs/{number}")
def show_run(request: Request, number: str) -> Response:
    """The table of a run: filtered, sorted, a page at a time."""
    state, view = request.app.state, _view(request)
    run, chosen = state.runs.get(number), view.select(state.runs.table(number))
    n_pages = max(1, -(-len(chosen) // PAGE_ROWS))
    page = min(view.page, n_pages)
    rows = chosen.slice((page - 1) * PAGE_ROWS, PAGE_ROWS).to_pylist()
    values = {"run": run, "view": view, "rows": rows, "n_rows": len(chosen), "page": page, "n_pages": n_pages,
              "asked": dict(request.query_params), "what_if": _what_if(run)}  # fmt: skip
    return shown(request, "run.html", values)


@router.get("/runs/{number}/download")
def download(request: Request, number: str, form: str = "csv", mark: bool = False) -> Response:
    """Download the filtered rows, all pages; CSV optionally with a byte order mark for Excel."""
    check_format(form)
    runs = request.app.state.runs
    chosen, uploaded = _view(request).select(runs.table(number)), runs.uploaded_table(number)
    # On disk and not in memory: a million rows of a few visitors would be gigabytes.
    with tempfile.NamedTemporaryFile(delete=False, suffix=f".{form}") as file:
        path = Path(file.name)
        try:
            file.write(codecs.BOM_UTF8 if mark and form == "csv" else b"")
            lines = runs.uploaded_table(number, LINES) if form == "jsonl" else None
            if uploaded is None:
                write_rows(chosen, form, file)
            elif lines is not None:
                write_lines(chosen, lines, uploaded.column_names, file)
            else:
                write_labelled(chosen, uploaded, form, file)
        except BaseException:  # also on a full disk: nobody will fetch the partial file
            _remove(path)
            raise
    return FileResponse(
        path, filename=_filename(runs.get(number), form), background=BackgroundTask(_remove, path)
    )


@router.post("/runs/{number}/forget")
def forget(request: Request, number: str, form: CheckedForm) -> Response:
    """Remove a run."""
    request.app.state.runs.forget(number)
    return RedirectResponse("/", 303)


@router.get("/inspect")
def one_url(request: Request, url: str = "", languages: str = "", rates: str = "") -> Response:
    """One URL in detail: its characters, the candidates, the reasons, and changed settings."""
    if not url.strip():
        return RedirectResponse("/", 303)
    values: dict[str, Any] = {"url": url, "languages": languages, "rates": rates, "error": None}
    try:
        among = language_service.wanted_languages(languages)
        scorer = language_service.model(language_service.rates_of(rates))
        found = scorer.detect(url.strip(), among)
        explanation = scorer.explain(url.strip(), among)
        request.app.state.metrics.urls("urls", 1)
        values |= {"found": found, "runs": coloured(explanation), "reasons": reasons(explanation),
                   "rivals": [explanation.languages[k] for k in explanation.order[:3]],
                   "doubt": scorer.calibration.reject_threshold}  # fmt: skip
    except LinksightError as error:
        values |= {"error": str(error), "bad_url": isinstance(error, BadUrl)}
    status = 422 if values["error"] else 200
    return shown(request, "url.html", values, status)


def _filename(run: Run, form: str) -> str:
    """The name of a download, after the list.

    >>> _filename(Run("my urls.csv.gz"), "parquet")
    'my_urls-languages.parquet'
    """
    name = re.sub(r"\.(?:gz|zst|bz2)$", "", run.title.removeprefix("https://").removeprefix("http://"))
    stem = re.sub(r"\.(?:csv|tsv|tab|txt|jsonl|ndjson|json|parquet|pq|urls|lst)$", "", name)
    stem = re.sub(r"[^A-Za-z0-9.-]+", "_", stem).strip("_.")[:60]
    return f"{stem or 'list'}-languages.{form}"


def _what_if(run: Run) -> dict[str, str]:
    """The languages and base rates of the list, for a link to one of its URLs."""
    rates = ",".join(f"{code}={rate:g}" for code, rate in run.rates)
    options = {"languages": ",".join(run.languages or ()), "rates": rates}
    return {name: text for name, text in options.items() if text}


def _view(request: Request) -> View:
    """The filters in the query; invalid values are ignored."""
    query = request.query_params
    sort = query.get("sort", "row")
    return View(
        language=query.get("language", ""),
        least=_share(query.get("percent", ""), 100) or _share(query.get("least", "")),
        text=query.get("text", "")[:200],
        sort=sort if sort in SORTS else "row",
        descending=query.get("way") == "down",
        page=_page_of(request),
    )


def _page_of(request: Request) -> int:
    text = request.query_params.get("page", "")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 9 else 1


def _share(text: str, scale: int = 1) -> float:
    try:
        value = float(text or 0) / scale
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _encoded(query: dict[str, Any]) -> str:
    from urllib.parse import urlencode

    return urlencode({name: value for name, value in query.items() if value}, errors="replace")
