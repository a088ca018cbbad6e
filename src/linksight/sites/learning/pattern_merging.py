"""Patterns that are one kind of page written in several ways, joined after learning.

- the variants of a search: ``/search?q=*``, ``/search?q=*&page=*``, ``/search?q=*&sort=date``;
- values with more parts or fewer: ``?id=*`` and ``?id=*:*``;
- a tree of pages: ``/*`` and ``/*/*``, where the parents of the deeper ones are pages like all others. In a shop
  ``/shoes`` and ``/shoes/red`` are told apart: there nearly every page above has pages below;
- a page with options: ``/timeline?n=*``, ``/timeline?y=*&n=*`` and a dozen more, a few URLs each;
- the later pages of a page: ``/forum/*`` and ``/forum/*?page=*``, where the page without the number is known;
- a few pages of one kind, all of which a more specific kind matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from linksight.sites.learning.hub_arrays import NUMBER, Corpus, Ints, kind_of
from linksight.sites.learning.query_parameters import Parameters
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.wildcards import Token

LEAVES = 0.5  #: share of the pages of a level, at least, that have none below them
PARENTS = 0.5  #: share of the parents, at least, that are among the pages of the level above
MIN_WAYS = 6  #: ways to ask for a page from which on it is one with options
MIN_PAGES = 3  #: pages that have later ones
MIN_LEVEL = 5  #: pages that a level has at least


@dataclass(frozen=True)
class Kind:
    """A pattern in the making: its forms, the one with the most URLs first, and its URLs."""

    forms: tuple[Form, ...]
    rows: Ints


def join_kinds(corpus: Corpus, kinds: Sequence[Kind], parameters: Parameters) -> list[Kind]:
    """The kinds, those that belong together as one."""
    trees = set(_trees(corpus, kinds))
    searches: dict[object, list[Kind]] = {}
    others: dict[object, list[Kind]] = {}
    for kind in kinds:
        search = parameters.search_of(kind.forms[0])
        group, key = (searches, search) if search else (others, _frame(kind.forms[0], trees))
        group.setdefault(key, []).append(kind)
    found = [_opened(_joined(group)) for group in searches.values()]
    found += [_joined(group) for group in _with_options([_joined(group) for group in others.values()])]
    return _with_later_pages(corpus, found)


def _joined(kinds: list[Kind]) -> Kind:
    if len(kinds) == 1:
        return kinds[0]
    kinds = sorted(kinds, key=lambda kind: (-len(kind.rows), str(kind.forms[0])))
    forms = dict.fromkeys(form for kind in kinds for form in kind.forms)
    return Kind(tuple(forms), np.concatenate([kind.rows for kind in kinds]))


def _with_options(kinds: list[Kind]) -> list[list[Kind]]:
    """Kinds that belong together because they are one page asked in many ways, none of them often."""
    minor: dict[object, list[Kind]] = {}
    rest: list[list[Kind]] = []
    for kind in kinds:
        form = kind.forms[0]
        path = form.tokens[: _query_of(form)]
        if len(kind.rows) < MIN_LEVEL and all(isinstance(token, str) for token in path):
            minor.setdefault(path, []).append(kind)
        else:
            rest.append([kind])
    for group in minor.values():
        rest += [group] if len(group) >= MIN_WAYS else [[kind] for kind in group]
    return rest


def _query_of(form: Form) -> int:
    """Where the parameters begin."""
    return next((i for i, run in enumerate(form.runs) if "?" in run), len(form.tokens))


def _opened(search: Kind) -> Kind:
    """A search with any value in the parameters that not all of its variants have, or not with one value."""
    values: dict[Token, set[Token]] = {}
    for form in search.forms:
        for at, name in _names(form):
            values.setdefault(name, set()).add(form.tokens[at + 1])
    names = [{name for _, name in _names(form)} for form in search.forms]
    fixed = {name for name in values if len(values[name]) == 1 and all(name in have for have in names)}
    forms: dict[Form, None] = {}
    for form in search.forms:
        tokens = list(form.tokens)
        for at, name in _names(form):
            tokens[at + 1] = form.tokens[at + 1] if name in fixed and len(search.forms) > 1 else None
        forms[replace(form, tokens=tuple(tokens))] = None
    return Kind(tuple(forms), search.rows)


def _names(form: Form) -> list[tuple[int, Token]]:
    """The parameters of a form that have a value, and where they stand."""
    query = _query_of(form)
    return [
        (i, form.tokens[i])
        for i in range(query, len(form.tokens) - 1)
        if form.runs[i][-1:] in ("?", "&") and form.runs[i + 1] == "="
    ]


def _frame(form: Form, trees: set[tuple[Token, ...]]) -> tuple[object, ...]:
    """What a form has in common with those of the same kind: its wildcards in a row counted as one."""
    query = _query_of(form)
    wild = next((i for i in range(query) if form.tokens[i] is None), query)
    in_tree = form.tokens[:wild] in trees
    frame: list[object] = []
    for i, (token, run) in enumerate(zip(form.tokens, form.runs, strict=True)):
        inside = token is None and i > 0 and form.tokens[i - 1] is None
        value = i > query + 1 and run[-1:] in ("/", ":")
        if inside and (value or (in_tree and wild < i < query)):
            continue
        frame += [run, token]
    return (*frame, form.tail)


def _trees(corpus: Corpus, kinds: Sequence[Kind]) -> Iterator[tuple[Token, ...]]:
    """What stands before the wildcards of trees of pages."""
    levels: dict[tuple[Token, ...], dict[int, Kind]] = {}
    for kind in kinds:
        form = kind.forms[0]
        wild = next((i for i, token in enumerate(form.tokens) if token is None), len(form.tokens))
        plain = all(run == "/" for run in form.runs[wild:]) and form.tokens[wild:] and not form.tail
        if plain and all(token is None for token in form.tokens[wild:]):
            levels.setdefault(form.tokens[:wild], {})[len(form.tokens) - wild] = kind
    for prefix, by_depth in levels.items():
        pairs = [(by_depth[d], by_depth[d + 1]) for d in by_depth if d + 1 in by_depth]
        if pairs and all(_are_one_tree(corpus, above, below) for above, below in pairs):
            yield prefix


def _are_one_tree(corpus: Corpus, above: Kind, below: Kind) -> bool:
    if min(len(above.rows), len(below.rows)) < MIN_LEVEL:
        return False
    depth = len(above.forms[0].tokens)
    pages = {tuple(row) for row in _tokens(corpus, above.rows, depth).tolist()}
    under = _tokens(corpus, below.rows, depth + 1)
    parents = {tuple(row[:-1]) for row in under.tolist()}
    known = parents & pages
    numbers = [
        np.mean(corpus.token_kinds[table[:, -1]] == NUMBER)
        for table in (_tokens(corpus, above.rows, depth), under)
    ]
    alike = abs(numbers[0] - numbers[1]) < 0.5
    return alike and len(known) >= PARENTS * len(parents) and len(known) <= (1 - LEAVES) * len(pages)


def _with_later_pages(corpus: Corpus, kinds: list[Kind]) -> list[Kind]:
    """The kinds, those that differ from another by a number in a parameter joined with it."""
    pages = {(form.tokens, form.runs, form.tail): i for i, kind in enumerate(kinds) for form in kind.forms}
    joined: dict[int, list[Kind]] = {i: [kind] for i, kind in enumerate(kinds)}
    for i, kind in enumerate(kinds):
        for at, plain in _without_one_parameter(kind.forms[0]):
            first = pages.get((plain.tokens, plain.runs, plain.tail))
            if first is None or first == i or i not in joined or first not in joined:
                continue
            if _are_later_pages(corpus, kinds[first], kind, at):
                joined[first] += [_counted(later, at) for later in joined.pop(i)]
    return [_joined(group) for group in joined.values()]


def _counted(later: Kind, at: int) -> Kind:
    """A kind of later pages, whatever their number."""
    tokens = later.forms[0].tokens
    first = replace(later.forms[0], tokens=(*tokens[: at + 1], None, *tokens[at + 2 :]))
    return Kind((first, *later.forms[1:]), later.rows)


def _without_one_parameter(form: Form) -> Iterator[tuple[int, Form]]:
    """Where a parameter with any value stands, and the form without it."""
    query = _query_of(form)
    for at, _ in _names(form):
        value = form.tokens[at + 1]
        if value is not None and not (isinstance(value, str) and kind_of(value) == NUMBER):
            continue
        runs = [*form.runs[:at], *form.runs[at + 2 :]]
        if at == query and at < len(runs):
            runs[at] = "?"
        yield at, Form((*form.tokens[:at], *form.tokens[at + 2 :]), tuple(runs), form.tail)


def _are_later_pages(corpus: Corpus, first: Kind, later: Kind, at: int) -> bool:
    depth = len(later.forms[0].tokens)
    rows = later.rows[corpus.lengths[later.rows] == depth]
    table = _tokens(corpus, rows, depth)
    if not len(rows) or np.mean(corpus.token_kinds[table[:, at + 1]] == NUMBER) < 0.95:
        return False
    known = first.rows[corpus.lengths[first.rows] == depth - 2]
    pages = {tuple(row) for row in _tokens(corpus, known, depth - 2).tolist()}
    rests = {tuple(row) for row in np.delete(table, [at, at + 1], axis=1).tolist()}
    # One page with many numbers behind it may as well be a list of things.
    return len(rests) >= MIN_PAGES and len(rests & pages) >= PARENTS * len(rests)


def _tokens(corpus: Corpus, rows: Ints, depth: int) -> Ints:
    table: Ints = corpus.tokens[corpus.starts[rows][:, None] + np.arange(depth)]
    return table


def without_shadowed(corpus: Corpus, kinds: list[Kind]) -> list[Kind]:
    """The kinds but for those all of whose pages more specific ones match (``/news/*/*`` beside ``/*/xml/rss``).

    Nothing would ever match them; their pages go to those that do.
    """
    patterns = PatternSet(tuple(Pattern(index, kind.forms) for index, kind in enumerate(kinds)))
    taken = {
        index: won for index in range(len(kinds)) if (won := _taken(corpus, patterns, index, kinds[index]))
    }
    winners = {pattern.id for several in taken.values() for pattern in several}
    rows = {index: [kind.rows] for index, kind in enumerate(kinds)}
    for index in taken.keys() - winners:
        del rows[index]
        owners = np.array([pattern.id for pattern in taken[index]])
        for owner in np.unique(owners).tolist():
            rows[owner].append(kinds[index].rows[owners == owner])
    return [Kind(kinds[index].forms, np.concatenate(parts)) for index, parts in sorted(rows.items())]


def _taken(corpus: Corpus, patterns: PatternSet, index: int, kind: Kind) -> list[Pattern]:
    """The patterns that match the pages of a kind in its place; none where it matches one of them itself."""
    few = np.linspace(0, len(kind.rows) - 1, min(MIN_LEVEL, len(kind.rows)), dtype=np.int64)
    found: list[Pattern] = []
    for rows in (kind.rows[few], kind.rows):  # nearly always the first few are enough to tell
        found = [won for row in rows.tolist() if (won := patterns.match(corpus.urls[row]))]
        if len(found) < len(rows) or any(won.id == index for won in found):
            return []
    return found
