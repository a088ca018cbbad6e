"""Shell completion of values: files, languages, strategies, algorithms, tables.

Each function is the ``shell_complete`` of an option or an argument; commands and choices complete by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, which the shell itself knows best; for what may be a file or an address."""
    return [CompletionItem(incomplete, type="file")]


def languages(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Languages that the bundled URL model knows: by code, and by name once three letters are typed."""
    known = _known_languages()
    found = _beginning(known, incomplete)
    if len(incomplete) >= 3:
        text = incomplete.casefold()
        for code, name in known.items():
            words = name.casefold().split()
            if code not in {item.value for item in found} and any(word.startswith(text) for word in words):
                # A name of several words would need quotes: use its code.
                found.append(CompletionItem(words[0] if len(words) == 1 else code, help=name))
    return found


def algorithms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The algorithms of ``train``."""
    from linksight.models import ALGORITHMS

    return _beginning(dict.fromkeys(ALGORITHMS, ""), incomplete)


def strategies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The strategies of a crawl, or else the file that holds one."""
    from linksight.crawl.scoring.strategies import STRATEGIES

    return _beginning(dict.fromkeys(STRATEGIES, ""), incomplete) or files(ctx, param, incomplete)


def tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The tables and figures of ``reproduce`` that are not given yet."""
    from linksight.lab.papers.reproduce import listed

    given = ctx.params.get(param.name or "") or ()
    return _beginning({name: line for name, line in listed() if name not in given}, incomplete)


def comma_list(one: Completer) -> Completer:
    """The completion of a list with commas: that of its last item, behind those which are there."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        given = set(before.split(","))
        return [
            CompletionItem(before + comma + item.value, item.type, item.help)
            for item in one(ctx, param, last)
            if item.value not in given
        ]

    return complete


def _known_languages() -> Mapping[str, str]:
    import linksight
    from linksight.languages.registry import name

    return {code: name(code) for code in linksight.load().languages}


def _beginning(values: Mapping[str, str], text: str) -> list[CompletionItem]:
    return [
        CompletionItem(value, help=line or None) for value, line in values.items() if value.startswith(text)
    ]
