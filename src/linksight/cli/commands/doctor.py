"""``linksight doctor``: check packages, extras, models, compiled core and data."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import click

from linksight.cli.extras import EXTRAS
from linksight.cli.formats import format_option
from linksight.system.plural import counted

CORE = ("click", "numpy", "orjson", "publicsuffixlist", "pyarrow", "rich", "scikit-learn", "scipy")
_PROGRAMS = {"render": ("chromium", "google-chrome"), "spark": ("java",)}
_DATA = ("urls/train.parquet", "urls/dev.parquet", "pages/dev.parquet")


@dataclass(frozen=True)
class Finding:
    """Result of one check. ``state``: ok, missing (optional) or broken (linksight cannot work)."""

    state: str
    what: str
    detail: str


@click.command()
@format_option("table", "jsonl")
@click.option("--fast", is_flag=True, help="Do not load the models.")
def doctor(form: str, fast: bool) -> None:
    """Check the installation: packages, extras, models, compiled core, data.

    doctor names the command that installs each missing part. It exits with 1 if linksight cannot work.

    \b
    linksight doctor
    linksight doctor --format jsonl
    """
    findings = []
    for finding in examine(fast):
        findings.append(finding)
        if form == "jsonl":
            click.echo(json.dumps(asdict(finding)))
        else:
            click.echo(f"{finding.state:<8} {finding.what:<18} {finding.detail}")
    broken = sum(finding.state == "broken" for finding in findings)
    if broken:
        raise click.ClickException(f"{broken} of {counted(len(findings), 'check')} failed")


def examine(fast: bool = False) -> Iterator[Finding]:
    """Run all checks in order; a failed check does not stop the others."""
    from linksight import __version__

    yield Finding("ok", "linksight", f"{__version__} at {Path(__file__).parents[2]}")
    recent = sys.version_info >= (3, 11)
    yield Finding("ok" if recent else "broken", "Python", f"{sys.version.split()[0]} at {sys.executable}")
    yield from (_package(name) for name in CORE)
    if not fast:
        yield _run_check("URL model", _url_model, "loading the URL model")
        yield _run_check("page model", _page_model, "loading the page model")
    yield _compiled_core()
    yield from (_extra(extra) for extra in EXTRAS)
    yield _data()


def _package(name: str) -> Finding:
    try:
        return Finding("ok", name, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding("broken", name, f"not installed: pip install {name}")


def _extra(extra: str) -> Finding:
    purpose, packages = EXTRAS[extra]
    lacking = [name for name in packages if _package(name).state != "ok"]
    if lacking:
        command = f'pip install "linksight[{extra}]"'
        return Finding("missing", f"[{extra}]", f"{purpose}: no {', '.join(lacking)}: {command}")
    programs = _PROGRAMS.get(extra, ())
    if programs and not any(map(shutil.which, programs)):
        program = " or ".join(programs)
        return Finding("missing", f"[{extra}]", f"{purpose}: the program {program} is not installed")
    return Finding("ok", f"[{extra}]", purpose)


def _run_check(what: str, check: Callable[[], str], activity: str) -> Finding:
    """Run a slow check, with a progress bar on a terminal."""
    from linksight.cli.progress import working

    try:
        with working(activity):
            return Finding("ok", what, check())
    except Exception as error:  # report any failure and continue with the other checks
        return Finding("broken", what, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


def _url_model() -> str:
    import linksight

    model = linksight.load()
    found = model.detect("https://www.lemonde.fr/economie/").language
    if found != "fr":
        raise ValueError(f"it reads a French URL as {found!r}: reinstall linksight")
    return counted(len(model.languages), "language")


def _page_model() -> str:
    import linksight
    from linksight.pages.langid.model import load

    found = linksight.identify(b"<p>Alle mensen worden vrij en gelijk in waardigheid geboren.</p>")
    if found.language != "nl":
        raise ValueError(f"it reads a Dutch page as {found.language!r}: reinstall linksight")
    return counted(len(load().trained_on), "language")


def _compiled_core() -> Finding:
    """Check that the core is compiled; uncompiled modules give the same results, but slower."""
    from linksight.native import uncompiled_modules

    if lacking := uncompiled_modules():
        remedy = 'install a C compiler or "pip install ziglang", then install linksight again'
        listed = ", ".join(lacking)
        return Finding(
            "missing", "compiled core", f"these modules run uncompiled, slower: {listed}: {remedy}"
        )
    return Finding("ok", "compiled core", "all modules are compiled")


def _data() -> Finding:
    where = os.environ.get("LINKSIGHT_DATA")
    if not where:
        return Finding("missing", "data", "LINKSIGHT_DATA is not set (needed to reproduce figures only)")
    lacking = [name for name in _DATA if not (Path(where) / name).is_file()]
    if lacking:
        return Finding("missing", "data", f"{where}: no {', '.join(lacking)}")
    return Finding("ok", "data", where)
