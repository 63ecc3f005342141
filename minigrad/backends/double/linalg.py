"""`xp.linalg`: decompositions and solvers.

Where LAPACK gives up and NumPy raises (a singular matrix, one that is not positive definite), cuSOLVER goes on and
leaves no defined result: here NaN. float16 is refused; several results come in a plain tuple.
"""

import numpy as np
from numpy.linalg import LinAlgError

from minigrad.backends.double._memory import (
    describe,
    device_array,
    fresh,
    fresh_all,
    host_value,
    quiet,
    raw_array,
    raw_operand,
    wrap,
)
from minigrad.backends.double._products import cross as cross_product, matmul as matmul
from minigrad.backends.double._shaping import matrix_transpose as transposed

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul",
    "matrix_power", "matrix_rank", "matrix_transpose", "norm", "pinv", "qr", "slogdet", "solve", "svd", "tensorinv",
    "tensorsolve",
]


# ---- checks


def matrices(name, a, *, square=False):
    """The memory of a stack of matrices of a dtype that cuSOLVER has."""
    raw = raw_array(name, "a", a)
    refuse_half(name, raw)
    if raw.ndim < 2:
        raise LinAlgError(f"{raw.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and raw.shape[-2] != raw.shape[-1]:
        raise LinAlgError(f"{name}: Last 2 dimensions of the array must be square, got a {describe(a)}")
    return raw


def refuse_half(name, raw):
    """float16 is no dtype of linear algebra."""
    if raw.dtype == np.float16:
        raise TypeError(f"{name}: float16 is unsupported in linalg")


def solved(function, a, *others):
    """`function(a, *others)`, with NaN for those of the matrices `a` for which NumPy raises LinAlgError."""
    with quiet():
        try:
            return function(a, *others)
        except LinAlgError:
            bad = [place for place in np.ndindex(a.shape[:-2]) if fails(function, a[place], others, place)]
        healthy = a.copy()
        for place in bad:
            healthy[place] = np.eye(*a.shape[-2:])
        results = function(healthy, *others)
        for part in results if isinstance(results, tuple) else (results,):
            for place in bad:
                part[place] = np.nan
        return results


def fails(function, matrix, others, place):
    """True where `function` raises LinAlgError for one matrix of a stack."""
    try:
        function(matrix, *[other[place] if other.ndim >= 2 + len(place) else other for other in others])
    except LinAlgError:
        return True
    return False


# ---- decompositions


def cholesky(a):
    return fresh(solved(np.linalg.cholesky, matrices("cholesky", a, square=True)))


def qr(a, mode="reduced"):
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode {mode!r}")
    with quiet():
        result = np.linalg.qr(matrices("qr", a), mode)
    return fresh_all(result) if isinstance(result, tuple) else fresh(result)


def reduced_svd(a):
    return tuple(np.linalg.svd(a, full_matrices=False))


def full_svd(a):
    return tuple(np.linalg.svd(a))


def singular_values(a):
    return np.linalg.svd(a, compute_uv=False)


def svd(a, full_matrices=True, compute_uv=True):
    """(u, s, vh), or s alone."""
    raw = matrices("svd", a)
    if not compute_uv:
        return fresh(solved(singular_values, raw))
    return fresh_all(solved(full_svd if full_matrices else reduced_svd, raw))


def lower_eigh(a):
    return tuple(np.linalg.eigh(a, "L"))


def upper_eigh(a):
    return tuple(np.linalg.eigh(a, "U"))


def eigh(a, UPLO="L"):
    return fresh_all(solved(upper_eigh if UPLO in ("U", "u") else lower_eigh, matrices("eigh", a, square=True)))


def eigvalsh(a, UPLO="L"):
    return eigh(a, UPLO)[0]


def eig(a):
    """Eigenvalues and eigenvectors, always complex (NumPy's are real where they can be), in any order."""
    raw = matrices("eig", a, square=True)
    with quiet():
        values, vectors = np.linalg.eig(raw)
    complex_dtype = np.result_type(values.dtype, np.complex64)
    return fresh(values.astype(complex_dtype)), fresh(vectors.astype(complex_dtype))


def eigvals(a):
    return eig(a)[0]


def matrix_transpose(a):
    return transposed(a)


# ---- numbers of a matrix


def det(a):
    with quiet():
        return fresh(np.linalg.det(matrices("det", a, square=True)))


def slogdet(a):
    """(sign, log of the absolute value of the determinant)."""
    with quiet():
        return fresh_all(np.linalg.slogdet(matrices("slogdet", a, square=True)))


def norm(x, ord=None, axis=None, keepdims=False):
    raw = raw_array("norm", "x", x)
    if isinstance(axis, list):
        raise TypeError("'axis' must be None, an integer or a tuple of integers")
    with quiet():
        return fresh(np.linalg.norm(raw, ord, host_value("norm", "axis", axis), keepdims))


def cond(x, p=None):
    raw = matrices("cond", x)
    if raw.size == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    with quiet():
        return fresh(np.linalg.cond(raw, p))


def matrix_rank(M, tol=None):
    """The rank of one matrix (or vector), not of a stack."""
    raw = raw_array("matrix_rank", "M", M)
    refuse_half("matrix_rank", raw)
    if raw.ndim > 2:
        raise NotImplementedError("matrix_rank: CuPy takes at most two dimensions")
    return fresh(np.linalg.matrix_rank(raw, tol))


# ---- solving


def inv(a):
    return fresh(solved(np.linalg.inv, matrices("inv", a, square=True)))


def pinv(a, rcond=1e-15):
    raw = matrices("pinv", a)
    with quiet():
        return fresh(np.linalg.pinv(raw, rcond=raw_operand("pinv", "rcond", rcond)))


def solve(a, b):
    """x with a @ x = b. Leading dimensions must be equal, they do not broadcast; a 1-d `b` is one right-hand side."""
    raw_a, raw_b = matrices("solve", a, square=True), raw_array("solve", "b", b)
    refuse_half("solve", raw_b)
    if raw_b.ndim == 0:
        raise ValueError("solve: b must have at least one dimension")
    if raw_b.ndim == 1:
        if raw_a.shape[-1] != raw_b.size:
            raise ValueError(f"solve: a must have (..., M, M) shape and b must have (M,), got {raw_a.shape} and "
                             f"{raw_b.shape}")
        columns = np.broadcast_to(raw_b, raw_a.shape[:-1])[..., None]
        return fresh(solved(np.linalg.solve, raw_a, columns)[..., 0])
    if raw_a.shape[:-1] != raw_b.shape[:-1]:
        raise ValueError(f"solve: a must have (..., M, M) shape and b must have (..., M, K), got {raw_a.shape} and "
                         f"{raw_b.shape}; CuPy does not broadcast the leading dimensions")
    return fresh(solved(np.linalg.solve, raw_a, raw_b))


def lstsq(a, b, rcond=None):
    """(x, residuals, rank, singular values) of one matrix; the rank is a 0-d array."""
    raw_a, raw_b = matrices("lstsq", a), raw_array("lstsq", "b", b)
    refuse_half("lstsq", raw_b)
    if raw_a.ndim != 2 or raw_b.ndim not in (1, 2):
        raise LinAlgError(f"lstsq: a must have two dimensions and b one or two, got {raw_a.shape} and {raw_b.shape}")
    x, residuals, rank, values = np.linalg.lstsq(raw_a, raw_b, rcond)
    return fresh(x), fresh(residuals), fresh(np.int32(rank)), fresh(values)


def matrix_power(M, n):
    raw = matrices("matrix_power", M, square=True)
    if not isinstance(n, int):
        raise TypeError("exponent must be an integer")
    base = solved(np.linalg.inv, raw) if n < 0 else raw
    with quiet():
        return fresh(np.linalg.matrix_power(base, abs(n)))


def tensorinv(a, ind=2):
    raw = raw_array("tensorinv", "a", a)
    if ind <= 0:
        raise ValueError("Invalid ind argument")
    shape = raw.shape[ind:] + raw.shape[:ind]
    return inv(wrap(raw.reshape(int(np.prod(raw.shape[ind:])), -1))).reshape(shape)


def tensorsolve(a, b, axes=None):
    raw_a, raw_b = raw_array("tensorsolve", "a", a), raw_array("tensorsolve", "b", b)
    with quiet():
        return fresh(np.linalg.tensorsolve(raw_a, raw_b, axes))


def cross(x1, x2, /, *, axis=-1):
    """The cross product of vectors of three numbers, of equal shapes."""
    device_array("cross", "x1", x1), device_array("cross", "x2", x2)
    if x1.shape != x2.shape:
        raise ValueError("x1 and x2 must have the same shape")
    return cross_product(x1, x2, axis=axis)
