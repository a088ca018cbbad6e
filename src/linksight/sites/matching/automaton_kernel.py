"""The automaton's one pass over the bytes of a column, compiled; see :mod:`linksight.sites.matching.automaton_tables`.

The small functions are written out where they are called: handing arrays over costs more than they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.features.feature_hash import FNV_OFFSET, FNV_PRIME, MIX
from linksight.native.jit import compiled, inlined
from linksight.sites.learning.tokens import MAX_TOKENS
from linksight.sites.matching.automaton_tables import SITE
from linksight.sites.matching.url_scanner import (
    before_hash,
    is_separator,
    normalise,
    read_run,
    read_tail,
    read_token,
)

NO_MATCH, BAD_URL = -1, -2

_PRIME, _STIR, _32 = np.uint64(FNV_PRIME), np.uint64(MIX), np.uint64(32)
_SITE_BASIS = np.uint64((FNV_OFFSET ^ (SITE * MIX)) & 0xFFFFFFFFFFFFFFFF)


@compiled
def _slot(node: Any, run: Any, token_hash: Any, size: Any) -> Any:
    state = token_hash ^ (run * _STIR) ^ (np.uint64(node) * _PRIME)
    state = (state ^ (state >> _32)) * _STIR
    return np.int64((state ^ (state >> _32)) & np.uint64(size - 1))


@compiled
def _lookup(nodes: Any, runs: Any, values: Any, node: Any, run: Any, salt: Any) -> Any:
    """The value at (node, run) of the wildcard table (salt 0) or the table of ends (salt 1), or -1."""
    slot = _slot(node, run, np.uint64(salt), len(nodes))
    while nodes[slot] >= 0:
        if nodes[slot] == node and runs[slot] == run:
            return values[slot]
        slot = (slot + 1) & (len(nodes) - 1)
    return -1


@compiled
def match_rows(
    text: Any, starts: Any, found: Any, room: Any, literals: Any, wild: Any, ends: Any, specific: Any, pool: Any,
    has_stems: bool, has_sites: bool,
) -> None:  # fmt: skip
    """The best pattern of each row of a column, as positions, into ``found``; for the tables see ``layout``.

    ``room`` is for the longest row, and twice for the nodes that can be active at a time.
    """
    url, active, following = room
    for row in range(len(found)):
        end = normalise(text, starts[row], starts[row + 1], url)
        if end <= 0 or is_separator(url[0]):
            found[row] = BAD_URL
        else:
            found[row] = _match_one(
                url, end, active, following, literals, wild, ends, specific, pool, has_stems, has_sites
            )


@inlined
def _match_one(
    url: Any,
    end: Any,
    active: Any,
    following: Any,
    literals: Any,
    wild: Any,
    ends: Any,
    specific: Any,
    pool: Any,
    has_stems: Any,
    has_sites: Any,
) -> Any:
    """The best pattern of one URL, which is normalised already."""
    at, run, n_tokens, n_active = 0, np.uint64(0), 0, 1
    best, in_fragment, tail = NO_MATCH, False, np.uint64(0)
    active[0] = 0
    while at < end:
        begin = at
        at, token_hash, stem_hash, has_number = read_token(url, at, end, has_stems)
        n_tokens += 1
        token = (begin, at - begin, token_hash, stem_hash, has_number)
        n_active = _step(url, token, run, active, n_active, following, literals, wild, pool, has_sites)
        active, following = following, active
        run, stop = read_run(url, at, end)
        if stop == end:
            tail = read_tail(url, at, end)
            break
        at = stop
        if not in_fragment:
            in_fragment, before = before_hash(run)
            if in_fragment:
                best = _best_end(active, n_active, before, specific, *ends)
    whole = _best_end(active, n_active, tail, specific, *ends)
    if whole < 0 and not in_fragment:
        in_fragment, before = before_hash(tail)  # a fragment of separators alone, as in ``#=``
        if in_fragment:
            best = _best_end(active, n_active, before, specific, *ends)
    return BAD_URL if n_tokens > MAX_TOKENS else whole if whole >= 0 else best


@inlined
def _step(
    url: Any,
    token: Any,
    run: Any,
    active: Any,
    n_active: Any,
    following: Any,
    literals: Any,
    wild: Any,
    pool: Any,
    has_sites: Any,
) -> Any:
    """The nodes that a token leads to, the most specific first; how many there are."""
    n_following = 0
    _, _, token_hash, stem_hash, has_number = token
    for index in range(n_active):
        node = active[index]
        for kind in range(2 if has_number else 1):
            child = _literal_child(
                url, token, node, run, stem_hash if kind else token_hash, kind, literals, pool
            )
            if child >= 0:
                following[n_following] = child
                n_following += 1
        if has_sites and node == 0:
            n_following = _site_children(url, token, run, following, n_following, literals, pool)
        child = _lookup(wild[0], wild[1], wild[2], node, run, 0)
        if child >= 0:
            following[n_following] = child
            n_following += 1
    return n_following


@inlined
def _site_children(
    url: Any, token: Any, run: Any, following: Any, n_following: Any, literals: Any, pool: Any
) -> Any:
    """Add the nodes behind the sites that a host is of, the narrowest first; how many there are then."""
    begin, length = token[0], token[1]
    for start in range(begin, begin + length):
        # A host is of itself, and of what stands behind each dot that is not its first character.
        if start > begin and (url[start - 1] != 46 or start - 1 == begin):
            continue
        site_hash = _SITE_BASIS
        for at in range(start, begin + length):
            site_hash = (site_hash ^ np.uint64(url[at])) * _PRIME
        site = (start, begin + length - start)
        child = _literal_child(url, site, 0, run, site_hash, SITE, literals, pool)
        if child >= 0:
            following[n_following] = child
            n_following += 1
    return n_following


@inlined
def _literal_child(
    url: Any, token: Any, node: Any, run: Any, wanted: Any, kind: Any, literals: Any, pool: Any
) -> Any:
    """The node behind a literal token (kind 0), a stem (kind 1) or a site (kind 2), or -1."""
    nodes, runs, hashes, starts, lengths, children, kinds = literals
    size = len(nodes)
    slot = _slot(node, run, wanted, size)
    while nodes[slot] >= 0:
        if (
            nodes[slot] == node
            and hashes[slot] == wanted
            and runs[slot] == run
            and kinds[slot] == kind
            and _same_token(url, token[0], token[1], pool, starts[slot], lengths[slot], kind)
        ):
            return children[slot]
        slot = (slot + 1) & (size - 1)
    return -1


@compiled
def _same_token(url: Any, begin: Any, length: Any, pool: Any, start: Any, stored: Any, kind: Any) -> Any:
    """Whether a token of the URL, or its stem (kind 1), is what is stored."""
    at, in_number = 0, False
    for index in range(length):
        byte = url[begin + index]
        digit = kind == 1 and 48 <= byte <= 57
        if digit and in_number:
            continue
        in_number = digit
        if at >= stored or pool[start + at] != (48 if digit else byte):
            return False
        at += 1
    return at == stored


@compiled
def _best_end(
    active: Any, n_active: Any, run: Any, specific: Any, end_node: Any, end_run: Any, end_pattern: Any
) -> Any:
    """The pattern of the most specific active node at which one ends, or NO_MATCH."""
    best, most = NO_MATCH, -1
    for index in range(n_active):
        node = active[index]
        if specific[node] > most:
            pattern = _lookup(end_node, end_run, end_pattern, node, run, 1)
            if pattern >= 0:
                best, most = pattern, specific[node]
    return best
