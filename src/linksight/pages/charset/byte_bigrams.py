"""The pairs of bytes beyond ASCII in a page, and their costs in each encoding and language: the sums of ``detector``.

All numbers are integers: sixteenths of a natural logarithm or, where a repeated pair counts less, ``FINE``-ths of these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from linksight.native.pages import byte_bigrams
from linksight.native.pages.buffers import view, zeros

FINE = 1_024  #: steps of a sixteenth
MAX_WORD_BYTES = 400  #: bytes of a word that are read
_PAIRS = 65_536  #: possible pairs


class Pairs(NamedTuple):
    """The pairs of a text in which at least one byte is beyond ASCII: int32 arrays."""

    distinct: Any  #: the pairs that occur
    weights: Any  #: how often each counts
    shares: Any  #: and its weight for each occurrence, in ``FINE``-ths
    places: Any  #: of each pair of the text its place among the distinct ones
    words: Any  #: and the number of its word; words without such a pair have no number

    @property
    def weight(self) -> float:
        """How many pairs count."""
        return float(sum(self.weights))


def high_words(data: bytes, most: int) -> bytes:
    r"""The words of ``data`` that have bytes beyond ASCII, up to ``most`` bytes and a word.

    >>> high_words("Où est la forêt ?".encode("latin-1"), 100)
    b' O\xf9 for\xeat '
    """
    out = bytearray(most + MAX_WORD_BYTES + 3)
    return bytes(out[: byte_bigrams.gather(data, most, out)])


def pairs_of(text: bytes) -> Pairs:
    """The pairs of a text with single spaces between words."""
    distinct, weights, shares, places, words = (zeros("i", len(text)) for _ in range(5))
    kinds, n = byte_bigrams.count_pairs(text, zeros("H", _PAIRS), distinct, weights, shares, places, words)
    return Pairs(distinct[:kinds], weights[:kinds], shares[:kinds], places[:n], words[:n])


def costs_of(costs: Any, pairs: Pairs) -> Any:
    """The costs of pairs in each model, in sixteenths."""
    import numpy as np

    sums = zeros("i", costs.shape[1])
    byte_bigrams.add_costs(_flat(costs), pairs.distinct, pairs.weights, sums)
    return np.asarray(sums)


def explained(
    costs: Any, columns: list[list[int]], pairs: Pairs, most: int, price: int
) -> list[tuple[int, int]]:
    """For each list of columns the cost of the text in them, and the place of the one that fits best.

    A text in two languages fits no single one: each word counts as in its cheapest column, of up to ``most``
    columns, and every further column costs ``price``.
    """
    import numpy as np

    every = view(np.array([column for own in columns for column in own], np.int32))
    width, n_words = len(every), pairs.words[-1] + 1 if len(pairs.words) else 0
    rows, table = zeros("i", len(pairs.distinct) * width), zeros("i", n_words * width)
    byte_bigrams.word_costs(
        _flat(costs),
        costs.shape[1],
        every,
        pairs.distinct,
        pairs.shares,
        pairs.places,
        pairs.words,
        rows,
        table,
    )
    own, sums = zeros("i", n_words), zeros("q", width)
    found, first = [], 0
    for group in columns:
        total, main = byte_bigrams.cover(table, width, first, first + len(group), most, price, own, sums)
        found.append((total, main - first))
        first += len(group)
    return found


def _flat(costs: Any) -> Any:
    return view(costs.reshape(-1))
