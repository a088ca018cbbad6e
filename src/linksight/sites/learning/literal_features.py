"""Features that distinguish keywords of a site from values: a row for each continuation of a prefix.

Groups of columns: the URLs and hubs of a token, its position, its reuse below different values, the overlap of the shapes
after it with those after its siblings, pages that end with it, the words below it, and its appearance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linksight.sites.learning.hub_arrays import CODE, MIXED, NUMBER, WORD, Corpus, Ints, distinct

if TYPE_CHECKING:
    from linksight.sites.learning.literal_tokens import Evidence, Siblings

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]

MIN_URLS = 5  #: of a sibling that counts as large
NEAR_ONE = 0.95  #: estimator of a token that is on all hubs
N_LOOKS = 6
_SCRIPT = re.compile(r"\.(?:php\d?|pl|f?cgi|action|jspa?|aspx?|do|dll|py|exe|jsf|cfm)$", re.IGNORECASE)
_FILE = re.compile(r".\.[A-Za-z][A-Za-z0-9]{0,4}$")
_SEVERAL_WORDS = re.compile(r"[-_+ ]")


def token_features(corpus: Corpus) -> Numbers:
    """Appearance and distribution over the site of each word of the vocabulary."""
    words, size = corpus.vocabulary, len(corpus.vocabulary)
    inner = np.ones(len(corpus.tokens), dtype=np.bool_)
    inner[corpus.starts] = False
    places = np.flatnonzero(inner)
    token, parent = corpus.tokens[places], corpus.tokens[places - 1]
    n, n_below = np.bincount(token, minlength=size), np.bincount(parent, minlength=size)
    pairs = distinct(token * size + parent)
    parents, children = (np.bincount(part, minlength=size) for part in (pairs // size, pairs % size))
    common = np.log2(1.0 + n)
    kinds = corpus.token_kinds
    return np.column_stack(
        [
            _looks(words),
            kinds == MIXED,
            kinds == NUMBER,
            kinds == CODE,
            np.log2(1 + parents) / 4,
            parents / np.maximum(n, 1),
            np.bincount(token, weights=common[parent], minlength=size) / np.maximum(n, 1) / 8,
            np.log2(1 + children) / 8,
            np.bincount(parent, weights=common[token], minlength=size) / np.maximum(n_below, 1) / 8,
            common / 8,
        ]
    )


def _looks(words: list[str]) -> Numbers:
    dotted = ["." in word for word in words]
    return np.array(
        [
            [dot and _SCRIPT.search(word) is not None for dot, word in zip(dotted, words, strict=True)],
            [dot and _FILE.search(word) is not None for dot, word in zip(dotted, words, strict=True)],
            [_SEVERAL_WORDS.search(word) is not None for word in words],
            [word[:1] in "_+-~.@!$" for word in words],
            [min(len(word), 40) / 20 for word in words],
            [word[:1].isupper() for word in words],
        ],
        dtype=np.float64,
    ).T


def sibling_features(evidence: Evidence, siblings: Siblings, literal: Flags) -> Numbers:
    """A row for each continuation; ``literal`` are those that the paper's test keeps."""
    corpus, depth, n = evidence.corpus, siblings.depth, len(siblings.tokens)
    support = np.bincount(siblings.which, minlength=n)
    of_token = evidence.of_token[siblings.tokens]
    place = evidence.place(siblings.rows, depth)
    worded = 1 - of_token[:, N_LOOKS + 1 : N_LOOKS + 3].max(axis=1)
    columns = [
        np.log2(1 + support) / 8,
        np.log2(support / np.median(support)) / 4,
        support / len(siblings.rows),
        siblings.estimators,
        _estimators_without_template(evidence, siblings),
        literal,
        siblings.estimators >= NEAR_ONE,
        *_reuse(corpus, siblings, support),
        *_likeness(evidence, siblings, support),
        *_ends(evidence, siblings, support),
        *_words_below(corpus, siblings),
    ]
    shared = [
        np.log2(n) / 8,
        place == "first",
        place == "host",
        min(depth, 6) / 6,
        depth > 0 and siblings.prefix[-1] < 0,
        worded.mean(),
        (worded * support).sum() / support.sum(),
        support.max() / len(siblings.rows),
        n == 1,
        (support == 1).mean(),
        np.log2(1 + ((support == 1) & (siblings.estimators >= NEAR_ONE)).sum()) / 4,
        *of_token[:, :N_LOOKS].mean(axis=0),
    ]
    return np.hstack(
        [
            np.column_stack(columns),
            np.broadcast_to(np.array(shared, dtype=np.float64), (n, len(shared))),
            of_token,
        ]
    )


def _estimators_without_template(evidence: Evidence, siblings: Siblings) -> Numbers:
    """The estimators without the URLs that are on nearly every hub."""
    corpus = evidence.corpus
    own = evidence.outside_template[siblings.rows]
    where, hubs = corpus.hubs_of(siblings.rows[own])
    seen = distinct(siblings.which[own][where] * corpus.n_hubs + hubs) // corpus.n_hubs
    found: Numbers = np.bincount(seen, minlength=len(siblings.tokens)) / corpus.n_hubs
    return found


def _reuse(corpus: Corpus, siblings: Siblings, support: Ints) -> list[Numbers]:
    """The number of values of the preceding wildcard that a token follows: logarithm and shares."""
    wild = [depth for depth, token in enumerate(siblings.prefix) if token < 0]
    if not wild:
        return [np.zeros(len(support))] * 3
    size = len(corpus.vocabulary)
    before = corpus.tokens[corpus.starts[siblings.rows] + wild[-1]]
    contexts = np.bincount(distinct(siblings.which * size + before) // size, minlength=len(support))
    return [np.log2(1.0 + contexts) / 8, contexts / support, contexts / len(distinct(before))]


@dataclass(frozen=True)
class ShapeCounts:
    """Counts of the shapes after each sibling: the rest of the path, with the names of the parameters."""

    token: Ints
    shape: Ints
    counts: Ints
    n_shapes: int
    support: Ints

    @classmethod
    def of(cls, evidence: Evidence, siblings: Siblings, *, with_queries: bool = True) -> ShapeCounts:
        """Count the shapes."""
        shapes = evidence.shapes_after(siblings.rows, siblings.depth)
        if with_queries:
            shapes = shapes * 8191 + evidence.parameters[siblings.rows]
        names, shape = np.unique(shapes, return_inverse=True)
        pairs, counts = np.unique(siblings.which * len(names) + shape, return_counts=True)
        support = np.bincount(siblings.which, minlength=len(siblings.tokens))
        return cls(pairs // len(names), pairs % len(names), counts, len(names), support)

    def overlap(self, pool: Flags) -> Numbers:
        """The overlap of each sibling's distribution of shapes with that of the others of a pool, 0 to 1."""
        inside = pool[self.token]
        pooled = np.bincount(self.shape[inside], weights=self.counts[inside], minlength=self.n_shapes)
        others = pooled[self.shape] - np.where(inside, self.counts, 0)
        total = (pooled.sum() - np.where(pool, self.support, 0))[self.token]
        own = self.counts / self.support[self.token]
        # Without others to compare with, the overlap is 1.
        both = np.where(total > 0, np.minimum(own, others / np.maximum(total, 1)), own)
        found: Numbers = np.bincount(self.token, weights=both, minlength=len(self.support)).astype(np.float64)
        return found

    def coverage(self) -> Numbers:
        """The share of the URLs of the other siblings whose shapes each has too."""
        every = np.bincount(self.shape, weights=self.counts, minlength=self.n_shapes)
        covered = np.bincount(
            self.token, weights=every[self.shape] - self.counts, minlength=len(self.support)
        )
        found: Numbers = covered / np.maximum(self.support.sum() - self.support, 1)
        return found


def _likeness(evidence: Evidence, siblings: Siblings, support: Ints) -> list[Numbers]:
    if len(support) == 1:
        return [np.ones(1)] * 4
    shapes = ShapeCounts.of(evidence, siblings)
    kinds = evidence.kinds[siblings.tokens]
    data = (kinds == NUMBER) | (kinds == CODE) | (support <= 2)
    pools = (np.ones_like(data), data, support >= MIN_URLS)
    return [
        *(shapes.overlap(pool) if pool.any() else -np.ones(len(support)) for pool in pools),
        shapes.coverage(),
    ]


def _ends(evidence: Evidence, siblings: Siblings, support: Ints) -> list[Numbers]:
    """The shares of URLs that end with the token: all, those with parameters, those with identifiers."""
    ends = evidence.corpus.lengths[siblings.rows] == siblings.depth + 1
    flags = (ends, ends & evidence.has_query[siblings.rows], ends & evidence.has_identifier[siblings.rows])
    counts = [np.bincount(siblings.which[flag], minlength=len(support)) for flag in flags]
    return [*(count / support for count in counts), np.log2(1 + counts[2]) / 8]


def _words_below(corpus: Corpus, siblings: Siblings) -> list[Numbers]:
    """The variety of the next tokens and the share of siblings that have them, too; also for the token after."""
    n, depth = len(siblings.tokens), siblings.depth
    deeper = corpus.lengths[siblings.rows] > depth + 1
    parent = siblings.which[deeper]
    if not len(parent):
        return [np.zeros(n)] * 6
    below = corpus.tokens[corpus.starts[siblings.rows[deeper]] + depth + 1]
    names, child = np.unique(below, return_inverse=True)
    pairs = distinct(parent * len(names) + child)
    owner, child_name = pairs // len(names), pairs % len(names)
    n_deeper = np.bincount(parent, minlength=n)
    n_children = np.bincount(owner, minlength=n)
    n_parents = np.bincount(child_name, minlength=len(names))
    others = (n_parents - 1) / max(1, int((n_deeper > 0).sum()) - 1)
    common = (n_parents >= 2) & (corpus.token_kinds[names] == WORD)
    return [
        n_children / np.maximum(n_deeper, 1),
        np.log2(1 + n_children) / 8,
        np.bincount(parent, weights=others[child], minlength=n) / np.maximum(n_deeper, 1),
        np.bincount(owner, weights=others[child_name], minlength=n) / np.maximum(n_children, 1),
        np.log2(1 + np.bincount(owner, weights=common[child_name], minlength=n)) / 4,
        _shared_further(corpus, siblings),
    ]


def _shared_further(corpus: Corpus, siblings: Siblings) -> Numbers:
    """The mean share of other siblings that also have the token after the next: ``/alice/*/issues``."""
    n, place = len(siblings.tokens), siblings.depth + 2
    deeper = corpus.lengths[siblings.rows] > place
    parent = siblings.which[deeper]
    if not len(parent):
        return np.zeros(n)
    names, word = np.unique(corpus.tokens[corpus.starts[siblings.rows[deeper]] + place], return_inverse=True)
    pairs = distinct(parent * len(names) + word)
    n_deeper = np.bincount(parent, minlength=n)
    others = (np.bincount(pairs % len(names), minlength=len(names)) - 1) / max(
        1, int((n_deeper > 0).sum()) - 1
    )
    found: Numbers = np.bincount(parent, weights=others[word], minlength=n) / np.maximum(n_deeper, 1)
    return found
