"""FNV-1a hashes of feature names, and the rows of a table that they select.

Every additive model is a table whose row for a feature is found by a hash of the feature's name.
The hash is FNV-1a over the name's UTF-8 bytes, because it grows byte by byte: all n-grams that
begin at one letter cost one multiplication each. Its low bits are weak, so a multiplicative mix
follows. Model files depend on these numbers: they are pinned by a test vector and never change.

Names begin with a letter and a colon for the kind of feature:

    w:haus      a word                      g:_ha   an n-gram from a word, with edge marks
    u:yde       an n-gram from the URL      others: the bundled model's own, see ``evidence``

>>> hex(fnv1a("w:haus"))
'0xfc68cef9a4859ab7'
>>> bucket(fnv1a("w:haus"), 20)
725631
"""

from __future__ import annotations

FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3
MIX = 0x9E3779B97F4A7C15  # 2**64 / golden ratio
MASK = 0xFFFFFFFFFFFFFFFF


def fnv1a(name: str) -> int:
    """The 64-bit hash of a feature's name."""
    state = FNV_OFFSET
    for byte in name.encode("utf-8"):
        state = ((state ^ byte) * FNV_PRIME) & MASK
    return state


def mix(state: int) -> int:
    """Multiplicative finaliser: the high bits select the row, the low bits are the fingerprint."""
    return ((state ^ (state >> 32)) * MIX) & MASK


def bucket(state: int, bits: int) -> int:
    """The row of a table with ``2**bits`` rows."""
    return mix(state) >> (64 - bits)


def fingerprint(state: int) -> int:
    """Sixteen bits that distinguish features in the same row."""
    return mix(state) & 0xFFFF
