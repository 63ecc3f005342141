"""Linear algebra: what torch.linalg offers, made of the factorizations and of products.

`minigrad.linalg` shows these functions under PyTorch's names. Batches of matrices (..., rows, columns) are welcome
everywhere, and everything has derivatives of any order unless its docstring says otherwise.
"""

import math
from typing import NamedTuple

import numpy as np

from minigrad.core.dims import Dim, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.errors import DtypeError, InvalidArgumentError, ShapeError
from minigrad.ops import diagonals, factorizations as factors
from minigrad.ops.arithmetic import abs as absolute, div, mul, square
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import size_of
from minigrad.ops.casting import cast
from minigrad.ops.comparison import gt, lt
from minigrad.ops.elementwise import flat
from minigrad.ops.exponential import pow as power
from minigrad.ops.indexing import narrow
from minigrad.ops.joining import cat
from minigrad.ops.matmul import chain_matmul, product
from minigrad.ops.padding import roll
from minigrad.ops.reduction import all as every, amax, amin, sum as total, vector_norm
from minigrad.ops.selection import maximum, where
from minigrad.ops.shaping import movedim, mT, reshape, squeeze, unsqueeze

__all__ = ["cholesky", "cholesky_inverse", "cholesky_solve", "cond", "cross", "det", "eigh", "eigvalsh", "inv",
           "inverse", "kron", "logdet", "lstsq", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "pinv",
           "pinverse", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve",
           "vander", "vecdot"]


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


class LstsqResult(NamedTuple):
    """Solutions, sums of squared differences, ranks, singular values."""

    solution: object
    residuals: object
    rank: object
    singular_values: object


# ----- inverses and determinants
def inv(A):
    """The inverse of square matrices. PyTorch: torch.linalg.inv.

    Raises:
        LinAlgError: a matrix is singular.
    """
    return bind(factors.inv_p, A)


inverse = inv


def det(A):
    """The determinant of square matrices; singular ones have a gradient too. PyTorch: torch.linalg.det."""
    return bind(factors.det_p, A)


def slogdet(A):
    """(sign, log |det|) of square matrices; the gradient needs them to be invertible. PyTorch: torch.linalg.slogdet."""
    return SlogdetResult(*bind(factors.slogdet_p, A))


def logdet(input):
    """log(det) of square matrices: -inf where they are singular, NaN where the determinant is negative."""
    sign, log = bind(factors.slogdet_p, input)
    return where(lt(sign, 0), math.nan, log)


def pinv(A, rcond=None, *, atol=None, rtol=None, hermitian=False):
    """The Moore-Penrose inverse (m, n) -> (n, m). PyTorch: torch.linalg.pinv.

    Singular values up to max(atol, rtol * the largest) count as zero, and for the gradient they stay so.

    Args:
        rcond: another name of rtol.
        rtol: by default the larger size times the precision of the dtype, or 0 where `atol` is given.
        hermitian: the matrices are symmetric, so their lower triangle is enough to look at.
    """
    factors.check_matrix("pinv", A, hermitian)
    atol, rtol = tolerances(A, atol, rcond if rtol is None else rtol)
    return bind(factors.pinv_p, A, atol=atol, rtol=rtol, symmetric=bool(hermitian))


def pinverse(input, rcond=1e-15):
    """The Moore-Penrose inverse; singular values up to rcond times the largest count as zero."""
    return pinv(input, rtol=rcond)


def tolerances(A, atol, rtol):
    """(atol, rtol) as numbers, with PyTorch's default for rtol."""
    if rtol is None:
        rows, columns = A.shape[-2:]
        if atol is not None and float(atol) > 0:
            rtol = 0.0
        elif rows.__class__ is Dim or columns.__class__ is Dim:
            raise ShapeError(f"the tolerance for matrices of shape {shape_text(A.shape)} follows from their sizes,"
                             " which are unknown here; pass rtol=")
        else:
            dtype = A.dtype if A.dtype.kind == "f" else np.float32
            rtol = max(rows, columns) * float(np.finfo(dtype).eps)
    return 0.0 if atol is None else float(atol), float(rtol)


def matrix_power(A, n):
    """A @ A @ ... @ A, n times; for negative n the same of the inverse. PyTorch: torch.linalg.matrix_power."""
    factors.check_matrix("matrix_power", A)
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 0:
        eye = diagonals.diag_embed(flat(diagonals.diagonal(A, 0, -2, -1)) + 1)
        # nothing of A is left, but the gradient is 0 and not missing
        return eye if A.shape[-1].__class__ is Dim else eye + diagonals.triu(A, A.shape[-1])
    result, base = None, A
    while n:
        if n & 1:
            result = base if result is None else product(result, base)
        n >>= 1
        if n:
            base = product(base, base)
    return result * 1 if result is A else result


def multi_dot(tensors):
    """The product of several matrices, in the order that takes the fewest multiplications.

    PyTorch: torch.linalg.multi_dot.
    """
    return chain_matmul(*tensors)


# ----- factorizations
def cholesky(A, *, upper=False):
    """The lower triangle L with A = L @ L.T of symmetric positive matrices; for `upper` its transpose.

    One triangle of A is looked at; the gradient is symmetric. PyTorch: torch.linalg.cholesky.

    Raises:
        LinAlgError: a matrix is not positive definite.
    """
    return mT(bind(factors.cholesky_p, mT(A))) if upper else bind(factors.cholesky_p, A)


def cholesky_solve(input, L, upper=False):
    """x with A @ x = input, for the Cholesky triangle L of A. PyTorch: torch.cholesky_solve."""
    if upper:
        L = mT(L)
    return solve_triangular(mT(L), solve_triangular(L, input, upper=False), upper=True)


def cholesky_inverse(input, upper=False):
    """The inverse of A, from its Cholesky triangle. PyTorch: torch.cholesky_inverse."""
    factors.check_matrix("cholesky_inverse", input)
    eye = diagonals.diag_embed(flat(diagonals.diagonal(input, 0, -2, -1)) + 1)
    return cholesky_solve(eye, input, upper)


def qr(A, mode="reduced"):
    """Q with orthonormal columns and upper triangular R with A = Q @ R. PyTorch: torch.linalg.qr.

    Args:
        mode: "reduced" for Q (m, k) and R (k, n), where k is the smaller of m and n; "complete" for Q (m, m) and
            R (m, n), where the columns from n on are not determined by the matrix, so that no gradient flows through
            them; "r" for R alone, with an empty Q.
    """
    if mode not in ("reduced", "complete", "r"):
        raise InvalidArgumentError(f'qr: the mode must be "reduced", "complete" or "r", not {mode!r}')
    factors.check_matrix("qr", A, False)
    rows, columns = A.shape[-2:]
    if isinstance(rows, int) and isinstance(columns, int) and rows < columns:
        # the first columns decide; Q turns the others
        q, r = bind(factors.qr_p, narrow(A, -1, 0, rows), complete=False)
        r = cat([r, product(q, narrow(A, -1, rows, columns - rows), True, False)], -1)
    else:
        q, r = bind(factors.qr_p, A, complete=mode == "complete" and rows != columns)
    return QRResult(reshape(narrow(q, -1, 0, 0), (0,)) if mode == "r" else q, r)


def eigh(A, UPLO="L"):
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices. PyTorch: torch.linalg.eigh.

    The triangle `UPLO` is looked at; the gradient is symmetric. What depends on the choice of eigenvectors (their
    signs, their turns where eigenvalues are equal) has no gradient that means something.
    """
    if UPLO not in ("L", "U"):
        raise InvalidArgumentError(f'eigh: UPLO must be "L" or "U", not {UPLO!r}')
    return EighResult(*bind(factors.eigh_p, A, upper=UPLO == "U"))


def eigvalsh(A, UPLO="L"):
    """Eigenvalues of symmetric matrices, ascending. PyTorch: torch.linalg.eigvalsh."""
    return eigh(A, UPLO).eigenvalues


def svd(A, full_matrices=True):
    """A = U @ diag(S) @ Vh. PyTorch: torch.linalg.svd.

    With `full_matrices` U and Vh are square. Vectors without a singular value are not determined by the matrix, so no
    gradient flows through them; nor does one that means something through the choice of the others.
    """
    return SVDResult(*bind(factors.svd_p, A, full=bool(full_matrices)))


def svdvals(A):
    """Singular values, descending. PyTorch: torch.linalg.svdvals."""
    return bind(factors.svd_p, A, full=False)[1]


# ----- linear systems
def solve(A, B, *, left=True):
    """X with A @ X = B, or X @ A = B for left=False; B may be a vector, or a batch of them.

    PyTorch: torch.linalg.solve.

    Raises:
        LinAlgError: a matrix is singular.
    """
    factors.check_matrix("solve", A)
    vector = B.ndim == 1 or (A.ndim is not None and B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    if vector:
        return squeeze(bind(factors.solve_p, A if left else mT(A), unsqueeze(B, -1)), -1)
    if not left:
        return mT(bind(factors.solve_p, mT(A), mT(B)))
    return bind(factors.solve_p, A, B)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """X with A @ X = B, or X @ A = B for left=False, for a triangle A. PyTorch: torch.linalg.solve_triangular.

    What stands in the other half of A is not looked at, nor its diagonal for `unitriangular`, which stands for ones.
    """
    factors.check_matrix("solve_triangular", A)
    a = factors.triangle(A, upper, unitriangular)
    if left:
        return bind(factors.solve_p, a, B)
    return mT(bind(factors.solve_p, mT(a), mT(B)))


def lstsq(A, B, rcond=None, *, driver=None):
    """The smallest X that brings A @ X as near to B as can be. PyTorch: torch.linalg.lstsq.

    It goes through the singular values, whatever the `driver`, so the rank may be any.

    Args:
        rcond: singular values up to rcond times the largest count as zero.

    Returns:
        (solution, residuals, rank, singular_values). Residuals are the sums of squares of A @ X - B over the rows,
        empty unless there are more rows than columns and the rank of every matrix is full.
    """
    vector = B.ndim == 1 or (A.ndim == B.ndim + 1 and B.shape == A.shape[:-1])
    b = unsqueeze(B, -1) if vector else B
    factors.check_matrix("lstsq", A, False)
    if A.shape[-2] != b.shape[-2]:
        raise ShapeError(f"lstsq: matrices of shape {shape_text(A.shape)} and right-hand sides of shape"
                         f" {shape_text(B.shape)} do not fit: the numbers of rows differ")
    x = product(pinv(A, rcond), b)
    rank = matrix_rank(A, rtol=rcond)
    rows, columns = A.shape[-2:]
    residuals = total(square(product(A, x) - b), -2)
    if rows <= columns or not every(gt(rank, columns - 1)):
        residuals = reshape(narrow(residuals, -1, 0, 0), (0,))
    elif vector:
        residuals = squeeze(residuals, -1)
    return LstsqResult(squeeze(x, -1) if vector else x, residuals, rank, svdvals(A))


def tensorinv(A, ind=2):
    """The inverse of A for tensordot, with the first `ind` dimensions as rows. PyTorch: torch.linalg.tensorinv."""
    if ind < 1:
        raise InvalidArgumentError(f"tensorinv: ind must be at least 1, not {ind}")
    rows = math.prod(A.shape[:ind])
    columns = math.prod(A.shape[ind:])
    if rows != columns:
        raise ShapeError(f"tensorinv: the first {ind} and the other dimensions of shape {shape_text(A.shape)} have"
                         f" {rows} and {columns} elements; they have to be equally many")
    return reshape(inv(reshape(A, (rows, columns))), (*A.shape[ind:], *A.shape[:ind]))


def tensorsolve(A, B, dims=None):
    """X with tensordot(A, X, X.ndim) = B. PyTorch: torch.linalg.tensorsolve.

    Args:
        dims: dimensions of A that are moved to its end first.
    """
    if dims is not None:
        A = movedim(A, tuple(dims), tuple(range(-len(tuple(dims)), 0)))
    shape = A.shape[B.ndim:]
    count = math.prod(shape)
    if count != math.prod(A.shape[:B.ndim]) or count != math.prod(B.shape):
        raise ShapeError(f"tensorsolve: A of shape {shape_text(A.shape)} does not fit B of shape {shape_text(B.shape)}:"
                         " its first dimensions have to be those of B, and the rest to have as many elements")
    return reshape(solve(reshape(A, (count, count)), reshape(B, (count,))), shape)


# ----- norms and what follows from singular values
def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """A norm of matrices: "fro", "nuc", 1, -1, 2, -2, inf or -inf. PyTorch: torch.linalg.matrix_norm."""
    if dtype is not None:
        A = cast(A, dtype)
    if A.dtype.kind != "f":
        raise DtypeError(f"matrix_norm is defined for floats, not for {A.dtype}; pass dtype=, for example float32")
    rows, columns = [normal_axis("matrix_norm", A, d) for d in dim]
    if rows == columns or A.ndim < 2:
        raise ShapeError(f"matrix_norm: two different dimensions of shape {shape_text(A.shape)} are needed, got {dim}")
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
        raise InvalidArgumentError(f"matrix_norm: there is no norm {ord!r}; use 'fro', 'nuc', 1, -1, 2, -2, inf or"
                                   " -inf")
    inner, outer = (rows, columns) if ord in (1, -1) else (columns, rows)
    sums = total(absolute(A), inner, True)
    y = amax(sums, outer, True) if ord > 0 else amin(sums, outer, True)
    return y if keepdim else squeeze(y, (rows, columns))


def any_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """A norm of vectors over one dimension (or over all), or of matrices over two. PyTorch: torch.linalg.norm.

    Without `ord`, the 2-norm of all elements over `dim`.
    """
    if dim is not None and not isinstance(dim, int) and len(dim) == 1:
        dim = dim[0]
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if isinstance(dim, int) or (dim is None and A.ndim == 1):
        return vector_norm(A, ord, dim, keepdim, dtype=dtype)
    if dim is None and A.ndim != 2:
        raise ShapeError(f"norm: ord={ord!r} without dim needs a vector or a matrix, got shape {shape_text(A.shape)}")
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


def matrix_rank(A, tol=None, *, atol=None, rtol=None, hermitian=False):
    """How many singular values are above max(atol, rtol * the largest), as int64. PyTorch: torch.linalg.matrix_rank.

    Args:
        tol: another name of atol, with rtol 0.
        rtol: by default the larger size times the precision of the dtype, or 0 where `atol` is given.
        hermitian: the matrices are symmetric, so their lower triangle is enough to look at.
    """
    factors.check_matrix("matrix_rank", A, hermitian)
    atol, rtol = tolerances(A, atol, rtol) if tol is None else (float(tol), 0.0)
    s = absolute(eigvalsh(A)) if hermitian else svdvals(A)
    if 0 in A.shape[-2:]:
        return total(cast(s, int64), -1)
    return total(cast(gt(s, maximum(amax(s, -1, True) * rtol, atol)), int64), -1)


def cond(A, p=None):
    """The condition number norm(A) * norm(inv(A)); by default the largest over the smallest singular value.

    It is infinite for singular matrices. PyTorch: torch.linalg.cond.
    """
    if p is None or p in (2, -2):
        s = svdvals(A)
        ends = amax(s, -1), amin(s, -1)
        return div(*ends[::-1]) if p == -2 else div(*ends)
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


# ----- products, diagonals and powers
def matrix_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonal of the last two dimensions. PyTorch: torch.linalg.diagonal."""
    return diagonals.diagonal(A, offset, dim1, dim2)


def vecdot(x, y, *, dim=-1):
    """The sums of products along a dimension, after broadcasting. PyTorch: torch.linalg.vecdot."""
    return total(mul(x, y), dim)


def cross(input, other, dim=None):
    """The cross product of vectors of 3 along a dimension, by default the first of size 3. PyTorch: torch.cross."""
    if dim is None:
        threes = [axis for axis, size in enumerate(input.shape) if size == 3]
        if not threes:
            raise ShapeError(f"cross: no dimension of shape {shape_text(input.shape)} has size 3")
        dim = threes[0]
    return cross_along(input, other, dim=dim)


def cross_along(input, other, *, dim=-1):
    """The cross product of vectors of 3 along a dimension, after broadcasting. PyTorch: torch.linalg.cross."""
    sizes = [x.shape[normal_axis("cross", x, dim)] for x in (input, other)]
    if [size for size in sizes if size.__class__ is not Dim and size != 3]:
        raise ShapeError(f"cross: dimension {dim} of shapes {shape_text(input.shape)} and {shape_text(other.shape)} has"
                         " to be 3")
    if len(input.shape) != len(other.shape) and dim >= 0:
        raise ShapeError(f"cross: shapes {shape_text(input.shape)} and {shape_text(other.shape)} have different ranks;"
                         " count the dimension from the end")
    a, b, c, d = roll(input, -1, dim), roll(other, -2, dim), roll(input, -2, dim), roll(other, -1, dim)
    return a * b - c * d


def vander(x, *, N=None):
    """The powers 0 to N - 1 of each element (default N: as many as there are elements).

    PyTorch: torch.linalg.vander.
    """
    x = unsqueeze(x, 0) if x.ndim == 0 else x
    count = x.shape[-1] if N is None else N
    if count.__class__ is Dim or count < 1:
        raise InvalidArgumentError(f"vander: expected at least one power, got N={count}")
    column = unsqueeze(x, -1)
    powers = [column if n == 1 else power(column, float(n) if x.dtype.kind == "f" else n) for n in range(1, count)]
    return cat([flat(column) + 1, *powers], -1)


def kron(input, other):
    """The Kronecker product: every element of the one times all of the other. PyTorch: torch.kron."""
    a, b = input, other
    while a.ndim < b.ndim:
        a = unsqueeze(a, 0)
    while b.ndim < a.ndim:
        b = unsqueeze(b, 0)
    left, right, shape = [], [], []
    for axis in range(a.ndim):
        p, q = size_of(a, axis), size_of(b, axis)
        left += [p, 1]
        right += [1, q]
        shape.append(p * q)
    return reshape(mul(reshape(a, tuple(left)), reshape(b, tuple(right))), tuple(shape))
