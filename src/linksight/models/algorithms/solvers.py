"""The solvers behind the linear models, compiled.

``fit_svm`` is the dual coordinate descent of Hsieh et al. 2008 (liblinear's solver) for the squared
hinge loss; ``fit_softmax`` is stochastic gradient descent with AdaGrad steps for maximum entropy, and
``fit_logistic`` the same for a yes or no. All read compressed sparse rows and need no memory beyond the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def _shuffle(order: Any, n: int) -> None:
    """Mix the first ``n`` rows."""
    for s in range(n):
        other = s + np.random.randint(n - s)
        order[s], order[other] = order[other], order[s]


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
        _shuffle(order, active)
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
        _shuffle(order, n)
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


@njit(cache=True, nogil=True)
def fit_logistic(
    starts: Any, columns: Any, values: Any, positive: Any, frequencies: Any, variance: float, rate: float,
    n_epochs: int, seed: int,
) -> tuple[NDArray[np.float32], float]:  # fmt: skip
    """The weights and bias of the second of two classes less those of the first, as ``fit_softmax`` has them.

    With two classes the weights of one are those of the other with their sign turned, so one is enough;
    it stands beside its sum of squares: a third of the time.
    """
    n = len(positive)
    state = np.zeros((len(frequencies), 2), dtype=np.float32)  # weight, sum of squared gradients
    pulls = np.empty(len(frequencies), dtype=np.float32)
    for column in range(len(frequencies)):
        pulls[column] = 1.0 / (variance * max(frequencies[column], 1.0))
    bias = bias_squares = 0.0
    step = np.float32(rate)
    order = np.arange(n)
    np.random.seed(seed)
    for _ in range(n_epochs):
        _shuffle(order, n)
        for i in order:
            score = bias
            for j in range(starts[i], starts[i + 1]):
                score += state[columns[j], 0] * values[j]
            error = 1.0 / (1.0 + np.exp(-2.0 * score)) - positive[i]
            bias_squares += error * error
            if bias_squares > 0:
                bias -= rate * error / np.sqrt(bias_squares)
            narrow = np.float32(error)
            for j in range(starts[i], starts[i + 1]):
                column = columns[j]
                gradient = narrow * values[j] + state[column, 0] * pulls[column]
                square = state[column, 1] + gradient * gradient
                state[column, 1] = square
                if square > 0:
                    state[column, 0] -= step * gradient / np.sqrt(square)
    return 2 * state[:, 0], 2 * bias
