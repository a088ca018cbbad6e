"""``linksight crawl``: start, resume, stop, configure and export crawls."""

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

# Settings of CrawlConfig with a flag: name -> (flag, type). CrawlConfig has the help texts.
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
_FILE_SETTINGS = ("model", "labels", "patterns", "headers")
_SWITCH_FLAGS = {
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
    """Add a flag for every setting, with help and default from CrawlConfig."""
    from dataclasses import fields

    from linksight.crawl.run.config import CrawlConfig

    declared = {spec.name: spec for spec in fields(CrawlConfig)}
    for name, (flag, kind) in reversed(_FLAGS.items()):
        spec = declared[name]
        shown = "" if spec.default in ("", -1.0) else f" [default: {spec.default}]"
        complete = completion.files if name in _FILE_SETTINGS else None
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
    for name, flag in reversed(_SWITCH_FLAGS.items()):
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
        changes = _explicit_settings(values) | ({"seed_details": details} if details else {})
        changes = {name: value for name, value in changes.items() if name not in ("store", "strategy")}
        with _view(quiet) as view:
            tally = resume_crawl(out, changes, seeds=(*seeds, *more), since=since, on_progress=view)
        _print_end(out, tally)
        return
    base = CrawlConfig.from_toml(config_file) if config_file else CrawlConfig()
    if language is None and base.language == "und":
        raise click.UsageError("which language? Give it with --language, such as: --language nl")
    more, details = _seeds_in(files, column)
    settings = _explicit_settings(values) | {"seeds": (*base.seeds, *seeds, *more)}
    settings["seed_details"] = (*base.seed_details, *details)
    config = base.but(language=base.language if language is None else language, **settings)
    with _view(quiet) as view:
        tally = start_crawl(out, config, on_progress=view)
    _print_end(out, tally)


def _explicit_settings(values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings from the command line, with the rules of a scope file."""
    from linksight.crawl.urls.scope_rules import read_rules

    scope_file = values.pop("scope_file")
    include, exclude = list(values.pop("include")), list(values.pop("exclude"))
    if scope_file is not None:
        more_include, more_exclude = read_rules(scope_file)
        include, exclude = include + more_include, exclude + more_exclude
    rules = {"include": tuple(include), "exclude": tuple(exclude)}
    settings = {name: value for name, value in values.items() if value is not None}
    return settings | {name: value for name, value in rules.items() if value}


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
    """Raise an error if a seed is the path of a file."""
    for seed in seeds:
        if "://" not in seed and Path(seed).is_file():
            raise click.UsageError(f"{seed} is a file, not a URL; give it with: -i {seed}")


def _seeds_in(files: tuple[str, ...], column: str | None) -> tuple[list[str], tuple[tuple[str, ...], ...]]:
    """Read seeds and their details from files; report invalid rows."""
    from linksight.crawl.run.seeds import read_seeds, validate_seeds

    if not files:
        if column is not None:
            raise click.UsageError("--column is for tables of seeds, given with -i")
        return [], ()
    seeds, lacking, details = read_seeds(files, column)
    for name, n_rows in lacking.items():
        click.echo(f"{name}: {counted(n_rows, 'row')} without a URL left out", err=True)
    valid, errors = validate_seeds(seeds)
    if errors and not valid:
        raise errors[0]
    if errors:
        first = f"{', the first' if len(errors) > 1 else ''}: {errors[0]}"
        click.echo(f"{counted(len(errors), 'seed')} left out{first}", err=True)
    return valid, tuple(row for row in details if row[0] in set(valid))


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
    changes = _explicit_settings(values)
    more, details = _seeds_in(files, column)
    if details:
        changes["seed_details"] = details
    with _view(quiet) as view:
        tally = resume_crawl(folder, changes, seeds=(*seeds, *more), since=since, on_progress=view)
    _print_end(folder, tally)


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

    figures = crawl_status(folder)
    if kind == "json":
        click.echo(json.dumps(figures, indent=1))
        return
    totals = figures["totals"]
    running = (
        f"{counted(len(figures['running']), 'worker')} running here"
        if figures["running"]
        else "not running here"
    )
    click.echo(
        f"{_phase(figures)}, {running}: {counted(totals['pages'], 'page')}, {totals['harvest']:.1%} in {name(figures['language'])}"
    )
    for state, n in sorted(figures["states"].items()):
        click.echo(f"  {state:<9} {n:,}{_breakdown(totals, n) if state == 'done' else ''}")
    queued = figures["states"].get("queued", 0)
    if totals["phase"] == "done" and not totals["limit"] and queued:
        click.echo(_behind_caps(folder, queued))


def _phase(figures: dict[str, Any]) -> str:
    """Return the phase; a crawl that reached a limit with URLs in the queue is stopped, not done."""
    phase, limit = str(figures["totals"]["phase"]), figures["totals"]["limit"]
    if phase == "done" and limit and figures["states"].get("queued"):
        return f"stopped at --{limit.replace('_', '-')}"
    return phase


def _breakdown(totals: dict[str, Any], done: int) -> str:
    """Split the count of finished URLs into pages, sample and others."""
    others = done - totals["pages"] - totals["sampled"]
    parts = {
        "pages": totals["pages"],
        "for the sample of rejected URLs": totals["sampled"],
        "no pages": others,
    }
    listed = ", ".join(f"{n:,} {what}" for what, n in parts.items() if n > 0)
    return f" ({listed})" if listed and done != totals["pages"] else ""


@crawl.command()
@click.argument("folder", type=FOLDER)
def stop(folder: Path) -> None:
    """Ask the crawl's workers on this machine to stop in good order.

    \b
    linksight crawl stop dutch/
    """
    from linksight.crawl.run.api import stop_crawl

    pids = stop_crawl(folder)
    click.echo(f"asked {counted(len(pids), 'worker')} to stop" if pids else "no worker runs here", err=True)


def _view(quiet: bool) -> Any:
    """Return the live view on a terminal, else a context manager without one."""
    if quiet or not sys.stderr.isatty():
        return nullcontext(None)
    from rich.console import Console

    from linksight.crawl.monitor.live_view import LiveView

    return LiveView(Console(stderr=True))


def _print_end(folder: Path, tally: Any) -> None:
    """Print notes, the result and the next step."""
    for note in tally.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(
        f"{tally.ending}: {counted(tally.pages, 'page')} in this run, {tally.harvest:.1%} in the language; "
        f"report: {folder / 'report.html'}",
        err=True,
    )
    if tally.phase == "done" and not tally.stored and tally.reasons:
        from linksight.crawl.report.explain import explain

        reasons = (
            f"{explain(reason)} ({counted(n, 'URL')})" for reason, n in tally.reasons.most_common(3) if n
        )
        raise click.ClickException(
            f"nothing was fetched: {', '.join(reasons)}; ask: linksight crawl why {folder} URL"
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
    """Describe queued URLs that the page limits of hosts and sites hold back."""
    from linksight.crawl.run.config import CrawlConfig

    config = CrawlConfig.load(folder)
    caps = [name for name in ("max_pages_per_host", "max_pages_per_site") if getattr(config, name)]
    flags = " ".join(f"--{name.replace('_', '-')} N" for name in caps)
    queued = counted(waiting, "URL is", "URLs are")
    return f"{queued} left on hosts at their page limit; more with: linksight crawl resume {folder} {flags}".rstrip()


for command in (report, why, labels, check, replay):
    crawl.add_command(command)
