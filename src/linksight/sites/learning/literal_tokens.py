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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linksight.sites.learning.hub_arrays import CODE, NUMBER, Corpus, Ints, distinct
from linksight.sites.learning.tokens import stem_of

MIN_SUPPORT = 5  #: distinct URLs that a keyword needs when its estimator is not enough
MIN_ESTIMATOR = 0.02
RARE = 0.05  #: share of hubs below which being unlike all others proves nothing
NEAR_ONE = 0.95
TEMPLATE = 0.9  #: a URL on so many hubs belongs to the template
LIKE_FEW = 0.3
LIKE = 0.5  #: overlap of two mixes of shapes from which on they are alike
SECTION = 0.15  #: a first segment on as many hubs is a section, whatever it looks like
MAX_STEMS = 5  #: more in one place are names with numbers in them, not kinds
WILD = -1  #: the number of the wildcard; stems have those below it
MANY = 20  #: from as many siblings on Cantelli's test has power

Flags = NDArray[np.bool_]


class Evidence:
    """What keywords are told by, computed once for all URLs."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.kinds = corpus.token_kinds
        self.shapes = _suffix_shapes(corpus, self.kinds)
        self.run_names = corpus.run_names
        self.stem_names: list[str] = []
        self.n_of_host = np.bincount(corpus.tokens[corpus.starts])
        self.template = np.diff(corpus.hub_starts) >= TEMPLATE * corpus.n_hubs

    def shapes_after(self, rows: Ints, depth: int) -> Ints:
        """A number for the shape of each URL behind its token ``depth``."""
        after = self.corpus.starts[rows] + depth + 1
        ends = self.corpus.lengths[rows] == depth + 1
        shapes: Ints = np.where(ends, 0, self.shapes[np.minimum(after, len(self.shapes) - 1)])
        return shapes

    def place(self, rows: Ints, depth: int) -> str:
        """Where the token stands: ``host``, ``first``, ``path``, ``name``, ``value`` or ``part`` of a value."""
        run = self.run_names[self.corpus.runs[self.corpus.starts[rows[0]] + depth]]
        if depth == 0:
            return "host"
        if run[-1:] in ("?", "&"):
            return "name"
        if run[-1:] == "=":
            return "value"
        if run == ":" and self._in_query(rows, depth):
            return "part"
        return "first" if depth == 1 + self._has_port(rows) or self._is_root(rows, depth) else "path"

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

    def _in_query(self, rows: Ints, depth: int) -> bool:
        start = int(self.corpus.starts[rows[0]])
        return any("?" in self.run_names[run] for run in self.corpus.runs[start : start + depth].tolist())

    def opens_parts(self, rows: Ints, depth: int) -> Flags:
        """Which URLs have a colon behind the token: it is the first part of a value (``id=team:alice``)."""
        after = np.minimum(self.corpus.starts[rows] + depth + 1, len(self.corpus.runs) - 1)
        colon = self.run_names.index(":") if ":" in self.run_names else -1
        flags: Flags = (self.corpus.lengths[rows] > depth + 1) & (self.corpus.runs[after] == colon)
        return flags

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
    strong = _stands_out(support, worded)
    constant = literal & (estimators >= NEAR_ONE)
    if place in ("first", "path", "value") and constant.any():
        constant &= ~_values(place, support, worded, constant)
    if place in ("path", "value") and constant.any():
        constant &= ~_constant_by_template(evidence, siblings)
    if place in ("value", "part"):
        parts = _parts_of_names(evidence, siblings, place, support)
        constant, strong = constant & ~parts, strong & ~parts
    constant &= ~_like_data(evidence, siblings, constant, ~constant)
    if place == "name":
        names: Flags = constant | (worded & (strong | (n <= 10)))
        return names
    maybe: Flags = ~constant & strong & (estimators >= MIN_ESTIMATOR)
    if not maybe.any():
        return constant
    outlier = literal & (estimators < NEAR_ONE)
    if place in ("host", "first"):
        outlier |= estimators >= SECTION
    evident = outlier & ~_like_data(evidence, siblings, maybe, ~strong)
    evident |= _reused(evidence, siblings, support)
    # What few URLs look like is chance: they must be less alike than many.
    like = np.where(support < MANY, LIKE_FEW, LIKE)
    evident |= _overlap(evidence, siblings, maybe, maybe | (literal & (support >= MIN_SUPPORT))) < like
    everyone = np.ones(n, dtype=np.bool_)
    evident |= (_overlap(evidence, siblings, maybe, everyone) < like) & (estimators >= RARE)
    return constant | (maybe & evident)


def stems(evidence: Evidence, siblings: Siblings, rest: Flags) -> Iterator[tuple[int, Flags]]:
    """Kinds of pages inside a token: ``issue17`` and ``user3`` are numbers of two things.

    Of the siblings that would be joined under a wildcard, those that are equal but for their numbers, if
    there are many of them; and of something else too, or nearly nothing else.
    """
    place = evidence.place(siblings.rows, len(siblings.prefix))
    # Deeper down, names with numbers behind them (``/author/yu-li-2``) are far more common than kinds.
    if place != "first" or rest.sum() < 2 * MIN_SUPPORT:
        return
    words = evidence.corpus.vocabulary
    members: dict[str, list[int]] = {}
    for index in np.flatnonzero(rest).tolist():
        stem = stem_of(words[siblings.tokens[index]])
        if "0" in stem and any(map(str.isalpha, stem)):
            members.setdefault(stem, []).append(index)
    support = np.bincount(siblings.which, minlength=len(rest))
    least = 0.05 * support[rest].sum()
    found = {s: m for s, m in members.items() if len(m) >= MIN_SUPPORT and support[m].sum() >= least}
    covered = sum(map(len, found.values()))
    others = int(rest.sum()) - covered >= MIN_SUPPORT
    mixed = sum(map(len, members.values()))
    alone = len(found) == 1 and covered >= max(MANY, 0.95 * rest.sum())
    if not alone and (len(found) + others < 2 or not found or len(found) > MAX_STEMS or covered * 2 < mixed):
        return
    for stem, indices in sorted(found.items()):
        flags = np.zeros(len(rest), dtype=np.bool_)
        flags[indices] = True
        evidence.stem_names.append(stem)
        yield WILD - len(evidence.stem_names), flags


def _only_child(evidence: Evidence, siblings: Siblings, place: str, literal: Flags) -> Flags:
    """A token without siblings: a keyword if many URLs share it, whatever the estimator says."""
    if literal[0] or place == "name":
        return np.array([True])
    worded = evidence.kinds[siblings.tokens[0]] not in (NUMBER, CODE)
    return np.array([place == "host" or (worded and len(siblings.rows) >= MIN_SUPPORT)])


def _stands_out(support: Ints, worded: Flags) -> Flags:
    """Words through which enough URLs go: among many words, far more than through most of them.

    The median tells what most have; Cantelli's test would not do, for it lets at most one sibling in
    twenty pass.
    """
    least = MIN_SUPPORT
    if worded.sum() >= MANY:
        least = max(least, 8 * int(np.median(support[worded])))
    flags: Flags = worded & (support >= least)
    return flags


def _values(place: str, support: Ints, worded: Flags, constant: Flags) -> Flags:
    """Values that stand on every hub: constant, but no keywords.

    ``/category/shoes`` and its like in the navigation are single pages of one kind, and the numbers
    of ``page=1``, ``page=2``, ``page=3`` count something, as the years of a blog do.
    """
    values = np.zeros(len(support), dtype=np.bool_)
    # First segments may be single pages of their own kind, unless a menu lists every page.
    single, least = (constant & (support == 1), MANY) if place == "first" else (support <= 2, 3)
    # Two numbers in a path are values; two of a parameter may well be types (entityType=1).
    for group, enough in ((single, least), (~worded, 3 if place == "value" else 2)):
        if group.sum() >= enough:
            values |= group
    return values


def _parts_of_names(evidence: Evidence, siblings: Siblings, place: str, support: Ints) -> Flags:
    """Namespaces in a value (``id=team:alice``): parts of a name, where in a path they would be sections."""
    parted = evidence.opens_parts(siblings.rows, len(siblings.prefix))
    opens = 2 * np.bincount(siblings.which[parted], minlength=len(support)) >= support
    own = np.bincount(siblings.which[~evidence.template[siblings.rows]], minlength=len(support))
    flags: Flags = (opens if place == "value" else np.ones_like(opens)) & (own >= MIN_SUPPORT)
    return flags


def _constant_by_template(evidence: Evidence, siblings: Siblings) -> Flags:
    """Tokens that are on every hub only because the template links to a page of theirs."""
    corpus, n = evidence.corpus, len(siblings.tokens)
    own = ~evidence.template[siblings.rows]
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


def _like_data(evidence: Evidence, siblings: Siblings, chosen: Flags, data: Flags) -> Flags:
    """Which of the chosen are followed by what follows siblings that are surely data, and are no larger.

    ``/stable/*`` beside ``/1.2/*``, or a name that everybody knows beside the names of others.
    """
    rows = data[siblings.which]
    if not chosen.any() or rows.sum() < max(MIN_SUPPORT, 0.02 * len(rows)):
        return np.zeros(len(chosen), dtype=np.bool_)
    support = np.bincount(siblings.which, minlength=len(chosen))
    alike = _overlap(evidence, siblings, chosen, data) >= LIKE
    flags: Flags = alike & (support < 16 * support[data].max())
    return flags


def _overlap(evidence: Evidence, siblings: Siblings, chosen: Flags, pool: Flags) -> NDArray[np.float64]:
    """How much what follows each chosen sibling is like what follows the others of a pool, 0 to 1."""
    shapes = evidence.shapes_after(siblings.rows, len(siblings.prefix))
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
