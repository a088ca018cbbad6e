"""Parameters of a query that say nothing about the kind of page, told by where their values are found.

- *Echoes*: on a hub found by a word, ``/page?id=17&highlight=word`` and ``&sid=9f86d0…`` carry one value on all
  links, and another on the next hub. Without them the same pages come back on many hubs.
- *Return addresses*: ``/login?next=/shop/17`` is the page ``/login`` whatever follows.
- *Searches*: ``/search?q=word``, ``&sort=date``, ``&page=2``. The value is an echo too, but the rest is the same on
  all hubs: the page is the search itself, in its variants, and all of them are one kind of page.

Nothing here knows names of parameters or words of a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from linksight.errors import BadUrl
from linksight.sites.learning.hub_arrays import CODE, Corpus, Ints, distinct, kind_of
from linksight.sites.learning.tokens import Tokens, Variant, split_url
from linksight.sites.patterns.pattern import Form
from linksight.sites.patterns.wildcards import as_people_write, in_letters

MIN_HUBS = 5  #: a value that changes from hub to hub is seen on as many
SHARED = 1.3  #: hubs that share a value, on average, at most; what is found is shared by more
ALONE = 1.2  #: values of an echo on a hub, on average, at most
MOST = 0.5  #: of the hubs have the search with the same rest
CORE = 0.2  #: share of the links with the parameter, at least, that are the search with the same rest
MAX_DEPTH = 4  #: segments of a return address that are foreseen

_ADDRESS = re.compile(r"/|https?:|%2F|https?%3A", re.IGNORECASE)

Place = tuple[str, ...]


@dataclass(frozen=True)
class Parameters:
    """The parameters of a site that are left out, and those that hold the words of a search."""

    ignored: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()  #: those of the ignored that hold addresses
    searches: frozenset[tuple[Place, str]] = field(default_factory=frozenset)  #: path, name

    def strip(self, parts: Tokens) -> tuple[Tokens, Variant | None]:
        """The tokens without what is ignored, and how to put it back; None where nothing was left out."""
        gone = [span for span in _parameters_of(parts) if parts.tokens[span[0]] in self.ignored]
        if not gone:
            return parts, None
        out = {i for start, end in gone for i in range(start, end)}
        names = {start for start, _ in gone}
        slots = tuple((i, parts.tokens[i] if i in names else None) for i in sorted(out))
        return _without(parts, out), Variant(parts.runs, parts.tail, slots)

    def search_of(self, form: Form) -> tuple[Place, str] | None:
        """Of which search a form is a variant, if of one."""
        start = next((i for i, run in enumerate(form.runs) if "?" in run), None)
        if start is None or not self.searches:
            return None
        path = form.tokens[:start]
        names = (t for t, r in zip(form.tokens[start:], form.runs[start:], strict=True) if r[-1:] in "?&")
        found = ((path, name) for name in names)
        return next((key for key in found if key in self.searches), None)


def find_parameters(corpus: Corpus) -> Parameters:
    """What the parameters of these URLs are for."""
    columns = _columns(corpus.urls)
    addresses = {name for name, column in columns.items() if _holds_addresses(column, len(corpus.urls))}
    ignored = set(addresses)
    searches: set[tuple[Place, str]] = set()
    for name, column in columns.items():
        if corpus.dealt or name in addresses or not _changes_with_the_hub(corpus, column):
            continue
        places = _searches(corpus, column)
        codes = np.mean([kind_of(value) == CODE for value in column.values[:200]])
        if places and codes <= MOST:
            searches |= {(place, name) for place in places}
        elif _is_echo(corpus, column):
            ignored.add(name)
    return Parameters(frozenset(ignored), frozenset(addresses), frozenset(searches))


def written(form: Form, variants: Iterable[Variant], addresses: frozenset[str]) -> tuple[Form, ...]:
    """The forms of URLs with parameters that were left out, put back as they stood."""
    forms: dict[Form, None] = {}
    for variant in variants:
        for way in _depths(variant, addresses):
            tokens = list(form.tokens)
            for position, token in way.slots:
                tokens.insert(position, token)
            forms[Form(tuple(tokens), way.runs, way.tail, form.scheme, False)] = None
    return tuple(forms)


def _depths(variant: Variant, addresses: frozenset[str]) -> Iterator[Variant]:
    """The variant itself, and the same with return addresses of other depths."""
    yield variant
    if len(variant.slots) < 2 or variant.slots[0][1] not in addresses or _n_names(variant) > 1:
        return
    first, last = variant.slots[0][0], variant.slots[-1][0]
    if any(run != "/" for run in variant.runs[first + 2 : last + 1]):
        return
    for depth in range(1, MAX_DEPTH + 1):
        runs = (*variant.runs[: first + 2], *("/" for _ in range(depth - 1)), *variant.runs[last + 1 :])
        slots = (variant.slots[0], *((first + 1 + i, None) for i in range(depth)))
        yield Variant(runs, variant.tail, slots)


def _n_names(variant: Variant) -> int:
    return sum(token is not None for _, token in variant.slots)


@dataclass
class _Column:
    """The values of one parameter."""

    rows: list[int] = field(default_factory=list)
    values: list[str] = field(default_factory=list)


def _columns(urls: Sequence[str]) -> dict[str, _Column]:
    """The values of each parameter, in the order of the URLs."""
    columns: dict[str, _Column] = {}
    for row, url in enumerate(urls):
        _, mark, query = url.partition("?")
        if not mark:
            continue
        for part in query.partition("#")[0].split("&"):
            name, sign, value = part.partition("=")
            if name and sign and value:
                column = columns.setdefault(in_letters(name), _Column())
                column.rows.append(row)
                column.values.append(value)
    return columns


def _holds_addresses(column: _Column, n_urls: int) -> bool:
    """Whether the values are addresses, of a parameter that is not what the whole site is made of."""
    n = sum(_ADDRESS.match(value) is not None for value in column.values)
    return n >= 0.9 * len(column.values) and len(column.rows) <= MOST * n_urls


def _numbers(values: Sequence[str]) -> Ints:
    known: dict[str, int] = {}
    return np.fromiter((known.setdefault(v, len(known)) for v in values), np.int64, len(values))


def _n_pairs(one: Ints, other: Ints) -> int:
    return len(distinct(one * (int(other.max()) + 1) + other))


def _changes_with_the_hub(corpus: Corpus, column: _Column) -> bool:
    where, hubs = corpus.hubs_of(np.array(column.rows, dtype=np.int64))
    values = _numbers(column.values)
    n_values, n_hubs = len(distinct(values)), len(distinct(hubs))
    enough = n_hubs >= MIN_HUBS and n_values >= MOST * n_hubs
    return enough and _n_pairs(values[where], hubs) <= SHARED * n_values


def _is_echo(corpus: Corpus, column: _Column) -> bool:
    """One value on each hub, and several links that carry it."""
    rows = np.array(column.rows, dtype=np.int64)
    where, hubs = corpus.hubs_of(rows)
    n_hubs = len(distinct(hubs))
    alone = _n_pairs(_numbers(column.values)[where], hubs) <= ALONE * n_hubs
    return alone and _n_pairs(rows[where], hubs) >= 2 * n_hubs


def _searches(corpus: Corpus, column: _Column) -> set[Place]:
    """The paths where, without the value, the same URL is on most hubs, once on each."""
    rows = np.array(column.rows, dtype=np.int64)
    where, hubs = corpus.hubs_of(rows)
    rests = [
        corpus.urls[row].replace(f"={value}", "=", 1)
        for row, value in zip(column.rows, column.values, strict=True)
    ]
    rest, n_hubs = _numbers(rests)[where], corpus.n_hubs
    total = np.bincount(rest)
    once = np.bincount(distinct(rest * n_hubs + hubs) // n_hubs, minlength=len(total))
    common = np.flatnonzero((once >= max(MIN_HUBS, MOST * n_hubs)) & (total <= ALONE * once))
    if total[common].sum() < CORE * total.sum():  # a few pages that everything links to
        return set()
    found = set()
    names = list(dict.fromkeys(rests))
    for index in common.tolist():
        try:
            found.add(split_url(as_people_write(names[index].partition("?")[0])).tokens)
        except BadUrl:
            continue
    return found


def _parameters_of(parts: Tokens) -> list[tuple[int, int]]:
    """Where each parameter begins and ends among the tokens."""
    begins = next((i for i, run in enumerate(parts.runs) if "?" in run), len(parts.tokens))
    ends = parts.before_fragment
    starts = [i for i in range(begins, ends) if parts.runs[i][-1:] in ("?", "&")]
    return list(zip(starts, [*starts[1:], ends], strict=False))  # none in index.php?/topic/5


def _without(parts: Tokens, out: set[int]) -> Tokens:
    tokens: list[str] = []
    runs: list[str] = []
    for i, (token, run) in enumerate(zip(parts.tokens, parts.runs, strict=True)):
        if i in out:
            continue
        # The first parameter that is left takes over the question mark.
        opens = run[-1:] == "&" and not any("?" in before for before in runs)
        tokens.append(token)
        runs.append("?" if opens else run)
    tail = parts.tail if len(parts.tokens) - 1 not in out else ""
    return Tokens(tuple(tokens), tuple(runs), tail, parts.scheme)
