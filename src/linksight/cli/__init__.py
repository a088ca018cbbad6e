"""The command line: ``linksight COMMAND``. Data goes to stdout, everything else to stderr.

Each command is one small module, imported only when it runs, so that ``--help`` is instant. Shared modules:

options, formats, completion    options and their values; shell completion
terminal_text, stdio            control characters escaped; standard input and output
progress, extras                progress bars; optional packages

``detect``, ``crawl``, ``site`` and ``demo`` are folders; the other commands are in ``commands``.
"""

from __future__ import annotations

import errno
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from linksight import __version__
from linksight.cli import stdio
from linksight.errors import LinksightError, MissingExtra

# name -> (module:attribute, one line for the overview); declared here so that --help imports nothing.
COMMANDS = {
    "demo": ("linksight.cli.demo.command:demo", "Crawl a small web on this machine, and show the report."),
    "detect": ("linksight.cli.detect.command:detect", "Language of pages, from their URLs alone."),
    "train": ("linksight.cli.commands.train:train", "Train a classifier on labelled URLs."),
    "evaluate": ("linksight.cli.commands.evaluate:evaluate", "Measure a model on labelled URLs."),
    "reproduce": ("linksight.cli.commands.reproduce:reproduce", "Rerun the papers' tables and figures."),
    "data": ("linksight.cli.commands.data:data", "Check a folder of labelled data for reproduce."),
    "crawl": (
        "linksight.cli.crawl.run:crawl",
        "Crawl one language of the web; report, check, why, labels, replay.",
    ),
    "site": (
        "linksight.cli.site.command:site",
        "URL patterns of a web site: what kind of page is behind a link.",
    ),
    "identify": (
        "linksight.cli.commands.identify:identify",
        "Language, script and encoding of pages, from their bytes.",
    ),
    "serve": ("linksight.cli.commands.serve:serve", "The studio in the browser, and the HTTP API."),
    "bench": ("linksight.cli.commands.bench:bench", "Quality and speed beside the peers that are installed."),
    "languages": (
        "linksight.cli.commands.languages:languages",
        "The languages that the bundled models know.",
    ),
    "doctor": ("linksight.cli.commands.doctor:doctor", "Check the installation, the extras and the models."),
}


#: Output of ``linksight`` without a command.
START = """See what is behind a link before you fetch it.

  linksight detect URL                      language of a page, from its URL
  linksight identify FILE                   language, script, encoding of a page
  linksight demo                            crawl a small web on this machine
  linksight crawl run SEED -l nl --out DIR  crawl one language of the web
  linksight serve                           studio in the browser, and HTTP API

Next: linksight --help lists all commands; linksight COMMAND --help has examples"""


class LazyGroup(click.Group):
    """Group that imports the module of a command only when it runs."""

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            if (near := get_close_matches(args[0], COMMANDS, n=1)) and "mean" not in error.message:
                raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from None
            raise

    def main(self, *args: Any, **options: Any) -> Any:
        stdio.prepare()
        if threading.current_thread() is threading.main_thread():
            # Exit by an exception, so that ``finally`` blocks remove partial files.
            signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        return super().main(*args, **options)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _report_errors():  # --help and --version write to stdout
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with _report_errors():
            return super().invoke(ctx)


@contextmanager
def _report_errors() -> Iterator[None]:
    """Report an error in one line with the next step; only a bug shows a traceback."""
    try:
        yield
    except LinksightError as error:
        raise click.ClickException(str(error)) from error
    except BrokenPipeError:
        # The reader (head, less) closed the pipe: exit 0, without a traceback.
        sys.stderr.close()
        sys.exit(0)
    except ModuleNotFoundError as error:
        raise click.ClickException(_missing_module_message(error)) from error
    except OSError as error:
        raise click.ClickException(_os_error_message(error)) from error


def _missing_module_message(error: ModuleNotFoundError) -> str:
    """Return the message for a missing optional module; other modules are a bug, so re-raise."""
    from linksight.cli.extras import extra_of

    if error.name in POSIX_MODULES:
        return f"this command needs Linux or macOS: Python has no module {error.name} on this system"

    if (found := extra_of(error.name or "")) is None:
        raise error
    package, extra, purpose = found
    return str(MissingExtra(package, extra, purpose))


#: Standard modules that exist only on POSIX systems.
POSIX_MODULES = ("fcntl", "resource", "termios")

#: Remedies for operating system errors.
_REMEDIES = {
    errno.ENOSPC: "free some space, or write elsewhere",
    errno.EDQUOT: "free some space, or write elsewhere",
    errno.EROFS: "write elsewhere, or make it writable",
    errno.EACCES: "write elsewhere, or ask its owner",
    errno.EPERM: "write elsewhere, or ask its owner",
    errno.EMFILE: "allow more open files (ulimit -n)",
}


def _os_error_message(error: OSError) -> str:
    """Format an operating system error, with the file and a remedy."""
    where = f"{error.filename}: " if error.filename is not None else ""
    remedy = _REMEDIES.get(error.errno or 0)
    return f"{where}{error.strerror or error}" + (f" ({remedy})" if remedy else "")


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="linksight")
@click.pass_context
def main(ctx: click.Context) -> None:
    """See what is behind a link before you fetch it.

    \b
    linksight detect https://www.lemonde.fr/economie/
    linksight detect -i urls.txt --format csv -o languages.csv
    """
    if ctx.invoked_subcommand is None:
        click.echo(START)
