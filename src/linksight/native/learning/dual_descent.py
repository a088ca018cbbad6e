"""Dual coordinate descent for the linear support vector machine (Hsieh et al. 2008, liblinear's solver).

Own code because it reads the 32-bit matrix of counts in place: liblinear copies it at 16 bytes a value for each class
(``benchmarks/train_speed.py``).
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython


def squared_hinge_epoch(
    starts: cython.const[cython.longlong][::1],
    columns: cython.const[cython.int][::1],
    values: cython.const[cython.float][::1],
    signs: cython.const[cython.double][::1],
    diagonal: cython.const[cython.double][::1],
    curvature: cython.const[cython.double][::1],
    order: cython.longlong[::1],
    n_active: cython.Py_ssize_t,
    ceiling: cython.double,
    weights: cython.double[::1],
    alphas: cython.double[::1],
    gradients: cython.double[::1],
) -> int:
    """One epoch over the first ``n_active`` rows of ``order``; returns how many of them stay active.

    The last weight is the bias. A row whose gradient exceeds ``ceiling`` cannot change any more and moves behind the
    active ones (shrinking). ``gradients`` receives the lowest and the highest projected gradient.
    """
    s: cython.Py_ssize_t = 0
    i: cython.longlong
    j: cython.Py_ssize_t
    bias: cython.Py_ssize_t = weights.shape[0] - 1
    score: cython.double
    gradient: cython.double
    projected: cython.double
    before: cython.double
    step: cython.double
    lowest: cython.double = 1e300
    highest: cython.double = -1e300
    with cython.nogil:
        while s < n_active:
            i = order[s]
            score = weights[bias]
            for j in range(starts[i], starts[i + 1]):
                score += weights[columns[j]] * values[j]
            gradient = signs[i] * score - 1.0 + diagonal[i] * alphas[i]
            projected = gradient
            if alphas[i] == 0.0:
                if gradient > ceiling:
                    n_active -= 1
                    order[s] = order[n_active]
                    order[n_active] = i
                    continue
                projected = min(gradient, 0.0)
            highest = max(highest, projected)
            lowest = min(lowest, projected)
            if projected > 1e-12 or projected < -1e-12:
                before = alphas[i]
                alphas[i] = max(before - gradient / curvature[i], 0.0)
                step = (alphas[i] - before) * signs[i]
                weights[bias] += step
                for j in range(starts[i], starts[i + 1]):
                    weights[columns[j]] += step * values[j]
            s += 1
    gradients[0] = lowest
    gradients[1] = highest
    return n_active
