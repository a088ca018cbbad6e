"""What endings, codes, numbers and shapes of a URL say, from bytes to hashes.

The numbers in ``MARKS[...]`` are letters: the mark of the feature stands behind them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.features.evidence import LANGUAGE_KEYS
from linksight.features.hashing import fnv1a, mix
from linksight.kernel.compiler import compiled
from linksight.kernel.hashes import MARKS, OFFSET, add_hash, is_among, step_byte, step_number, step_span

_KEYS = np.array(sorted(fnv1a(key) for key in LANGUAGE_KEYS), dtype=np.uint64)
_N_HYPHENS, _N_SIZES = 4, 13
#: The hashes of kind, hyphens and size of a host by the number of its build.
BUILDS = np.array(
    [
        [mix(fnv1a(name)) for name in (f"k:{kind}", f"y:{hyphens}", f"j:{size}")]
        for kind in range(2)
        for hyphens in range(_N_HYPHENS)
        for size in range(_N_SIZES)
    ],
    dtype=np.uint64,
)
N_BUILDS = len(BUILDS)


@compiled
def _characters(data: Any, start: Any, stop: Any) -> Any:
    """How many characters a stretch of UTF-8 has."""
    n = 0
    for i in range(start, stop):
        n += (data[i] & 0xC0) != 0x80
    return n


@compiled
def add_host_hints(
    data: Any, start: Any, dot: Any, stop: Any, is_page: Any, out: Any, n: Any
) -> tuple[Any, Any]:
    """Adds the hints of a host whose last dot is known; gives how many features there are, and its build."""
    ending = step_span(MARKS[116], data, dot + 1, stop)  # t
    both = step_byte(step_span(MARKS[100], data, dot + 1, stop), 47)  # d
    n = add_hash(out, n, ending)
    n = add_hash(out, n, step_byte(both, 48 + is_page))
    body = max(dot, start)
    hyphens = digits = dots = size = 0
    for i in range(start, body):
        hyphens += data[i] == 45
        dots += data[i] == 46
        digits += 48 <= data[i] <= 57
        size += (data[i] & 0xC0) != 0x80
    build = (is_page * _N_HYPHENS + min(3, hyphens)) * _N_SIZES + min(12, size // 2)
    if dots:
        n = _labels(data, start, body, stop, out, n)
    return (_numbers(data, start, body, out, n) if digits else n), build


@compiled
def _labels(data: Any, start: Any, body: Any, stop: Any, out: Any, n: Any) -> Any:
    """The name with its ending, and the short labels before it."""
    last = body
    while data[last - 1] != 46:
        last -= 1
    n = add_hash(out, n, step_span(MARKS[115], data, last, stop))  # s
    label = start
    for i in range(start, last):
        if data[i] == 46:
            if _characters(data, label, i) <= 5:
                n = add_hash(out, n, step_span(MARKS[98], data, label, i))  # b
            label = i + 1
    return n


@compiled
def _numbers(data: Any, start: Any, body: Any, out: Any, n: Any) -> Any:
    digits = runs = 0
    for i in range(start, body + 1):
        if i < body and 48 <= data[i] <= 57:
            digits += 1
        elif digits:
            if runs < 3:
                begin = i - digits
                n = add_hash(out, n, step_span(MARKS[110], data, begin, begin + min(digits, 5)))  # n
                n = add_hash(out, n, step_number(MARKS[109], min(digits, 6)))  # m
            runs += 1
            digits = 0
    return n


@compiled
def add_path_hints(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    question = start
    while question < stop and data[question] != 63:
        question += 1
    shape = MARKS[122]  # z
    hyphens = n_segments = 0
    begin = start
    for i in range(start, question + 1):
        if i < question and data[i] == 45:
            hyphens += 1
        if i == question or data[i] == 47:
            if n_segments < 4:
                n = _segment(data, begin, i, out, n)
            if n_segments < 5:
                shape = _shape(step_byte(shape, 47) if n_segments else shape, data, begin, i)
            n_segments += 1
            if i < question:
                begin = i + 1
    n = _pairs(data, question + 1, stop, out, n)
    n = add_hash(out, n, step_number(MARKS[104], min(6, hyphens)))  # h
    n = add_hash(out, n, shape)
    dot = question - 1
    while dot >= begin and data[dot] != 46:
        dot -= 1
    if dot >= begin and _characters(data, dot + 1, question) <= 5:
        n = add_hash(out, n, step_span(MARKS[101], data, dot + 1, question))  # e
    return n


@compiled
def _segment(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    if not 2 <= stop - start <= 28:
        return n
    size = _characters(data, start, stop)
    if not 2 <= size <= 7:
        return n
    n = add_hash(out, n, step_span(MARKS[99], data, start, stop))  # c
    if size != 5:
        return n
    middle = start  # the third character
    for _ in range(2):
        middle += 1
        while (data[middle] & 0xC0) == 0x80:
            middle += 1
    if data[middle] == 45 or data[middle] == 95:
        n = add_hash(out, n, step_span(MARKS[99], data, start, middle))
        n = add_hash(out, n, step_span(MARKS[114], data, middle + 1, stop))  # r
    return n


@compiled
def _shape(state: Any, data: Any, start: Any, stop: Any) -> Any:
    if start == stop:
        return step_byte(state, 101)  # e
    digits = letters = True
    for i in range(start, stop):
        digits = digits and 48 <= data[i] <= 57
        letters = letters and 97 <= data[i] | 32 <= 122 and data[i] < 0x80
    if digits:
        return step_number(step_byte(state, 100), min(stop - start, 8))  # d
    return step_byte(state, 97 if letters else 109)  # a or m


@compiled
def _pairs(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    """Adds the query's first six pairs, and language codes among them."""
    begin = start
    n_pairs = 0
    for i in range(start, stop + 1):
        if i < stop and data[i] != 38:
            continue
        if n_pairs < 6 and start < stop and _characters(data, begin, i) <= 16:
            n = add_hash(out, n, step_span(MARKS[113], data, begin, i))  # q
            equals = begin
            while equals < i and data[equals] != 61:
                equals += 1
            if equals + 1 < i and is_among(step_span(OFFSET, data, begin, equals), _KEYS):
                end = equals + 1
                for _ in range(2):
                    end += end < i
                    while end < i and (data[end] & 0xC0) == 0x80:
                        end += 1
                n = add_hash(out, n, step_span(MARKS[108], data, equals + 1, end))  # l
        n_pairs += 1
        begin = i + 1
    return n
