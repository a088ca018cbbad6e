"""Scores of embeddings, and from scores to posterior probabilities and the most probable languages."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.vector_loops import first_columns, multiply, posterior
else:
    from linksight.native.vector_loops import first_columns, multiply, posterior

LANES = 16  #: rows of scores are padded to a multiple of this


def score_rows(
    vectors: cython.const[cython.float][:, ::1],
    output: cython.const[cython.float][:, ::1],
    scores: cython.float[:, ::1],
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
) -> None:
    """Write ``vectors @ output`` of the first ``n`` vectors into ``scores`` from row ``first`` on."""
    depth: cython.Py_ssize_t = output.shape[0]
    width: cython.Py_ssize_t = output.shape[1]
    if cython.compiled:
        with cython.nogil:
            multiply(
                cython.address(vectors[0, 0]),
                n,
                depth,
                cython.address(output[0, 0]),
                width,
                cython.address(scores[first, 0]),
            )
    else:
        import numpy as np

        multiply(vectors, n, depth, output, width, np.asarray(scores)[first : first + n])


def find_probabilities(
    scores: cython.float[:, ::1],
    bayes: cython.const[cython.float][:, ::1],
    sums: cython.float[:, ::1],
    n: cython.Py_ssize_t,
) -> None:
    """Replace calibrated scores by unnormalised probabilities, by the rows of ``PosteriorParameters`` in ``bayes``.

    The largest of each row goes into ``sums[0]``, the sum of all into ``sums[1]``.
    """
    width: cython.Py_ssize_t = scores.shape[1]
    if cython.compiled:
        with cython.nogil:
            posterior(
                cython.address(scores[0, 0]), n, width,
                cython.address(bayes[0, 0]), cython.address(bayes[1, 0]), cython.address(bayes[2, 0]),
                cython.address(sums[0, 0]), cython.address(sums[1, 0]),
            )  # fmt: skip
    else:
        import numpy as np

        table = np.asarray(bayes)
        posterior(scores, n, width, table[0], table[1], table[2], np.asarray(sums)[0], np.asarray(sums)[1])


def find_best(
    scores: cython.float[:, ::1],
    bayes: cython.const[cython.float][:, ::1],
    sums: cython.float[:, ::1],
    columns: cython.short[::1],
    probabilities: cython.float[::1],
    n: cython.Py_ssize_t,
) -> None:
    """The first column of each row with the largest probability, and that probability."""
    r: cython.Py_ssize_t
    find_probabilities(scores, bayes, sums, n)
    if cython.compiled:
        first_columns(
            cython.address(scores[0, 0]),
            n,
            scores.shape[1],
            cython.address(sums[0, 0]),
            cython.address(columns[0]),
        )
    else:
        import numpy as np

        first_columns(scores, n, scores.shape[1], np.asarray(sums)[0], columns)
    for r in range(n):
        probabilities[r] = sums[0, r] / sums[1, r]


def find_top(
    scores: cython.const[cython.float][:, ::1],
    sums: cython.const[cython.float][:, ::1],
    n_columns: cython.Py_ssize_t,
    columns: cython.short[:, ::1],
    probabilities: cython.float[:, ::1],
    n: cython.Py_ssize_t,
) -> None:
    """The columns of each row with the largest probabilities, and these, best first; ``find_probabilities`` goes before."""
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    best: cython.Py_ssize_t
    last: cython.Py_ssize_t
    bound: cython.float
    top: cython.float
    for r in range(n):
        bound, last = 3.0e38, -1
        for i in range(columns.shape[1]):
            best, top = -1, -1
            for j in range(n_columns):
                # Behind the last one found: smaller, or as large and further on.
                if scores[r, j] > top and (scores[r, j] < bound or (scores[r, j] == bound and j > last)):
                    best, top = j, scores[r, j]
            columns[r, i] = best
            probabilities[r, i] = top / sums[1, r]
            bound, last = top, best
