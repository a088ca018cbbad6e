"""Divide kinds of pages by query parameters: those that a kind requires, and those that do not matter.

The URLs of one path are divided twice. Parameters whose *values* name kinds (``?action=edit``, ``?mode=viewprofile``) come
first: few words as values, and either a name such as ``action`` or characteristic other parameters. Then come
parameters whose *presence* names kinds, at a path without wildcards (``/?p=7``, ``viewtopic.php?t=5``): identifiers that
are not used together. All others are options; pages differ by them, kinds do not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from linksight.sites.learning.hub_arrays import CODE, NUMBER, Corpus, Ints, distinct, kind_of
from linksight.sites.learning.page_urls import Query
from linksight.urls.query_names import purpose_of

Needs = tuple[tuple[str, str | None], ...]

MAX_VALUES = 16  #: of a parameter whose values name kinds
MAX_SAMPLE = 2_000  #: sampled URLs of a path
MIN_URLS_OF_KIND = 5  #: URLs of a kind by the presence of a parameter
MIN_URLS_PER_VALUE = 3  #: URLs, on average, of a value that names a kind
MIN_TOGETHER_SHARE = 0.2  #: of the URLs with the rarer of two parameters, those with both
MIN_DISTINCT_SHARE = 0.3  #: share of distinct values of an identifier
MIN_ECHO_HUBS = 5
MIN_CLEAR_SHARE = 0.6  #: of the values of a kind parameter, those that always have the same companions
MAX_SAME_SHARE = 0.75  #: of the values of a kind parameter, those that share one set of companions


@dataclass(frozen=True)
class QueryKinds:
    """Divides the URLs of a path by their parameters."""

    corpus: Corpus
    echoes: frozenset[str]

    @classmethod
    def of(cls, corpus: Corpus) -> QueryKinds:
        """Find the parameters that echo the keyword of a hub."""
        return cls(corpus, find_echoes(corpus))

    def divide(self, rows: Ints, *, constant: bool, page: bool) -> Iterator[tuple[Needs, Ints]]:
        """Yield the required parameters of each kind, and its URLs.

        ``constant`` if the path has no wildcard, ``page`` if it ends with one, so that the path alone names the page.
        """
        queries = [self.corpus.queries[row] for row in rows.tolist()]
        if not any(queries):
            yield (), rows
            return
        queries = [tuple(pair for pair in query if pair[0] not in self.echoes) for query in queries]
        for needs, part in _by_value(queries):
            for more, inner in _by_presence([queries[i] for i in part], constant=constant):
                chosen = [part[i] for i in inner]
                always = () if page else _required_parameters([queries[i] for i in chosen], [*needs, *more])
                found = dict([*needs, *more, *always])
                yield tuple(found.items()), rows[chosen]


def find_echoes(corpus: Corpus) -> frozenset[str]:
    """Parameters with one value on all links of a hub and another on the next, at more than one path."""
    columns: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for row, query in enumerate(corpus.queries):
        for name, value in query:
            columns[name].append((row, value))
    if corpus.randomly_partitioned:
        return frozenset()
    return frozenset(name for name, column in columns.items() if _is_echo(corpus, column))


def _is_echo(corpus: Corpus, column: list[tuple[int, str]]) -> bool:
    rows = np.array([row for row, _ in column], dtype=np.int64)
    if len(distinct(corpus.tokens[corpus.starts[rows] + corpus.lengths[rows] - 1])) < 2:
        return False
    numbers: dict[str, int] = {}
    values = np.array([numbers.setdefault(value, len(numbers)) for _, value in column], dtype=np.int64)
    where, hubs = corpus.hubs_of(rows)
    n_hubs, n_values = len(distinct(hubs)), len(numbers)
    if n_hubs < MIN_ECHO_HUBS or n_values < 0.5 * n_hubs:
        return False
    pairs = len(distinct(hubs * n_values + values[where]))
    return pairs <= 1.2 * n_hubs and pairs <= 1.3 * n_values and len(where) >= 2 * n_hubs


def _by_value(queries: Sequence[Query]) -> Iterator[tuple[Needs, list[int]]]:
    """Divide by the parameter whose values name kinds, and then by the next one."""
    name = _kind_parameter(queries)
    if name is None:
        yield (), list(range(len(queries)))
        return
    parts: defaultdict[str | None, list[int]] = defaultdict(list)
    for index, query in enumerate(queries):
        parts[dict(query).get(name)].append(index)
    for value, part in parts.items():
        rest = [tuple(pair for pair in queries[i] if pair[0] != name) for i in part]
        for needs, inner in _by_value(rest):
            own: Needs = () if value is None else ((name, value),)
            yield (*own, *needs), [part[i] for i in inner]


def _kind_parameter(queries: Sequence[Query]) -> str | None:
    """The parameter in most URLs whose values name kinds, or None."""
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    companions: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for query in queries[:: max(1, len(queries) // MAX_SAMPLE)]:
        names = [name for name, _ in query if purpose_of(name) not in ("option", "return", "search")]
        for name, value in query:
            values[name][value] += 1
            companions[name, value].update(other for other in names if other != name)
    ranked = sorted(values, key=lambda name: (-values[name].total(), name))
    return next((name for name in ranked if _names_kinds(name, values[name], companions)), None)


def _names_kinds(name: str, values: Counter[str], companions: dict[tuple[str, str], Counter[str]]) -> bool:
    purpose, total = purpose_of(name), values.total()
    if purpose in ("option", "return", "search") or len(values) > MAX_VALUES:
        return False
    looks = [kind_of(value) for value in values]
    if purpose == "action":
        numbered = NUMBER in looks and not name.lower().endswith("type")  # entityType=1, but not tab=1
        return CODE not in looks and not numbered and 2 * total >= MIN_URLS_PER_VALUE * max(len(values), 2)
    if NUMBER in looks or CODE in looks or len(values) < 2 or total < MIN_URLS_PER_VALUE * len(values):
        return False
    sets = [
        _constant_companions(companions[name, value], values[value])
        for value in values
        if values[value] >= MIN_URLS_PER_VALUE
    ]
    counts = Counter(others for others in sets if others is not None)
    clear = counts.total() >= MIN_CLEAR_SHARE * len(sets)
    return clear and len(counts) >= 2 and max(counts.values()) <= MAX_SAME_SHARE * counts.total()


def _constant_companions(companions: Counter[str], n: int) -> frozenset[str] | None:
    """The companions of one value of a parameter; None if some are only in part of its URLs."""
    always = frozenset(other for other, count in companions.items() if count >= 0.8 * n)
    return always if all(other in always or count <= 0.2 * n for other, count in companions.items()) else None


def _by_presence(queries: Sequence[Query], *, constant: bool) -> Iterator[tuple[Needs, list[int]]]:
    """Divide by the identifiers that are not used together."""
    groups = _identifiers(queries, constant=constant)
    parts: defaultdict[int, list[int]] = defaultdict(list)
    for index, query in enumerate(queries):
        names = {name for name, _ in query}
        parts[next((g for g, group in enumerate(groups) if names & group), -1)].append(index)
    for number, part in sorted(parts.items()):
        if number < 0:
            yield (), part
            continue
        wanted = [name for name in sorted(groups[number]) if all(name in dict(queries[i]) for i in part)]
        yield tuple((name, None) for name in wanted), part


def _identifiers(queries: Sequence[Query], *, constant: bool) -> list[set[str]]:
    """Groups of parameters that are used together, each a kind; only parameters in nearly all of its URLs remain."""
    rows: defaultdict[str, set[int]] = defaultdict(set)
    values: defaultdict[str, set[str]] = defaultdict(set)
    for index, query in enumerate(queries):
        for name, value in query:
            rows[name].add(index)
            values[name].add(value)
    groups: list[set[str]] = []
    for name in sorted(rows, key=lambda name: (-len(rows[name]), name)):
        purpose = purpose_of(name)
        is_identifier = (
            constant
            and purpose in ("", "action")
            and len(values[name]) >= MIN_DISTINCT_SHARE * len(rows[name])
        )
        if len(rows[name]) < MIN_URLS_OF_KIND or not (is_identifier or purpose == "search"):
            continue
        for group in groups:
            if any(
                len(rows[name] & rows[other]) >= MIN_TOGETHER_SHARE * min(len(rows[name]), len(rows[other]))
                for other in group
            ):
                group.add(name)
                break
        else:
            groups.append({name})
    required = []
    for group in groups:
        members = set().union(*(rows[name] for name in group))
        if any(len(rows[name]) >= 0.95 * len(members) for name in group):
            required.append({name for name in group if len(rows[name]) >= 0.95 * len(members)})
    return required


def _required_parameters(queries: Sequence[Query], known: Sequence[tuple[str, str | None]]) -> Needs:
    """Parameters that all of the URLs have, except options of a view."""
    if len(queries) < MIN_URLS_OF_KIND:
        return ()
    names = set.intersection(*({name for name, _ in query} for query in queries))
    gone = {name for name, _ in known}
    return tuple((n, None) for n in sorted(names - gone) if purpose_of(n) not in ("option", "return"))
