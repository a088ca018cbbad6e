"""Work of the workbench that takes a while: gathering and learning a site, and measuring it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.datastructures import FormData, UploadFile

from linksight.errors import BadConfig, BadData
from linksight.studio.jobs import Job
from linksight.studio.settings import Settings
from linksight.studio.uploads import kept

if TYPE_CHECKING:
    from linksight.sites.workbench import Workbench

Work = Callable[[Job], str]
FILES = ("urls", "cdx", "warc")
WEB = ("auto", "form", "sitemap", "crawl")


def learning_work(bench: Workbench, form: FormData, settings: Settings) -> tuple[str, Work]:
    """What a form asks to be learnt: its title, and the work."""
    from linksight.sites.fetch import FetchOptions
    from linksight.sites.gathering import Gathering, learn_site, site_name
    from linksight.sites.hubs import HubOptions

    source, home = str(form.get("source") or "auto"), str(form.get("home", "")).strip()
    if source not in FILES + WEB:
        raise BadConfig(f"unknown source {source[:40]!r}")
    if home and "://" not in home:
        home = f"https://{home}"
    folder = Path(tempfile.mkdtemp(prefix="learn-"))
    files = _files(form, folder) if source in FILES else ()
    if not home and not files:
        raise BadData("give the address of a site, or a file")
    name = str(form.get("name", "")).strip()[:200] or (site_name(home) if home else _filename(form))
    hubs = HubOptions(n_hubs=_whole(form, "hubs", 100, 1, 1000))
    fetch = FetchOptions(delay_s=max(_number(form, "delay", 1.0), 0.0), allow_private=settings.allow_private)

    def work(job: Job) -> str:
        def progress(done: int, wanted: int, what: str) -> None:
            job.progress(done, wanted, f"{done} of {wanted} hubs, last: {what}")

        try:
            job.progress(0, 0, "looking at the site" if not files else "reading the file")
            known = {row["name"]: row["id"] for row in bench.sites()}
            if files and name in known:
                bench.forget_site(known[name])
            number = Gathering(bench, home, name, source, files, hubs, fetch, progress).run()
            job.progress(job.total, job.total, "learning")
            learn_site(bench, number)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return f"/sites/{number}"

    return f"Learn the patterns of {name}", work


def evaluation_work(bench: Workbench, site: int, form: FormData) -> Work:
    """Learn from half of the hubs, test on the other half, and keep what came of it."""
    from linksight.sites.labels import ClassRule

    text, file = str(form.get("rules", "")), form.get("file")
    table = b""
    if isinstance(file, UploadFile) and file.filename:
        table = file.file.read(50 << 20)
    elif not text.strip():
        raise BadData("give rules for the classes, or a CSV table with the columns url and class")
    rules: list[ClassRule] = [] if table else _rules(text)

    def work(job: Job) -> str:
        from linksight.sites.evaluation import MODES, evaluate
        from linksight.sites.labels import label_links, read_table

        hubs = bench.hubs(site, with_body=True)
        if table:
            with tempfile.NamedTemporaryFile(suffix=".csv") as copy:
                copy.write(table)
                copy.flush()
                labels = read_table(copy.name)
        else:
            labels = label_links(hubs, rules)
        for step, mode in enumerate(MODES):
            job.progress(step, len(MODES), mode)
            told = evaluate([hub.urls for hub in hubs], labels, mode, seconds=[hub.seconds for hub in hubs])
            bench.add_evaluation(site, mode, (told.precision, told.recall, told.f1), told.as_dict())
        return f"/sites/{site}?tab=evaluation"

    return work


def _rules(text: str) -> list[Any]:
    """Class rules as TOML, or as lines of ``name = regular expression``."""
    import tomllib

    from linksight.sites.labels import parse_rules

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
        data = {name.strip(): rule.strip() for name, _, rule in pairs if rule.strip()}
    classes = data.get("classes", data)
    return parse_rules(classes)


def _files(form: FormData, folder: Path) -> tuple[Path, ...]:
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        return (kept(file.file, file.filename, folder),)
    if str(form.get("urls", "")).strip():
        path = folder / "urls.txt"
        path.write_text(str(form["urls"]), encoding="utf-8", errors="replace")
        return (path,)
    raise BadData("this source needs a file")


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
