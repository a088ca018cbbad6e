"""``linksight reproduce``: rerun the tables and figures of the papers."""

from __future__ import annotations

import os
from pathlib import Path

import click

from linksight.cli import completion, options


@click.command()
@click.argument("tables", nargs=-1, metavar="[TABLE]...", shell_complete=completion.tables)
@click.option("--list", "list_only", is_flag=True, help="Show the names of all tables and figures.")
@click.option("--quick", is_flag=True, help="A small sample, 3 folds: minutes.")
@click.option("--full", is_flag=True, help="All rows, 10 folds: hours.")
@click.option("--resume", is_flag=True, help="Resume an interrupted run from the folds in --out.")
@click.option("--so-far", is_flag=True, help="Run nothing: a report of the folds that are in --out.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Labelled URLs (columns url, language) to use for LINKSIGHT_DATA.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reproduction"), show_default=True,
    help="Folder for the report and the folds.",
)  # fmt: skip
@click.option(
    "--hosting", type=options.PATH, help="Database of countries (.mmdb), or the hosts.csv of an earlier run."
)
@options.nameservers
@click.option("--size", type=click.IntRange(min=100), help="Most URLs a language, instead of the scale's.")
@click.option("--folds", "n_folds", type=click.IntRange(min=2), help="Folds, instead of the scale's.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which rows and folds are drawn.")
@options.quiet
def reproduce(
    tables: tuple[str, ...], list_only: bool, quick: bool, full: bool, resume: bool, so_far: bool, data: Path | None, out: Path,
    hosting: Path | None, nameservers: tuple[str, ...], size: int | None, n_folds: int | None, seed: int, quiet: bool,
) -> None:  # fmt: skip
    """Rerun TABLEs and figures of the papers (default: all), next to the published ones.

    Writes report.html (one file, no network), report.json and tables/*.csv into --out. Without
    --quick or --full: 10,000 URLs a language, 10 folds. Finished folds are kept:
    --resume continues an interrupted run.

    \b
    linksight reproduce --list
    linksight reproduce table-v --quick --out quick
    linksight reproduce table-v --full --out full
    linksight reproduce table-v --full --out full --resume
    linksight reproduce --full --out full --so-far
    linksight reproduce table-v --data mine.csv --out mine
    """
    from linksight.cli.progress import stepping
    from linksight.lab.papers.reproduce import Reproduction, listed

    if list_only:
        for name, line in listed():
            click.echo(f"{name:18} {line}")
        return
    if quick and full:
        raise click.UsageError("--quick and --full are two sizes: give one of them")
    if nameservers and hosting is None:
        raise click.UsageError(
            "--nameserver goes with --hosting: names are looked up for the IP experiments alone"
        )
    from linksight.lab.papers.reproduce import reproduce as run

    scale = "quick" if quick else "full" if full else "middle"
    where = os.environ.get("LINKSIGHT_DATA")
    plan = Reproduction(
        names=tables, scale=scale, out=out, data=data, folder=Path(where) if where else None, resume=resume,
        hosting=hosting, nameservers=nameservers, seed=seed, size=size, n_folds=n_folds, so_far=so_far,
    )  # fmt: skip
    try:
        with stepping(quiet) as step:
            page, verdicts = run(plan, step)
    except KeyboardInterrupt:
        raise click.ClickException(f"stopped; finished folds are in {out}: go on with --resume") from None
    click.echo(str(page))
    click.echo(verdicts)
