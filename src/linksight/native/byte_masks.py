"""Which of the next 64 bytes are letters, digits, dots: one bit a byte, found in a few steps.

Most hosts and paths end within 64 bytes, so what is asked of them is asked of a number. Near the end of a buffer,
behind which nothing may be read, the bits are put together one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linksight.native.aligned_arrays import count_bits
from linksight.native.jit import compiled, inlined

SPAN = 64  #: bytes that a mask tells about
_ONE = np.uint64(1)
_ALL = np.uint64(2**64 - 1)


def _range_bits(_typing: Any, data: Any, start: Any, fold: Any, low: Any, size: Any) -> Any:
    """The mask of 64 bytes from ``start`` on: those that with the bits of ``fold`` set are ``size`` bytes from ``low`` on."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array = context.make_array(data)(context, builder, arguments[0])
        byte = ir.IntType(8)
        block = ir.VectorType(byte, SPAN)
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), block.as_pointer())
        bytes_ = builder.load(place, align=1)

        def all_of(value: Any) -> Any:
            first = builder.insert_element(ir.Constant(block, ir.Undefined), value, ir.IntType(32)(0))
            order = ir.Constant(ir.VectorType(ir.IntType(32), SPAN), [0] * SPAN)
            return builder.shuffle_vector(first, ir.Constant(block, ir.Undefined), order)

        folded = builder.or_(bytes_, all_of(arguments[2]))
        found = builder.icmp_unsigned("<", builder.sub(folded, all_of(arguments[3])), all_of(arguments[4]))
        return builder.bitcast(found, ir.IntType(64))

    byte = types.uint8
    return types.uint64(data, types.int64, byte, byte, byte), generate


block_bits: Any = intrinsic(_range_bits)


def _first_bit(_typing: Any, value: Any) -> Any:
    """The place of the lowest bit that is set, or 64."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(value), generate


def _last_bit(_typing: Any, value: Any) -> Any:
    """The place of the highest bit that is set, or -1."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.sub(ir.IntType(64)(63), builder.ctlz(arguments[0], ir.IntType(1)(0)))

    return types.int64(value), generate


first_bit: Any = intrinsic(_first_bit)
last_bit: Any = intrinsic(_last_bit)


@inlined
def low_bits(n: Any) -> Any:
    """As many bits as are asked for, up to 64."""
    return _ALL if n >= SPAN else (_ONE << np.uint64(n)) - _ONE


@compiled
def _bits_one_by_one(data: Any, start: Any, fold: Any, low: Any, size: Any) -> Any:
    bits = np.uint64(0)
    for i in range(min(len(data) - start, SPAN)):
        bits |= np.uint64(np.uint8((data[start + i] | fold) - low) < size) << np.uint64(i)
    return bits


@inlined
def _bits(data: Any, start: Any, fold: Any, low: Any, size: Any) -> Any:
    if start + SPAN <= len(data):
        return block_bits(data, start, fold, low, size)
    return _bits_one_by_one(data, start, fold, low, size)


@inlined
def letter_bits(data: Any, start: Any) -> Any:
    return _bits(data, start, np.uint8(32), np.uint8(97), np.uint8(26))


@inlined
def digit_bits(data: Any, start: Any) -> Any:
    return _bits(data, start, np.uint8(0), np.uint8(48), np.uint8(10))


@inlined
def byte_bits(data: Any, start: Any, byte: Any) -> Any:
    return _bits(data, start, np.uint8(0), np.uint8(byte), np.uint8(1))


@inlined
def mark_bits(data: Any, start: Any) -> Any:
    """Bytes of ASCII that leave a mark on paper: neither blanks nor controls."""
    return _bits(data, start, np.uint8(0), np.uint8(0x21), np.uint8(0x5E))


@inlined
def later_bits(data: Any, start: Any) -> Any:
    """Bytes that are not the first of their character, in UTF-8."""
    return _bits(data, start, np.uint8(0), np.uint8(0x80), np.uint8(0x40))


@compiled
def find_byte(data: Any, start: Any, stop: Any, byte: Any) -> Any:
    """Where a byte stands first, or ``stop``."""
    for first in range(start, stop, SPAN):
        bits = byte_bits(data, first, byte) & low_bits(stop - first)
        if bits:
            return first + first_bit(bits)
    return stop


@compiled
def find_last_byte(data: Any, start: Any, stop: Any, byte: Any) -> Any:
    """Where a byte stands last, or before ``start``."""
    found = start - 1
    for first in range(start, stop, SPAN):
        bits = byte_bits(data, first, byte) & low_bits(stop - first)
        if bits:
            found = first + last_bit(bits)
    return found


@compiled
def count_byte(data: Any, start: Any, stop: Any, byte: Any) -> Any:
    """How often a byte stands there."""
    n = np.int64(0)
    for first in range(start, stop, SPAN):
        n += np.int64(count_bits(byte_bits(data, first, byte) & low_bits(stop - first)))
    return n


@compiled
def count_characters(data: Any, start: Any, stop: Any) -> Any:
    """How many characters a stretch of UTF-8 has."""
    n = stop - start
    for first in range(start, stop, SPAN):
        n -= np.int64(count_bits(later_bits(data, first) & low_bits(stop - first)))
    return n


@compiled
def are_letters(data: Any, start: Any, stop: Any) -> Any:
    """Whether there are letters of ASCII only, or nothing."""
    others = np.uint64(0)
    for first in range(start, stop, SPAN):
        others |= ~letter_bits(data, first) & low_bits(stop - first)
    return others == np.uint64(0)


@compiled
def are_digits(data: Any, start: Any, stop: Any) -> Any:
    """Whether there are digits only, or nothing."""
    others = np.uint64(0)
    for first in range(start, stop, SPAN):
        others |= ~digit_bits(data, first) & low_bits(stop - first)
    return others == np.uint64(0)
