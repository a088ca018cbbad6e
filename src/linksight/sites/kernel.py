"""The automaton's one pass over the bytes of a column, compiled; see :mod:`linksight.sites.layout`."""

from __future__ import annotations

import numpy as np

from linksight.features.hashing import FNV_OFFSET, FNV_PRIME, MIX
from linksight.kernel.compiler import compiled, inlined
from linksight.sites.tokens import MAX_TOKENS
from linksight.urls import MAX_LENGTH

NO_MATCH, BAD_URL = -1, -2

_BASIS, _PRIME, _STIR = np.uint64(FNV_OFFSET), np.uint64(FNV_PRIME), np.uint64(MIX)
_8, _32 = np.uint64(8), np.uint64(32)


@compiled
def _is_separator(byte: int) -> bool:
    return byte in (47, 63, 35, 38, 61, 58)  # / ? # & = :


@inlined
def _lower(byte: int) -> int:
    return byte + 32 if 65 <= byte <= 90 else byte


@compiled
def _slot(node, run, token_hash, size):  # type: ignore[no-untyped-def]
    state = token_hash ^ (run * _STIR) ^ (np.uint64(node) * _PRIME)
    state = (state ^ (state >> _32)) * _STIR
    return np.int64((state ^ (state >> _32)) & np.uint64(size - 1))


@compiled
def _lookup(nodes, runs, values, node, run, salt):  # type: ignore[no-untyped-def]
    """The value at (node, run) of the wildcard table (salt 0) or the table of ends (salt 1), or -1."""
    slot = _slot(node, run, np.uint64(salt), len(nodes))
    while nodes[slot] >= 0:
        if nodes[slot] == node and runs[slot] == run:
            return values[slot]
        slot = (slot + 1) & (len(nodes) - 1)
    return -1


@compiled
def _after_scheme(text, start, end):  # type: ignore[no-untyped-def]
    """Where the authority begins, or -1 for what is no web address (see ``tokens._after_scheme``)."""
    at = start
    if (
        end - start >= 7
        and _lower(text[at]) == 104
        and _lower(text[at + 1]) == 116
        and _lower(text[at + 2]) == 116
        and _lower(text[at + 3]) == 112
    ):
        at += 5 if _lower(text[at + 4]) == 115 else 4
        if at + 3 <= end and text[at] == 58 and text[at + 1] == 47 and text[at + 2] == 47:
            return at + 3
    if end - start >= 2 and text[start] == 47 and text[start + 1] == 47:
        return start + 2
    dot, colon = False, False
    for at in range(start, end):
        byte = text[at]
        if byte in (47, 63, 35):
            break
        if byte == 64 or (colon and not 48 <= byte <= 57):
            return -1
        if byte == 58:
            colon = True
        elif byte == 46 and not colon:
            dot = True
    return start if dot else -1


@compiled
def _read_run(text, at, end):  # type: ignore[no-untyped-def]
    """The canonical run of separators from ``at``, packed, and where it ends."""
    stop, cut = at, -1
    while stop < end and _is_separator(text[stop]):
        if cut < 0 and text[stop] in (63, 35):
            cut = stop
        stop += 1
    left = at
    if cut >= 0:
        left = cut
        while left > at and text[left - 1] == 47:
            left -= 1
    else:
        cut = at
    run, n = np.uint64(0), 0
    for index in range(at, stop):
        if (index < left or index >= cut) and n < 8:
            run = (run << _8) | np.uint64(text[index])
            n += 1
    return run, stop


@compiled
def _read_tail(text, at, end):  # type: ignore[no-untyped-def]
    """The separators that count at the end of a URL, packed."""
    while end > at and text[end - 1] in (47, 63, 35, 38):
        end -= 1
    run = np.uint64(0)
    for index in range(at, min(end, at + 8)):
        run = (run << _8) | np.uint64(text[index])
    return run


@compiled
def _before_hash(run):  # type: ignore[no-untyped-def]
    """Whether a packed run has a ``#``, and what counts of the separators before it."""
    before = np.uint64(0)
    for index in range(8):
        byte = (run >> np.uint64(56 - 8 * index)) & np.uint64(255)
        if byte == np.uint64(35):
            while (before & np.uint64(255)) in (np.uint64(47), np.uint64(63), np.uint64(38)):
                before >>= _8
            return True, before
        before = (before << _8) | byte
    return False, before


@compiled
def _normalise(text, start, end, out):  # type: ignore[no-untyped-def]
    """Copy what follows the scheme to ``out``, host in lower case; its length, or -1 for no web address."""
    while start < end and text[start] <= 32:
        start += 1
    while end > start and text[end - 1] <= 32:
        end -= 1
    if end - start > MAX_LENGTH:
        n = 0
        for at in range(start, end):
            n += (text[at] & 0xC0) != 0x80
        if n > MAX_LENGTH:
            return -1
    at = _after_scheme(text, start, end)
    if at < 0:
        return -1
    stop = at
    while stop < end and text[stop] not in (47, 63, 35):
        if text[stop] == 64:
            at = stop + 1
        stop += 1
    n = stop - at
    for index in range(n):
        out[index] = _lower(text[at + index])
    if n >= 3 and out[n - 3] == 58 and out[n - 2] == 56 and out[n - 1] == 48:  # :80
        n -= 3
    elif n >= 4 and out[n - 4] == 58 and out[n - 3] == 52 and out[n - 2] == 52 and out[n - 1] == 51:  # :443
        n -= 4
    elif n >= 1 and out[n - 1] == 58:
        n -= 1
    for index in range(end - stop):
        out[n + index] = text[stop + index]
    return n + end - stop


@compiled
def match_rows(  # type: ignore[no-untyped-def]
    text, starts, found, url, active, following,
    literal_node, literal_run, literal_hash, literal_start, literal_length, literal_child,
    literal_kind, wild_node, wild_run, wild_child, end_node, end_run, end_pattern, specific, pool, has_stems,
):  # fmt: skip
    """The best pattern of each row of a column, as positions, into ``found``.

    ``url`` is room for the longest row, ``active`` and ``following`` for the nodes that can be active at a time.
    """
    literals = (
        literal_node,
        literal_run,
        literal_hash,
        literal_start,
        literal_length,
        literal_child,
        literal_kind,
    )
    wild, ends = (wild_node, wild_run, wild_child), (end_node, end_run, end_pattern)
    for row in range(len(found)):
        end = _normalise(text, starts[row], starts[row + 1], url)
        if end <= 0 or _is_separator(url[0]):
            found[row] = BAD_URL
        else:
            found[row] = _match_one(
                url, end, active, following, literals, wild, ends, specific, pool, has_stems
            )


@inlined
def _match_one(url, end, active, following, literals, wild, ends, specific, pool, has_stems):  # type: ignore[no-untyped-def]
    """The best pattern of one URL, which is normalised already."""
    at, run, n_tokens, n_active = 0, np.uint64(0), 0, 1
    best, in_fragment, tail = NO_MATCH, False, np.uint64(0)
    active[0] = 0
    while at < end:
        begin = at
        at, token_hash, stem_hash, has_number = _read_token(url, at, end, has_stems)
        n_tokens += 1
        token = (begin, at - begin, token_hash, stem_hash, has_number)
        n_active = _step(url, token, run, active, n_active, following, literals, wild, pool)
        active, following = following, active
        run, stop = _read_run(url, at, end)
        if stop == end:
            tail = _read_tail(url, at, end)
            break
        at = stop
        if not in_fragment:
            in_fragment, before = _before_hash(run)
            if in_fragment:
                best = _best_end(active, n_active, before, specific, *ends)
    whole = _best_end(active, n_active, tail, specific, *ends)
    return BAD_URL if n_tokens > MAX_TOKENS else whole if whole >= 0 else best


@inlined
def _read_token(url, at, end, has_stems):  # type: ignore[no-untyped-def]
    """Where the token ends, its hash, the hash of its stem, and whether it holds a number."""
    token_hash, stem_hash, in_number, has_number = _BASIS, _BASIS ^ _STIR, False, False
    while at < end and not _is_separator(url[at]):
        byte = url[at]
        token_hash = (token_hash ^ np.uint64(byte)) * _PRIME
        if has_stems:
            digit = 48 <= byte <= 57
            if not (digit and in_number):
                stem_hash = (stem_hash ^ np.uint64(48 if digit else byte)) * _PRIME
            in_number = digit
            has_number = has_number or digit
        at += 1
    return at, token_hash, stem_hash, has_number


@inlined
def _step(url, token, run, active, n_active, following, literals, wild, pool):  # type: ignore[no-untyped-def]
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
        child = _lookup(wild[0], wild[1], wild[2], node, run, 0)
        if child >= 0:
            following[n_following] = child
            n_following += 1
    return n_following


@inlined
def _literal_child(url, token, node, run, wanted, kind, literals, pool):  # type: ignore[no-untyped-def]
    """The node behind a literal token (kind 0) or a stem (kind 1), or -1."""
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
def _same_token(url, begin, length, pool, start, stored, kind):  # type: ignore[no-untyped-def]
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
def _best_end(active, n_active, run, specific, end_node, end_run, end_pattern):  # type: ignore[no-untyped-def]
    """The pattern of the most specific active node at which one ends, or NO_MATCH."""
    best, most = NO_MATCH, -1
    for index in range(n_active):
        node = active[index]
        if specific[node] > most:
            pattern = _lookup(end_node, end_run, end_pattern, node, run, 1)
            if pattern >= 0:
                best, most = pattern, specific[node]
    return best
