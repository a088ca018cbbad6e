"""Work of the workbench that takes a while: gathering and learning a site, and measuring it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.datastructures import FormData, UploadFile

from linksight.errors import BadConfig, BadData, LinksightError
from linksight.studio.config import Settings
from linksight.studio.jobs import Cancelled, Job
from linksight.studio.services.uploads import column_of, kept
from linksight.studio.subprocess_runner import learn_apart

if TYPE_CHECKING:
    from linksight.sites.evaluation.class_rules import ClassRule
    from linksight.sites.workbench.hub_repository import Hub
    from linksight.sites.workbench.workbench import Workbench

Work = Callable[[Job], str]
FILES = ("urls", "cdx", "warc")
WEB = ("auto", "form", "sitemap", "crawl")


def learning_work(bench: Workbench, form: FormData, settings: Settings) -> tuple[str, Work]:
    """What a form asks to be learnt: its title, and the work."""
    asked = _asked(form, settings)
    folder = Path(tempfile.mkdtemp(prefix="learn-"))
    try:
        asked |= _handed_in(form, folder, asked["source"], asked["home"])
        asked["name"] = _own_name(bench.sites(), asked, is_given=bool(str(form.get("name", "")).strip()))
    except LinksightError as error:
        told = _named(error, folder, form)
        shutil.rmtree(folder, ignore_errors=True)
        raise told from None
    name, has_files = asked["name"], bool(asked["files"])

    def work(job: Job) -> str:
        known = {row["name"] for row in bench.sites()}
        try:
            return f"/sites/{learn_apart(job, asked)}"
        except (Cancelled, LinksightError) as error:
            if name not in known:
                _forget(bench, name, whole=has_files)
            raise _named(error, folder, form) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return f"Learn the patterns of {name}", work


def _asked(form: FormData, settings: Settings) -> dict[str, Any]:
    """Where to gather from, and how, as ``gatherer`` reads it."""
    source, home = str(form.get("source") or "auto"), str(form.get("home", "")).strip()
    if source not in FILES + WEB:
        raise BadConfig(f"unknown source {source[:40]!r}")
    if source == "auto" and not home:
        source = _given(form) or source
    if home and "://" not in home:
        home = f"https://{home}"
    hubs, delay = _whole(form, "hubs", 100, 1, 1000), _number(form, "delay", 1.0)
    if delay < 0:
        raise BadConfig(f"delay: 0 or more, not {delay:g}")
    return {
        "store": settings.workbench, "home": home, "source": source, "allow_private": settings.allow_private,
        "hubs": hubs, "delay": delay,
    }  # fmt: skip


def _handed_in(form: FormData, folder: Path, source: str, home: str) -> dict[str, Any]:
    """The files that came with the form, now in the folder, the column of their URLs, and the name of the site."""
    from linksight.sites.gathering.gather import site_name

    files = _files(form, folder) if source in FILES else ()
    if not home and not files:
        raise BadData("give the address of a site, or a file and what it holds")
    return {
        "name": str(form.get("name", "")).strip()[:200] or (site_name(home) if home else _filename(form)),
        "column": column_of(files[0], _filename(form)) if source == "urls" else None,
        "files": [str(path.resolve()) for path in files],
    }


def _own_name(sites: list[dict[str, Any]], asked: dict[str, Any], *, is_given: bool) -> str:
    """The name to learn under: what was gathered of another site of that name must not be written over."""
    from linksight.sites.gathering.gather import site_name

    name, known = str(asked["name"]), {row["name"]: row for row in sites}
    row = known.get(name)
    if row is None:
        return name
    if asked["files"] and not is_given:  # such as the second list that is pasted
        return next(free for k in count(2) if (free := f"{name} {k}") not in known)
    is_list = row["source"] in FILES
    if is_list != bool(asked["files"]) or not (is_list or site_name(row["home"]) == site_name(asked["home"])):
        of = row["home"] or "learnt from a file"
        raise BadData(
            f"a site named {name!r} is there already ({of}): choose another name, or forget that one"
        )
    if not is_list and row["state"] == "gathered":
        raise BadData(
            f"{name} is gathered already: learn again from the same links on its page, or forget it there to gather it anew"
        )
    return name


def _named(error: Exception, folder: Path, form: FormData) -> Exception:
    """The error with the name that the visitor knows his file by, and not with that of our copy."""
    for path in folder.resolve().glob("*"):
        if str(path) in str(error):
            return BadData(str(error).replace(str(path), _filename(form)))
    return error


def relearning_work(site: int, form: FormData, settings: Settings) -> Work:
    """Learn again from the hubs that are there, with other options."""
    options = {"alpha": _number(form, "alpha", 0.05), "refine": not form.get("paper")}
    asked = {"store": settings.workbench, "site": site, "options": options}
    return lambda job: f"/sites/{learn_apart(job, asked)}"


def _forget(bench: Workbench, name: str, *, whole: bool) -> None:
    """Of a file there is no half; what the web gave is kept, where it gave anything."""
    for row in bench.sites():
        if row["name"] == name and (whole or not bench.counts(row["id"])):
            bench.forget_site(row["id"])


def evaluation_work(bench: Workbench, site: int, form: FormData) -> Work:
    """Learn from half of the hubs, test on the other half, and keep what came of it."""
    text, file = str(form.get("rules", "")), form.get("file")
    table, name = b"", ""
    if isinstance(file, UploadFile) and file.filename:
        table, name = file.file.read(50 << 20), file.filename
    elif not text.strip():
        raise BadData("give rules for the classes, or a table with the columns url and class")
    rules: list[ClassRule] = [] if table else _rules(text)

    def work(job: Job) -> str:
        from linksight.sites.evaluation.metrics import MODES, evaluate

        hubs = bench.hubs(site, with_body=True)
        labels = _labels_in(table, name) if table else _labels(job, hubs, rules)
        measured = []
        for step, mode in enumerate(MODES):
            job.progress(step, len(MODES), mode)
            links, seconds = [hub.urls for hub in hubs], [hub.seconds for hub in hubs]
            measured.append(evaluate(links, labels, mode, seconds=seconds))
        job.progress(len(MODES), len(MODES), "storing")  # one that is cancelled leaves no half of itself
        for told in measured:
            bench.add_evaluation(site, told.mode, (told.precision, told.recall, told.f1), told.as_dict())
        return f"/sites/{site}?tab=evaluation"

    return work


def _labels_in(table: bytes, name: str) -> dict[str, str]:
    """The class of each link by a table that was uploaded."""
    from linksight.sites.evaluation.class_rules import TABLES, read_table

    ending = next((suffix for suffix in TABLES if name.lower().endswith(suffix)), ".csv")
    with tempfile.NamedTemporaryFile(suffix=ending) as copy:
        copy.write(table)
        copy.flush()
        try:
            return read_table(copy.name)
        except BadData as error:
            raise BadData(str(error).replace(copy.name, Path(name).name[:100])) from None


def _labels(job: Job, hubs: list[Hub], rules: list[ClassRule]) -> dict[str, str]:
    """The class of each link by the rules of a visitor, which may be such that they never end."""
    from linksight.sites.evaluation.sandbox import label_apart

    if not any(hub.body for hub in hubs) and any(rule.kind != "regex" for rule in rules):
        raise BadData(
            "xpath and css look at pages, and of a list there are none: use regular expressions on the URL, or a table"
        )
    job.progress(0, 0, "trying the rules on the pages")
    try:
        return label_apart(
            hubs, rules, linear=True, began=lambda child: setattr(job, "on_cancel", child.kill)
        )
    except LinksightError:
        job.progress(0)  # one that was cancelled has not failed
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
    """What was copied from a file of JSON; None where it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _lines_of_rules(text: str) -> dict[str, str]:
    """The rules of lines; the first that is none is named."""
    rules = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, _, rule = (part.strip() for part in line.partition("="))
        if name and rule:
            rules[name] = rule
        elif line.strip():
            told = f"line {number}, {line.strip()[:60]!r}, is not written name = regular expression"
            raise BadData(f"classes: {told}, such as: product = /product/")
    return rules


def _files(form: FormData, folder: Path) -> tuple[Path, ...]:
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        return (kept(file.file, file.filename, folder),)
    if str(form.get("urls", "")).strip():
        path = folder / "urls.txt"
        path.write_text(str(form["urls"]), encoding="utf-8", errors="replace")
        return (path,)
    raise BadData("this source needs a file")


def _given(form: FormData) -> str:
    """What was dropped or pasted, where nobody said what it is; empty where nothing was."""
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


def _whole(form: FormData, name: str, default: int, least: int, most: int) -> int:
    value = int(_number(form, name, default))
    if not least <= value <= most:
        raise BadConfig(f"{name}: {least} to {most}, not {value}")
    return value
