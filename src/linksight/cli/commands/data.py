"""``linksight data check``: check the files of a folder of labelled data."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.group()
def data() -> None:
    """Labelled data for the experiments of the papers.

    \b
    linksight data check my-data
    """


@data.command()
@click.argument("folder", type=click.Path(path_type=Path), envvar="LINKSIGHT_DATA")
def check(folder: Path) -> None:
    """Check the files in FOLDER (default: LINKSIGHT_DATA): columns, rows and hashes.

    Names the experiments that cannot run without a file, and the digest that the report of
    `linksight reproduce` shows. Exit code 1: a file is missing or unusable.

    \b
    linksight data check my-data
    """
    from linksight.lab.papers.data_check import check_folder, data_digest

    checks = check_folder(folder)
    for result in checks:
        state = result.problem or (
            "as published" if result.published else "usable, other content than published"
        )
        needed = f"; needed by {', '.join(result.needed_by)}" if result.problem else ""
        click.echo(f"{result.name:24} {result.rows:>11,}  {state}{needed}")
    click.echo(f"digest: {data_digest(folder)}")
    sys.exit(int(any(result.problem for result in checks)))
