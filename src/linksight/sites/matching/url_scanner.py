"""The bytes of a URL read as the automaton wants them, compiled: what ``tokens.split_url`` does, without a string.

Runs of separators are packed into one machine word each, tokens are known by their hashes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.features.feature_hash import FNV_OFFSET, FNV_PRIME, MIX
from linksight.native.jit import compiled, inlined
from linksight.urls.parser import MAX_LENGTH

_BASIS, _PRIME, _STIR = np.uint64(FNV_OFFSET), np.uint64(FNV_PRIME), np.uint64(MIX)
_8 = np.uint64(8)


@compiled
def is_separator(byte: int) -> bool:
    return byte in (47, 63, 35, 38, 61, 58)  # / ? # & = :


@inlined
def _lower(byte: int) -> int:
    return byte + 32 if 65 <= byte <= 90 else byte


@compiled
def _after_scheme(text: Any, start: Any, end: Any) -> Any:
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
def read_run(text: Any, at: Any, end: Any) -> Any:
    """The canonical run of separators from ``at``, packed, and where it ends."""
    stop, cut = at, -1
    while stop < end and is_separator(text[stop]):
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
def read_tail(text: Any, at: Any, end: Any) -> Any:
    """The separators that count at the end of a URL, packed."""
    while end > at and text[end - 1] in (47, 63, 35, 38):
        end -= 1
    run = np.uint64(0)
    for index in range(at, min(end, at + 8)):
        run = (run << _8) | np.uint64(text[index])
    return run


@compiled
def before_hash(run: Any) -> Any:
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
def normalise(text: Any, start: Any, end: Any, out: Any) -> Any:
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


@inlined
def read_token(url: Any, at: Any, end: Any, has_stems: Any) -> Any:
    """Where the token ends, its hash, the hash of its stem, and whether it holds a number."""
    token_hash, stem_hash, in_number, has_number = _BASIS, _BASIS ^ _STIR, False, False
    while at < end and not is_separator(url[at]):
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
