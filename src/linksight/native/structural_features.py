"""What endings, codes, numbers and shapes of a URL say, from bytes to hashes.

The numbers in ``MARKS[...]`` are letters: the mark of the feature stands behind them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.features.feature_hash import fnv1a, mix
from linksight.features.url_features import (  # fmt: skip
    LANGUAGE_KEYS,
    MAX_PAIR,
    MAX_PAIRS,
    MAX_PART,
    PLATFORMS,
    SHARED_ENDINGS,
)
from linksight.languages.registry import short_codes
from linksight.native.aligned_arrays import count_bits
from linksight.native.byte_masks import (
    SPAN,
    are_digits,
    are_letters,
    byte_bits,
    count_byte,
    count_characters,
    digit_bits,
    find_byte,
    find_last_byte,
    later_bits,
    low_bits,
)
from linksight.native.feature_hash import (
    MARKS,
    OFFSET,
    add_hash,
    is_among,
    mix_bits,
    step_byte,
    step_number,
    step_span,
)
from linksight.native.hash_index import row_of
from linksight.native.jit import compiled, compiled_step, inlined

_KEYS = np.array(sorted(fnv1a(key) for key in LANGUAGE_KEYS), dtype=np.uint64)
_PLATFORMS = np.array(sorted(fnv1a(name) for name in PLATFORMS), dtype=np.uint64)
#: Whether a platform's name begins with two letters, by their numbers: most labels need no second look.
_PLATFORM_HEADS = np.zeros(32**2, np.bool_)
_PLATFORM_HEADS[[(ord(name[0]) & 31) << 5 | ord(name[1]) & 31 for name in PLATFORMS]] = True
_SHARED_ENDINGS = np.array(sorted(fnv1a(name) for name in SHARED_ENDINGS), dtype=np.uint64)
_LONGEST_SHARED = max(map(len, SHARED_ENDINGS))
# Words for languages by their hashes, and the features that they stand for.
_WORDS, _WORDS_CODES = (
    np.array(column, dtype=np.uint64)
    for column in zip(
        *sorted((fnv1a(word), fnv1a(f"l:{code}")) for word, code in short_codes().items()), strict=True
    )
)
_N_HYPHENS, _N_SIZES, _N_PATHS = 4, 13, 7
N_HOMES = _N_HYPHENS * _N_SIZES
#: The hashes of what is counted by the number of a URL's build: kind, hyphens and size of the host, and hyphens
#: of a page's path.
BUILDS = [
    [mix(fnv1a(name)) for name in (f"k:{page:d}", f"y:{hyphens}", f"j:{size}", *[f"h:{path}"][:page])]
    for page, path in [(0, 0), *[(1, path) for path in range(_N_PATHS)]]
    for hyphens in range(_N_HYPHENS)
    for size in range(_N_SIZES)
]
# Typed, for numba would compile a version for each number that is written out.
_HYPHEN, _DOT, _SLASH, _QUESTION, _EQUALS = np.frombuffer(b"-./?=", np.uint8)
N_ENDINGS = 32**3  #: top-level domains of up to three letters, by their letters


@compiled
def sum_endings(names: Any, rows: Any, endings: Any, end: Any) -> Any:
    """Fills ``endings`` with where the sum of an ending's two features lies, of homes and then of pages.

    Sums are written from row ``end`` on; gives where they end. As with n-grams, every ending that there
    can be is asked for.
    """
    for ending in range(N_ENDINGS):
        alone, both = MARKS[116], MARKS[100]  # t, d
        for place in (10, 5, 0):
            letter = (ending >> place) & 31
            if letter:
                alone, both = step_byte(alone, 96 + letter), step_byte(both, 96 + letter)
        for is_page in range(2):
            one = row_of(names, mix_bits(alone))
            other = row_of(names, mix_bits(step_byte(step_byte(both, 47), 48 + is_page)))
            if one or other:
                for i in range(rows.shape[1]):
                    rows[end, i] = rows[one, i] + rows[other, i]
                endings[is_page * N_ENDINGS + ending] = end
                end += 1
    return end


@inlined
def _ending_at(data: Any, start: Any, stop: Any) -> Any:
    """The number of an ending by its letters, or -1."""
    if not 0 < stop - start <= 3:
        return np.int64(-1)
    ending = np.int64(0)
    for i in range(start, stop):
        if not 97 <= data[i] | 32 <= 122:
            return np.int64(-1)
        ending = (ending << 5) | np.int64(data[i] & 31)
    return ending


@compiled_step
def add_host_hints(
    data: Any, start: Any, dot: Any, stop: Any, is_page: Any, endings: Any, out: Any, n: Any
) -> tuple[Any, Any, Any]:
    """Adds the hints of a host whose last dot is known.

    Gives how many features there are, the host's build, and the row of its ending's sum.
    """
    row = np.int64(0)
    ending = _ending_at(data, dot + 1, stop)
    if ending >= 0:
        row = np.int64(endings[is_page * N_ENDINGS + ending])
    else:
        both = step_byte(step_span(MARKS[100], data, dot + 1, stop), 47)  # d
        n = add_hash(out, n, step_span(MARKS[116], data, dot + 1, stop))  # t
        n = add_hash(out, n, step_byte(both, 48 + is_page))
    body = max(dot, start)
    hyphens, dots, digits, size = _count_host(data, start, body)
    build = min(3, hyphens) * _N_SIZES + min(12, size // 2)
    if dots:
        n = _labels(data, start, body, stop, out, n)
    elif start < body:
        n = add_hash(out, n, step_span(MARKS[115], data, start, stop))  # s
    return (_numbers(data, start, body, out, n) if digits else n), build, row


@inlined
def _count_host(data: Any, start: Any, stop: Any) -> tuple[Any, Any, Any, Any]:
    """How many hyphens, dots, digits and characters there are; of digits, whether."""
    hyphens = dots = digits = size = np.int64(0)
    if stop - start <= SPAN:
        inside = low_bits(stop - start)
        hyphens = np.int64(count_bits(byte_bits(data, start, 45) & inside))
        dots = np.int64(count_bits(byte_bits(data, start, 46) & inside))
        digits = np.int64(digit_bits(data, start) & inside != 0)
        size = stop - start - np.int64(count_bits(later_bits(data, start) & inside))
        return hyphens, dots, digits, size
    for i in range(start, stop):
        hyphens += data[i] == 45
        dots += data[i] == 46
        digits += 48 <= data[i] <= 57
        size += (data[i] & 0xC0) != 0x80
    return hyphens, dots, digits, size


@inlined
def own_names_end(data: Any, start: Any, body: Any) -> Any:
    """Where the names end that a host's words are read from; see ``evidence.own_names``."""
    dot = find_byte(data, start, body, _DOT)
    return body if dot == body else _before_platform(data, dot, body)


@compiled_step
def _before_platform(data: Any, dot: Any, body: Any) -> Any:
    """The dot before the first label behind ``dot`` that is a platform's name."""
    for i in range(dot + 1, body + 1):
        if i == body or data[i] == 46:
            head = (np.int64(data[dot + 1] & 31) << 5) | np.int64(data[dot + 2] & 31)
            if _PLATFORM_HEADS[head] and is_among(step_span(OFFSET, data, dot + 1, i), _PLATFORMS):
                return dot
            dot = i
    return body


@inlined
def _is_shared(data: Any, last: Any, body: Any, stop: Any) -> Any:
    """Whether names are registered under a host's last two labels: see ``evidence.SHARED_ENDINGS``."""
    if count_characters(data, body + 1, stop) != 2:
        return False
    return is_among(step_span(OFFSET, data, last, body), _SHARED_ENDINGS)


@compiled
def _labels(data: Any, start: Any, body: Any, stop: Any, out: Any, n: Any) -> Any:
    """The name with its ending, and the short labels before it."""
    last = body
    while data[last - 1] != 46:
        last -= 1
    n = add_hash(out, n, step_span(MARKS[115], data, last, stop))  # s
    label, end = start, last
    if body - last <= _LONGEST_SHARED and _is_shared(data, last, body, stop):
        end = find_last_byte(data, start, last - 1, _DOT) + 1  # the name before it is the site's own
    for i in range(start, end):
        if data[i] == 46:
            if count_characters(data, label, i) <= MAX_PART:
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
def add_path_hints(data: Any, start: Any, stop: Any, out: Any, n: Any) -> tuple[Any, Any]:
    """Adds the hints of a path and query; gives how many features there are, and the build of the path."""
    question = find_byte(data, start, stop, _QUESTION)
    shape = MARKS[122]  # z
    begin = start
    for segment in range(5):
        end = find_byte(data, begin, question, _SLASH)
        if segment < 4:
            n = _segment(data, begin, end, out, n)
        shape = _shape(step_byte(shape, 47) if segment else shape, data, begin, end)
        if end == question:
            break
        begin = end + 1
    n = _pairs(data, question + 1, stop, out, n)
    n = add_hash(out, n, shape)
    begin = find_last_byte(data, start, question, _SLASH) + 1
    dot = find_last_byte(data, begin, question, _DOT)
    if dot >= begin and count_characters(data, dot + 1, question) <= 5:
        n = add_hash(out, n, step_span(MARKS[101], data, dot + 1, question))  # e
    n = _file_code(data, start, question, out, n)
    return n, N_HOMES * (1 + min(_N_PATHS - 1, count_byte(data, start, question, _HYPHEN)))


@compiled
def _file_code(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    """Adds the code that a file's name ends in."""
    stop -= stop > start and data[stop - 1] == 47
    begin = find_last_byte(data, start, stop, _SLASH) + 1
    dot = find_last_byte(data, begin, stop, _DOT)
    end = dot if dot >= begin and count_characters(data, dot + 1, stop) <= 5 else stop
    if end - begin < 2 or not (_is_letter(data[end - 1]) and _is_letter(data[end - 2])):
        return n
    mark = data[end - 3] if end - begin > 2 else np.uint8(0)
    is_code = mark == 95 or mark == 46 or (end - begin == 2 and end < stop)
    if is_code or (mark == 45 and count_byte(data, begin, end, _HYPHEN) == 1):
        return add_hash(out, n, step_span(MARKS[102], data, end - 2, end))  # f
    return n


@inlined
def _is_letter(byte: Any) -> Any:
    return 97 <= byte | 32 <= 122


@compiled
def _segment(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    if not 2 <= stop - start <= 4 * MAX_PART:
        return n
    size = count_characters(data, start, stop)
    if not 2 <= size <= MAX_PART:
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
    if are_digits(data, start, stop):
        return step_number(step_byte(state, 100), min(stop - start, 8))  # d
    return step_byte(state, 97 if are_letters(data, start, stop) else 109)  # a or m


@compiled
def _pairs(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    """Adds the query's first pairs, and language codes among them and in the first pair behind that has one."""
    begin = _past_amp(data, start, stop)
    n_pairs = 0
    for i in range(start, stop + 1):
        if i < stop and data[i] != 38:
            continue
        if n_pairs < MAX_PAIRS:
            n = _pair(data, begin, i, out, n) if start < stop else n
        elif is_among(step_span(OFFSET, data, begin, find_byte(data, begin, i, _EQUALS)), _KEYS):
            return _pair(data, begin, i, out, n)
        n_pairs += 1
        begin = _past_amp(data, i + 1, stop)
    return n


@compiled
def _past_amp(data: Any, start: Any, stop: Any) -> Any:
    """Behind the ``amp;`` of a query that is written as in a page."""
    if start + 4 > stop or data[start + 3] != 59:
        return start
    is_amp = (data[start] | 32) == 97 and (data[start + 1] | 32) == 109 and (data[start + 2] | 32) == 112
    return start + 4 * is_amp


@compiled
def _pair(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    if count_characters(data, start, stop) > MAX_PAIR:
        return n
    n = add_hash(out, n, step_span(MARKS[113], data, start, stop))  # q
    equals = find_byte(data, start, stop, _EQUALS)
    if equals + 1 < stop and is_among(step_span(OFFSET, data, start, equals), _KEYS):
        n = add_hash(out, n, _language(data, equals + 1, stop))
    return n


@compiled
def _language(data: Any, start: Any, stop: Any) -> Any:
    """The hash of the language that a value names: by a longer code or by its name, else by its first two letters."""
    word = step_span(OFFSET, data, start, stop)
    first, last = 0, len(_WORDS)
    while first < last:
        middle = (first + last) // 2
        if _WORDS[middle] < word:
            first = middle + 1
        else:
            last = middle
    if first < len(_WORDS) and _WORDS[first] == word:
        return _WORDS_CODES[first]
    end = start
    for _ in range(2):
        end += end < stop
        while end < stop and (data[end] & 0xC0) == 0x80:
            end += 1
    return step_span(MARKS[108], data, start, end)  # l
