"""The sums of ``guess`` are the same by NumPy and by compiled code, and say what a text in several languages costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.pages.charset import byte_bigrams, detector
from linksight.pages.charset.byte_bigrams import Pairs

#: Words with and without bytes beyond ASCII, some of them long, and all kinds of white space.
DATA = st.lists(
    st.sampled_from([b"word", b"\xe9t\xe9", b"na\xefve", b"\xcc\xee\xf1\xea\xe2\xe0", b"x" * 500, b"\xff" * 450, b" ", b"\t\n", b"\x0b", b"1"]),
    max_size=40,
).map(b"".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(DATA, st.integers(0, 900))
def test_the_same_words_are_gathered(data, most):
    assert byte_bigrams.high_words(data, most, compiled=True) == byte_bigrams.high_words(data, most)


@settings(max_examples=100, deadline=None)
@given(DATA)
def test_the_same_likelihoods_are_found(data):
    sample = detector.folded(detector.high_parts(data))
    assert detector._fits(sample, "koi8-r", True) == detector._fits(sample, "koi8-r", False)


@pytest.mark.parametrize("data", [b"", b"plain", b"\xe9", b"\xe9" * 200_000])
def test_a_text_of_next_to_nothing_has_an_encoding(data):
    assert detector.guess(data, compiled=True) == detector.guess(data)


def _three_words() -> tuple[np.ndarray, Pairs]:
    """A table in which each of three words is cheap in one column of three, and dear in the others."""
    costs = np.full((3, 3), 100, np.uint8) - 90 * np.eye(3, dtype=np.uint8)
    each = np.arange(3, dtype=np.int32)
    ones = np.ones(3, np.int32)
    return costs, Pairs(each, ones, ones, each, each)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("price", "cost"),
    [(10, 30 + 2 * 10), (80, 30 + 2 * 80), (95, 210), (89, 30 + 2 * 89)],
    ids=["three languages", "three still", "one", "just worth it"],
)
def test_every_language_beyond_the_first_has_its_price(price, cost, compiled):
    costs, pairs = _three_words()
    [(found, _)] = byte_bigrams.explained(costs, [[0, 1, 2]], pairs, 3, price, compiled=compiled)
    assert found == cost


@pytest.mark.parametrize("compiled", [False, True])
def test_the_main_language_is_the_one_that_fits_best_alone(compiled):
    costs, pairs = _three_words()
    costs[2] = (90, 10, 10)
    found = byte_bigrams.explained(costs, [[0, 1], [2]], pairs, 3, 1_000, compiled=compiled)
    assert found == [(120, 1), (210, 0)]


@pytest.mark.parametrize("name", sorted({name for name, _ in detector.load().names} - detector.WIDE))
def test_bytes_without_a_meaning_are_counted_as_their_characters_are(name):
    from linksight.pages.charset import labels

    every = bytes(range(256))
    text = labels.decode(every, name)
    assert len(text) == 256
    assert detector._errors(every, name) == len(detector._WRONG.findall(text))
