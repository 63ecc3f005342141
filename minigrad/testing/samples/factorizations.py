"""Samples of matrix factorizations: well-conditioned matrices, single ones and batches, empty batches too."""

import numpy as np

from minigrad.testing.domains import interval
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, one_of

SMALL = interval(-0.3, 0.3)
DOUBLE = ("float64", "float32")
ONE_TRIANGLE = "it looks at one triangle only, so differences of single elements are not those of symmetric matrices"


def regular(draw, square=True):
    """Matrices with distinct singular values, well away from zero."""
    m = draw(one_of(1, 2, 3))
    n = m if square else draw(one_of(1, 2, 3))
    batch = draw(one_of((), (), (2,), (0,)))
    return draw(arrays((*batch, m, n), SMALL)) + np.eye(m, n) * np.arange(1.0, n + 1)


def square_cases(draw):
    return Case((regular(draw),))


def eigh_cases(draw):
    a = regular(draw)
    return Case((a + a.swapaxes(-1, -2),), {"upper": draw(one_of(False, True))})


def positive_cases(draw):
    a = regular(draw)
    return Case((a @ a.swapaxes(-1, -2),))


def qr_cases(draw):
    a = regular(draw, square=False)
    tall = a if a.shape[-2] >= a.shape[-1] else np.ascontiguousarray(a.swapaxes(-1, -2))
    return Case((tall,), {"complete": draw(one_of(False, True))})


def svd_cases(draw):
    return Case((regular(draw, square=False),), {"full": draw(one_of(False, True))})


def determined_only(case):
    """The case, without columns or rows that the matrix does not determine."""
    (a,), (name,) = case.args, case.params
    return case if a.shape[-1] == a.shape[-2] else Case((a,), {name: False})


def smooth_qr_cases(draw):
    return determined_only(qr_cases(draw))


def smooth_svd_cases(draw):
    return determined_only(svd_cases(draw))


def pinv_cases(draw):
    a = regular(draw, square=False)
    symmetric = False
    if a.shape[-1] == a.shape[-2] and draw(one_of(False, False, True)):
        a, symmetric = a + a.swapaxes(-1, -2), True
    return Case((a,), {"atol": draw(one_of(0.0, 1e-9)), "rtol": 1e-10, "symmetric": symmetric})


def smooth_pinv_cases(draw):
    case = pinv_cases(draw)
    return Case(case.args, {**case.params, "symmetric": False})


def singular_cases(draw):
    """Regular matrices, and some with two rows alike."""
    a = regular(draw)
    if a.shape[-1] > 1 and draw(one_of(False, False, True)):
        a[..., 1, :] = a[..., 0, :]
    return Case((a,))


def solve_cases(draw):
    a = regular(draw)
    batch = draw(one_of(a.shape[:-2], (), (3, *[1] * (a.ndim - 2))))
    b = draw(arrays((*batch, a.shape[-1], draw(one_of(1, 2))), SMALL))
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


def cofactors_reference(a):
    """Determinants of what is left without a row and a column."""
    y = np.ones_like(a)
    for i, j in np.ndindex(a.shape[-2:]):
        if a.shape[-1] > 1:
            y[..., i, j] = (-1) ** (i + j) * det_reference(np.delete(np.delete(a, i, -2), j, -1))
    return y


def pinv_reference(a, *, atol, rtol, symmetric):
    return np.linalg.pinv(a)


def check_cholesky(y, a):
    np.testing.assert_allclose(y @ y.swapaxes(-1, -2), a, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(y, np.tril(y))


def check_qr(q, r, a, *, complete):
    np.testing.assert_allclose(q @ r, a, rtol=1e-4, atol=1e-4)
    assert q.shape[-1] == (a.shape[-2] if complete else min(a.shape[-2:]))
    np.testing.assert_array_equal(r, np.triu(r))
    assert_orthonormal(q.swapaxes(-1, -2))


def assert_orthonormal(rows):
    eye = np.broadcast_to(np.eye(rows.shape[-2]), (*rows.shape[:-1], rows.shape[-2]))
    np.testing.assert_allclose(rows @ rows.swapaxes(-1, -2), eye, atol=1e-4)


def check_eigh(w, v, a, *, upper):
    assert (np.diff(w, axis=-1) >= 0).all()
    np.testing.assert_allclose(a @ v, v * w[..., None, :], rtol=1e-4, atol=1e-4)


def check_svd(u, s, vh, a, *, full):
    k = s.shape[-1]
    np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, rtol=1e-4, atol=1e-4)
    assert (np.diff(s, axis=-1) <= 0).all()
    for turns, size in ((u.swapaxes(-1, -2), a.shape[-2]), (vh, a.shape[-1])):
        assert turns.shape[-2:] == (size if full else k, size)
        assert_orthonormal(turns)


row("inv", square_cases, oracle=inv_reference, dtypes=DOUBLE, rtol=1e-9)
row("solve", solve_cases, oracle=solve_reference, dtypes=DOUBLE, rtol=1e-9)
row("det", singular_cases, oracle=det_reference, dtypes=DOUBLE, rtol=1e-9)
row("cofactors", singular_cases, oracle=cofactors_reference, dtypes=DOUBLE, rtol=1e-9, smooth_cases=square_cases)
row("slogdet", square_cases, oracle=slogdet_reference, dtypes=DOUBLE, rtol=1e-9)
row("cholesky", positive_cases, check=check_cholesky, dtypes=DOUBLE, gradient=ONE_TRIANGLE)
row("qr", qr_cases, check=check_qr, dtypes=DOUBLE, smooth_cases=smooth_qr_cases)
row("eigh", eigh_cases, check=check_eigh, dtypes=DOUBLE, gradient=ONE_TRIANGLE)
row("svd", svd_cases, check=check_svd, dtypes=DOUBLE, smooth_cases=smooth_svd_cases)
row("pinv", pinv_cases, oracle=pinv_reference, dtypes=DOUBLE, rtol=1e-9, smooth_cases=smooth_pinv_cases)
