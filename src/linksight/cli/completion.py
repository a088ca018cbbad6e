"""Shell completion of values: files, languages, strategies, algorithms, tables.

Each function is the ``shell_complete`` of an option or an argument; commands and choices complete by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave file names to the shell; also for arguments that can be a file or a URL."""
    return [CompletionItem(incomplete, type="file")]


def languages(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete languages of the bundled URL model: by code, and by name from three letters on."""
    known = _known_languages()
    found = _with_prefix(known, incomplete)
    if len(incomplete) >= 3:
        text = incomplete.casefold()
        for code, name in known.items():
            words = name.casefold().split()
            if code not in {item.value for item in found} and any(word.startswith(text) for word in words):
                # A name of several words would need quotes, so complete the code.
                found.append(CompletionItem(words[0] if len(words) == 1 else code, help=name))
    return found


def algorithms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the algorithms of ``train``."""
    from linksight.models import ALGORITHMS

    return _with_prefix(dict.fromkeys(ALGORITHMS, ""), incomplete)


def strategies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the strategies of a crawl, or a file with a strategy."""
    from linksight.crawl.scoring.strategies import STRATEGIES

    return _with_prefix(dict.fromkeys(STRATEGIES, ""), incomplete) or files(ctx, param, incomplete)


def tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the tables and figures of ``reproduce``, except those already on the command line."""
    from linksight.lab.papers.reproduce import listed

    used = ctx.params.get(param.name or "") or ()
    return _with_prefix({name: line for name, line in listed() if name not in used}, incomplete)


def comma_list(complete_item: Completer) -> Completer:
    """Complete the last item of a comma-separated list."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        used = set(before.split(","))
        return [
            CompletionItem(before + comma + item.value, item.type, item.help)
            for item in complete_item(ctx, param, last)
            if item.value not in used
        ]

    return complete


def _known_languages() -> Mapping[str, str]:
    import linksight
    from linksight.languages.registry import name

    return {code: name(code) for code in linksight.load().languages}


def _with_prefix(values: Mapping[str, str], text: str) -> list[CompletionItem]:
    return [
        CompletionItem(value, help=line or None) for value, line in values.items() if value.startswith(text)
    ]
