"""``linksight serve``: the studio and the HTTP API."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import click

from linksight.cli import completion


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8765, show_default=True, help="The port; 0 for any that is free.")
@click.option(
    "--token", envvar="LINKSIGHT_TOKEN",
    help="Demanded of every visitor. Made up and shown where others can reach the address and none is given.",
)  # fmt: skip
@click.option("--name", "names", multiple=True, help="One more host name by which visitors call the studio.")
@click.option("--store", default="", envvar="LINKSIGHT_SITES", metavar="FILE|URL", shell_complete=completion.files,
              help="The pattern workbench: a SQLite file or a postgresql:// URL.  [default: in the data folder]")  # fmt: skip
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), default="linksight-studio",
              show_default=True, help="Where lists, crawls, reports and the workbench are kept.")  # fmt: skip
@click.option("--reports", type=click.Path(path_type=Path, file_okay=False), help="A folder of lab reports.")
@click.option("--allow-private", is_flag=True, help="Fetch from loopback and private networks for visitors.")
@click.option("--rate", type=click.FloatRange(min=0), default=None,
              help="Requests a second and visitor.  [default: no limit on loopback, else 50]")  # fmt: skip
@click.option(
    "--max-urls",
    default=1_000_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="URLs of one batch or file.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def serve(**options: Any) -> None:
    """The studio in the browser, and the HTTP API.

    Listens on this machine only. On any other address every visitor needs the token.

    \b
    linksight serve
    linksight serve --port 9000 --data-dir ~/linksight
    linksight serve --host 0.0.0.0 --port 9443 --token "$(openssl rand -hex 16)" --store postgresql://me@db/sites
    curl 'http://127.0.0.1:8765/v1/detect?url=https://www.lemonde.fr/'
    """
    from linksight.studio.config import Settings, is_loopback
    from linksight.studio.server import needed, run

    needed()  # before a token is shown that is of no use
    # Of a file or a secret of Kubernetes the end of its line is there too, which nobody can enter.
    quiet, token, rate = options.pop("quiet"), (options.pop("token") or "").strip(), options.pop("rate")
    local = is_loopback(options["host"])
    if not token and not local:
        token = secrets.token_urlsafe(18)
        click.echo(f"token: {token}", err=True)
    settings = Settings(token=token, rate=(0.0 if local else 50.0) if rate is None else rate, **options)
    run(settings, None if quiet else lambda text: click.echo(text, err=True))
