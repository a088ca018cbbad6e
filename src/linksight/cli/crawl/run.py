"""``linksight crawl``: crawl one language of the web, and account for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from linksight.cli import completion
from linksight.cli.crawl.replay import replay
from linksight.cli.crawl.report import FOLDER, check, labels, report, text_or_json, why
from linksight.cli.site.inputs import column_option
from linksight.system.plural import counted

STRATEGY_HELP = "adaptive, breadth-first, random, cctld, classifier, filter, or file.py:Class"

# Settings of CrawlConfig that have a flag: name -> (flag, type). The help is the setting's own.
_FLAGS: dict[str, tuple[str, Any]] = {
    "contact": ("--contact", str),
    "seed_scope": ("--seed-scope", click.Choice(["any", "page", "prefix", "host", "domain"])),
    "max_pages": ("--max-pages", int),
    "max_pages_per_host": ("--max-pages-per-host", int),
    "max_pages_per_site": ("--max-pages-per-site", int),
    "max_depth": ("--max-depth", int),
    "max_seconds": ("--max-seconds", float),
    "max_bytes": ("--max-bytes", int),
    "delay": ("--delay", float),
    "delay_per_address": ("--delay-per-address", float),
    "concurrency": ("--concurrency", int),
    "connections_per_host": ("--connections-per-host", int),
    "timeout": ("--timeout", float),
    "retries": ("--retries", int),
    "retry_wait": ("--retry-wait", float),
    "threshold": ("--threshold", float),
    "explore": ("--explore", float),
    "sample": ("--sample", int),
    "seed": ("--seed", int),
    "user_agent": ("--user-agent", str),
    "proxy": ("--proxy", str),
    "headers": ("--headers", str),
    "metrics_port": ("--metrics-port", int),
    "metrics_address": ("--metrics-address", str),
    "keep": ("--keep", click.Choice(["all", "target"])),
    "model": ("--model", str),
    "labels": ("--labels", str),
    "patterns": ("--patterns", str),
}
_OF_FILES = ("model", "labels", "patterns", "headers")
_SWITCHES = {
    "allow_private": "--allow-private/--no-allow-private",
    "robots": "--robots/--no-robots",
    "sitemaps": "--sitemaps/--no-sitemaps",
    "requisites": "--requisites/--no-requisites",
    "media": "--media/--no-media",
    "keep_errors": "--keep-errors/--no-keep-errors",
    "revisits": "--revisits/--no-revisits",
    "archive_robots": "--archive-robots/--no-archive-robots",
    "verify_certificates": "--verify-certificates/--no-verify-certificates",
}


_seed_files = click.option(
    "--seeds",
    "-i",
    "files",
    multiple=True,
    metavar="FILE|-",
    shell_complete=completion.files,
    help="File of seeds: one URL a line, or a table; - for stdin.",
)


_since = click.option(
    "--since",
    default="",
    metavar="AGE|DATE",
    help="Capture pages again that are older: 12h, 7d, 4w or 2026-01-31.",
)


def _settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds a flag for every setting, with the help and the default that the configuration declares."""
    from dataclasses import fields

    from linksight.crawl.run.config import CrawlConfig

    declared = {spec.name: spec for spec in fields(CrawlConfig)}
    for name, (flag, kind) in reversed(_FLAGS.items()):
        spec = declared[name]
        shown = "" if spec.default in ("", -1.0) else f" [default: {spec.default}]"
        complete = completion.files if name in _OF_FILES else None
        command = click.option(
            flag, name, type=kind, help=spec.metadata["help"] + shown, shell_complete=complete
        )(command)
    for flag, what in (
        ("--exclude", "leave out URLs that match"),
        ("--include", "fetch only URLs that match"),
    ):
        text = f"Scope rule KIND:VALUE: {what}; repeatable."
        command = click.option(flag, multiple=True, metavar="RULE", help=text)(command)
    scope_file = click.Path(path_type=Path, dir_okay=False)
    command = click.option(
        "--scope", "scope_file", type=scope_file, help="A file of scope rules: + or - RULE a line."
    )(command)
    for name, flag in reversed(_SWITCHES.items()):
        spec = declared[name]
        shown = f" [default: {'yes' if spec.default else 'no'}]"
        command = click.option(flag, name, default=None, help=spec.metadata["help"] + shown)(command)
    return command


@click.group()
def crawl() -> None:
    """Crawl one language of the web, with few wasted downloads and nothing lost.

    \b
    linksight crawl run https://www.nu.nl/ --language nl --out dutch/
    linksight crawl resume dutch/
    linksight crawl check dutch/
    linksight crawl why dutch/ https://example.com/page
    """


@crawl.command()
@click.argument("seeds", nargs=-1, metavar="[SEED]...")
@click.option(
    "--language",
    "-l",
    shell_complete=completion.languages,
    help="Language, by code or name; several with quotas: nl=5000,fy,li.",
)
@click.option("--out", "-o", "out", required=True, type=FOLDER, help="The crawl's folder; must be new.")
@_seed_files
@column_option
@click.option("--config", "config_file", type=click.Path(path_type=Path, dir_okay=False),
              help="Settings from the [crawl] table of a TOML file; flags go before it.")  # fmt: skip
@click.option(
    "--strategy",
    "-s",
    shell_complete=completion.strategies,
    help=f"How to choose pages [default: adaptive; {STRATEGY_HELP}]",
)
@click.option(
    "--store",
    help="Database URL (postgresql://...), shared by any number of workers. [default: OUT/crawl.db]",
)
@_settings
@_since
@click.option("--quiet", "-q", is_flag=True, help="No live view.")
def run(
    seeds: tuple[str, ...],
    language: str | None,
    out: Path,
    files: tuple[str, ...],
    column: str | None,
    config_file: Path | None,
    since: str,
    quiet: bool,
    **values: Any,
) -> None:
    """Begin a crawl at SEEDs; with --since, capture the pages of the crawl in OUT again.

    Pages go to OUT/warc (WARC 1.1), and the queue and decisions to OUT/crawl.db or the database of
    --store. At the end OUT/report.html shows the result. Ctrl-C stops safely; after that, or after a
    kill, continue with: linksight crawl resume OUT

    \b
    linksight crawl run https://www.nu.nl/ --language nl --out dutch/
    linksight crawl run -i seeds.txt -l Frisian -o frisian/ --max-pages 100000
    linksight crawl run -i sites.csv --column homepage -l nl -o listed/
    linksight crawl run https://www.nu.nl/ -l nl --out machine-2/ --store postgresql://crawler@db/dutch
    linksight crawl run --out dutch/ --since 7d
    """
    from linksight.crawl.run.api import resume_crawl, start_crawl
    from linksight.crawl.run.config import FILE, CrawlConfig

    _refuse_files(seeds)
    if since and (out / FILE).exists():
        more, details = _seeds_in(files, column)
        changes = _given(values) | ({"seed_details": details} if details else {})
        changes = {name: value for name, value in changes.items() if name not in ("store", "strategy")}
        with _view(quiet) as view:
            tally = resume_crawl(out, changes, seeds=(*seeds, *more), since=since, on_progress=view)
        _say_end(out, tally)
        return
    base = CrawlConfig.from_toml(config_file) if config_file else CrawlConfig()
    if language is None and base.language == "und":
        raise click.UsageError("which language? Give it with --language, such as: --language nl")
    more, details = _seeds_in(files, column)
    given = _given(values) | {"seeds": (*base.seeds, *seeds, *more)}
    given["seed_details"] = (*base.seed_details, *details)
    config = base.but(language=base.language if language is None else language, **given)
    with _view(quiet) as view:
        tally = start_crawl(out, config, on_progress=view)
    _say_end(out, tally)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """The settings that were given, with the rules of a scope file."""
    from linksight.crawl.urls.scope_rules import read_rules

    scope_file = values.pop("scope_file")
    include, exclude = list(values.pop("include")), list(values.pop("exclude"))
    if scope_file is not None:
        more, less = read_rules(scope_file)
        include, exclude = include + more, exclude + less
    rules = {"include": tuple(include), "exclude": tuple(exclude)}
    given = {name: value for name, value in values.items() if value is not None}
    return given | {name: value for name, value in rules.items() if value}


@crawl.command("set")
@click.argument("folder", type=FOLDER)
@click.argument("changes", nargs=-1, required=True, metavar="NAME=VALUE...")
def set_(folder: Path, changes: tuple[str, ...]) -> None:
    """Change settings of the crawl in FOLDER, also while it runs, for all its workers.

    NAME is a setting, or pause (yes or no), block or unblock (a host). include and exclude add a rule.

    \b
    linksight crawl set dutch/ pause=yes
    linksight crawl set dutch/ delay=2 max_pages=50000
    linksight crawl set dutch/ block=www.nu.nl exclude=query:sort
    """
    from linksight.crawl.run.api import set_crawl

    pairs = [tuple(change.partition("=")[::2]) for change in changes]
    if missing := [change for change in changes if "=" not in change]:
        raise click.UsageError(f"{missing[0]!r} is not NAME=VALUE")
    set_crawl(folder, pairs)


@crawl.command()
@click.argument("folder", type=FOLDER)
@click.option("--wacz", "output", type=click.Path(path_type=Path, dir_okay=False), is_flag=False, flag_value="",
              help="Where to write the WACZ file. [default: FOLDER/FOLDER.wacz]")  # fmt: skip
def export(folder: Path, output: Path | str | None) -> None:
    """Export the crawl in FOLDER as one WACZ file, for replayweb.page and other tools.

    \b
    linksight crawl export dutch/ --wacz
    linksight crawl export dutch/ --wacz dutch.wacz
    """
    from linksight.crawl.archive.wacz import write_wacz
    from linksight.crawl.report.crawl_queries import Ledger

    target = Path(output) if output and str(output) != "." else folder / f"{folder.resolve().name}.wacz"
    with Ledger.open(folder) as ledger:
        n_pages = write_wacz(ledger, folder, target)
    click.echo(f"{counted(n_pages, 'page')}: {target}", err=True)


def _refuse_files(seeds: tuple[str, ...]) -> None:
    for seed in seeds:
        if "://" not in seed and Path(seed).is_file():
            raise click.UsageError(f"{seed} is a file, not a URL; give it with: -i {seed}")


def _seeds_in(files: tuple[str, ...], column: str | None) -> tuple[list[str], tuple[tuple[str, ...], ...]]:
    """The seeds of the files and their details; rows without one are reported."""
    from linksight.crawl.run.seeds import read_seeds, validate_seeds

    if not files:
        if column is not None:
            raise click.UsageError("--column is for tables of seeds, given with -i")
        return [], ()
    seeds, lacking, details = read_seeds(files, column)
    for name, n_rows in lacking.items():
        click.echo(f"{name}: {counted(n_rows, 'row')} without a URL left out", err=True)
    sound, wrong = validate_seeds(seeds)
    if wrong and not sound:
        raise wrong[0]
    if wrong:
        first = f"{', the first' if len(wrong) > 1 else ''}: {wrong[0]}"
        click.echo(f"{counted(len(wrong), 'seed')} left out{first}", err=True)
    return sound, tuple(row for row in details if row[0] in set(sound))


@crawl.command()
@click.argument("folder", type=FOLDER)
@click.argument("seeds", nargs=-1, metavar="[SEED]...")
@_seed_files
@column_option
@_settings
@_since
@click.option("--quiet", "-q", is_flag=True, help="No live view.")
def resume(
    folder: Path,
    seeds: tuple[str, ...],
    files: tuple[str, ...],
    column: str | None,
    since: str,
    quiet: bool,
    **values: Any,
) -> None:
    """Go on with the crawl in FOLDER, or join it as one more worker.

    Settings given here replace those of the crawl from now on; SEEDs are added to those that it has.

    \b
    linksight crawl resume dutch/
    linksight crawl resume dutch/ --max-pages 50000
    linksight crawl resume dutch/ https://www.vrt.be/ -i seeds.txt
    linksight crawl resume dutch/ --since 7d
    """
    from linksight.crawl.run.api import resume_crawl

    _refuse_files(seeds)
    changes = _given(values)
    more, details = _seeds_in(files, column)
    if details:
        changes["seed_details"] = details
    with _view(quiet) as view:
        tally = resume_crawl(folder, changes, seeds=(*seeds, *more), since=since, on_progress=view)
    _say_end(folder, tally)


@crawl.command()
@click.argument("folder", type=FOLDER)
@text_or_json
def status(folder: Path, kind: str) -> None:
    """Show the state of the crawl in FOLDER, also while it runs.

    \b
    linksight crawl status dutch/
    """
    from linksight.crawl.run.api import crawl_status
    from linksight.languages.registry import name

    told = crawl_status(folder)
    if kind == "json":
        click.echo(json.dumps(told, indent=1))
        return
    totals = told["totals"]
    running = (
        f"{counted(len(told['running']), 'worker')} running here" if told["running"] else "not running here"
    )
    click.echo(
        f"{_phase(told)}, {running}: {counted(totals['pages'], 'page')}, {totals['harvest']:.1%} in {name(told['language'])}"
    )
    for state, n in sorted(told["states"].items()):
        click.echo(f"  {state:<9} {n:,}{_parts(totals, n) if state == 'done' else ''}")
    queued = told["states"].get("queued", 0)
    if totals["phase"] == "done" and not totals["limit"] and queued:
        click.echo(_behind_caps(folder, queued))


def _phase(told: dict[str, Any]) -> str:
    """A crawl that has reached a limit is not done: there is more, for whoever raises it."""
    phase, limit = str(told["totals"]["phase"]), told["totals"]["limit"]
    if phase == "done" and limit and told["states"].get("queued"):
        return f"stopped at --{limit.replace('_', '-')}"
    return phase


def _parts(totals: dict[str, Any], done: int) -> str:
    """What the URLs that were asked for came to: not all are pages of the crawl."""
    others = done - totals["pages"] - totals["sampled"]
    parts = {
        "pages": totals["pages"],
        "for the sample of rejected URLs": totals["sampled"],
        "no pages": others,
    }
    told = ", ".join(f"{n:,} {what}" for what, n in parts.items() if n > 0)
    return f" ({told})" if told and done != totals["pages"] else ""


@crawl.command()
@click.argument("folder", type=FOLDER)
def stop(folder: Path) -> None:
    """Ask the crawl's workers on this machine to stop in good order.

    \b
    linksight crawl stop dutch/
    """
    from linksight.crawl.run.api import stop_crawl

    asked = stop_crawl(folder)
    click.echo(f"asked {counted(len(asked), 'worker')} to stop" if asked else "no worker runs here", err=True)


def _view(quiet: bool) -> Any:
    if quiet or not sys.stderr.isatty():
        return nullcontext(None)
    from rich.console import Console

    from linksight.crawl.monitor.live_view import LiveView

    return LiveView(Console(stderr=True))


def _say_end(folder: Path, tally: Any) -> None:
    for note in tally.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(
        f"{tally.ending}: {counted(tally.pages, 'page')} in this run, {tally.harvest:.1%} in the language; "
        f"report: {folder / 'report.html'}",
        err=True,
    )
    if tally.phase == "done" and not tally.stored and tally.reasons:
        from linksight.crawl.report.explain import explain

        told = (f"{explain(reason)} ({counted(n, 'URL')})" for reason, n in tally.reasons.most_common(3) if n)
        raise click.ClickException(
            f"nothing was fetched: {', '.join(told)}; ask: linksight crawl why {folder} URL"
        )
    if tally.phase == "done" and tally.limit:
        flag = f"--{tally.limit.replace('_', '-')}"
        queued = counted(tally.waiting, "URL is", "URLs are")
        more = f"{queued} still queued; go on with: linksight crawl resume {folder} {flag} N"
        click.echo(more, err=True)
    elif tally.phase == "done" and tally.waiting:
        click.echo(_behind_caps(folder, tally.waiting), err=True)
    if tally.phase != "done":
        click.echo(f"go on with: linksight crawl resume {folder}", err=True)


def _behind_caps(folder: Path, waiting: int) -> str:
    """What is left where nothing may be fetched any more."""
    from linksight.crawl.run.config import CrawlConfig

    config = CrawlConfig.load(folder)
    caps = [name for name in ("max_pages_per_host", "max_pages_per_site") if getattr(config, name)]
    flags = " ".join(f"--{name.replace('_', '-')} N" for name in caps)
    queued = counted(waiting, "URL is", "URLs are")
    return f"{queued} left of hosts that have given all that one may; more with: linksight crawl resume {folder} {flags}".rstrip()


for command in (report, why, labels, check, replay):
    crawl.add_command(command)
