"""Sums over sparse rows against dense arithmetic."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.features.hashed_counts import Counts


@st.composite
def matrices(draw):
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    cells = draw(st.lists(st.integers(0, 3), min_size=n * m, max_size=n * m))
    return np.array(cells, dtype=np.float32).reshape(n, m)


def counts_of(dense):
    rows, columns = np.nonzero(dense)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(dense)))))
    return Counts(starts, columns.astype(np.int32), dense[rows, columns], dense.shape[1])


def dense_of(counts):
    found = np.zeros((len(counts), counts.n_columns), dtype=np.float32)
    found[counts.rows, counts.columns] = counts.values
    return found


@given(dense=matrices(), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_products_sums_and_rows_are_those_of_the_dense_matrix(dense, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(dense.shape[1], 2)).astype(np.float32)
    groups = rng.integers(0, 3, len(dense))
    which = rng.integers(0, len(dense), 5)
    counts = counts_of(dense)
    np.testing.assert_allclose(counts.scores(table), dense @ table, atol=1e-4)
    expected = np.stack([dense[groups == k].sum(axis=0) for k in range(3)], axis=1)
    np.testing.assert_array_equal(counts.sums(groups, 3), expected)
    np.testing.assert_array_equal(dense_of(counts.take(which)), dense[which])
    np.testing.assert_array_equal(counts.frequencies(), (dense > 0).sum(axis=0))


@given(dense=matrices())
@settings(max_examples=25, deadline=None)
def test_compact_columns_are_the_same_columns_in_another_order(dense):
    compact = counts_of(dense).compact()
    frequencies = compact.frequencies()
    assert (np.diff(frequencies) <= 0).all()
    used = dense[:, (dense > 0).any(axis=0)]
    found = dense_of(compact)[:, : used.shape[1]]
    assert sorted(map(tuple, found.T.tolist())) == sorted(map(tuple, used.T.tolist()))
