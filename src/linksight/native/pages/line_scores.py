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
_DECLARED = cython.declare(cython.float, 1.5)  # times that share, on a page that is declared to be in English
_PROSE = cython.declare(
    cython.int, 300
)  # features of running text that are long enough to settle the language
_SHARE_PROSE = cython.declare(cython.float, 0.2)  # of them that a rival of English may explain
# And the most that a feature of a line costs English there, by the script of the best class: names are in any language.
_NAMES_LATIN = cython.declare(cython.float, 0.3)
_NAMES_OTHER = cython.declare(cython.float, 0.5)
_SETTLED_LATIN = cython.declare(cython.float, 0.75)  # of the features read, before the rest is not read
_SETTLED_OTHER = cython.declare(cython.float, 0.3)
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


@cython.cfunc
def _own_features(
    lines: cython.const[cython.float][::1],
    sizes: cython.const[cython.int][::1],
    count: cython.Py_ssize_t,
    latin_lines: cython.const[cython.int][::1],
    best: cython.Py_ssize_t,
    english: cython.Py_ssize_t,
    classes: cython.Py_ssize_t,
    skip_latin: cython.bint,
) -> cython.Py_ssize_t:
    """Features of the lines that a class explains at least about as well as English; with ``skip_latin`` of other scripts."""
    own: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t
    at: cython.Py_ssize_t
    for line in range(count):
        at = line * classes
        if skip_latin and latin_lines[line]:
            continue
        if lines[at + best] >= lines[at + english] - sizes[line] * _BOILERPLATE:
            own += sizes[line]
    return own


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
    prose: cython.Py_ssize_t,
):
    """Score line after line into ``lines`` and add them to ``totals``, until one language is far ahead.

    ``model`` holds the arrays of ``langid.model``; the first ``prose`` characters are running text. Returns the number
    of lines, of features, of known features, of characters read, of lines of running text, and whether the reading
    stopped early.
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
    prose_lines: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    count: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    is_latin: cython.bint
    names_only: cython.bint
    spare: cython.float
    value: cython.float
    best: cython.Py_ssize_t
    own: cython.Py_ssize_t
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
        prose_lines += begin <= prose
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
            best = _best(totals)
            own = features
            if english >= 0:
                own = _own_features(lines, sizes, line, latin_lines, best, english, classes, not latin[best])
            if own >= (_SETTLED_LATIN if latin[best] else _SETTLED_OTHER) * features:
                return line, features, known, min(begin, length), prose_lines, True
    return line, features, known, min(begin, length), prose_lines, False


@cython.cfunc
def _forgive_names(
    lines: cython.const[cython.float][::1],
    sizes: cython.const[cython.int][::1],
    count: cython.Py_ssize_t,
    ruled: cython.const[cython.float][::1],
    latin: cython.const[cython.int][::1],
    plain: cython.float[::1],
    english: cython.Py_ssize_t,
):
    """Bound what each line costs English: lists of goods and people have names in any language."""
    line: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    most: cython.float
    for line in range(count):
        at = line * len(ruled)
        best = english
        for k in range(len(ruled)):
            if lines[at + k] > lines[at + best] and ruled[k] > _RULED_OUT:
                best = k
        most = sizes[line] * (_NAMES_LATIN if latin[best] else _NAMES_OTHER)
        plain[english] += max(0, lines[at + best] - most - lines[at + english])


@cython.cfunc
def _is_english_prose(
    lines: cython.const[cython.float][::1],
    sizes: cython.const[cython.int][::1],
    prose: cython.Py_ssize_t,
    latin_lines: cython.const[cython.int][::1],
    ruled: cython.const[cython.float][::1],
    mixed: cython.float[::1],
    rival: cython.Py_ssize_t,
    english: cython.Py_ssize_t,
) -> cython.bint:
    """Whether the running text is long and in English, with hardly a line for ``rival``: its totals are then in ``mixed``."""
    total: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t
    k: cython.Py_ssize_t
    classes: cython.Py_ssize_t = len(ruled)
    value: cython.float
    first: cython.float = 0
    for line in range(prose):
        total += sizes[line]
        first += lines[line * classes + english]
    own = _own_features(lines, sizes, prose, latin_lines, rival, english, classes, False)
    if total < _PROSE or own >= _SHARE_PROSE * total:
        return False
    for k in range(classes):
        value = 0
        for line in range(prose):
            value += lines[line * classes + k]
        if k != english and ruled[k] > _RULED_OUT and value + _GAIN > first:
            return False
    for k in range(classes):
        value = ruled[k]
        for line in range(prose):
            value += lines[line * classes + k]
        mixed[k] = value
    return True


@cython.ccall
def with_english_lines(
    lines: cython.const[cython.float][::1],
    sizes: cython.const[cython.int][::1],
    count: cython.Py_ssize_t,
    model,
    latin_lines: cython.const[cython.int][::1],
    ruled: cython.const[cython.float][::1],
    plain: cython.float[::1],
    mixed: cython.float[::1],
    declared: cython.bint,
    prose: cython.Py_ssize_t,
) -> cython.bint:
    """Write into ``mixed`` what each class has where lines may be in English; returns whether that counts.

    A page that is ``declared`` to be in English must have more text in the other language. Of the lines the first
    ``prose`` are running text: where that is long and in English, so is the page, whatever its lists are in.

    A page in any language can have lines in English that no person wrote: licences, menus, names of software. A
    class has, in each line, its own score or what English leaves after a cost.
    """
    latin: cython.const[cython.int][::1] = model.latin
    english: cython.int = model.english
    classes: cython.Py_ssize_t = len(mixed)
    total: cython.Py_ssize_t = 0
    own: cython.Py_ssize_t
    line: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    spare: cython.float
    if english < 0 or count < 2:
        return False
    if declared:
        _forgive_names(lines, sizes, count, ruled, latin, plain, english)
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
    own = _own_features(lines, sizes, count, latin_lines, best, english, classes, not latin[best])
    if own < total and _is_english_prose(lines, sizes, prose, latin_lines, ruled, mixed, best, english):
        return True
    share: cython.float = _SHARE_LATIN if latin[best] else _SHARE_OTHER
    if declared:
        share *= _DECLARED
    return own >= share * total and mixed[best] - plain[english] >= _GAIN


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
