"""Containers: paths with the same sections below, such as the repositories of a forge.

``/tools/alpha/log``, ``/tools/beta/log`` and ``/site/log`` are three logs. Read segment by segment, the depth of a
repository hides that. So each such path becomes one token before patterns are learnt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linksight.sites.learning.hub_arrays import CODE, NUMBER, WORD, Corpus, Ints, distinct
from linksight.sites.learning.literal_tokens import (
    MIN_OVERLAP,
    MIN_SHARED_WORDS,
    MIN_SUPPORT,
    Evidence,
    Siblings,
    overlap,
    resemble_data,
)
from linksight.sites.learning.segment_marks import is_language

MAX_DEPTH = 4  #: segments of a container
MIN_COVERED_SHARE = 0.5  #: share of the URLs that lie below containers
MAX_OTHER_WORDS = 12  #: words that follow only some containers and may be sections
MAX_CONTAINERS_PER_PARENT = 4  #: of one depth below each first segment; with more, these are sections
MIN_SECTION_SHARE = 0.5  #: of the containers that have a section

Flags = NDArray[np.bool_]


class _Tree:
    """The first levels of the prefix tree; number 0 means no node."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        n, size = len(corpus.urls), len(corpus.vocabulary)
        self.of_row = np.zeros((n, MAX_DEPTH + 1), dtype=np.int64)
        depths, parents, words = (
            [np.zeros(1, dtype=np.int64)],
            [np.zeros(1, dtype=np.int64)],
            [np.zeros(1, dtype=np.int64)],
        )
        total = 1
        edges, edge_rows = [], []
        above = np.zeros(n, dtype=np.int64)
        for depth in range(MAX_DEPTH + 2):
            rows = np.flatnonzero(corpus.lengths > depth)
            token = corpus.tokens[corpus.starts[rows] + depth]
            keys, which, counts = np.unique(
                above[rows] * size + token, return_inverse=True, return_counts=True
            )
            if depth:
                edges.append(keys)
                edge_rows.append(counts)
            if depth > MAX_DEPTH:
                break
            self.of_row[rows, depth] = which + total
            above = self.of_row[:, depth]
            depths.append(np.full(len(keys), depth))
            parents.append(keys // size)
            words.append(keys % size)
            total += len(keys)
        self.depth, self.parent, self.word = map(np.concatenate, (depths, parents, words))
        edge = np.concatenate(edges)
        self.edge_node, self.edge_word = edge // size, edge % size
        self.n_urls = np.bincount(self.of_row.ravel(), minlength=total)
        self.is_word = corpus.token_kinds == WORD
        self.is_name = ~np.isin(corpus.token_kinds[self.word], (NUMBER, CODE))

    def with_sections(self, sections: Flags) -> Flags:
        """The nodes with several of the sections, except the host and nodes below others."""
        n = len(self.depth)
        found: Flags = np.bincount(self.edge_node[sections[self.edge_word]], minlength=n) >= MIN_SHARED_WORDS
        below = np.zeros(n, dtype=np.bool_)
        for depth in range(2, MAX_DEPTH + 1):
            nodes = np.flatnonzero(self.depth == depth)
            below[nodes] = (found | below)[self.parent[nodes]] & (self.depth[self.parent[nodes]] > 0)
        return found & ~below & self.is_name

    def sections_of(self, nodes: Flags) -> Flags:
        """The words that follow at least half of the larger of some nodes, and three of them if there are as many."""
        large = nodes & (self.n_urls >= MIN_SUPPORT)
        counts = np.bincount(self.edge_word[large[self.edge_node]], minlength=len(self.is_word))
        n = int(large.sum())
        flags: Flags = self.is_word & (counts >= max(2, min(3, n), MIN_SECTION_SHARE * n))
        return flags

    def texts(self, nodes: Ints) -> Iterator[str]:
        """The path of each node."""
        for node in nodes.tolist():
            parts = []
            while self.depth[node]:
                parts.append(self.corpus.vocabulary[self.word[node]])
                node = int(self.parent[node])
            yield "/".join(reversed(parts))


def replace_containers(corpus: Corpus) -> Corpus:
    """The corpus with each container as one token; unchanged if it has no containers."""
    if int(corpus.lengths.max(initial=0)) < 4:
        return corpus
    tree = _Tree(corpus)
    parents = np.bincount(tree.edge_word[tree.depth[tree.edge_node] > 0], minlength=len(tree.is_word))
    nodes = tree.with_sections(tree.is_word & (parents >= 2)) & (tree.depth > 0)
    sections = tree.sections_of(nodes)
    nodes = tree.with_sections(sections)
    if not _are_containers(tree, nodes):
        return corpus
    container, depth = _container_of(tree, nodes, sections)
    joined = _replace_paths(corpus, tree, sections, container, depth)
    return joined if _sections_differ(joined) else corpus


def _are_containers(tree: _Tree, nodes: Flags) -> bool:
    """Whether these paths differ by depth or by first segment, and most URLs are below them."""
    if nodes.sum() < 2 or nodes[tree.depth == 0].any():
        return False
    chosen = np.flatnonzero(nodes)
    if 2 * len(np.unique(tree.word[chosen])) < len(chosen):  # revisions below actions: /log/tip, /diff/tip
        return False
    covered = int(tree.n_urls[chosen].sum())
    n_all = int(tree.n_urls[tree.depth == 0][1:].sum())
    depths = np.unique(tree.depth[chosen])
    if covered < MIN_COVERED_SHARE * n_all:
        return False
    firsts = chosen
    for _ in range(MAX_DEPTH - 1):
        firsts = np.where(tree.depth[firsts] > 1, tree.parent[firsts], firsts)
    if any(is_language(tree.corpus.vocabulary[tree.word[node]]) for node in np.unique(firsts).tolist()):
        return False
    n_firsts = len(np.unique(firsts))
    return (
        len(depths) > 1
        or depths[0] == 1
        or (n_firsts >= 2 and len(chosen) <= MAX_CONTAINERS_PER_PARENT * n_firsts)
    )


def _container_of(tree: _Tree, nodes: Flags, sections: Flags) -> tuple[Ints, Ints]:
    """For each URL the node and the depth of its container; 0 if it has no container."""
    corpus, n = tree.corpus, len(tree.corpus.urls)
    deepest = int(tree.depth[nodes].max())
    found, depth = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for level in range(1, deepest + 1):  # recognised containers
        hit = nodes[tree.of_row[:, level]]
        found[hit], depth[hit] = tree.of_row[hit, level], level
    for level in range(1, deepest + 1):  # containers with only one or two known sections
        rows = np.flatnonzero((found == 0) & (corpus.lengths > level + 1))
        hits = rows[sections[corpus.tokens[corpus.starts[rows] + level + 1]]]
        found[hits], depth[hits] = tree.of_row[hits, level], level
    return found, depth


def _replace_paths(corpus: Corpus, tree: _Tree, sections: Flags, container: Ints, depth: Ints) -> Corpus:
    several = depth > 1
    nodes = distinct(container[several])
    number = np.zeros(len(tree.depth), dtype=np.int64)
    number[nodes] = len(corpus.vocabulary) + np.arange(len(nodes))
    place = np.arange(len(corpus.tokens)) - np.repeat(corpus.starts, corpus.lengths)
    is_kept = (place <= 1) | (place > np.repeat(depth, corpus.lengths))
    tokens = corpus.tokens.copy()
    tokens[corpus.starts[several] + 1] = number[container[several]]
    spelled = corpus.spelled
    if spelled is not None:
        spelled = spelled.copy()
        spelled[corpus.starts[several] + 1] = number[container[several]]
        spelled = spelled[is_kept]
    lengths = corpus.lengths - np.maximum(depth - 1, 0)
    depths = np.unique(depth[depth > 0])
    return replace(
        corpus,
        vocabulary=[*corpus.vocabulary, *tree.texts(nodes)],
        tokens=tokens[is_kept],
        runs=corpus.runs[is_kept],
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        spelled=spelled,
        containers=frozenset(distinct(tokens[corpus.starts[depth > 0] + 1]).tolist()),
        sections=frozenset(np.flatnonzero(sections).tolist()),
        container_depth=int(depths[0]) if len(depths) == 1 else 0,
    )


def _sections_differ(corpus: Corpus) -> bool:
    """Whether different kinds of pages follow the sections; in a folder of files they do not differ."""
    rows = np.flatnonzero(corpus.lengths > 2)
    rows = rows[np.isin(corpus.tokens[corpus.starts[rows] + 1], list(corpus.containers))]
    tokens, which = np.unique(corpus.tokens[corpus.starts[rows] + 2], return_inverse=True)
    siblings = Siblings(rows, (0, 0), tokens, which, np.zeros(len(tokens)))
    chosen = np.isin(tokens, list(corpus.sections))
    return bool(
        (
            chosen & (overlap(Evidence(corpus), siblings, chosen, chosen, with_queries=True) < MIN_OVERLAP)
        ).sum()
        >= 2
    )


def keep_sections(evidence: Evidence, siblings: Siblings, literal: Flags) -> Flags:
    """Which siblings stay literal: not the containers, but the sections below them."""
    corpus = evidence.corpus
    if siblings.depth == 1:
        literal &= ~np.isin(siblings.tokens, list(corpus.containers))
    elif siblings.depth == 2 and siblings.prefix[1] < 0:
        sections = np.isin(siblings.tokens, list(corpus.sections))
        others: Flags = ~sections & (evidence.kinds[siblings.tokens] == WORD)
        if others.sum() <= MAX_OTHER_WORDS:  # data has more words
            support = np.bincount(siblings.which, minlength=len(others))
            literal |= sections | (others & (support >= MIN_SUPPORT))
        else:
            literal |= sections & ~resemble_data(evidence, siblings, sections, ~sections)
    return literal
