"""The doorway: ``linksight COMMAND``. Data on stdout, everything else on stderr.

Each command is one small module, imported only when it is run, so that ``--help`` is instant.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from linksight import __version__
from linksight.errors import LinksightError

# name -> (module:attribute, one line for the overview); written here so that --help imports nothing.
COMMANDS = {
    "detect": ("linksight.cli.detect:detect", "Language of pages, from their URLs alone."),
    "train": ("linksight.cli.train:train", "Train a classifier on labelled URLs."),
    "evaluate": ("linksight.cli.evaluate:evaluate", "Measure a model on labelled URLs."),
    "reproduce": ("linksight.cli.reproduce:reproduce", "Rerun the papers' tables and figures."),
    "crawl": ("linksight.cli.crawl:crawl", "Crawl one language of the web; report, why, labels, replay."),
    "site": ("linksight.cli.site:site", "URL patterns of a web site: what kind of page is behind a link."),
    "identify": (
        "linksight.cli.identify:identify",
        "Language, script and encoding of pages, from their bytes.",
    ),
    "serve": ("linksight.cli.serve:serve", "The studio in the browser, and the HTTP API."),
    "bench": ("linksight.cli.bench:bench", "Quality and speed beside the peers that are installed."),
    "languages": ("linksight.cli.languages:languages", "The languages that the bundled models know."),
    "doctor": ("linksight.cli.doctor:doctor", "Check the installation, the extras and the models."),
}


class LazyGroup(click.Group):
    """Imports a command's module only when that command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name][0].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LinksightError as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError:
            # The reader (head, less) had enough: that is success, and Python must not say otherwise.
            sys.stderr.close()
            sys.exit(0)


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="linksight")
def main() -> None:
    """See what is behind a link before you fetch it.

    \b
    linksight detect https://www.lemonde.fr/economie/
    linksight detect -i urls.txt --format csv -o languages.csv
    """
