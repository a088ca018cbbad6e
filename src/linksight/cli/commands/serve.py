"""``linksight serve``: run the studio and the HTTP API."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import click

from linksight.cli import completion


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", default=8765, show_default=True, help="Port; 0 for any free port.")
@click.option("--token-file", type=click.Path(path_type=Path, dir_okay=False, exists=True), shell_complete=completion.files,
              help="File with the token that every visitor needs (or LINKSIGHT_TOKEN).")  # fmt: skip
@click.option("--token", envvar="LINKSIGHT_TOKEN",
              help="The token, 16 characters or more; other users of the machine see it.")  # fmt: skip
@click.option(
    "--behind-proxy", is_flag=True, help="Trust the X-Forwarded headers of a TLS proxy; needs a token."
)
@click.option("--name", "names", multiple=True, help="One more host name of the studio.")
@click.option("--cors-origin", "cors_origins", multiple=True, metavar="ORIGIN",
              help="Origin whose pages may call the API, such as https://a.org.")  # fmt: skip
@click.option("--store", default="", envvar="LINKSIGHT_SITES", metavar="FILE|URL", shell_complete=completion.files,
              help="The pattern workbench: a SQLite file or a postgresql:// URL.  [default: in the data folder]")  # fmt: skip
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), default="linksight-studio",
              show_default=True, help="Folder of lists, crawls, reports and the workbench.")  # fmt: skip
@click.option("--reports", type=click.Path(path_type=Path, file_okay=False), help="Folder of lab reports.")
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
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def serve(**options: Any) -> None:
    """The studio in the browser, and the HTTP API.

    Listens on this machine only. On any other address, and behind a proxy, every visitor needs the token.

    \b
    linksight serve
    linksight serve --port 9000 --data-dir ~/linksight
    openssl rand -hex 16 > token.txt
    linksight serve --behind-proxy --name links.example.org --token-file token.txt
    curl 'http://127.0.0.1:8765/v1/detect?url=https://www.lemonde.fr/'
    """
    from linksight.studio.config import DEFAULT_RATE, Settings, is_loopback
    from linksight.studio.server import needed, run

    needed()  # before a token is printed
    quiet, rate, token = options.pop("quiet"), options.pop("rate"), _token(options)
    is_local = is_loopback(options["host"]) and not options["behind_proxy"]
    if not token and not is_local:
        token = secrets.token_urlsafe(18)
        click.echo(f"token: {token}", err=True)
    rate = (0.0 if is_local else DEFAULT_RATE) if rate is None else rate
    settings = Settings(token=token, rate=rate, **options)
    run(settings, None if quiet else lambda text: click.echo(text, err=True))


def _token(options: dict[str, Any]) -> str:
    """Return the token from a file, the environment or the command line, without surrounding whitespace."""
    file, text = options.pop("token_file"), options.pop("token") or ""
    return (file.read_text(encoding="utf-8") if file else text).strip()
