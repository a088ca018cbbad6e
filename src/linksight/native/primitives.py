"""The functions of ``primitives.h`` for modules that run uncompiled: wrapping arithmetic on plain integers."""

from __future__ import annotations

import struct

_ALL = 2**64 - 1


def fnv_step(state: int, byte: int) -> int:
    """FNV-1a, one byte."""
    return ((int(state) ^ int(byte)) * 0x100000001B3) & _ALL


def fnv_mix(state: int) -> int:
    """Multiplicative finaliser: the high bits select a bucket, the low bits are the fingerprint."""
    state = int(state)
    return ((state ^ (state >> 32)) * 0x9E3779B97F4A7C15) & _ALL


def count_bits(value: int) -> int:
    """Population count."""
    return int(value).bit_count()


def first_bit(value: int) -> int:
    """Index of the lowest set bit; 64 if there is none."""
    value = int(value)
    return (value & -value).bit_length() - 1 if value else 64


def last_bit(value: int) -> int:
    """Index of the highest set bit; -1 if there is none."""
    return int(value).bit_length() - 1


def low_bits(n: int) -> int:
    """The lowest n bits set, for n from 0 to 64."""
    return (1 << min(int(n), 64)) - 1


def float_bits(value: float) -> int:
    """Bits of a 32-bit float as a signed integer."""
    return int(struct.unpack("<i", struct.pack("<f", value))[0])


def float_of_bits(bits: int) -> float:
    """The 32-bit float with these bits."""
    return float(struct.unpack("<f", struct.pack("<i", bits))[0])


def round_even(value: float) -> int:
    """The nearest integer, the even one of two."""
    return round(value)
