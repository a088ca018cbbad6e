"""Solvers of the linear models over sparse counts; ``native.learning`` has their inner loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from linksight.features.hashed_counts import Counts
from linksight.native.learning.adagrad import logistic_epoch, softmax_epoch
from linksight.native.learning.dual_descent import squared_hinge_epoch

Weights = NDArray[np.float64] | None  #: one a row; None where all count alike


def fit_svm(
    counts: Counts, signs: NDArray[np.float64], cost: float, tolerance: float, n_epochs: int, seed: int,
    row_weights: Weights = None,
) -> tuple[NDArray[np.float64], float, int]:  # fmt: skip
    """Weights, bias and epochs needed for labels of +1 and -1: the squared hinge loss by dual coordinate descent.

    The bias is the weight of a feature that is always 1. A row weight multiplies the cost of the row's errors.
    """
    n = len(signs)
    if row_weights is not None and not row_weights.all():
        weighted = np.flatnonzero(row_weights)
        subset = counts.take(weighted)
        return fit_svm(subset, signs[weighted], cost, tolerance, n_epochs, seed, row_weights[weighted])
    rows = _rows(counts)
    diagonal = 0.5 / (cost * (np.ones(n) if row_weights is None else row_weights))
    squares = csr_matrix((np.square(counts.values), counts.columns, counts.starts), shape=counts.matrix.shape)
    curvature = 1.0 + diagonal + np.asarray(squares.sum(axis=1), np.float64).ravel()
    weights, alphas, gradients = np.zeros(counts.n_columns + 1), np.zeros(n), np.zeros(2)
    order, n_active, ceiling = np.arange(n), n, np.inf
    rng = np.random.default_rng(seed)
    epoch = 0
    while epoch < n_epochs:
        epoch += 1
        order[:n_active] = rng.permutation(order[:n_active])
        n_active = squared_hinge_epoch(
            *rows, signs, diagonal, curvature, order, n_active, ceiling, weights, alphas, gradients
        )
        lowest, highest = gradients
        if highest - lowest > tolerance:
            ceiling = highest if highest > 0 else np.inf
        elif n_active == n:
            break
        else:  # converged on the active rows: check all of them once more
            n_active, ceiling = n, np.inf
    return weights[:-1], float(weights[-1]), epoch


def fit_softmax(
    counts: Counts, labels: NDArray[np.int64], n_classes: int, variance: float, rate: float, n_epochs: int, seed: int,
    row_weights: Weights = None,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:  # fmt: skip
    """Weights (columns, classes) and biases of multinomial logistic regression with a Gaussian prior."""
    weights = np.zeros((counts.n_columns + 1, n_classes), np.float32)
    squares, errors = np.zeros_like(weights), np.empty(n_classes)
    rows, pulls = _rows(counts), _pulls(counts, variance, row_weights)
    for order in _orders(len(labels), n_epochs, seed):
        softmax_epoch(*rows, order, labels, *pulls, rate, weights, squares, errors)
    return weights[:-1], weights[-1]


def fit_logistic(
    counts: Counts, labels: NDArray[np.int64], variance: float, rate: float, n_epochs: int, seed: int,
    row_weights: Weights = None,
) -> tuple[NDArray[np.float32], float]:  # fmt: skip
    """Weights and bias of the second of two classes less those of the first, as ``fit_softmax`` finds them."""
    state = np.zeros((counts.n_columns + 1, 2), np.float32)  # weight, sum of squared gradients
    rows, pulls = _rows(counts), _pulls(counts, variance, row_weights)
    for order in _orders(len(labels), n_epochs, seed):
        logistic_epoch(*rows, order, labels, *pulls, rate, state)
    return 2 * state[:-1, 0], 2 * float(state[-1, 0])


def _rows(counts: Counts) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The arrays of a sparse matrix in the types of the compiled loops."""
    starts = counts.starts.astype(np.int64, copy=False)
    return starts, counts.columns.astype(np.int32, copy=False), counts.values.astype(np.float32, copy=False)


def _pulls(
    counts: Counts, variance: float, row_weights: Weights
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Row weights, and how strongly the prior pulls at a weight in each row that has its feature."""
    n = len(counts)
    weights = np.ones(n, np.float32) if row_weights is None else row_weights.astype(np.float32)
    pulls = 1.0 / (variance * np.maximum(counts.frequencies(), 1.0))
    return weights, np.append(pulls, 0).astype(np.float32)


def _orders(n: int, n_epochs: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return (rng.permutation(n) for _ in range(n_epochs))
