"""Which segments of a path are keywords of a site, beyond what the p-estimators can tell.

The paper asks only on how many hubs a token was seen. Among few siblings that test has no power, so a section that is
not on nearly every hub is lost. Five more things separate ``/ticket/17`` from ``/alice/17``:

- *support*: how many distinct URLs go through the token; data have few, keywords many;
- *reuse*: a token that follows many different tokens (``/*/edit``) is a keyword;
- *likeness*: siblings whose continuations look alike are values of one thing (``/shoes/*``, ``/hats/*``), siblings that
  lead to other kinds of URL are not;
- *shared sections*: siblings that lead to the same different sections (``/alpha/log``, ``/beta/log``, ``/beta/tree``)
  are values of one thing, such as repositories, users or languages;
- *place and look*: first segments are keywords more often than values are, and numbers and codes never are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linksight.sites.learning.hub_arrays import CODE, NUMBER, WORD, Corpus, Ints, distinct

MIN_SUPPORT = 5  #: distinct URLs that a keyword needs when its estimator is not enough
MIN_ESTIMATOR = 0.02
RARE = 0.05  #: share of hubs below which being unlike all others proves nothing
NEAR_ONE = 0.95
TEMPLATE = 0.9  #: a URL on so many hubs belongs to the template
LIKE_FEW = 0.3
LIKE = 0.5  #: overlap of two mixes of shapes from which on they are alike
SECTION = 0.15  #: a first segment on as many hubs is a section, whatever it looks like
MANY = 20  #: from as many siblings on Cantelli's test has power
N_ACTIONS = 3  #: words that siblings have in common two tokens further
MIN_ACTION = 0.03  #: share of the URLs with such a word
NUMBERED = 0.3  #: share of the values before actions that are numbers of records
SHARED = 0.6  #: of the URLs below a sibling, the share in sections that others have too

_RECORD = re.compile(r"[0-9]+|[0-9a-f]{7,64}")

Flags = NDArray[np.bool_]


class Evidence:
    """What keywords are recognised by, computed once for all URLs."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.kinds = corpus.token_kinds
        self.shapes = _suffix_shapes(corpus, self.kinds)
        self.templates: list[str] = []  #: texts of the templates that were found in segments
        self.n_of_host = np.bincount(corpus.tokens[corpus.starts])

    def shapes_after(self, rows: Ints, depth: int) -> Ints:
        """A number for the shape of each URL behind its token ``depth``."""
        after = self.corpus.starts[rows] + depth + 1
        ends = self.corpus.lengths[rows] == depth + 1
        shapes: Ints = np.where(ends, 0, self.shapes[np.minimum(after, len(self.shapes) - 1)])
        return shapes

    def place(self, rows: Ints, depth: int) -> str:
        """Where the token is: ``host``, ``first`` or ``path``."""
        if depth == 0:
            return "host"
        return "first" if depth == 1 or self._is_root(rows, depth) else "path"

    def _is_root(self, rows: Ints, depth: int) -> bool:
        """Whether all URLs of the host that go on from here are these: it keeps everything below one folder."""
        corpus = self.corpus
        host = corpus.tokens[corpus.starts[rows[0]]]
        if len(rows) < 0.9 * int(self.n_of_host[host]):
            return False
        before = corpus.tokens[corpus.starts[rows][:, None] + np.arange(depth)]
        same = corpus.tokens[corpus.starts] == host
        # One folder: below the years of a blog everything may be, too.
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
    """Which of the siblings stay literal, given those that the paper's test keeps (``literal``)."""
    n, estimators = len(siblings.tokens), siblings.estimators
    place = evidence.place(siblings.rows, siblings.depth)
    if n == 1:
        return _only_child(evidence, siblings, place, literal)
    support: Ints = np.bincount(siblings.which, minlength=n)
    kinds = evidence.kinds[siblings.tokens]
    worded: Flags = (kinds != NUMBER) & (kinds != CODE)
    strong = _stands_out(support, worded)
    constant = literal & (estimators >= NEAR_ONE)
    if place != "host" and constant.any():
        constant &= ~_values(place, support, worded, constant)
    if place == "path" and constant.any():
        constant &= ~_constant_by_template(evidence, siblings)
    constant &= ~like_data(evidence, siblings, constant, ~constant)
    chosen = constant | _evident(evidence, siblings, literal, constant, strong, support, place)
    return chosen & ~_shared_sections(evidence, siblings, support)


def _evident(
    evidence: Evidence,
    siblings: Siblings,
    literal: Flags,
    constant: Flags,
    strong: Flags,
    support: Ints,
    place: str,
) -> Flags:
    """Siblings with enough URLs that also stand out by their hubs, by reuse, or by what follows them."""
    estimators = siblings.estimators
    maybe: Flags = ~constant & strong & (estimators >= MIN_ESTIMATOR)
    if not maybe.any():
        return maybe
    outlier = literal & (estimators < NEAR_ONE)
    if place in ("host", "first"):
        outlier |= (estimators >= SECTION) & (siblings.depth < 2)
    evident = outlier & ~like_data(evidence, siblings, maybe, ~strong)
    evident |= _reused(evidence, siblings, support)
    # What few URLs look like is chance: they must be less alike than many.
    like = np.where(support < MANY, LIKE_FEW, LIKE)
    evident |= overlap(evidence, siblings, maybe, maybe | (literal & (support >= MIN_SUPPORT))) < like
    everyone = np.ones(len(support), dtype=np.bool_)
    evident |= (overlap(evidence, siblings, maybe, everyone) < like) & (estimators >= RARE)
    flags: Flags = maybe & evident
    return flags


def _only_child(evidence: Evidence, siblings: Siblings, place: str, literal: Flags) -> Flags:
    """A token without siblings: a keyword if many URLs share it, whatever the estimator says."""
    if literal[0]:
        return np.array([True])
    worded = evidence.kinds[siblings.tokens[0]] not in (NUMBER, CODE)
    return np.array([place == "host" or (worded and len(siblings.rows) >= MIN_SUPPORT)])


def _stands_out(support: Ints, worded: Flags) -> Flags:
    """Words through which enough URLs go: among many words, far more than through most of them.

    The median tells what most have; Cantelli's test lets at most one sibling in twenty pass.
    """
    least = MIN_SUPPORT
    if worded.sum() >= MANY:
        least = max(least, 8 * int(np.median(support[worded])))
    flags: Flags = worded & (support >= least)
    return flags


def _values(place: str, support: Ints, worded: Flags, constant: Flags) -> Flags:
    """Values that are on every hub: constant, but no keywords.

    ``/category/shoes`` and its like in the navigation are single pages of one kind, and the numbers of ``/page/1``,
    ``/page/2`` count something, as the years of a blog do.
    """
    values = np.zeros(len(support), dtype=np.bool_)
    # First segments may be single pages of their own kind, unless a menu lists every page.
    single, least = (constant & (support == 1), MANY) if place == "first" else (support <= 2, 3)
    for group, enough in ((single, least), (~worded, 2)):
        if group.sum() >= enough:
            values |= group
    return values


def _constant_by_template(evidence: Evidence, siblings: Siblings) -> Flags:
    """Tokens that are on every hub only because the template links to a page of theirs."""
    corpus, n = evidence.corpus, len(siblings.tokens)
    own = np.diff(corpus.hub_starts)[siblings.rows] < TEMPLATE * corpus.n_hubs
    where, hubs = corpus.hubs_of(siblings.rows[own])
    seen = distinct(siblings.which[own][where] * corpus.n_hubs + hubs) // corpus.n_hubs
    estimators = np.bincount(seen, minlength=n) / corpus.n_hubs
    flags: Flags = (estimators > 0) & (estimators < NEAR_ONE) & (n >= 3)
    return flags


def _reused(evidence: Evidence, siblings: Siblings, support: Ints) -> Flags:
    """Tokens that follow many, or most, of the values of the wildcard before them."""
    wild = [depth for depth, token in enumerate(siblings.prefix) if token < 0]
    if not wild:
        return np.zeros(len(support), dtype=np.bool_)
    corpus = evidence.corpus
    before = corpus.tokens[corpus.starts[siblings.rows] + wild[-1]]
    size, n_values = len(corpus.vocabulary), len(distinct(before))
    contexts = np.bincount(distinct(siblings.which * size + before) // size, minlength=len(support))
    many = (contexts >= MIN_SUPPORT) & (contexts * 2 >= np.minimum(support, 20))
    most = (contexts >= 2) & (contexts > 0.6 * n_values)
    reused: Flags = many | most
    return reused


def _shared_sections(evidence: Evidence, siblings: Siblings, support: Ints) -> Flags:
    """Siblings below which are the same sections, and these differ: repositories, users, languages.

    Where the sections below do not differ (``/hotels/paris``, ``/bars/paris``), the siblings may well be the keywords.
    """
    flags = _with_sections(evidence, siblings, support)
    for further in (2, 3):
        flags |= _with_actions(evidence, siblings, support, siblings.depth + further)
    return flags if flags.sum() >= 2 else np.zeros_like(flags)


def _with_sections(evidence: Evidence, siblings: Siblings, support: Ints) -> Flags:
    """Siblings with several of the tokens that follow most of them, where pages of different kinds follow these."""
    none = np.zeros(len(support), dtype=np.bool_)
    corpus, depth = evidence.corpus, siblings.depth
    deeper = corpus.lengths[siblings.rows] > depth + 1
    rows, which = siblings.rows[deeper], siblings.which[deeper]
    if not len(rows):
        return none
    below = corpus.tokens[corpus.starts[rows] + depth + 1]
    names, child = np.unique(below, return_inverse=True)
    pairs, counts = np.unique(which * len(names) + child, return_counts=True)
    parents = np.bincount(pairs % len(names), minlength=len(names))  # of each child, under how many siblings
    n_large = int((np.bincount(which, minlength=len(support)) >= MIN_SUPPORT).sum())
    shared = (parents >= max(2, 0.5 * n_large)) & (evidence.kinds[names] == WORD)
    if shared.sum() < 2 or np.bincount(child, minlength=len(names))[shared].sum() < SHARED * len(rows):
        return none
    inside = shared[child]
    sections = Siblings(rows[inside], (*siblings.prefix, 0), names, child[inside], np.zeros(len(names)))
    different = shared & (overlap(evidence, sections, shared, shared) < LIKE)
    if different.sum() < 2:
        return none
    mine, n_different = np.zeros(len(support)), np.zeros(len(support), dtype=np.int64)
    np.add.at(mine, pairs // len(names), np.where(shared[pairs % len(names)], counts, 0))
    np.add.at(n_different, pairs // len(names), different[pairs % len(names)])
    total = np.bincount(which, minlength=len(support))
    values: Flags = (n_different >= 2) & (mine >= 0.5 * np.maximum(total, 1))
    return values


def _with_actions(evidence: Evidence, siblings: Siblings, support: Ints, depth: int) -> Flags:
    """Siblings with several of the words that follow many different values below most of them: ``/git/*/raw``."""
    none = np.zeros(len(support), dtype=np.bool_)
    corpus = evidence.corpus
    deeper = corpus.lengths[siblings.rows] > depth
    rows, which = siblings.rows[deeper], siblings.which[deeper]
    if len(rows) < N_ACTIONS * MIN_SUPPORT:
        return none
    names, word = np.unique(corpus.tokens[corpus.starts[rows] + depth], return_inverse=True)
    size = len(corpus.vocabulary)
    if (
        np.mean(
            [
                _is_record(corpus.vocabulary[t])
                for t in distinct(corpus.tokens[corpus.starts[rows] + depth - 1])
            ]
        )
        > NUMBERED
    ):
        return none
    contexts = np.bincount(
        distinct(word * size + corpus.tokens[corpus.starts[rows] + depth - 1]) // size, minlength=len(names)
    )
    pairs = distinct(which * len(names) + word)
    parents = np.bincount(pairs % len(names), minlength=len(names))
    n_large = int((np.bincount(which, minlength=len(support)) >= MIN_SUPPORT).sum())
    n_urls = np.bincount(word, minlength=len(names))
    action = (
        (contexts >= MIN_SUPPORT) & (contexts * 2 >= np.minimum(n_urls, 20)) & (evidence.kinds[names] == WORD)
    )
    action &= (parents >= max(2, 0.5 * n_large)) & (n_urls >= MIN_ACTION * len(rows))
    n_actions = np.bincount(pairs // len(names), weights=action[pairs % len(names)], minlength=len(support))
    values: Flags = n_actions >= N_ACTIONS
    if values.sum() < 2:
        return none
    values &= overlap(evidence, siblings, values, values) >= LIKE
    return values


def _is_record(token: str) -> bool:
    """Whether a token is the number of a record or of a revision: what follows says nothing about what is before."""
    return bool(_RECORD.fullmatch(token))


def like_data(evidence: Evidence, siblings: Siblings, chosen: Flags, data: Flags) -> Flags:
    """Which of the chosen are followed by what follows siblings that are surely data, and are no larger.

    ``/stable/*`` beside ``/1.2/*``, or a name that everybody knows beside the names of others.
    """
    rows = data[siblings.which]
    if not chosen.any() or rows.sum() < max(MIN_SUPPORT, 0.02 * len(rows)):
        return np.zeros(len(chosen), dtype=np.bool_)
    support = np.bincount(siblings.which, minlength=len(chosen))
    alike = overlap(evidence, siblings, chosen, data) >= LIKE
    flags: Flags = alike & (support < 16 * support[data].max())
    return flags


def overlap(
    evidence: Evidence, siblings: Siblings, chosen: Flags, pool: Flags, *, with_queries: bool = False
) -> NDArray[np.float64]:
    """How much what follows each chosen sibling is like what follows the others of a pool, 0 to 1.

    URLs are alike by the shapes of the rest of their paths, and ``with_queries`` by the names of their parameters too.
    """
    shapes = evidence.shapes_after(siblings.rows, siblings.depth)
    if with_queries:
        asked = [evidence.corpus.queries[row] for row in siblings.rows.tolist()]
        numbers: dict[object, int] = {}
        names_of = [numbers.setdefault(tuple(name for name, _ in query), len(numbers)) for query in asked]
        shapes = shapes * len(numbers) + np.array(names_of)
    names, shape = np.unique(shapes, return_inverse=True)
    pooled = np.bincount(shape[pool[siblings.which]], minlength=len(names))
    inside = chosen[siblings.which]
    pairs, counts = np.unique(siblings.which[inside] * len(names) + shape[inside], return_counts=True)
    token, kind = pairs // len(names), pairs % len(names)
    own = np.bincount(siblings.which, minlength=len(chosen))
    # Of the pool, a sibling that belongs to it is taken out before it is compared.
    others = pooled[kind] - np.where(pool[token], counts, 0)
    total = pooled.sum() - np.where(pool[token], own[token], 0)
    # Where there is nothing to compare with, nothing speaks against likeness.
    shared = np.where(
        total > 0, np.minimum(counts / own[token], others / np.maximum(total, 1)), counts / own[token]
    )
    overlap: NDArray[np.float64] = np.bincount(token, weights=shared, minlength=len(chosen)).astype(
        np.float64
    )
    return overlap


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
