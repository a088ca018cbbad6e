"""The solvers of the linear models against each other."""

import numpy as np

from linksight.models.algorithms.solvers import fit_logistic, fit_softmax


def test_two_classes_have_one_weight_which_is_the_difference_of_two():
    rng = np.random.default_rng(1)
    dense = rng.integers(0, 3, (60, 9)).astype(np.float32)
    rows, columns = np.nonzero(dense)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=60))))
    data = (starts, columns.astype(np.int32), dense[rows, columns])
    labels = (dense[:, 0] + rng.normal(size=60) > 1).astype(np.int64)
    frequencies = np.bincount(columns, minlength=9).astype(np.float32)
    pair, biases = fit_softmax(*data, labels, frequencies, 2, 1.0, 0.1, 4, 0)
    one, bias = fit_logistic(*data, labels.astype(float), frequencies, 1.0, 0.1, 4, 0)
    np.testing.assert_allclose(one, pair[:, 1] - pair[:, 0], atol=1e-4)
    np.testing.assert_allclose(bias, biases[1] - biases[0], atol=1e-4)
