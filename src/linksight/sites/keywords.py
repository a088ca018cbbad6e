"""Which tokens are keywords of a site, beyond what the p-estimators can tell.

The paper asks only on how many hubs a token was seen. Among few siblings that test has no power, so
a section that is not on nearly every hub is lost. Four more things tell ``/ticket/17`` from
``/alice/17``, and all of them come from the same URLs:

- *support*: how many distinct URLs go through the token; data have few, keywords many;
- *reuse*: a token that follows many different tokens (``/*/edit``) is a keyword;
- *likeness*: siblings whose continuations look alike are values of one thing (``/shoes/*``,
  ``/hats/*``), siblings that lead to other kinds of URL are not;
- *place and look*: parameter names and first path segments are keywords more often than values
  are, and numbers and codes never are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linksight.sites.corpus import CODE, NUMBER, Corpus, Ints

MIN_SUPPORT = 5  #: distinct URLs that a keyword needs when its estimator is not enough
MIN_ESTIMATOR = 0.02
NEAR_ONE = 0.95
LIKE = 0.5  #: overlap of two mixes of shapes from which on they are alike
SECTION = 0.25  #: a first segment on as many hubs is a section, whatever it looks like
MANY = 20  #: from as many siblings on Cantelli's test has power

Flags = NDArray[np.bool_]


class Evidence:
    """What keywords are told by, computed once for all URLs."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.kinds = corpus.token_kinds()
        self.shapes = _suffix_shapes(corpus, self.kinds)
        self.run_names = corpus.run_names

    def shapes_after(self, rows: Ints, depth: int) -> Ints:
        """A number for the shape of each URL behind its token ``depth``."""
        after = self.corpus.starts[rows] + depth + 1
        ends = self.corpus.lengths[rows] == depth + 1
        shapes: Ints = np.where(ends, 0, self.shapes[np.minimum(after, len(self.shapes) - 1)])
        return shapes

    def place(self, rows: Ints, depth: int) -> str:
        """Where the token stands: ``host``, ``first``, ``path``, ``name`` or ``value``."""
        run = self.run_names[self.corpus.runs[self.corpus.starts[rows[0]] + depth]]
        if depth == 0:
            return "host"
        if run[-1:] in ("?", "&"):
            return "name"
        if run[-1:] == "=":
            return "value"
        return "first" if depth == 1 or (depth == 2 and self._has_port(rows)) else "path"

    def _has_port(self, rows: Ints) -> bool:
        run: str = self.run_names[self.corpus.runs[self.corpus.starts[rows[0]] + 1]]
        return run == ":"


@dataclass(frozen=True)
class Siblings:
    """The continuations of one prefix."""

    rows: Ints  #: the URLs that begin with the prefix
    prefix: tuple[int, ...]  #: token numbers, -1 for a wildcard
    tokens: Ints  #: the continuations
    which: Ints  #: of each row, its position in ``tokens``
    estimators: NDArray[np.float64]  #: of each continuation


def keywords(evidence: Evidence, siblings: Siblings, literal: Flags) -> Flags:
    """Which of the siblings stay literal, given those that the paper's test keeps (``literal``)."""
    n, estimators = len(siblings.tokens), siblings.estimators
    place = evidence.place(siblings.rows, len(siblings.prefix))
    if n == 1:
        return _only_child(evidence, siblings, place, literal)
    support: Ints = np.bincount(siblings.which, minlength=n)
    kinds = evidence.kinds[siblings.tokens]
    worded: Flags = (kinds != NUMBER) & (kinds != CODE)
    strong = _stands_out(support)
    constant = estimators >= NEAR_ONE
    kept: Flags = literal & (constant | (strong & worded)) & ~_values(place, support, worded)
    if place == "name":
        names: Flags = kept | (worded & (strong | (n <= 10)))
        return names
    maybe: Flags = ~kept & worded & strong & (estimators >= MIN_ESTIMATOR)
    if not maybe.any():
        return kept
    evident = _reused(evidence, siblings, support)
    evident |= ~_alike(evidence, siblings, maybe | (literal & (support >= MIN_SUPPORT)))
    if place in ("host", "first"):
        evident |= estimators >= SECTION
    return kept | (maybe & evident)


def _only_child(evidence: Evidence, siblings: Siblings, place: str, literal: Flags) -> Flags:
    """A token without siblings: a keyword if many URLs share it, whatever the estimator says."""
    if literal[0] or place == "name":
        return np.array([True])
    worded = evidence.kinds[siblings.tokens[0]] not in (NUMBER, CODE)
    return np.array([place == "host" or (worded and len(siblings.rows) >= MIN_SUPPORT)])


def _stands_out(support: Ints) -> Flags:
    """Tokens through which enough URLs go: among many siblings, more than through the others.

    Cantelli's test again, on the logarithm, so that one large section does not hide a small one.
    """
    enough: Flags = support >= MIN_SUPPORT
    if len(support) < MANY:
        return enough
    sizes = np.log1p(support)
    flags: Flags = enough & (sizes > sizes.mean() + math.sqrt(1 / 0.05 - 1) * sizes.std())
    return flags


def _values(place: str, support: Ints, worded: Flags) -> Flags:
    """Values that stand on every hub: constant, but no keywords.

    ``/category/shoes`` and its like in the navigation are single pages of one kind, and the numbers
    of ``page=1``, ``page=2``, ``page=3`` count something. First segments (``/about``, ``/login``) are
    left as they are, for each is a kind of its own.
    """
    values = np.zeros(len(support), dtype=np.bool_)
    if place in ("path", "value"):
        for group in (support <= 2, ~worded):
            if group.sum() >= 3:
                values |= group
    return values


def _reused(evidence: Evidence, siblings: Siblings, support: Ints) -> Flags:
    """Tokens that follow many different values of the wildcard before them."""
    wild = [depth for depth, token in enumerate(siblings.prefix) if token < 0]
    if not wild:
        return np.zeros(len(support), dtype=np.bool_)
    corpus = evidence.corpus
    before = corpus.tokens[corpus.starts[siblings.rows] + wild[-1]]
    size = len(corpus.vocabulary)
    contexts = np.bincount(np.unique(siblings.which * size + before) // size, minlength=len(support))
    reused: Flags = (contexts >= MIN_SUPPORT) & (contexts * 2 >= np.minimum(support, 20))
    return reused


def _alike(evidence: Evidence, siblings: Siblings, chosen: Flags) -> Flags:
    """Which of the chosen siblings are followed by what follows the other chosen ones."""
    shapes = evidence.shapes_after(siblings.rows, len(siblings.prefix))
    names, shape = np.unique(shapes, return_inverse=True)
    slots = np.cumsum(chosen) - 1
    inside = chosen[siblings.which]
    table = np.zeros((int(chosen.sum()), len(names)))
    np.add.at(table, (slots[siblings.which[inside]], shape[inside]), 1.0)
    others = np.maximum(table.sum(axis=0) - table, 0)
    totals = others.sum(axis=1, keepdims=True)
    overlap = np.minimum(table / table.sum(axis=1, keepdims=True), others / np.maximum(totals, 1)).sum(axis=1)
    alike = np.zeros(len(chosen), dtype=np.bool_)
    alike[chosen] = overlap >= LIKE
    return alike


def _suffix_shapes(corpus: Corpus, kinds: NDArray[np.int8]) -> Ints:
    """For each token of each URL a number for the kinds and separators from there to the end."""
    shapes = np.zeros(len(corpus.tokens) + 1, dtype=np.int64)
    own = kinds[corpus.tokens].astype(np.int64) * 8191 + corpus.runs * 131
    ends = corpus.starts + corpus.lengths
    for back in range(1, int(corpus.lengths.max(initial=0)) + 1):
        rows = np.flatnonzero(corpus.lengths >= back)
        at = ends[rows] - back
        after = np.where(back == 1, corpus.tails[rows] + 1, shapes[np.minimum(at + 1, len(shapes) - 1)])
        # A cheap, well-spread mix; two shapes that collide would only look alike.
        shapes[at] = (after * 1_000_003 + own[at] + 12_345) & 0x7FFFFFFFFFFF
    return shapes
