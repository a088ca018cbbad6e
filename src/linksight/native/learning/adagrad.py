"""Stochastic gradient descent with AdaGrad steps for logistic regression with a Gaussian prior.

Each function is one epoch over compressed sparse rows, in the order given. The pull of the prior on a weight is spread
over the rows that have its feature, so that an epoch costs what the data have, not what the table has.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, sqrt
else:
    from math import exp, sqrt


def softmax_epoch(
    starts: cython.const[cython.longlong][::1],
    columns: cython.const[cython.int][::1],
    values: cython.const[cython.float][::1],
    order: cython.const[cython.longlong][::1],
    labels: cython.const[cython.longlong][::1],
    row_weights: cython.const[cython.float][::1],
    pulls: cython.const[cython.float][::1],
    rate: cython.double,
    weights: cython.float[:, ::1],
    squares: cython.float[:, ::1],
    errors: cython.double[::1],
) -> None:
    """Update weights and sums of squared gradients, both (columns + 1, classes); the last row is the bias.

    ``pulls`` is, for each column, one over the prior's variance times the number of rows that have the column;
    ``errors`` is a buffer with one number per class.
    """
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    row: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t = weights.shape[1]
    bias: cython.Py_ssize_t = weights.shape[0] - 1
    value: cython.double
    highest: cython.double
    total: cython.double
    gradient: cython.double
    with cython.nogil:
        for n in range(order.shape[0]):
            i = order[n]
            for k in range(n_classes):
                errors[k] = weights[bias, k]
            for j in range(starts[i], starts[i + 1]):
                row, value = columns[j], values[j]
                for k in range(n_classes):
                    errors[k] += weights[row, k] * value
            highest = errors[0]
            for k in range(1, n_classes):
                highest = max(highest, errors[k])
            total = 0.0
            for k in range(n_classes):
                errors[k] = exp(errors[k] - highest)
                total += errors[k]
            for k in range(n_classes):
                errors[k] = row_weights[i] * (errors[k] / total - (1.0 if k == labels[i] else 0.0))
                squares[bias, k] += errors[k] * errors[k]
                if squares[bias, k] > 0:
                    weights[bias, k] -= rate * errors[k] / sqrt(squares[bias, k])
            for j in range(starts[i], starts[i + 1]):
                row, value = columns[j], values[j]
                for k in range(n_classes):
                    gradient = errors[k] * value + row_weights[i] * pulls[row] * weights[row, k]
                    squares[row, k] += gradient * gradient
                    if squares[row, k] > 0:
                        weights[row, k] -= rate * gradient / sqrt(squares[row, k])


def logistic_epoch(
    starts: cython.const[cython.longlong][::1],
    columns: cython.const[cython.int][::1],
    values: cython.const[cython.float][::1],
    order: cython.const[cython.longlong][::1],
    labels: cython.const[cython.longlong][::1],
    row_weights: cython.const[cython.float][::1],
    pulls: cython.const[cython.float][::1],
    rate: cython.double,
    state: cython.float[:, ::1],
) -> None:
    """The same for labels 0 and 1: half the weights of the second class less those of the first.

    With two classes the weights of one are those of the other with the opposite sign. ``state`` holds weight and sum
    of squared gradients side by side, (columns + 1, 2), which takes a third of the time.
    """
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    bias: cython.Py_ssize_t = state.shape[0] - 1
    score: cython.double
    error: cython.float
    pull: cython.float
    gradient: cython.float
    square: cython.float
    step: cython.float = rate
    with cython.nogil:
        for n in range(order.shape[0]):
            i = order[n]
            score = state[bias, 0]
            for j in range(starts[i], starts[i + 1]):
                score += state[columns[j], 0] * values[j]
            # The exponent is bounded, so that it does not overflow in plain Python.
            error = row_weights[i] * (1.0 / (1.0 + exp(min(-2.0 * score, 700.0))) - labels[i])
            pull = row_weights[i]
            state[bias, 1] += error * error
            if state[bias, 1] > 0:
                state[bias, 0] -= step * error / sqrt(state[bias, 1])
            for j in range(starts[i], starts[i + 1]):
                row = columns[j]
                gradient = error * values[j] + pull * pulls[row] * state[row, 0]
                square = state[row, 1] + gradient * gradient
                state[row, 1] = square
                if square > 0:
                    state[row, 0] -= step * gradient / sqrt(square)
