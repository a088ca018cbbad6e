"""The two solvers behind the linear models, compiled.

``fit_svm`` is the dual coordinate descent of Hsieh et al. 2008 (liblinear's solver) for the squared
hinge loss; ``fit_softmax`` is stochastic gradient descent with AdaGrad steps for maximum entropy.
Both read compressed sparse rows and need no memory beyond the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def fit_svm(
    starts: Any, columns: Any, values: Any, signs: Any, n_columns: int, cost: float, tolerance: float,
    n_epochs: int, seed: int,
) -> tuple[NDArray[np.float64], float, int]:  # fmt: skip
    """Weights, bias and epochs needed for labels of +1 and -1; the bias is a feature that is always 1."""
    n = len(signs)
    weights = np.zeros(n_columns)
    bias = 0.0
    alphas = np.zeros(n)
    diagonal = 0.5 / cost
    curvature = np.empty(n)
    for i in range(n):
        total = 1.0 + diagonal
        for j in range(starts[i], starts[i + 1]):
            total += float(values[j]) * values[j]
        curvature[i] = total
    order = np.arange(n)
    active = n
    # Rows whose gradient is above this cannot change any more and are set aside (shrinking).
    ceiling = np.inf
    np.random.seed(seed)
    for epoch in range(n_epochs):  # noqa: B007  (its last value is the answer)
        highest, lowest = -np.inf, np.inf
        for s in range(active):
            other = s + np.random.randint(active - s)
            order[s], order[other] = order[other], order[s]
        s = 0
        while s < active:
            i = order[s]
            score = bias
            for j in range(starts[i], starts[i + 1]):
                score += weights[columns[j]] * values[j]
            gradient = signs[i] * score - 1.0 + diagonal * alphas[i]
            projected = gradient
            if alphas[i] == 0.0:
                if gradient > ceiling:
                    active -= 1
                    order[s], order[active] = order[active], order[s]
                    continue
                projected = min(gradient, 0.0)
            highest = max(highest, projected)
            lowest = min(lowest, projected)
            if abs(projected) > 1e-12:
                before = alphas[i]
                alphas[i] = max(before - gradient / curvature[i], 0.0)
                step = (alphas[i] - before) * signs[i]
                bias += step
                for j in range(starts[i], starts[i + 1]):
                    weights[columns[j]] += step * values[j]
            s += 1
        if highest - lowest <= tolerance:
            if active == n:
                break
            active = n  # look at all rows once more before saying that it is done
            ceiling = np.inf
            continue
        ceiling = highest if highest > 0 else np.inf
    return weights, bias, epoch + 1


@njit(cache=True, nogil=True)
def fit_softmax(
    starts: Any, columns: Any, values: Any, labels: Any, frequencies: Any, n_classes: int, variance: float,
    rate: float, n_epochs: int, seed: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:  # fmt: skip
    """Weights (columns, classes) and biases of multinomial logistic regression with a Gaussian prior.

    The pull of the prior on a weight is spread over the rows that have its feature, so that an
    epoch costs what the data have, not what the table has.
    """
    n = len(labels)
    weights = np.zeros((len(frequencies), n_classes), dtype=np.float32)
    squares = np.zeros((len(frequencies), n_classes), dtype=np.float32)
    biases = np.zeros(n_classes, dtype=np.float32)
    bias_squares = np.zeros(n_classes, dtype=np.float32)
    errors = np.empty(n_classes)
    order = np.arange(n)
    np.random.seed(seed)
    for _ in range(n_epochs):
        for s in range(n):
            other = s + np.random.randint(n - s)
            order[s], order[other] = order[other], order[s]
        for i in order:
            errors[:] = biases
            for j in range(starts[i], starts[i + 1]):
                for k in range(n_classes):
                    errors[k] += weights[columns[j], k] * values[j]
            errors[:] = np.exp(errors - errors.max())
            errors /= errors.sum()
            errors[labels[i]] -= 1.0
            for k in range(n_classes):
                bias_squares[k] += errors[k] * errors[k]
                if bias_squares[k] > 0:
                    biases[k] -= rate * errors[k] / np.sqrt(bias_squares[k])
            for j in range(starts[i], starts[i + 1]):
                row = columns[j]
                pull = 1.0 / (variance * frequencies[row])
                for k in range(n_classes):
                    gradient = errors[k] * values[j] + weights[row, k] * pull
                    squares[row, k] += gradient * gradient
                    if squares[row, k] > 0:
                        weights[row, k] -= rate * gradient / np.sqrt(squares[row, k])
    return weights, biases
