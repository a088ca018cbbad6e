"""Crawls: start, watch, pause, resume, stop, report, and why a URL was skipped."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response

from linksight.errors import BadConfig, LinksightError
from linksight.studio.rendering.line_charts import line_plot
from linksight.studio.security import FOREIGN_POLICY, CheckedForm
from linksight.studio.templating import shown

router = APIRouter()
#: Only names from this list: a strategy may also be a Python file, which no visitor may choose.
STRATEGIES = {
    "adaptive": "adaptive, learns as it goes",
    "classifier": "classifier, the URL alone",
    "filter": "filter, country domain or yes",
    "cctld": "cctld, country domains only",
    "breadth-first": "breadth-first, every link",
    "random": "random, any link",
}
#: What became of URLs, for people.
STANDINGS = {
    "queued": "waiting", "claimed": "being fetched", "done": "fetched", "rejected": "rejected",
    "sampled": "rejected, fetched as a sample", "refused": "not to be fetched", "failed": "could not be fetched",
}  # fmt: skip
NO_PAGE = ("redirect", "sitemap", "feed", "not-a-page", "too-large", "scheme")  #: reasons of what was no page
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
        "may_choose_store": may_choose_store(request),
    }
    return shown(request, "crawls.html", values)


@router.post("/crawls")
def start(request: Request, form: CheckedForm) -> Response:
    """Begin a crawl."""
    name = "-".join(str(form.get("name", "")).split()) or time.strftime("crawl-%Y%m%d-%H%M%S")
    values, labels = _settings(form), form.get("labels")
    if store := str(form.get("store", "")).strip():
        values["store"] = _checked_store(request, store)
    given = isinstance(labels, UploadFile) and labels.filename
    if given and values["strategy"] != "filter":
        raise BadConfig("labelled URLs: only the strategy filter is trained on them")
    file = (labels.file, labels.filename or "") if isinstance(labels, UploadFile) and given else None
    request.app.state.crawls.start(name, values, file)
    return RedirectResponse(f"/crawls/{name}", 303)


@router.get("/crawls/{name}")
def one_crawl(request: Request, name: str, url: str = "") -> Response:
    """A crawl: live figures, and the answer to why."""
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
            values["why"] = told = _why(request, name, url.strip())
            values["evidence"] = _voices(told["evidence"])
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
        crawls.pause(name, for_good=action == "stop")
    else:
        raise BadConfig(f"unknown action {action[:40]!r}")
    return RedirectResponse(f"/crawls/{name}", 303)


def _most_pages(form: FormData) -> int | None:
    """The raised limit of a crawl that has reached its own."""
    text = str(form.get("max_pages", "")).strip()
    if text and not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) < 10**9):
        raise BadConfig(f"pages at most: a number from 1 on, not {text[:40]!r}")
    return int(text) if text else None


@router.get("/crawls/{name}/report")
def report(request: Request, name: str) -> Response:
    """The report of a crawl, as it is now, around the file that needs nothing else."""
    request.app.state.crawls.path(name)
    return shown(request, "frame.html", {"title": f"Report of {name}", "back": f"/crawls/{name}",
                                         "source": f"/crawls/{name}/report.html"})  # fmt: skip


@router.get("/crawls/{name}/report.html")
def report_file(request: Request, name: str) -> Response:
    """The report itself; the addresses and hosts in it are foreign, so it is shown as such."""
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.html_report import html_report

    with Ledger.open(request.app.state.crawls.path(name)) as ledger:
        text = html_report(ledger, ledger.as_dict())
    return HTMLResponse(text.encode("utf-8", "replace"), headers={"content-security-policy": FOREIGN_POLICY})


def _figures(request: Request, name: str) -> dict[str, Any]:
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.explain import explain

    crawls = request.app.state.crawls
    state = crawls.state(name)
    told: dict[str, Any] = {
        "crawl": state,
        "plots": [],
        "hosts": [],
        "reasons": [],
        "languages": {},
        "rejected": 0,
        "speed": 0.0,
    }
    if not state.totals:
        return told
    with Ledger.open(crawls.path(name)) as ledger:
        hits, lately = ledger.timeline(), ledger.pace()
        told["hosts"], told["languages"] = ledger.hosts(10), ledger.languages()
        told["rejected"] = ledger.missed().population  # with those of the sample, as the report counts them
        why = [
            (standing(where, reason), explain(reason), n)
            for where, counts in ledger.reasons().items()
            for reason, n in counts.items()
        ]
        told["reasons"] = sorted(why, key=lambda row: -row[2])[:20]
    # The seconds of a worker are added up when it ends: those of the one at work are not there yet.
    told["speed"] = lately if state.phase == "running" and lately else _overall_speed(state.totals)
    told["plots"] = _plots(hits)
    return told


def standing(state: str, reason: str) -> str:
    """What became of URLs with this state and reason: what was asked for need not be a page.

    >>> standing("done", "looks-right"), standing("done", "status-404"), standing("sampled", "looks-wrong")
    ('fetched', 'asked for, no page', 'rejected, fetched as a sample')
    """
    is_page = reason not in NO_PAGE and not reason.startswith("status-")
    return STANDINGS[state] if is_page or state != "done" else "asked for, no page"


def _overall_speed(totals: dict[str, Any]) -> float:
    """Pages a second of all workers together; by the first page and the last where no worker has ended."""
    seconds = totals["seconds"] or ((totals["last"] or 0) - (totals["first"] or 0))
    return totals["pages"] / seconds if seconds else 0.0


def _plots(hits: list[bool]) -> list[Any]:
    if not hits:
        return []
    from linksight.crawl.report.crawl_queries import running

    window = max(10, len(hits) // 20)
    ends = [*range(window, len(hits), window), len(hits)]  # the last one with some pages of the one before
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


def _why(request: Request, name: str, url: str) -> dict[str, Any]:
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.explain import why

    with Ledger.open(request.app.state.crawls.path(name)) as ledger:
        return why(ledger, url)


def _voices(evidence: dict[str, float]) -> list[tuple[str, float]]:
    """What spoke for or against a URL, in words; what says nothing is left out, as on the command line."""
    from linksight.crawl.report.explain import VOICES

    found = ((words, evidence.get(name, 0.0)) for name, words in VOICES.items())
    return [(words, value) for words, value in found if abs(value) >= 0.005]


def may_choose_store(request: Request) -> bool:
    """Whether visitors may name a database: the studio connects to it on their behalf."""
    settings = request.app.state.settings
    return bool(settings.is_local or settings.allow_private)


def _checked_store(request: Request, store: str) -> str:
    if not may_choose_store(request):
        raise BadConfig("store: a visitor from elsewhere may not choose a database (see --allow-private)")
    if not store.startswith(("postgresql://", "postgresql+psycopg://")):
        raise BadConfig("store: postgresql://user@host/database, or nothing for a file of the crawl's own")
    return store


def _settings(form: FormData) -> dict[str, Any]:
    """The settings that a visitor may choose, checked for what they are."""
    strategy = str(form.get("strategy") or "adaptive")
    if strategy not in STRATEGIES:
        raise BadConfig(f"strategy: one of {', '.join(STRATEGIES)}")
    lines = (line.strip() for line in str(form.get("seeds", "")).splitlines())
    values: dict[str, Any] = {
        "language": str(form.get("language", "")).strip() or "und",
        "seeds": [line for line in lines if line and not line.startswith("#")],
        "strategy": strategy,
        "keep": "target" if form.get("keep") == "target" else "all",
    }
    for name, kind in NUMBERS.items():
        text = str(form.get(name, "")).strip()
        if text:
            try:
                values[name] = kind(text)
            except ValueError:
                raise BadConfig(f"{name}: a number, not {text[:40]!r}") from None
    return values
