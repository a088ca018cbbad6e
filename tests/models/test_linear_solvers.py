"""The solvers of the linear models against each other."""

import numpy as np

from linksight.features.hashed_counts import Counts
from linksight.models.algorithms.solvers import fit_logistic, fit_softmax


def test_two_classes_have_one_weight_which_is_the_difference_of_two():
    rng = np.random.default_rng(1)
    dense = rng.integers(0, 3, (60, 9)).astype(np.float32)
    counts = Counts.of_matrix(dense)
    labels = (dense[:, 0] + rng.normal(size=60) > 1).astype(np.int64)
    row_weights = rng.random(60)
    for weights in (None, row_weights):
        pair, biases = fit_softmax(counts, labels, 2, 1.0, 0.1, 4, 0, weights)
        one, bias = fit_logistic(counts, labels, 1.0, 0.1, 4, 0, weights)
        np.testing.assert_allclose(one, pair[:, 1] - pair[:, 0], atol=1e-4)
        np.testing.assert_allclose(bias, biases[1] - biases[0], atol=1e-4)
