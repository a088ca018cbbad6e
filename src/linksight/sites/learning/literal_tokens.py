"""Classify path segments as keywords (literals of a pattern) or values.

The paper only counts the hubs of a token. Among few siblings that test has no power, so a section that is not on nearly
every hub is lost. A small neural network uses more features: see :mod:`linksight.sites.learning.literal_features`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from linksight.sites.learning.hub_arrays import Corpus, Ints
from linksight.sites.learning.literal_features import ShapeCounts, sibling_features, token_features
from linksight.system.resources import bytes_of
from linksight.urls.query_names import purpose_of

MIN_SUPPORT = 5  #: distinct URLs of a kind
TEMPLATE_SHARE = 0.9  #: of the hubs, those with a URL of the template
MIN_LANGUAGE_OVERLAP = 0.3  #: overlap of the shapes after codes of languages
MIN_OVERLAP = 0.5  #: overlap of two distributions of shapes that count as alike
MIN_MARKED_URLS = 20  #: with a single mark in the first segment
MIN_SHARED_WORDS = 3  #: words shared by siblings

Flags = NDArray[np.bool_]


class Evidence:
    """Features that recognise keywords, computed once for all URLs."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.kinds = corpus.token_kinds
        self.shapes = _suffix_shapes(corpus, self.kinds)
        self.templates: list[str] = []  #: texts of the templates that were found in segments
        self.n_of_host = np.bincount(corpus.tokens[corpus.starts])
        self.outside_template = np.diff(corpus.hub_starts) < TEMPLATE_SHARE * corpus.n_hubs
        self.of_token = token_features(corpus)
        queries = corpus.queries
        self.has_query = np.fromiter(map(bool, queries), np.bool_, len(queries))
        names = [tuple(name for name, _ in query) for query in queries]
        numbers: dict[tuple[str, ...], int] = {}
        #: a number for the names of the parameters of each URL
        self.parameters = np.fromiter(
            (numbers.setdefault(n, len(numbers)) for n in names), np.int64, len(names)
        )
        with_identifier = np.array(
            [any(not purpose_of(name) for name in several) for several in numbers], dtype=np.bool_
        )
        self.has_identifier = with_identifier[self.parameters] if len(with_identifier) else self.has_query

    def shapes_after(self, rows: Ints, depth: int) -> Ints:
        """A number for the shape of each URL behind its token ``depth``."""
        after = self.corpus.starts[rows] + depth + 1
        ends = self.corpus.lengths[rows] == depth + 1
        shapes: Ints = np.where(ends, 0, self.shapes[np.minimum(after, len(self.shapes) - 1)])
        return shapes

    def place(self, rows: Ints, depth: int) -> str:
        """The position of the token: ``host``, ``first`` or ``path``."""
        if depth == 0:
            return "host"
        return "first" if depth == 1 or self._is_root(rows, depth) else "path"

    def _is_root(self, rows: Ints, depth: int) -> bool:
        """Whether these are all longer URLs of the host, so that everything is below one folder."""
        corpus = self.corpus
        host = corpus.tokens[corpus.starts[rows[0]]]
        if len(rows) < 0.9 * int(self.n_of_host[host]):
            return False
        before = corpus.tokens[corpus.starts[rows][:, None] + np.arange(depth)]
        same = corpus.tokens[corpus.starts] == host
        # All in one folder; a blog may have everything below its years.
        return bool((before == before[0]).all()) and len(rows) == int((same & (corpus.lengths > depth)).sum())


@dataclass(frozen=True)
class Siblings:
    """The continuations of one prefix."""

    rows: Ints  #: the URLs that begin with the prefix
    prefix: tuple[int, ...]  #: token numbers, below zero for wildcards
    tokens: Ints  #: the continuations
    which: Ints  #: of each row, its position in ``tokens``
    estimators: NDArray[np.float64]  #: of each continuation

    @property
    def depth(self) -> int:
        """The position of the continuations in the path."""
        return len(self.prefix)


def keywords(evidence: Evidence, siblings: Siblings, literal: Flags) -> Flags:
    """Which siblings stay literal; ``literal`` is the result of the paper's test, a feature of the network."""
    weights = literal_model()
    features = sibling_features(evidence, siblings, literal)
    hidden = np.tanh(features @ weights["hidden"] + weights["hidden_bias"])
    flags: Flags = hidden @ weights["output"] + weights["output_bias"] > 0
    return flags


@cache
def literal_model() -> dict[str, NDArray[np.float64]]:
    """The weights of a network with one hidden layer, learnt by ``recipes/site_literals.py``."""
    weights = json.loads(bytes_of("site_literals.json"))
    return {name: np.array(values, dtype=np.float64) for name, values in weights.items()}


def resemble_data(evidence: Evidence, siblings: Siblings, chosen: Flags, data: Flags) -> Flags:
    """Which of the chosen are followed by the same shapes as siblings that are surely data, and are no larger.

    Examples are ``/stable/*`` among ``/1.2/*``, or a well-known name among the names of users.
    """
    rows = data[siblings.which]
    if not chosen.any() or rows.sum() < max(MIN_SUPPORT, 0.02 * len(rows)):
        return np.zeros(len(chosen), dtype=np.bool_)
    support = np.bincount(siblings.which, minlength=len(chosen))
    alike = overlap(evidence, siblings, chosen, data) >= MIN_OVERLAP
    flags: Flags = alike & (support < 16 * support[data].max())
    return flags


def overlap(
    evidence: Evidence, siblings: Siblings, chosen: Flags, pool: Flags, *, with_queries: bool = False
) -> NDArray[np.float64]:
    """The overlap of the shapes after each chosen sibling with those after the others of a pool, 0 to 1.

    URLs are alike by the shapes of the rest of their paths, and ``with_queries`` by the names of their parameters too.
    """
    shapes = ShapeCounts.of(evidence, siblings, with_queries=with_queries)
    return np.where(chosen, shapes.overlap(pool), 0.0)


def _suffix_shapes(corpus: Corpus, kinds: NDArray[np.int8]) -> Ints:
    """For each token of each URL a number for the kinds and separators from there to the end."""
    shapes = np.zeros(len(corpus.tokens) + 1, dtype=np.int64)
    own = kinds[corpus.tokens].astype(np.int64) * 8191 + corpus.runs * 131
    ends = corpus.starts + corpus.lengths
    for back in range(1, int(corpus.lengths.max(initial=0)) + 1):
        rows = np.flatnonzero(corpus.lengths >= back)
        at = ends[rows] - back
        after = np.where(back == 1, corpus.tails[rows] + 1, shapes[np.minimum(at + 1, len(shapes) - 1)])
        # A cheap hash; two shapes that collide only look alike.
        shapes[at] = (after * 1_000_003 + own[at] + 12_345) & 0x7FFFFFFFFFFF
    return shapes
