"""Tasks of the workbench that run as jobs: gathering and learning a site, and evaluating it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.datastructures import FormData, UploadFile

from linksight.errors import BadConfig, BadData, LinksightError
from linksight.studio.config import Settings
from linksight.studio.jobs import Cancelled, Job
from linksight.studio.services.upload_limits import TableLimits, check_table
from linksight.studio.services.uploads import column_of, save_upload
from linksight.studio.services.workbench.learning_process import learn_apart
from linksight.studio.services.workbench.shared_workbench import patterns_of

if TYPE_CHECKING:
    from linksight.sites.evaluation.class_rules import ClassRule
    from linksight.sites.workbench.hub_repository import Hub
    from linksight.sites.workbench.workbench import Workbench

Task = dict[str, Any]
FILES = ("urls", "cdx", "warc")
WEB = ("auto", "form", "sitemap", "crawl")
CURATED = "curated patterns"  #: the mode of an evaluation of the patterns as edited


def learning_task(bench: Workbench, form: FormData, settings: Settings, folder: Path) -> Task:
    """The task that a form describes; saves its files in the folder."""
    task = _form_settings(form, settings)
    try:
        task |= _uploaded_files(form, folder, task["source"], task["home"], settings)
        task["name"] = _free_name(bench.sites(), task, has_name=bool(str(form.get("name", "")).strip()))
    except LinksightError as error:
        raise _with_visitor_filename(error, folder, task.get("filename") or _filename(form)) from None
    return task


def learn(bench: Workbench, job: Job) -> str:
    """Learn a site; remove it if nothing was gathered."""
    task = job.task or {}
    if task.get("site"):
        return f"/sites/{learn_apart(job, task)}"
    known = {row["name"] for row in bench.sites()}
    folder = Path(task["files"][0]).parent if task["files"] else None
    try:
        return f"/sites/{learn_apart(job, task)}"
    except (Cancelled, LinksightError) as error:
        if task["name"] not in known:
            _forget(bench, task["name"], is_file=bool(task["files"]))
        raise (_with_visitor_filename(error, folder, task["filename"]) if folder else error) from None


def _form_settings(form: FormData, settings: Settings) -> Task:
    """The source and its options, as the subprocess reads them."""
    source, home = str(form.get("source") or "auto"), str(form.get("home", "")).strip()
    if source not in FILES + WEB:
        raise BadConfig(f"unknown source {source[:40]!r}")
    if source == "auto" and not home:
        source = _uploaded_kind(form) or source
    if home and "://" not in home:
        home = f"https://{home}"
    hubs, delay = _integer(form, "hubs", 100, 1, 1000), _number(form, "delay", 1.0)
    search = {"n_keywords": _integer(form, "keywords", 20, 1, 200), "n_rounds": _integer(form, "rounds", 5, 1, 50),
              "threads": _integer(form, "threads", 4, 1, 16)}  # fmt: skip
    if delay < 0:
        raise BadConfig(f"delay: 0 or more, not {delay:g}")
    return {
        "store": settings.workbench, "home": home, "source": source, "allow_private": settings.allow_private,
        "hubs": hubs, "delay": delay, "search": search, "render": bool(form.get("render")) and source in WEB,
    }  # fmt: skip


def _uploaded_files(form: FormData, folder: Path, source: str, home: str, settings: Settings) -> Task:
    """The files of the form, now in the folder, the column of their URLs, and the name of the site."""
    from linksight.sites.gathering.gather import site_name

    limits = TableLimits(settings.max_urls, settings.max_decoded)
    files = _files(form, folder) if source in FILES else ()
    if not home and not files:
        raise BadData("give the address of a site, or a file and what it holds")
    if source == "cdx":
        with files[0].open("rb") as file:
            check_table(file, _filename(form), "text", limits)
    return {
        "name": str(form.get("name", "")).strip()[:200] or (site_name(home) if home else _filename(form)),
        "filename": _filename(form),
        "column": column_of(files[0], _filename(form), limits) if source == "urls" else None,
        "files": [str(path.resolve()) for path in files],
    }


def _free_name(sites: list[dict[str, Any]], task: dict[str, Any], *, has_name: bool) -> str:
    """A name for the site that does not overwrite another site."""
    from linksight.sites.gathering.gather import site_name

    name, known = str(task["name"]), {row["name"]: row for row in sites}
    row = known.get(name)
    if row is None:
        return name
    if task["files"] and not has_name:  # such as the second list that is pasted
        return next(free for k in count(2) if (free := f"{name} {k}") not in known)
    is_list = row["source"] in FILES
    if is_list != bool(task["files"]) or not (is_list or site_name(row["home"]) == site_name(task["home"])):
        of = row["home"] or "learnt from a file"
        raise BadData(
            f"a site named {name!r} is there already ({of}): choose another name, or forget that one"
        )
    if not is_list and row["state"] == "gathered":
        raise BadData(
            f"{name} is gathered already: learn again from the same links on its page, or forget it there first"
        )
    return name


def _with_visitor_filename(error: Exception, folder: Path, filename: str) -> Exception:
    """The error with the visitor's name of a file instead of that of the copy."""
    for path in folder.resolve().glob("*"):
        if str(path) in str(error):
            return BadData(str(error).replace(str(path), filename))
    return error


def relearning_task(site: int, form: FormData, settings: Settings) -> Task:
    """Learn again from the stored hubs, with other options."""
    from linksight.sites.learning.learner import LearnOptions

    template = str(form.get("template", "")).strip()
    options: dict[str, Any] = {
        "alpha": _number(form, "alpha", 0.05), "near_one": _number(form, "near_one", 0.05),
        "template": _number(form, "template", 1.0) if template else None,
        "min_share": _number(form, "min_share", 0.0), "min_urls": _integer(form, "min_urls", 1, 1, 1_000_000),
        "refine": not form.get("paper"),
    }  # fmt: skip
    LearnOptions(**options).check()
    return {"store": settings.workbench, "site": site, "options": options}


def _forget(bench: Workbench, name: str, *, is_file: bool) -> None:
    """Remove an unfinished site of a file; one of the web stays if something was gathered."""
    for row in bench.sites():
        if row["name"] == name and (is_file or not bench.counts(row["id"])):
            bench.forget_site(row["id"])


def evaluation_task(site: int, form: FormData, settings: Settings, folder: Path) -> Task:
    """The rules or the table of a form, checked."""
    text, file = str(form.get("rules", "")), form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        from linksight.bulk.sources import kind_of

        check_table(file.file, file.filename, kind_of(file.filename) or "csv",
                    TableLimits(settings.max_urls, settings.max_decoded))  # fmt: skip
        task: Task = {"table": str(save_upload(file.file, file.filename, folder)), "filename": file.filename}
    elif text.strip():
        _rules(text)
        task = {"rules": text}
    else:
        raise BadData("give rules for the classes, or a table with the columns url and class")
    return task | {
        "site": site,
        "mapping": _lines_of_rules(str(form.get("mapping", "")), "patterns: ", "author = person"),
    }


def evaluate(bench: Workbench, job: Job) -> str:
    """Learn from half of the hubs, classify the other half, and store the measures; also of the curated patterns."""
    from linksight.sites.evaluation.metrics import MODES
    from linksight.sites.evaluation.metrics import evaluate as measure

    task = job.task or {}
    hubs = bench.hubs(task["site"], with_body=True)
    table = task.get("table")
    labels = _labels_in(Path(table), task["filename"]) if table else _labels(job, hubs, _rules(task["rules"]))
    links, seconds = [hub.urls for hub in hubs], [hub.seconds for hub in hubs]
    measured = []
    for step, mode in enumerate(MODES):
        job.progress(step, len(MODES) + 1, mode)
        measured.append(measure(links, labels, mode, seconds=seconds))
    job.progress(len(MODES), len(MODES) + 1, CURATED)
    if curated := patterns_of(bench, task["site"]):
        classes = {name: name for name in labels.values()} | task.get("mapping", {})
        found = measure(links, labels, "supervised", patterns=curated, mapping=classes, seconds=seconds)
        measured.append(replace(found, mode=CURATED))
    job.progress(len(MODES) + 1, len(MODES) + 1, "storing")  # a cancelled job stores nothing
    for found in measured:
        scores = (found.precision, found.recall, found.f1)
        bench.add_evaluation(task["site"], found.mode, scores, found.as_dict())
    return f"/sites/{task['site']}?tab=evaluation"


def _labels_in(table: Path, name: str) -> dict[str, str]:
    """The class of each link in an uploaded table."""
    from linksight.sites.evaluation.class_rules import TABLES, read_table

    ending = next((suffix for suffix in TABLES if name.lower().endswith(suffix)), ".csv")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"table{ending}"
        copy.write_bytes(table.read_bytes())
        try:
            return read_table(str(copy))
        except BadData as error:
            raise BadData(str(error).replace(str(copy), Path(name).name[:100])) from None


def _labels(job: Job, hubs: list[Hub], rules: list[ClassRule]) -> dict[str, str]:
    """The class of each link by the visitor's rules, which run in a subprocess with limits."""
    from linksight.sites.evaluation.sandbox import label_apart

    if not any(hub.body for hub in hubs) and any(rule.kind != "regex" for rule in rules):
        raise BadData(
            "xpath and css read pages, and a list has no pages: use regular expressions on the URL, or a table"
        )
    job.progress(0, 0, "trying the rules on the pages")
    try:
        return label_apart(
            hubs, rules, linear=True, began=lambda child: setattr(job, "on_cancel", child.kill)
        )
    except LinksightError:
        job.progress(0)  # a cancelled job has not failed
        raise
    finally:
        job.on_cancel = None


def _rules(text: str) -> list[ClassRule]:
    """Class rules as TOML, or as lines of ``name = regular expression``."""
    import tomllib

    from linksight.sites.evaluation.class_rules import check_length, parse_rules

    check_length(text, "rules")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        data = _json_object(text) or _lines_of_rules(text)
    classes = data.get("classes", data)
    return parse_rules(classes)


def _json_object(text: str) -> dict[str, Any] | None:
    """The rules of a JSON object; None if the text is not one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _lines_of_rules(
    text: str, what: str = "classes: ", example: str = "product = /product/"
) -> dict[str, str]:
    """The rules of lines ``name = value``; the first invalid line is an error."""
    rules = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, _, rule = (part.strip() for part in line.partition("="))
        if name and rule:
            rules[name] = rule
        elif line.strip():
            raise BadData(f"{what}line {number}, {line.strip()[:60]!r}, is not of the form: {example}")
    return rules


def _files(form: FormData, folder: Path) -> tuple[Path, ...]:
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        return (save_upload(file.file, file.filename, folder),)
    if str(form.get("urls", "")).strip():
        path = folder / "urls.txt"
        path.write_text(str(form["urls"]), encoding="utf-8", errors="replace")
        return (path,)
    raise BadData("this source needs a file")


def _uploaded_kind(form: FormData) -> str:
    """The kind of the dropped or pasted input; empty if the form has neither."""
    from linksight.sites.gathering.link_sources import kind_of_file

    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        return kind_of_file(file.filename)
    return "urls" if str(form.get("urls", "")).strip() else ""


def _filename(form: FormData) -> str:
    file = form.get("file")
    return (file.filename or "upload") if isinstance(file, UploadFile) and file.filename else "pasted URLs"


def _number(form: FormData, name: str, default: float) -> float:
    text = str(form.get(name) or default)
    try:
        value = float(text)
    except ValueError:
        raise BadConfig(f"{name}: a number, not {text[:40]!r}") from None
    if value != value or abs(value) > 1e9:
        raise BadConfig(f"{name}: a number, not {text[:40]!r}")
    return value


def _integer(form: FormData, name: str, default: int, least: int, most: int) -> int:
    value = int(_number(form, name, default))
    if not least <= value <= most:
        raise BadConfig(f"{name}: {least} to {most}, not {value}")
    return value
