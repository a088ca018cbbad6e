"""Crawls: start, follow, pause, resume, stop, report, and why a URL was skipped."""

from __future__ import annotations

import secrets
import time
from typing import Any

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.datastructures import FormData, UploadFile
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from linksight.errors import BadConfig, LinksightError
from linksight.studio.rendering.line_charts import line_plot
from linksight.studio.security import FOREIGN_POLICY, CheckedForm
from linksight.studio.services.crawl_figures import progress_of, read_figures
from linksight.studio.templating import shown

router = APIRouter()
#: The only strategies of the form: a strategy may also be a Python file, which no visitor may choose.
STRATEGIES = {
    "adaptive": "adaptive, learns as it goes",
    "classifier": "classifier, the URL alone",
    "filter": "filter, country domain or model",
    "cctld": "cctld, country domains only",
    "breadth-first": "breadth-first, every link",
    "random": "random, any link",
}
#: Outcomes of URLs in words.
STANDINGS = {
    "queued": "waiting", "claimed": "being fetched", "done": "fetched", "rejected": "rejected",
    "sampled": "rejected, fetched as a sample", "refused": "excluded", "failed": "fetch failed",
}  # fmt: skip
NO_PAGE = (
    "redirect",
    "sitemap",
    "feed",
    "not-a-page",
    "too-large",
    "scheme",
)  #: reasons of responses that are not pages
NUMBERS: dict[str, type] = {
    "max_pages": int, "max_pages_per_host": int, "max_pages_per_site": int, "max_depth": int, "max_seconds": float,
    "delay": float, "concurrency": int, "sample": int,
}  # fmt: skip


@router.get("/crawls")
def all_crawls(request: Request) -> Response:
    """All crawls, and the form that begins one."""
    values = {
        "crawls": request.app.state.crawls.states(),
        "strategies": STRATEGIES,
        "given": {name: request.query_params.get(name, "") for name in ("seeds", "language", "include")},
    }
    return shown(request, "crawls.html", values)


@router.post("/crawls")
def start(request: Request, form: CheckedForm) -> Response:
    """Start a crawl."""
    name = "-".join(str(form.get("name", "")).split()) or time.strftime("crawl-%Y%m%d-%H%M%S")
    values, labels = _settings(form), form.get("labels")
    has_labels = isinstance(labels, UploadFile) and labels.filename
    if has_labels and values["strategy"] != "filter":
        raise BadConfig("labelled URLs: only the strategy filter is trained on them")
    file = (labels.file, labels.filename or "") if isinstance(labels, UploadFile) and has_labels else None
    request.app.state.crawls.start(name, values, file)
    return RedirectResponse(f"/crawls/{name}", 303)


@router.get("/crawls/{name}")
def one_crawl(request: Request, name: str, url: str = "") -> Response:
    """A crawl: live figures, and why a URL was fetched or skipped."""
    folder = request.app.state.crawls.path(name).absolute() / "warc"
    values = _figures(request, name) | {
        "url": url,
        "why": None,
        "evidence": [],
        "error": "",
        "folder": folder,
    }
    if url.strip():
        try:
            values["why"] = answer = _why(request, name, url.strip())
            values["evidence"] = _voices(answer["evidence"])
        except LinksightError as error:
            values["error"] = str(error)
    return shown(request, "crawl.html", values)


@router.get("/crawls/{name}/part")
def part(request: Request, name: str) -> Response:
    """Only the figures, for the page's script."""
    return shown(request, "parts/crawl.html", _figures(request, name))


@router.post("/crawls/{name}/{action}")
def act(request: Request, name: str, action: str, form: CheckedForm) -> Response:
    """Pause, resume or stop."""
    crawls = request.app.state.crawls
    if action == "resume":
        crawls.resume(name, _most_pages(form))
    elif action in ("pause", "stop"):
        crawls.pause(name, is_final=action == "stop")
    else:
        raise BadConfig(f"unknown action {action[:40]!r}")
    return RedirectResponse(f"/crawls/{name}", 303)


def _most_pages(form: FormData) -> int | None:
    """The raised limit of a crawl that has reached its own."""
    text = str(form.get("max_pages", "")).strip()
    if text and not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) < 10**9):
        raise BadConfig(f"maximum pages: a number from 1 on, not {text[:40]!r}")
    return int(text) if text else None


@router.get("/crawls/{name}/report")
def report(request: Request, name: str) -> Response:
    """The current report of a crawl in a frame."""
    request.app.state.crawls.path(name)
    return shown(request, "frame.html", {"title": f"Report of {name}", "back": f"/crawls/{name}",
                                         "source": f"/crawls/{name}/report.html"})  # fmt: skip


@router.get("/crawls/{name}/archive.wacz")
def archive(request: Request, name: str) -> Response:
    """The pages of a crawl as one WACZ file, written for this download."""
    from linksight.crawl.archive.wacz import write_wacz
    from linksight.crawl.report.crawl_queries import Ledger

    folder = request.app.state.crawls.path(name)
    target = folder / f"download-{secrets.token_hex(8)}.wacz"
    with Ledger.open(folder) as ledger:
        write_wacz(ledger, folder, target)
    return FileResponse(target, filename=f"{name}.wacz", background=BackgroundTask(target.unlink))


@router.get("/crawls/{name}/report.html")
def report_file(request: Request, name: str) -> Response:
    """The report itself, under the policy for foreign pages: its addresses and hosts are foreign."""
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.html_report import html_report

    with Ledger.open(request.app.state.crawls.path(name)) as ledger:
        text = html_report(ledger, ledger.as_dict())
    return HTMLResponse(text.encode("utf-8", "replace"), headers={"content-security-policy": FOREIGN_POLICY})


def _figures(request: Request, name: str) -> dict[str, Any]:
    crawls = request.app.state.crawls
    state = crawls.state(name)
    found: dict[str, Any] = {
        "crawl": state, "plots": [], "hosts": [], "reasons": [], "languages": {}, "latest": [], "rejected": 0,
        "speed": 0.0, "pages": 0, "hits": 0, "harvest": 0.0, "progress": None, "has_wacz": False,
    }  # fmt: skip
    if not state.totals:
        return found
    figures = read_figures(crawls.path(name), state.language)
    # Workers add their seconds when they end: those of a running worker are not in the totals yet.
    speed = (
        figures.pace
        if state.phase == "running" and figures.pace
        else _overall_speed(state.totals, figures.pages)
    )
    reasons = [
        (standing(where, reason), explain_reason(reason), n)
        for where, counts in figures.reasons.items()
        for reason, n in counts.items()
    ]
    return found | {
        "pages": figures.pages, "hits": figures.hits, "harvest": figures.harvest, "hosts": figures.hosts,
        "languages": figures.languages, "latest": figures.latest, "rejected": figures.rejected, "speed": speed,
        "reasons": sorted(reasons, key=lambda row: -row[2])[:20], "plots": _plots(figures.timeline),
        "progress": progress_of(state, figures, speed), "has_wacz": state.phase != "running" and figures.pages > 0,
    }  # fmt: skip


def standing(state: str, reason: str) -> str:
    """The outcome of URLs with this state and reason.

    >>> standing("done", "looks-right"), standing("done", "status-404"), standing("sampled", "looks-wrong")
    ('fetched', 'fetched, not a page', 'rejected, fetched as a sample')
    """
    is_page = reason not in NO_PAGE and not reason.startswith("status-")
    return STANDINGS[state] if is_page or state != "done" else "fetched, not a page"


def _overall_speed(totals: dict[str, Any], pages: int) -> float:
    """Pages a second of all workers; from the first to the last page where no worker has ended."""
    seconds = totals["seconds"] or ((totals["last"] or 0) - (totals["first"] or 0))
    return pages / seconds if seconds else 0.0


def _plots(hits: list[bool]) -> list[Any]:
    if not hits:
        return []
    from linksight.crawl.report.crawl_queries import running

    window = max(10, len(hits) // 20)
    ends = [*range(window, len(hits), window), len(hits)]  # the last window overlaps the one before
    shares = [(float(end), sum(hits[max(end - window, 0) : end]) / min(end, window)) for end in ends]
    lines = {
        "in the language": running(hits),
        "all pages": [(0.0, 0.0), (float(len(hits)), float(len(hits)))],
    }
    plots = [line_plot("Harvest", lines, "pages fetched")]
    if len(shares) > 1:
        plots.append(line_plot(f"Share in the language, {window} pages at a time", {"share": shares}, "pages fetched",
                               percent=True))  # fmt: skip
    return plots


def explain_reason(reason: str) -> str:
    """The reason of a URL's state in words."""
    from linksight.crawl.report.explain import explain

    return str(explain(reason))


def _why(request: Request, name: str, url: str) -> dict[str, Any]:
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.explain import why

    with Ledger.open(request.app.state.crawls.path(name)) as ledger:
        return why(ledger, url)


def _voices(evidence: dict[str, float]) -> list[tuple[str, float]]:
    """The evidence for or against a URL, in words; zero weights are left out."""
    from linksight.crawl.report.explain import VOICES

    found = ((words, evidence.get(name, 0.0)) for name, words in VOICES.items())
    return [(words, value) for words, value in found if abs(value) >= 0.005]


def _settings(form: FormData) -> dict[str, Any]:
    """The settings of the form, checked."""
    strategy = str(form.get("strategy") or "adaptive")
    if strategy not in STRATEGIES:
        raise BadConfig(f"strategy: one of {', '.join(STRATEGIES)}")
    lines = (line.strip() for line in str(form.get("seeds", "")).splitlines())
    contact = str(form.get("contact", "")).strip()
    values: dict[str, Any] = {
        "language": str(form.get("language", "")).strip() or "und",
        "seeds": [line for line in lines if line and not line.startswith("#")],
        "include": [line.strip() for line in str(form.get("include", "")).splitlines() if line.strip()],
        "strategy": strategy,
        "keep": "target" if form.get("keep") == "target" else "all",
        **({"contact": contact[:200]} if contact else {}),
    }
    for name, kind in NUMBERS.items():
        text = str(form.get(name, "")).strip()
        if text:
            try:
                values[name] = kind(text)
            except ValueError:
                raise BadConfig(f"{name}: a number, not {text[:40]!r}") from None
    return values
