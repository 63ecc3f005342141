"""Linear algebra under PyTorch's names. PyTorch: torch.linalg."""

import math
from typing import NamedTuple

import numpy as np

from minigrad.core.dims import shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.errors import ShapeError
from minigrad.ops import diagonals, factorizations as factors
from minigrad.ops.arithmetic import abs as absolute, mul
from minigrad.ops.axes import normal_axis
from minigrad.ops.casting import cast
from minigrad.ops.comparison import gt
from minigrad.ops.exponential import pow as power
from minigrad.ops.joining import cat
from minigrad.ops.matmul import chain_matmul, product
from minigrad.ops.padding import roll
from minigrad.ops.reduction import amax, amin, sum as total, vector_norm
from minigrad.ops.selection import where
from minigrad.ops.shaping import movedim, mT, reshape, squeeze, unsqueeze

__all__ = ["cholesky", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "kron", "logdet", "matrix_norm",
           "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve", "solve_triangular",
           "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot", "vector_norm"]


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the absolute value of determinants."""

    sign: object
    logabsdet: object


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangle."""

    Q: object
    R: object


class EighResult(NamedTuple):
    """Eigenvalues in ascending order and eigenvectors as columns."""

    eigenvalues: object
    eigenvectors: object


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values in descending order, right singular vectors as rows."""

    U: object
    S: object
    Vh: object


def inv(A):
    """The inverse of square matrices."""
    return bind(factors.inv_p, A)


def det(A):
    """The determinant of square matrices; its gradient needs them to be invertible."""
    return bind(factors.det_p, A)


def slogdet(A):
    """(sign, log |det|) of square matrices."""
    return SlogdetResult(*bind(factors.slogdet_p, A))


def logdet(input):
    """log(det) of square matrices: NaN where the determinant is negative."""
    sign, log = bind(factors.slogdet_p, input)
    return where(gt(sign, -0.5), log, math.nan)


def cholesky(A, *, upper=False):
    """The lower triangle L with A = L @ L.T of symmetric positive matrices (the upper one where asked for)."""
    lower = bind(factors.cholesky_p, A)
    return mT(lower) if upper else lower


def qr(A, mode="reduced"):
    """Q with orthonormal columns and upper triangular R with A = Q @ R; mode "reduced" or "r"."""
    if mode not in ("reduced", "r"):
        raise ShapeError(f'qr: mode {mode!r} is not offered; use "reduced" or "r"')
    q, r = bind(factors.qr_p, A)
    return QRResult(q, r)


def eigh(A, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices, of which one triangle is looked at."""
    lower = diagonals.tril(A) if UPLO == "L" else mT(diagonals.triu(A))
    symmetric = lower + mT(diagonals.tril(lower, -1))
    return EighResult(*bind(factors.eigh_p, symmetric))


def eigvalsh(A, UPLO="L"):
    """Eigenvalues of symmetric matrices, in ascending order."""
    return eigh(A, UPLO).eigenvalues


def svd(A, full_matrices=True):
    """A = U @ diag(S) @ Vh, with square U and Vh for full_matrices.

    Of matrices that are not square the full U and Vh are untracked: vectors without a singular value are not
    determined, so there is no gradient through them.
    """
    if full_matrices and A.shape[-1] != A.shape[-2]:
        u, _, vh = bind(factors.svd_full_p, A)
        return SVDResult(u, svdvals(A), vh)
    return SVDResult(*bind(factors.svd_p, A))


def svdvals(A):
    """Singular values, in descending order."""
    return bind(factors.svd_p, A)[1]


def pinv(A, rtol=None, *, hermitian=False):
    """The Moore-Penrose inverse; singular values below rtol times the largest count as zero."""
    if rtol is None:
        rtol = max(A.shape[-2:]) * float(np.finfo(A.dtype).eps) if A.dtype.kind == "f" else 1e-15
    return bind(factors.pinv_p, A, rcond=float(rtol))


def solve(A, B, *, left=True):
    """X with A @ X = B (X @ A = B for left=False); B may be a vector, or a batch of them."""
    if not left:
        return mT(solve(mT(A), mT(B)))
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    x = bind(factors.solve_p, A, unsqueeze(B, -1) if vector else B)
    return squeeze(x, -1) if vector else x


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """X with A @ X = B, for a triangle A; what stands in its other half is not looked at."""
    a = factors.triangle(A, upper, unitriangular)
    if left:
        return bind(factors.solve_p, a, B)
    return mT(bind(factors.solve_p, mT(a), mT(B)))


def matrix_power(A, n):
    """A @ A @ ... @ A, n times; inverses for negative n."""
    factors.check_matrix("matrix_power", A)
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 0:
        return diagonals.diag_embed(diagonals.diagonal(A, 0, -2, -1) * 0 + 1)
    result, base = None, A
    while n:
        if n & 1:
            result = base if result is None else product(result, base)
        n >>= 1
        if n:
            base = product(base, base)
    return result * 1 if result is A else result


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """A norm of matrices: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    if dtype is not None:
        A = cast(A, dtype)
    rows, columns = [normal_axis("matrix_norm", A, d) for d in dim]
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim)
    if ord in ("nuc", 2, -2):
        s = svdvals(movedim(A, (rows, columns), (-2, -1)))
        y = total(s, -1) if ord == "nuc" else amax(s, -1) if ord == 2 else amin(s, -1)
        if keepdim:
            for axis in sorted((rows, columns)):
                y = unsqueeze(y, axis)
        return y
    if ord not in (1, -1, math.inf, -math.inf):
        raise ShapeError(f"matrix_norm: there is no norm {ord!r}; use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    inner, outer = (rows, columns) if ord in (1, -1) else (columns, rows)
    sums = total(absolute(A), inner, True)
    y = amax(sums, outer, True) if ord > 0 else amin(sums, outer, True)
    return y if keepdim else squeeze(y, (rows, columns))


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """A vector norm over one dimension (or all), or a matrix norm over two. PyTorch: torch.linalg.norm."""
    if dim is not None and not isinstance(dim, int) and len(dim) == 1:
        dim = dim[0]
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if isinstance(dim, int) or (dim is None and A.ndim == 1):
        return vector_norm(A, ord, dim, keepdim, dtype=dtype)
    if dim is None and A.ndim != 2:
        raise ShapeError(f"norm: ord={ord!r} without dim needs a vector or a matrix, got shape {shape_text(A.shape)}")
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


def matrix_rank(A, *, tol=None, hermitian=False):
    """The number of singular values above `tol` (default: the largest times the sizes' and the dtype's precision)."""
    s = svdvals(A)
    if tol is None:
        tol = amax(s, -1, True) * (max(A.shape[-2:]) * float(np.finfo(s.dtype).eps))
    return total(cast(gt(s, tol), int64), -1)


def cond(A, p=None):
    """The condition number: norm(A) * norm(inv(A)), by default the largest over the smallest singular value."""
    if p is None or p == 2:
        s = svdvals(A)
        return amax(s, -1) / amin(s, -1)
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


def multi_dot(tensors):
    """The product of several matrices, in the order that takes the fewest multiplications."""
    return chain_matmul(*tensors)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonal of the last two dimensions."""
    return diagonals.diagonal(A, offset, dim1, dim2)


def vecdot(x, y, *, dim=-1):
    """The sums of products along a dimension."""
    return total(mul(x, y), dim)


def cross(input, other, *, dim=-1):
    """The cross product of vectors of 3 along a dimension."""
    axis = normal_axis("cross", input, dim)
    if input.shape[axis] != 3 or other.shape[normal_axis("cross", other, dim)] != 3:
        raise ShapeError(f"cross: dimension {dim} of shapes {shape_text(input.shape)} and {shape_text(other.shape)} has"
                         " to be 3")
    a, b, c, d = roll(input, -1, dim), roll(other, -2, dim), roll(input, -2, dim), roll(other, -1, dim)
    return a * b - c * d


def vander(x, N=None):
    """The powers 0 to N - 1 of each element (default N: as many as there are elements)."""
    x = unsqueeze(x, 0) if x.ndim == 0 else x
    count = x.shape[-1] if N is None else N
    column = unsqueeze(x, -1)
    powers = [power(column, float(n) if x.dtype.kind == "f" else n) if n > 1 else column for n in range(1, count)]
    return cat([column * 0 + 1, *powers], -1)


def kron(input, other):
    """The Kronecker product: every element of one times all of the other."""
    rank = max(input.ndim, other.ndim)
    a, b = input, other
    for _ in range(rank - a.ndim):
        a = unsqueeze(a, 0)
    for _ in range(rank - b.ndim):
        b = unsqueeze(b, 0)
    left, right, shape = [], [], []
    for p, q in zip(a.shape, b.shape, strict=True):
        left += [p, 1]
        right += [1, q]
        shape.append(p * q)
    return reshape(mul(reshape(a, tuple(left)), reshape(b, tuple(right))), tuple(shape))


def tensorinv(A, ind=2):
    """The inverse of A for tensordot, with the first `ind` dimensions as rows."""
    rows = math.prod(A.shape[:ind])
    columns = math.prod(A.shape[ind:])
    if rows != columns:
        raise ShapeError(f"tensorinv: the first {ind} and the other dimensions of shape {shape_text(A.shape)} have"
                         " different numbers of elements")
    return reshape(inv(reshape(A, (rows, columns))), (*A.shape[ind:], *A.shape[:ind]))


def tensorsolve(A, B, dims=None):
    """X with tensordot(A, X, X.ndim) = B."""
    if dims is not None:
        A = movedim(A, tuple(dims), tuple(range(-len(tuple(dims)), 0)))
    shape = A.shape[B.ndim:]
    count = math.prod(shape)
    return reshape(solve(reshape(A, (count, count)), reshape(B, (count,))), shape)
