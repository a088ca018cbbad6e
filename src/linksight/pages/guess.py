"""The encoding of bytes that are neither ASCII nor UTF-8: the one in which they are likeliest.

For every encoding and language that fit together the model knows how often one byte follows another, where
at least one of the two is beyond ASCII. All models judge the same bytes, so their likelihoods compare. A
declaration counts for much, but not for everything.

>>> guess("Все люди рождаются свободными и равными в своем достоинстве".encode("koi8-r"))
'koi8-r'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.bundle import bytes_of
from linksight.errors import ModelFormatError
from linksight.pages import arrayfile, encodings

FORMAT = "linksight-encodings 1"
SAMPLE = 3_000  #: bytes that are looked at
SMOOTHING = 40.0  #: pairs of bytes that are thought to have been seen, spread over all
ERROR = 12.0  #: what bytes cost that mean nothing in an encoding
LANGUAGE = 20.0  #: what each language costs that a page is in beyond the first
MOST_LANGUAGES = 3
CLOSER = 8  #: encodings that are tried in several languages
DECLARED = 0.25  #: what a declaration is worth for every pair of bytes
# Of encodings that read a page alike the first is taken; what is seldom met must be clearly likelier.
_PREFERRED = (
    "windows-1252 windows-1251 windows-1250 iso-8859-2 windows-1254 windows-1253 windows-1256 windows-1255 windows-1257 koi8-r iso-8859-7 "
    "shift_jis euc-jp gb18030 big5 euc-kr cp874 iso-8859-5 koi8-u iso-8859-15 iso-8859-13 iso-8859-8 iso-8859-6 iso-8859-4 windows-1258"
).split()

_DIGITS = bytes(32 if byte < 65 else byte for byte in range(128)) + bytes(range(128, 256))
_SPACES = re.compile(rb" {2,}")
_WRONG = re.compile("[\ufffd\x80-\x9f]")  # no character, or a control character that no page has


@dataclass(frozen=True, slots=True)
class PairModel:
    """Likelihoods of pairs of bytes, a row for every encoding and language."""

    names: tuple[tuple[str, str], ...]
    costs: Any  #: uint8 (65536, models): sixteenths of a natural logarithm
    prior: Any  #: float: what a seldom encoding costs at once


def folded(data: bytes) -> bytes:
    """Bytes with digits, punctuation and spaces as one space."""
    return _SPACES.sub(b" ", data.translate(_DIGITS))


@cache
def load() -> PairModel:
    """The bundled model."""
    import numpy as np

    header, arrays = arrayfile.unpack(FORMAT, bytes_of("encodings.model"), "encodings.model")
    names = tuple((str(name), str(kind)) for name, kind in header["models"])
    if len(arrays["counts"]) != len(names) * 65536:
        raise ModelFormatError("encodings.model", "the arrays do not fit together")
    seen = np.exp2(np.arange(256, dtype=np.float32) / 8) - 1
    costs = np.empty((len(names), 65536), np.uint8)
    for number, row in enumerate(arrays["counts"].reshape(len(names), 65536)):
        counts = seen[row]
        share = (counts + SMOOTHING / 65536) / (counts.sum() + SMOOTHING)
        costs[number] = np.minimum(255, -16 * np.log(share))
    rank = {name: place for place, name in enumerate(_PREFERRED)}
    prior = np.array([0.05 * rank[name] if name in rank else 6.0 for name, _ in names])
    return PairModel(names, np.ascontiguousarray(costs.T), prior)


def guess(data: bytes, declared: Sequence[str] = ()) -> str:
    """The encoding of ``data``; ``declared`` are encodings that the page names, the strongest first."""
    sample = folded(high_parts(data))
    named = {"gbk": "gb18030"}.get(declared[0], declared[0]) if declared else ""
    fits = _fits(sample, named)
    winner = _without_errors({name: likelihood for name, (likelihood, _) in fits.items()}, sample)
    usual = ("windows-1252", fits[winner][1]) in load().names and winner not in declared
    return _smallest("windows-1252" if usual and _is_western(winner, data) else winner, data)


def _fits(sample: bytes, named: str) -> dict[str, tuple[float, str]]:
    """How likely the bytes are in each encoding that is worth a closer look, and in which language mostly."""
    import numpy as np

    model = load()
    byte = np.frombuffer(sample, np.uint8).astype(np.int64)
    high = (byte[:-1] > 127) | (byte[1:] > 127)
    pair, place, times = np.unique(
        (byte[:-1] * 256 + byte[1:])[high], return_inverse=True, return_counts=True
    )
    # A pair that comes again and again is a decoration, or a word that says nothing new.
    weight = np.minimum(times, 4 + times // 8)
    costs = model.costs[pair].astype(np.float32)
    likely = _likely((weight / 16).astype(np.float32) @ costs + model.prior, named)
    columns = [column for name in likely for column in _columns()[name]]
    each = costs[:, columns] * (weight / times / 16)[:, None].astype(np.float32)
    begins = np.flatnonzero(np.diff(np.cumsum(byte[:-1] == 32)[high], prepend=-1))
    words = np.add.reduceat(each[place], begins) if len(begins) else np.zeros((0, len(columns)))
    fits = {}
    first = 0
    for name in likely:
        own = _columns()[name]
        likelihood, column = _in_some_languages(words[:, first : first + len(own)])
        told = DECLARED * float(weight.sum()) + 6.0 if name == named else 0.0
        fits[name] = likelihood - float(model.prior[own[0]]) + told, model.names[own[column]][1]
        first += len(own)
    return fits


def _without_errors(best: dict[str, float], sample: bytes) -> str:
    """The likeliest encoding, where bytes that mean nothing in it are counted against it."""
    ranked = sorted(best, key=lambda name: -best[name])[:6]
    winner, value = ranked[0], float("-inf")
    for name in ranked:
        if best[name] <= value:  # not even without errors could it win
            break
        own = best[name] - ERROR * len(_WRONG.findall(encodings.decode(sample, name)))
        if own > value:
            winner, value = name, own
    return winner


def _likely(costs: Any, named: str) -> list[str]:
    """The encodings that are worth a closer look: those that one language alone fits best, and the declared one."""
    import numpy as np

    names, order, begins = _runs()
    least = np.minimum.reduceat(costs[order], begins)
    found = [names[i] for i in np.argsort(least, kind="stable")[:CLOSER]]
    return [*found, named] if named in _columns() and named not in found else found


@cache
def _runs() -> tuple[list[str], Any, Any]:
    """The encodings, the numbers of their models one after another, and where those of each begin."""
    import numpy as np

    runs = list(_columns().values())
    order = np.array([column for run in runs for column in run])
    return list(_columns()), order, np.cumsum([0, *map(len, runs[:-1])])


@cache
def _columns() -> dict[str, list[int]]:
    """For each encoding the numbers of its models, one a language."""
    found: dict[str, list[int]] = {}
    for number, (name, _) in enumerate(load().names):
        found.setdefault(name, []).append(number)
    return found


def _in_some_languages(words: Any) -> tuple[float, int]:
    """The likelihood of words in the languages of an encoding, and which is the main one.

    A page in two languages fits no single one; each language more must be worth its cost.
    """
    import numpy as np

    sums = words.sum(axis=0)
    main = int(sums.argmin())
    own, total = words[:, main], float(sums[main])
    for _ in range(MOST_LANGUAGES - 1):
        both = np.minimum(own[:, None], words)
        sums = both.sum(axis=0)
        more = int(sums.argmin())
        if float(sums[more]) + LANGUAGE >= total:
            break
        own, total = both[:, more], float(sums[more]) + LANGUAGE
    return -total, main


def _is_western(name: str, data: bytes) -> bool:
    """Whether the page reads alike in windows-1252, which German, Dutch or Italian are mostly written in."""
    return encodings.decode(data, name) == encodings.decode(data, "windows-1252")


_WINDOWS = re.compile(rb"[\x80-\x9f]")


def high_parts(data: bytes) -> bytes:
    """The words that have bytes beyond ASCII, up to the size of a sample."""
    words, size = [], 0
    for word in data[: 40 * SAMPLE].split():
        if not word.isascii():
            words.append(word[:400])
            size += len(words[-1]) + 1
            if size > SAMPLE:
                break
    return b" " + b" ".join(words) + b" "


def _smallest(name: str, data: bytes) -> str:
    """Of encodings that contain one another the smallest that has all the characters, of twins the one that fits."""
    if name == "windows-1252" and b"\xa4" in data and not _WINDOWS.search(data):
        return "iso-8859-15"  # there it is the euro sign; the sign for any currency is never written
    if name == "gb18030":
        for small in ("gb2312", "gbk"):
            try:
                data.decode(small)
            except UnicodeDecodeError:
                continue
            return small
    return name
