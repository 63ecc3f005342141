"""Samples of matrix factorizations: well-conditioned matrices, single ones and batches, empty batches too."""

import numpy as np

from minigrad.testing.domains import interval
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, one_of

SMALL = interval(-0.3, 0.3)
DOUBLE = ("float64", "float32")
RANKS = "the number of rows and columns decides the shapes of the results"


def regular(draw, square=True):
    """Matrices with distinct singular values, well away from zero."""
    m = draw(one_of(1, 2, 3))
    n = m if square else draw(one_of(1, 2, 3))
    batch = draw(one_of((), (), (2,), (0,)))
    return draw(arrays((*batch, m, n), SMALL)) + np.eye(m, n) * np.arange(1.0, n + 1)


def square_cases(draw):
    return Case((regular(draw),))


def symmetric_cases(draw):
    a = regular(draw)
    return Case((a + a.swapaxes(-1, -2),))


def positive_cases(draw):
    a = regular(draw)
    return Case((a @ a.swapaxes(-1, -2),))


def tall_cases(draw):
    a = regular(draw, square=False)
    return Case((a if a.shape[-2] >= a.shape[-1] else np.ascontiguousarray(a.swapaxes(-1, -2)),))


def any_cases(draw):
    return Case((regular(draw, square=False),))


def pinv_cases(draw):
    return Case((regular(draw, square=False),), {"rcond": 1e-10})


def solve_cases(draw):
    a = regular(draw)
    b = draw(arrays((*a.shape[:-1], draw(one_of(1, 2))), SMALL))
    return Case((a, b))


def inv_reference(a):
    return np.linalg.solve(a, np.broadcast_to(np.eye(a.shape[-1]), a.shape))


def solve_reference(a, b):
    return np.einsum("...ij,...jk->...ik", np.linalg.inv(a), b)


def det_reference(a):
    """By cofactors along the first row."""
    n = a.shape[-1]
    if n == 1:
        return a[..., 0, 0]
    total = np.zeros(a.shape[:-2])
    for j in range(n):
        minor = np.delete(a[..., 1:, :], j, axis=-1)
        total = total + (-1) ** j * a[..., 0, j] * det_reference(minor)
    return total


def slogdet_reference(a):
    d = det_reference(a)
    return np.sign(d), np.log(np.abs(d))




def check_cholesky(y, a):
    np.testing.assert_allclose(y @ y.swapaxes(-1, -2), a, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(y, np.tril(y))


def check_qr(q, r, a):
    np.testing.assert_allclose(q @ r, a, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(q.swapaxes(-1, -2) @ q, np.broadcast_to(np.eye(q.shape[-1]), r.shape), atol=1e-4)


def check_eigh(w, v, a):
    np.testing.assert_allclose(a @ v, v * w[..., None, :], rtol=1e-4, atol=1e-4)


def check_svd(u, s, vh, a):
    k = s.shape[-1]
    np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, rtol=1e-4, atol=1e-4)
    assert (np.diff(s, axis=-1) <= 0).all()


row("inv", square_cases, oracle=inv_reference, dtypes=DOUBLE, rtol=1e-9)
row("solve", solve_cases, oracle=solve_reference, dtypes=DOUBLE, rtol=1e-9)
row("det", square_cases, oracle=det_reference, dtypes=DOUBLE, rtol=1e-9)
row("slogdet", square_cases, oracle=slogdet_reference, dtypes=DOUBLE, rtol=1e-9)
row("cholesky", positive_cases, check=check_cholesky, dtypes=DOUBLE,
    gradient="it looks at one triangle only, so differences of single elements are not those of symmetric matrices")
row("qr", tall_cases, check=check_qr, dtypes=DOUBLE, unknown_dims=RANKS)
row("eigh", symmetric_cases, check=check_eigh, dtypes=DOUBLE,
    gradient="it looks at one triangle only, so differences of single elements are not those of symmetric matrices")
row("svd", any_cases, check=check_svd, dtypes=DOUBLE, unknown_dims=RANKS,
    second_order="the choice of signs and of the order of near values makes differences of differences too rough")
row("svd_full", any_cases, check=check_svd, dtypes=DOUBLE, unknown_dims=RANKS)
row("pinv", pinv_cases, oracle="numpy.linalg.pinv", dtypes=DOUBLE, rtol=1e-9)
