# cython: infer_types=True
"""Scores of the lines of a page, and of the page from its lines: natural logarithms, a row of classes for each line."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.pages.ngrams import add, walk
else:
    from linksight.native.pages.ngrams import add, walk

_LATIN_LINE = cython.declare(cython.int, 10)
_OTHER_LINE = cython.declare(cython.int, 11)
_FIRST = cython.declare(cython.int, 250)  # features that are read before a clear lead ends the reading
_LINES = cython.declare(cython.int, 5)  # and lines, which are from all over the page
_LEAD = cython.declare(cython.float, 90.0)
_BOILERPLATE = cython.declare(
    cython.float, 0.15
)  # cost of a feature left to English on another language's page
_SHARE_LATIN = cython.declare(
    cython.float, 0.35
)  # of the features that the other language must explain, by script
_SHARE_OTHER = cython.declare(cython.float, 0.06)
_GAIN = cython.declare(cython.float, 12.0)  # and by how much in all
_RULED_OUT = cython.declare(cython.float, -5e5)  # a class with less before reading is in another script
_SCRIPT_SHARE = cython.declare(cython.float, 0.08)  # of the letters, that the script of a class must have
_ELSEWHERE = cython.declare(cython.float, 15.0)  # lead of a line that counts as in another language


@cython.ccall
def rule_out(
    tally: cython.int[::1],
    parts: cython.const[cython.int][::1],
    log_prior: cython.const[cython.float][::1],
    ruled: cython.float[::1],
):
    """Write what each class begins with: those whose script hardly occurs are out. Returns the number of letters."""
    letters: cython.int = 0
    own: cython.int
    k: cython.Py_ssize_t
    tally[0] = 0
    for k in range(len(tally)):
        letters += tally[k]
    for k in range(len(ruled)):
        own = tally[parts[3 * k]] + tally[parts[3 * k + 1]] + tally[parts[3 * k + 2]]
        ruled[k] = log_prior[k] if own > _SCRIPT_SHARE * letters else log_prior[k] + 2 * _RULED_OUT
    return letters


@cython.cfunc
def _best(totals: cython.float[::1]) -> cython.Py_ssize_t:
    best: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    for k in range(len(totals)):
        if totals[k] > totals[best]:
            best = k
    return best


@cython.cfunc
def _is_far_ahead(
    totals: cython.float[::1], language_of: cython.const[cython.int][::1], english: cython.int
) -> cython.bint:
    """Whether a language other than English leads so far that the rest need not be read."""
    best = _best(totals)
    k: cython.Py_ssize_t
    if best == english:
        return False
    for k in range(len(totals)):
        if totals[best] - totals[k] <= _LEAD and language_of[k] != language_of[best]:
            return False
    return True


@cython.ccall
def score_lines(
    points: cython.const[cython.uint][::1],
    length: cython.Py_ssize_t,
    model,
    keys: cython.uint[::1],
    scores: cython.int[::1],
    lines: cython.float[::1],
    sizes: cython.int[::1],
    latin_lines: cython.int[::1],
    totals: cython.float[::1],
    may_stop: cython.bint,
):
    """Score line after line into ``lines`` and add them to ``totals``, until one language is far ahead.

    ``model`` holds the arrays of ``langid.model``. Returns the number of lines, of features, of known features, of
    characters read, and whether the reading stopped early.
    """
    letters: cython.const[cython.uchar][::1] = model.letters
    slots: cython.const[cython.uint][::1] = model.slots
    pairs: cython.const[cython.ushort][::1] = model.pairs
    language_of: cython.const[cython.int][::1] = model.language_of
    bias: cython.const[cython.float][::1] = model.bias
    latin: cython.const[cython.int][::1] = model.latin
    english: cython.int = model.english
    step: cython.float = model.step
    classes: cython.Py_ssize_t = len(bias)
    most: cython.Py_ssize_t = len(sizes)
    known: cython.Py_ssize_t = 0
    features: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    count: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    is_latin: cython.bint
    names_only: cython.bint
    spare: cython.float
    value: cython.float
    for k in range(classes):
        scores[k] = 0
    while begin < length and line < most:
        end = begin
        while end < length and points[end] != _LATIN_LINE and points[end] != _OTHER_LINE:
            end += 1
        if line == most - 1:
            end = length
        count = walk(points, begin, end, letters, keys)
        is_latin = points[min(end, length - 1)] == _LATIN_LINE
        begin = end + 1
        if count == 0:
            continue
        known += add(keys, count, slots, pairs, scores)
        sizes[line] = count
        latin_lines[line] = is_latin
        features += count
        at = line * classes
        line += 1
        # Names in Latin letters are no evidence for or against a language in another script.
        names_only = is_latin and english >= 0
        spare = scores[english] * step + count * (bias[english] - _BOILERPLATE) if names_only else 0
        for k in range(classes):
            value = scores[k] * step + count * bias[k]
            if names_only and not latin[k]:
                value = spare
            lines[at + k] = value
            totals[k] += value
            scores[k] = 0
        if may_stop and features >= _FIRST and line >= _LINES and _is_far_ahead(totals, language_of, english):
            return line, features, known, min(begin, length), True
    return line, features, known, min(begin, length), False


@cython.ccall
def with_english_lines(
    lines: cython.const[cython.float][::1],
    sizes: cython.const[cython.int][::1],
    count: cython.Py_ssize_t,
    model,
    latin_lines: cython.const[cython.int][::1],
    ruled: cython.const[cython.float][::1],
    plain: cython.const[cython.float][::1],
    mixed: cython.float[::1],
) -> cython.bint:
    """Write into ``mixed`` what each class has where lines may be in English; returns whether that counts.

    A page in any language can have lines in English that no person wrote: licences, menus, names of software. A
    class has, in each line, its own score or what English leaves after a cost.
    """
    latin: cython.const[cython.int][::1] = model.latin
    english: cython.int = model.english
    classes: cython.Py_ssize_t = len(mixed)
    total: cython.Py_ssize_t = 0
    own: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    spare: cython.float
    if english < 0 or count < 2:
        return False
    for k in range(classes):
        mixed[k] = ruled[k]
    for line in range(count):
        at = line * classes
        total += sizes[line]
        spare = lines[at + english] - sizes[line] * _BOILERPLATE
        for k in range(classes):
            mixed[k] += max(lines[at + k], spare)
    mixed[english] = plain[english]
    best = _best(mixed)
    if best == english:
        return True
    for line in range(count):
        at = line * classes
        if not latin[best] and latin_lines[line]:
            continue
        if lines[at + best] >= lines[at + english] - sizes[line] * _BOILERPLATE:
            own += sizes[line]
    return (
        own >= (_SHARE_LATIN if latin[best] else _SHARE_OTHER) * total
        and mixed[best] - plain[english] >= _GAIN
    )


@cython.ccall
def take_best(totals: cython.float[::1], top: cython.int[::1], values: cython.float[::1]):
    """Move the best classes and their totals into ``top`` and ``values``."""
    t: cython.Py_ssize_t
    best: cython.Py_ssize_t
    for t in range(len(top)):
        best = _best(totals)
        top[t] = best
        values[t] = totals[best]
        totals[best] = -2e30


@cython.ccall
def features_elsewhere(
    lines: cython.const[cython.float][::1],
    sizes: cython.const[cython.int][::1],
    count: cython.Py_ssize_t,
    model,
    ruled: cython.const[cython.float][::1],
    winner: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Features of the lines that another language than the winner's explains much better."""
    language_of: cython.const[cython.int][::1] = model.language_of
    classes: cython.Py_ssize_t = len(ruled)
    other: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    for line in range(count):
        at = line * classes
        best = winner
        for k in range(classes):
            if lines[at + k] > lines[at + best] and ruled[k] > _RULED_OUT:
                best = k
        if language_of[best] != language_of[winner] and lines[at + best] - lines[at + winner] > _ELSEWHERE:
            other += sizes[line]
    return other
