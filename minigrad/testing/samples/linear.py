"""Samples of matrix products."""

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, one_of


def matmul_cases(draw):
    """Matrices and batches of them, which broadcast; empty ones and single rows among them."""
    m, k, n = [draw(one_of(0, 1, 2, 3)) for _ in range(3)]
    batch_a, batch_b = draw(one_of(((), ()), ((2,), (2,)), ((2, 1), (3,)), ((), (2,)), ((1,), ()), ((0,), (1,))))
    transpose_a, transpose_b = draw(one_of(False, True)), draw(one_of(False, True))
    a = draw(arrays((*batch_a, *((k, m) if transpose_a else (m, k))), REAL))
    b = draw(arrays((*batch_b, *((n, k) if transpose_b else (k, n))), REAL))
    return Case((a, b), {"transpose_a": transpose_a, "transpose_b": transpose_b})


def matmul_reference(a, b, *, transpose_a, transpose_b):
    left = "...ki" if transpose_a else "...ik"
    right = "...jk" if transpose_b else "...kj"
    return np.einsum(f"{left},{right}->...ij", a, b)


row("matmul", matmul_cases, oracle=matmul_reference)


def matmul_rows_cases(draw):
    """Any number of rows, a single vector and none at all among them, times a matrix."""
    k, n = draw(one_of(0, 1, 2, 3)), draw(one_of(0, 1, 2, 3))
    lead = draw(one_of((), (2,), (0,), (2, 3), (1, 2), (2, 0), (2, 1, 2)))
    transpose_w = draw(one_of(False, True))
    return Case((draw(arrays((*lead, k), REAL)), draw(arrays((n, k) if transpose_w else (k, n), REAL))),
                {"transpose_w": transpose_w})


def matmul_rows_reference(x, w, *, transpose_w):
    y = np.zeros((*x.shape[:-1], w.shape[0] if transpose_w else w.shape[1]))
    for place in np.ndindex(y.shape):
        column = w[place[-1]] if transpose_w else w[:, place[-1]]
        y[place] = sum(p * q for p, q in zip(x[place[:-1]].tolist(), column.tolist(), strict=True))
    return y


row("matmul_rows", matmul_rows_cases, oracle=matmul_rows_reference)
