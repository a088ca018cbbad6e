"""The kernel's matrix product: the same as NumPy's, whatever is left over behind its tiles."""

from __future__ import annotations

import numpy as np
import pytest

from linksight.native.gemm import multiply


@pytest.mark.parametrize("n", [1, 5, 6, 7, 12, 100])
@pytest.mark.parametrize("k", [1, 15, 16, 17, 32, 136])
def test_any_shape_gives_the_product(n: int, k: int) -> None:
    numbers = np.random.default_rng(n * k)
    vectors, output = (numbers.normal(size=shape).astype(np.float32) for shape in ((n, 34), (34, k)))
    scores = np.full((n, k), np.nan, np.float32)
    multiply(vectors, output, scores)
    np.testing.assert_allclose(scores, vectors.astype(float) @ output, atol=1e-4)


def test_nothing_is_written_beyond_the_rows() -> None:
    room = np.full((20, 40), 7, np.float32)
    multiply(np.ones((13, 3), np.float32), np.ones((3, 40), np.float32), room[:13])
    assert np.all(room[:13] == 3)
    assert np.all(room[13:] == 7)


def test_no_rows_are_no_work() -> None:
    multiply(np.ones((0, 3), np.float32), np.ones((3, 40), np.float32), np.ones((0, 40), np.float32))
