"""The pattern workbench: sites, learning, patterns, annotation, evaluation, exports."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from linksight.errors import BadData
from linksight.studio import tasks
from linksight.studio.jobs import Job
from linksight.studio.rendering.url_list_view import LISTS, Listing
from linksight.studio.responses import NotThere
from linksight.studio.security import CheckedForm
from linksight.studio.services.workbench.learning_tasks import evaluation_task, learning_task, relearning_task
from linksight.studio.services.workbench.shared_workbench import patterns_of
from linksight.studio.templating import shown, visitor_of

if TYPE_CHECKING:
    from linksight.sites.patterns.pattern import PatternSet
    from linksight.sites.workbench.workbench import Workbench

router = APIRouter()
TABS = {
    "patterns": "Patterns", "tree": "Tree", "hubs": "Hubs", "evaluation": "Evaluation", "export": "Export",
    "history": "History",
}  # fmt: skip
MEDIA = {"json": "application/json", "csv": "text/csv"}


@router.get("/sites")
def all_sites(request: Request) -> Response:
    """All sites of the workbench, and the form that learns one more."""
    state = request.app.state
    jobs = state.jobs.open("learn", "evaluate")
    values = {"sites": state.workbench.open().sites(), "jobs": jobs, "lists": LISTS}
    return shown(request, "sites.html", values)


@router.post("/sites/learn")
def learn(request: Request, form: CheckedForm) -> Response:
    """Gather and learn in the background."""
    state = request.app.state
    bench, job = state.workbench.open(), Job("learn", "", back="/sites", owner=visitor_of(request))

    def prepare(folder: Path) -> dict[str, Any]:
        task = learning_task(bench, form, state.settings, folder)
        job.title = f"Learn the patterns of {task['name']}"
        return task

    tasks.submit(state, job, prepare)
    return RedirectResponse(f"/jobs/{job.id}", 303)


@router.get("/sites/{number}")
def one_site(request: Request, number: int, tab: str = "patterns") -> Response:
    """A site, a tab at a time."""
    bench = request.app.state.workbench.open()
    site = found(bench, number)
    patterns = patterns_of(bench, number)
    tab = tab if tab in TABS else "patterns"
    is_list = site["source"] in LISTS
    values: dict[str, Any] = {
        "site": site, "patterns": patterns, "tab": tab, "tabs": TABS | ({"hubs": "List"} if is_list else {}),
        "match": "", "matched": None, "version": bench.version(number), "counts": bench.counts(number), "is_list": is_list, "listing": None,
    }  # fmt: skip
    if tab == "hubs" and is_list:
        values["listing"] = _listing(bench, number, patterns, request)
    elif tab in _PARTS:
        values |= _PARTS[tab](bench, number, patterns)
    if tab == "patterns" and patterns:
        values["mixes"] = request.app.state.mixes.of(bench, number, patterns)
        values |= _matched(patterns, request.query_params.get("match", "").strip())
    return shown(request, "site.html", values)


@router.get("/sites/{number}/changed")
def changed(request: Request, number: int, version: int = 0) -> Response:
    """A banner, if someone else has changed the patterns since."""
    bench = request.app.state.workbench.open()
    values = {"site": found(bench, number), "version": version, "is_new": bench.version(number) != version}
    return shown(request, "parts/changed.html", values)


@router.post("/sites/{number}/annotate")
def annotate(request: Request, number: int, form: CheckedForm) -> Response:
    """Rename, merge, discard, colour, undo or redo; never over someone else's change."""
    bench, action = request.app.state.workbench.open(), str(form.get("action", ""))
    found(bench, number)
    if action in ("undo", "redo"):
        try:
            (bench.undo if action == "undo" else bench.redo)(number, _version(form))
        except BadData as error:
            raise HTTPException(409, str(error)) from None
    else:
        # For the history: the old and the new names of the patterns.
        was = [str(form.get(f"was-{x}") or x)[:200] for x in form.getlist("id")]
        name = str(form.get("name", "")).strip()[:200] if action in ("rename", "merge") else ""
        bench.annotate(number, action[:20], _change(action, form), who=str(form.get("who", ""))[:60],
                       was=was, name=name)  # fmt: skip
    return RedirectResponse(f"/sites/{number}", 303)


@router.post("/sites/{number}/relearn")
def relearn(request: Request, number: int, form: CheckedForm) -> Response:
    """Learn again from the hubs that are there, with other options."""
    state = request.app.state
    site = found(state.workbench.open(), number)
    job = Job("learn", f"Patterns of {site['name']}", back=f"/sites/{number}", owner=visitor_of(request))
    tasks.submit(state, job, lambda folder: relearning_task(number, form, state.settings))
    return RedirectResponse(f"/jobs/{job.id}", 303)


@router.post("/sites/{number}/evaluate")
def evaluate(request: Request, number: int, form: CheckedForm) -> Response:
    """Measure the learner on this site, supervised and unsupervised."""
    state = request.app.state
    site = found(state.workbench.open(), number)
    job = Job("evaluate", f"Evaluation of {site['name']}", back=f"/sites/{number}?tab=evaluation",
              owner=visitor_of(request))  # fmt: skip
    tasks.submit(state, job, lambda folder: evaluation_task(number, form, state.settings, folder))
    return RedirectResponse(f"/jobs/{job.id}", 303)


@router.get("/sites/{number}/export")
def export(request: Request, number: int, form: str = "json", mark: bool = False) -> Response:
    """Export the patterns for another tool; CSV optionally with a byte order mark for Excel."""
    from linksight.sites.patterns.exports import export as export_patterns

    bench = request.app.state.workbench.open()
    site = found(bench, number)
    links: list[tuple[str, str]] = []
    if form == "csv":
        hubs = bench.hubs(number)
        links = [(link.url, link.anchor) for hub in hubs for link in hub.links if link.problem is None]
    text = export_patterns(bench.patterns(number), form, links)
    ending = {"scrapy": "py", "heritrix": "xml", "browsertrix": "yaml", "regex": "txt"}.get(form, form)
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", site["name"]).strip("_")[:80] or "site"  # headers are ASCII
    headers = {"content-disposition": f'attachment; filename="{name}.{ending}"'}
    body = (codecs.BOM_UTF8 if mark and form == "csv" else b"") + text.encode("utf-8", "replace")
    return Response(body, headers=headers, media_type=MEDIA.get(form, "text/plain"))


@router.post("/sites/{number}/forget")
def forget(request: Request, number: int, form: CheckedForm) -> Response:
    """Remove a site and all that belongs to it."""
    bench = request.app.state.workbench.open()
    found(bench, number)
    bench.forget_site(number)
    return RedirectResponse("/sites", 303)


def found(bench: Workbench, number: int) -> dict[str, Any]:
    """A site, or 404."""
    try:
        return bench.site(number)
    except BadData as error:
        raise NotThere(str(error)) from None


def _change(action: str, form: FormData) -> Callable[[PatternSet], PatternSet]:
    """The edit of a form, as a function of the current patterns."""
    ids = [_id(text) for text in form.getlist("id")]
    if not ids:
        raise BadData("choose at least one pattern: tick its box")
    name = str(form.get("name", "")).strip()

    def change(patterns: PatternSet) -> PatternSet:
        _check_unchanged(patterns, ids, form)
        if action == "rename":
            if not name or len(ids) > 1:
                raise BadData(
                    "a pattern needs a name" if not name else "choose one pattern to rename, or merge them"
                )
            return patterns.rename(ids[0], name)
        if action == "merge":
            return patterns.merge(*ids, name=name or None)
        if action == "discard":
            return patterns.discard(*ids)
        if action == "colour":
            from linksight.sites.patterns.pattern_names import set_colour

            return set_colour(patterns, ids[0], str(form.get("colour", "")))
        raise BadData(f"unknown action {action[:40]!r}")

    return change


def _check_unchanged(patterns: PatternSet, ids: list[int], form: FormData) -> None:
    """Optimistic locking: status 409 if the patterns changed since the visitor loaded them."""
    now = {pattern.id: pattern.name for pattern in patterns}
    for number in ids:
        was = form.get(f"was-{number}")
        if number not in now:
            raise HTTPException(
                409, f"{was or number}: a colleague has merged or discarded this pattern meanwhile"
            )
        if was is not None and str(was) != now[number]:
            raise HTTPException(
                409, f"{was}: a colleague has renamed this pattern to {now[number]!r} meanwhile"
            )


def _version(form: FormData) -> int | None:
    """The version that the visitor saw; None if the form has none."""
    text = str(form.get("version", "")) or "0"
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise HTTPException(422, f"version: a number, not {text[:40]!r}")
    return int(text) or None


def _id(text: Any) -> int:
    try:
        return int(str(text))
    except ValueError:
        raise BadData(f"no pattern {str(text)[:40]!r}") from None


def _matched(patterns: PatternSet, url: str) -> dict[str, Any]:
    """The pattern of a URL that a visitor asks about."""
    if not url:
        return {}
    [place] = patterns.match_indices([url]).tolist()
    return {"match": url, "matched": patterns.patterns[place] if place >= 0 else None}


# -- contents of the tabs -------------------------------------------------------------------------


def _tree_tab(bench: Workbench, number: int, patterns: PatternSet) -> dict[str, Any]:
    from linksight.sites.learning.p_estimators import estimator_tree

    hubs = bench.hubs(number)
    names = {p.id: p for p in patterns}
    return {"trees": estimator_tree(patterns, [hub.urls for hub in hubs]) if patterns else [], "names": names}


def _listing(bench: Workbench, number: int, patterns: PatternSet, request: Request) -> Listing | None:
    """The list that a site was learnt from, filtered by the query; None if it was not read yet."""
    query = request.query_params
    page = int(query["page"]) if query.get("page", "").isdecimal() and len(query["page"]) < 9 else 1
    for hub in bench.hubs(number):
        return Listing.of(hub, patterns, query.get("pattern", ""), page)
    return None


def _hubs_tab(bench: Workbench, number: int, patterns: PatternSet) -> dict[str, Any]:
    hubs = bench.hubs(number, usable_only=False)
    return {"hubs": sorted(hubs, key=lambda hub: hub.problem is not None)}


def _evaluation_tab(bench: Workbench, number: int, patterns: PatternSet) -> dict[str, Any]:
    from linksight.sites.evaluation.sandbox import LIMITS

    return {"evaluations": bench.evaluations(number)[::-1], "limits": str(LIMITS)}


def _history_tab(bench: Workbench, number: int, patterns: PatternSet) -> dict[str, Any]:
    return {"log": bench.annotations(number)[::-1]}


_PARTS = {
    "tree": _tree_tab,
    "hubs": _hubs_tab,
    "evaluation": _evaluation_tab,
    "history": _history_tab,
}
