"""The encoding of bytes that are neither ASCII nor UTF-8, by maximum likelihood over byte bigrams.

The model has the frequency of byte bigrams with at least one byte beyond ASCII, for each pair of encoding and language.
All models score the same bytes, so their likelihoods compare. A declaration adds to a likelihood.

>>> guess("Все люди рождаются свободными и равными в своем достоинстве".encode("koi8-r"))
'koi8-r'
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from linksight.errors import ModelFormatError
from linksight.pages.charset import byte_bigrams, cjk_other_scripts, labels, uppercase_text
from linksight.pages.langid import array_file
from linksight.system.resources import bytes_of

FORMAT = "linksight-encodings 1"
WESTERN = "windows-1252"
UNIT = 16  #: cost units per natural logarithm
SAMPLE_BYTES = 3_000  #: bytes that are scored
PSEUDOCOUNT = 40.0  #: pseudocount of a model, spread over all pairs
ERROR_COST = 12.0  #: cost of a character that an encoding does not have
LANGUAGE_COST = 20.0  #: cost of each further language of a page
MAX_LANGUAGES = 3
MIN_LOG_LIKELIHOOD = -6.2  #: natural logarithms a pair: less likely text is tried in lower case
UPPERCASE_COST = 20.0  #: cost of a text in capitals
MAX_CANDIDATES = 8  #: encodings that are scored with several languages
DECLARED_BONUS = 0.25  #: bonus of a declaration for each pair of bytes
#: Of the logarithms of probabilities, in a sample of so many pairs: TEMPER * (1 + pairs / TEMPER_PAIRS) ** TEMPER_POWER.
TEMPER, TEMPER_PAIRS, TEMPER_POWER = 1.0, 10.0, -0.5
MIN_PROBABILITY = 0.0005  #: of an encoding, beside the likeliest
# Of encodings that decode a page alike the first wins; rare encodings have a lower prior.
_PREFERRED = (
    "windows-1252 windows-1251 windows-1250 iso-8859-2 windows-1254 windows-1253 windows-1256 windows-1255 windows-1257 koi8-r iso-8859-7 "
    "shift_jis euc-jp gb18030 big5 euc-kr cp874 iso-8859-5 koi8-u iso-8859-15 iso-8859-13 iso-8859-8 iso-8859-6 iso-8859-4 windows-1258"
).split()

_DIGITS = bytes(32 if byte < 65 else byte for byte in range(128)) + bytes(range(128, 256))
#: Encodings with the letters of another one: only a declaration separates them.
ONLY_DECLARED = frozenset(("mac-croatian",))
#: Encodings in which a character can take more than one byte.
WIDE = frozenset(("shift_jis", "euc-jp", "gb18030", "big5", "euc-tw", "euc-kr", "johab", "t.61"))
_WRONG = re.compile("[\ufffd\x80-\x9f]")  # undefined, or a control character that does not occur in pages


@dataclass(frozen=True, slots=True)
class PairModel:
    """Likelihoods of pairs of bytes, a row for every encoding and language."""

    names: tuple[tuple[str, str], ...]
    costs: Any  #: uint8 (65536, models): sixteenths of a natural logarithm
    prior: Any  #: float: cost of a rare encoding


def folded(data: bytes) -> bytes:
    """Bytes with digits, punctuation and spaces as one space."""
    words = data.translate(_DIGITS).split(b" ")
    return b" ".join([words[0], *filter(None, words[1:-1]), words[-1]]) if len(words) > 1 else words[0]


@cache
def load() -> PairModel:
    """The bundled model."""
    import numpy as np

    header, arrays = array_file.unpack(FORMAT, bytes_of("encodings.model"), "encodings.model")
    names = tuple((str(name), str(kind)) for name, kind in header["models"])
    encodings_of = [name for name, _ in names]
    together = sum(a != b for a, b in pairwise(encodings_of)) < len(set(encodings_of))
    if len(arrays["counts"]) != len(names) * 65536 or not together:
        raise ModelFormatError("encodings.model", "the arrays do not fit together")
    seen = np.exp2(np.arange(256, dtype=np.float32) / 8) - 1
    costs = np.empty((len(names), 65536), np.uint8)
    for number, row in enumerate(arrays["counts"].reshape(len(names), 65536)):
        counts = seen[row]
        share = (counts + PSEUDOCOUNT / 65536) / (counts.sum() + PSEUDOCOUNT)
        costs[number] = np.minimum(255, -UNIT * np.log(share))
    rank = {name: place for place, name in enumerate(_PREFERRED)}
    prior = np.array([0.05 * rank[name] if name in rank else 6.0 for name, _ in names])
    return PairModel(names, np.ascontiguousarray(costs.T), prior)


def guess(data: bytes, declared: Sequence[str] = ()) -> str:
    """The encoding of ``data``; ``declared`` are encodings that the page names, the strongest first."""
    return ranked(data, declared)[0][0]


def ranked(data: bytes, declared: Sequence[str] = ()) -> tuple[tuple[str, float], ...]:
    """Encodings of ``data`` with calibrated probabilities, best first; encodings that decode it alike count once."""
    if has_signs_alone(data):
        name = declared[0] if declared and declared[0] in WITH_SIGNS else WESTERN
        return ((_smallest(name, data), 1.0),)
    words = high_parts(data)
    declared_name = {"gbk": "gb18030"}.get(declared[0], declared[0]) if declared else ""
    if other := cjk_other_scripts.find_encoding(words, declared_name):
        return ((_smallest(other, data), 1.0),)
    sample = folded(words)
    fits, size = _fits(sample, declared_name)
    likelihoods = _without_errors({name: likelihood for name, (likelihood, _) in fits.items()}, sample)
    winner = max(likelihoods, key=likelihoods.__getitem__)
    for name, small in (
        uppercase_text.lowercase_readings(words) if fits[winner][0] < MIN_LOG_LIKELIHOOD * size else ()
    ):
        own = _fit_alone(folded(small), name, name == declared_name)
        if own[0] > fits[winner][0]:
            winner, fits[name] = name, own
            likelihoods[name] = own[0]
    found = _probabilities(likelihoods, winner, size, words)
    if (
        declared_name in ONLY_DECLARED
        and winner not in WIDE
        and _has_same_letters(words, declared_name, winner)
    ):
        best = declared_name
    else:
        usual = (WESTERN, fits[winner][1]) in load().names and winner not in (WESTERN, *declared)
        best = _smallest(WESTERN if usual and _is_western(winner, data) else winner, data)
    return ((best, found[0][1]), *(pair for pair in found[1:] if pair[0] != best))


def _probabilities(
    likelihoods: dict[str, float], winner: str, size: float, words: bytes
) -> list[tuple[str, float]]:
    """Probabilities of encodings, the ``winner`` first; those that decode the words alike count as one."""
    temper = TEMPER * (1.0 + size / TEMPER_PAIRS) ** TEMPER_POWER
    top = likelihoods[winner]
    order = [winner, *sorted(likelihoods.keys() - {winner}, key=lambda name: (-likelihoods[name], name))]
    powers = {name: math.exp(max(-60.0, min(0.0, (likelihoods[name] - top) * temper))) for name in order}
    likely = [name for name in order if powers[name] > MIN_PROBABILITY]
    by_text: dict[str, list[str]] = {}
    for name in likely:
        by_text.setdefault(labels.decode(words, name) if len(likely) > 1 else "", []).append(name)
    total = sum(powers.values())
    return [(alike[0], round(sum(powers[name] for name in alike) / total, 4)) for alike in by_text.values()]


def has_signs_alone(data: bytes) -> bool:
    r"""Whether all bytes beyond ASCII are signs of windows-1252 outside words, in text of ASCII letters.

    Such bytes are letters in other encodings, but no evidence of them: a degree sign, a no-break space, a quotation mark.

    >>> has_signs_alone(b"It was 20\xb0 outside, and\xa0I\x92m told that it will be colder"), has_signs_alone(b"f\x81r alle"), has_signs_alone("кот".encode("ibm866"))
    (True, False, False)
    """
    high = data.translate(None, _ASCII)
    if high.translate(None, _SIGNS) or len(high) > MAX_SIGNS * len(data.translate(None, _NO_ASCII_LETTERS)):
        return False
    return not _INSIDE_WORD.search(data)


_ASCII = bytes(range(128))
_NO_ASCII_LETTERS = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalpha()))
_SIGNS = bytes(
    byte
    for byte in range(128, 256)
    if not (sign := bytes([byte]).decode(WESTERN, "replace")).isalpha() or sign in "ªº"
)
#: A sign inside a word, other than quotes, dashes, spaces, soft hyphens and the dot of Catalan, is a letter.
_INSIDE_WORD = re.compile(rb"[A-Za-z][^\x00-\x7f\x85\x91-\x97\xa0\xad\xb7\xab\xbb][A-Za-z]")
MAX_SIGNS = 0.1  #: for each ASCII letter, in a text whose bytes beyond ASCII may be signs alone
#: Encodings that share most of these signs: a declaration of one of them is accepted.
WITH_SIGNS = frozenset(
    f"{family}{number}"
    for family, numbers in (
        ("windows-125", "0123456789"),
        ("iso-8859-", ("2", "3", "4", "15", "16", "10", "13", "14")),
    )
    for number in numbers
)


def _fits(sample: bytes, declared: str) -> tuple[dict[str, tuple[float, str]], float]:
    """The log-likelihood of the bytes in each likely encoding with its main language, and the weight of all pairs."""
    model = load()
    pairs = byte_bigrams.pairs_of(sample)
    costs = byte_bigrams.costs_of(model.costs, pairs)
    likely = _likely(costs / UNIT + model.prior, declared)
    columns = [_columns()[name] for name in likely]
    price = round(LANGUAGE_COST * UNIT * byte_bigrams.FINE)
    found = byte_bigrams.explained(model.costs, columns, pairs, MAX_LANGUAGES, price)
    fits = {}
    for name, own, (cost, place) in zip(likely, columns, found, strict=True):
        bonus = DECLARED_BONUS * pairs.weight + 6.0 if name == declared else 0.0
        likelihood = bonus - float(model.prior[own[0]]) - cost / (UNIT * byte_bigrams.FINE)
        fits[name] = likelihood, model.names[own[place]][1]
    return fits, pairs.weight


def _fit_alone(small: bytes, name: str, is_declared: bool) -> tuple[float, str]:
    """The log-likelihood of capitals in an encoding from their small letters, with the language."""
    model = load()
    pairs = byte_bigrams.pairs_of(small)
    costs = byte_bigrams.costs_of(model.costs, pairs) / UNIT + model.prior
    best = min(_columns()[name], key=lambda number: float(costs[number]))
    bonus = DECLARED_BONUS * pairs.weight if is_declared else 0.0
    return bonus - float(costs[best]) - UPPERCASE_COST, model.names[best][1]


def _without_errors(best: dict[str, float], sample: bytes) -> dict[str, float]:
    """The log-likelihoods of encodings, less the cost of undefined characters."""
    found: dict[str, float] = {}
    for name in sorted(best, key=lambda name: -best[name])[:6]:
        if best[name] <= max(found.values(), default=-math.inf):  # cannot win
            found[name] = best[name]
        else:
            found[name] = best[name] - ERROR_COST * _errors(sample, name)
    return found


def _errors(sample: bytes, name: str) -> int:
    """The number of undefined characters of a sample in an encoding."""
    if name in WIDE:
        return len(_WRONG.findall(labels.decode(sample, name)))
    return len(sample) - len(sample.translate(None, _meaningless(name)))


@cache
def _meaningless(name: str) -> bytes:
    """The undefined bytes of a single-byte encoding."""
    return b"".join(byte for k in range(256) if _WRONG.match(labels.decode(byte := bytes([k]), name)))


def _likely(costs: Any, declared: str) -> list[str]:
    """The best encodings by their best single language, and the declared one."""
    import numpy as np

    names, begins = _runs()
    least = np.minimum.reduceat(costs, begins)
    found = [names[i] for i in least.argsort(kind="stable")[:MAX_CANDIDATES].tolist()]
    return [*found, declared] if declared in _columns() and declared not in found else found


@cache
def _runs() -> tuple[list[str], Any]:
    """The encodings, and the first model of each."""
    import numpy as np

    return list(_columns()), np.cumsum([0, *(len(run) for run in _columns().values())][:-1])


@cache
def _columns() -> dict[str, list[int]]:
    """For each encoding the numbers of its models, one a language."""
    found: dict[str, list[int]] = {}
    for number, (name, _) in enumerate(load().names):
        found.setdefault(name, []).append(number)
    return found


def _is_western(name: str, data: bytes) -> bool:
    """Whether windows-1252, the usual encoding of German, Dutch or Italian, decodes the page alike."""
    if name in WIDE:
        return labels.decode(data, name) == labels.decode(data, WESTERN)
    return len(data.translate(None, _unlike_western(name))) == len(data)


def _has_same_letters(words: bytes, name: str, other: str) -> bool:
    """Whether every letter of words beyond ASCII is the same in two encodings of one byte a character.

    >>> _has_same_letters("“Šuma”".encode("mac_croatian"), "mac-croatian", "iso-8859-2")
    True
    """
    both = zip(labels.decode(words, name), labels.decode(words, other), strict=True)
    return all(own == its for own, its in both if own.isalpha())


@cache
def _unlike_western(name: str) -> bytes:
    """The bytes that decode to different characters in windows-1252 and in a single-byte encoding."""
    every = [bytes([byte]) for byte in range(256)]
    return b"".join(b for b in every if labels.decode(b, name) != labels.decode(b, WESTERN))


_WINDOWS = re.compile(rb"[\x80-\x9f]")


def high_parts(data: bytes) -> bytes:
    """A sample of the words with bytes beyond ASCII."""
    return byte_bigrams.high_words(data[: 40 * SAMPLE_BYTES], SAMPLE_BYTES)


def _smallest(name: str, data: bytes) -> str:
    """The smallest of nested encodings that has all characters; ISO-8859-15 if the text has its euro sign."""
    if name == WESTERN and b"\xa4" in data and not _WINDOWS.search(data):
        return "iso-8859-15"  # there it is the euro sign; the sign for any currency is never written
    if name == "gb18030":
        for small in ("gb2312", "gbk"):
            try:
                data.decode(small)
            except UnicodeDecodeError:
                continue
            return small
    return name
