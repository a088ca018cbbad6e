"""Scores and probabilities of rows: the same as NumPy's, whatever the number of rows and columns."""

from __future__ import annotations

import numpy as np
import pytest

from linksight.native import view
from linksight.native.urls.posteriors import LANES, find_best, find_top, score_rows


@pytest.mark.parametrize("n", [1, 5, 6, 7, 12, 100])
@pytest.mark.parametrize("k", [LANES, 2 * LANES, 144])
def test_any_number_of_rows_gives_the_product(n: int, k: int) -> None:
    numbers = np.random.default_rng(n * k)
    vectors, output = (numbers.normal(size=shape).astype(np.float32) for shape in ((n, 34), (34, k)))
    scores = np.full((n + 3, k), 7, np.float32)
    score_rows(view(vectors), view(output), view(scores), 2, n)
    np.testing.assert_allclose(scores[2 : n + 2], vectors.astype(float) @ output, atol=1e-4)
    assert np.all(scores[:2] == 7)
    assert np.all(scores[n + 2 :] == 7)


@pytest.mark.parametrize("spread", [0.0, 1.0, 80.0])
def test_the_best_column_is_the_first_of_the_largest(spread: float) -> None:
    numbers = np.random.default_rng(3)
    scores = (numbers.normal(size=(50, 2 * LANES)) * spread).astype(np.float32)
    bayes = np.zeros((3, 2 * LANES), np.float32)
    bayes[0], bayes[1], bayes[2] = numbers.normal(size=2 * LANES), 0.9, numbers.random(2 * LANES) * 0.01
    shifted = scores.astype(float) - bayes[0]
    powers = np.exp(shifted - shifted.max(axis=1, keepdims=True))
    wanted = powers / powers.sum(axis=1, keepdims=True) * bayes[1] + bayes[2]
    wanted /= wanted.sum(axis=1, keepdims=True)
    sums, columns, chances = np.zeros((2, 50), np.float32), np.zeros(50, np.int16), np.zeros(50, np.float32)
    find_best(view(scores), view(bayes), view(sums), view(columns), view(chances), 50)
    np.testing.assert_allclose(chances, wanted.max(axis=1), rtol=2e-5)
    np.testing.assert_allclose(wanted[np.arange(50), columns], wanted.max(axis=1), rtol=2e-5)
    best, shares = np.zeros((50, 5), np.int16), np.zeros((50, 5), np.float32)
    find_top(view(scores), view(sums), 2 * LANES, view(best), view(shares), 50)
    np.testing.assert_allclose(shares, -np.sort(-wanted, axis=1)[:, :5], rtol=1e-4)
    np.testing.assert_array_equal(best[:, 0], columns)
