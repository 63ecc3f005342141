"""Matrix factorizations and what solves linear systems, on batches of matrices, with their gradients.

The rules follow Giles, "An extended collection of matrix derivative results" (2008), Townsend, "Differentiating the
singular value decomposition" (2016) and, for QR, Walter and Lehmann (2010). They are made of matrix products and of
the primitives here, so derivatives of any order exist.

On the CPU a singular matrix raises LinAlgError; a GPU does not look, and gives infinity or NaN.
"""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, broadcast_shapes, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32
from minigrad.core.primitive import declare
from minigrad.errors import LinAlgError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import sign, square
from minigrad.ops.broadcasting import size_of
from minigrad.ops.diagonals import diag_embed, diagonal, tril, triu
from minigrad.ops.elementwise import flat
from minigrad.ops.indexing import narrow
from minigrad.ops.matmul import product
from minigrad.ops.promotion import same_float, to_float
from minigrad.ops.reduction import prod, sum as total
from minigrad.ops.selection import maximum, where
from minigrad.ops.shaping import mT, unsqueeze


def wide(x):
    """LAPACK has no half precision."""
    return x.astype(float32) if x.dtype == float16 else x


def check_matrix(name, x, square_one=True):
    """At least two dimensions, and equal ones where the matrix has to be square."""
    if x.shape is None:
        return
    if len(x.shape) < 2:
        raise ShapeError(f"{name}: expected a matrix or a batch of them, got shape {shape_text(x.shape)}")
    if square_one and not may_equal(x.shape[-1], x.shape[-2]):
        raise ShapeError(f"{name}: expected square matrices, got shape {shape_text(x.shape)}")


def attempt(xp, name, function, *operands, **options):
    """`function` of matrices, with LAPACK's complaint as an error that names the operation."""
    try:
        return function(*operands, **options)
    except xp.linalg.LinAlgError as error:
        raise LinAlgError(f"{name} of {operands[0].dtype}{shape_text(operands[0].shape)}: {error}") from error


# ----- inverse
def inv_kernel(xp, a):
    check_matrix("inv", a)
    return attempt(xp, "inv", xp.linalg.inv, wide(a)).astype(a.dtype)


def inv_infer(a):
    check_matrix("inv", a)
    return Aval(a.shape, a.dtype)


def inv_vjp(g, y, a):
    return -product(product(y, g, True, False), y, False, True)


inv_p = declare("inv", inv_kernel, inv_infer, vjps=(inv_vjp,), reads=({"y"},), promote=to_float, shapes=False)


# ----- the solution of a @ x = b
def solve_kernel(xp, a, b):
    check_solve(a, b)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a_whole = xp.broadcast_to(wide(a), (*batch, *a.shape[-2:]))
    b_whole = xp.broadcast_to(wide(b), (*batch, *b.shape[-2:]))
    return attempt(xp, "solve", xp.linalg.solve, a_whole, b_whole).astype(b.dtype)


def solve_infer(a, b):
    check_solve(a, b)
    if a.shape is None or b.shape is None:
        return Aval(None, b.dtype)
    return Aval((*broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)


def check_solve(a, b):
    check_matrix("solve", a)
    check_matrix("solve", b, False)
    if a.shape is None or b.shape is None:
        return
    try:
        broadcast_shapes(a.shape[:-2], b.shape[:-2])
        fits = may_equal(a.shape[-1], b.shape[-2])
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"solve: matrices of shape {shape_text(a.shape)} and right-hand sides of shape"
                         f" {shape_text(b.shape)} do not fit; expected (..., n, n) and (..., n, k)")


def solve_joint(g, y, a, b, *, needed):
    of_b = solve_matrix(mT(a), g)
    return -product(of_b, y, False, True) if needed[0] else None, of_b if needed[1] else None


solve_p = declare("solve", solve_kernel, solve_infer, joint=solve_joint, reads={"y", 0}, promote=same_float,
                  shapes=False)


def solve_matrix(a, b):
    """x with a @ x = b, for matrices b."""
    return bind(solve_p, a, b)


# ----- determinant
def slogdet_kernel(xp, a):
    check_matrix("slogdet", a)
    signs, logs = xp.linalg.slogdet(wide(a))
    return xp.asarray(signs).astype(a.dtype), xp.asarray(logs).astype(a.dtype)


def slogdet_infer(a):
    check_matrix("slogdet", a)
    shape = None if a.shape is None else a.shape[:-2]
    return Aval(shape, a.dtype), Aval(shape, a.dtype)


def slogdet_joint(g, y, a, *, needed):
    if g[1] is None:
        return (None,)
    return (scalars(g[1]) * mT(bind(inv_p, a)),)


def det_kernel(xp, a):
    check_matrix("det", a)
    return xp.asarray(xp.linalg.det(wide(a))).astype(a.dtype)


def det_infer(a):
    check_matrix("det", a)
    return Aval(None if a.shape is None else a.shape[:-2], a.dtype)


def det_vjp(g, y, a):
    return scalars(g) * bind(cofactors_p, a)


def scalars(x):
    """One number for each matrix, as (..., 1, 1)."""
    return unsqueeze(unsqueeze(x, -1), -1)


# ----- the derivative of the determinant by each element, which singular matrices have too
def cofactors_kernel(xp, a):
    check_matrix("det", a)
    u, s, vh = attempt(xp, "det", xp.linalg.svd, wide(a), full_matrices=False)
    others = xp.where(xp.eye(s.shape[-1], dtype=bool), xp.ones_like(s)[..., None, :], s[..., None, :])
    signs = xp.sign(xp.linalg.det(u) * xp.linalg.det(vh))
    others = xp.prod(others, axis=-1) * xp.asarray(signs)[..., None]
    return xp.matmul(u * others[..., None, :], vh).astype(a.dtype)


def cofactors_infer(a):
    check_matrix("det", a)
    return Aval(a.shape, a.dtype)


def cofactors_vjp(h, y, a):
    # In the basis of the singular vectors the matrix is diagonal. There, with q(i, j) the product of all singular
    # values but i and j, cofactor (i, i) changes with element (j, j) by q(i, j), and (i, j) with (j, i) by -q(i, j).
    u, s, vh = bind(svd_p, a, full=False)
    inner = product(product(u, h, True, False), vh, False, True)
    one = diag_embed(flat(s) + 1)
    left_out = maximum(unsqueeze(one, -2), unsqueeze(one, -3))
    q = prod(where(comparison.eq(left_out, 1), 1.0, unsqueeze(unsqueeze(s, -2), -2)), -1) * (1 - one)
    along = total(q * unsqueeze(diagonal(inner, 0, -2, -1), -2), -1)
    full = diag_embed(along) - mT(inner * q)
    signs = sign(bind(det_p, u) * bind(det_p, vh))
    return product(product(u * scalars(signs), full), vh)


cofactors_p = declare("cofactors", cofactors_kernel, cofactors_infer, vjps=(cofactors_vjp,), reads=({0},),
                      promote=to_float, shapes=False)
slogdet_p = declare("slogdet", slogdet_kernel, slogdet_infer, joint=slogdet_joint, reads={0}, multiple=True,
                    promote=to_float)
det_p = declare("det", det_kernel, det_infer, vjps=(det_vjp,), reads=({0},), promote=to_float, shapes=False)


# ----- Cholesky: looks at the lower triangle, and takes the upper one for its mirror image
def cholesky_kernel(xp, a):
    check_matrix("cholesky", a)
    return attempt(xp, "cholesky", xp.linalg.cholesky, wide(a)).astype(a.dtype)


def cholesky_infer(a):
    check_matrix("cholesky", a)
    return Aval(a.shape, a.dtype)


def cholesky_vjp(g, y, a):
    inner = half_diagonal(tril(product(y, tril(g), True, False)))
    s = solve_matrix(mT(y), mT(solve_matrix(mT(y), mT(inner))))
    return (s + mT(s)) * 0.5


def half_diagonal(x):
    """`x` with its diagonal halved."""
    return x - diag_embed(diagonal(x, 0, -2, -1)) * 0.5


cholesky_p = declare("cholesky", cholesky_kernel, cholesky_infer, vjps=(cholesky_vjp,), reads=({"y"},),
                     promote=to_float, shapes=False)


# ----- QR of at least as many rows as columns; `complete` adds columns that nothing determines
def qr_kernel(xp, a, *, complete):
    check_matrix("qr", a, False)
    q, r = attempt(xp, "qr", xp.linalg.qr, wide(a), mode="complete" if complete else "reduced")
    return q.astype(a.dtype), r.astype(a.dtype)


def qr_infer(a, *, complete):
    check_matrix("qr", a, False)
    if a.shape is None:
        return Aval(None, a.dtype), Aval(None, a.dtype)
    m, n = a.shape[-2:]
    k = m if complete else smaller(m, n)
    return Aval((*a.shape[:-2], m, k), a.dtype), Aval((*a.shape[:-2], k, n), a.dtype)


def smaller(m, n):
    """The smaller of two sizes, as far as it is known."""
    if m == n:
        return m
    return Dim() if m.__class__ is Dim or n.__class__ is Dim else min(m, n)


def qr_joint(g, y, a, *, needed, complete):
    q, r = y
    gq, gr = g
    if complete:
        k = size_of(a, -1)
        q, gq = narrow(q, -1, 0, k), None if gq is None else narrow(gq, -1, 0, k)
        r, gr = narrow(r, -2, 0, k), None if gr is None else narrow(gr, -2, 0, k)
    m = product(r, gr, False, True) if gr is not None else None
    if gq is not None:
        part = product(gq, q, True, False)
        m = -part if m is None else m - part
    m = tril(m) + mT(tril(m, -1))
    right = product(q, m) if gq is None else gq + product(q, m)
    return (mT(solve_matrix(r, mT(right))),)


qr_p = declare("qr", qr_kernel, qr_infer, joint=qr_joint, reads={"y"}, multiple=True, promote=to_float)


# ----- eigenvalues of symmetric matrices: looks at one triangle
def eigh_kernel(xp, a, *, upper):
    check_matrix("eigh", a)
    w, v = attempt(xp, "eigh", xp.linalg.eigh, wide(a), UPLO="U" if upper else "L")
    return w.astype(a.dtype), v.astype(a.dtype)


def eigh_infer(a, *, upper):
    check_matrix("eigh", a)
    return Aval(None if a.shape is None else a.shape[:-1], a.dtype), Aval(a.shape, a.dtype)


def eigh_joint(g, y, a, *, needed, upper):
    w, v = y
    gw, gv = g
    inner = None if gw is None else diag_embed(gw)
    if gv is not None:
        # equal eigenvalues: only what does not depend on the choice of their vectors has a gradient, and there the
        # product is 0 as well
        gap = unsqueeze(w, -2) - unsqueeze(w, -1)
        same = comparison.eq(gap, 0)
        part = where(same, 0.0, product(v, gv, True, False) / where(same, 1.0, gap))
        inner = part if inner is None else inner + part
    full = product(product(v, inner), v, False, True)
    return ((full + mT(full)) * 0.5,)


eigh_p = declare("eigh", eigh_kernel, eigh_infer, joint=eigh_joint, reads={"y"}, multiple=True, promote=to_float)


# ----- singular values and vectors; `full` adds vectors without a singular value, which nothing determines
def svd_kernel(xp, a, *, full):
    check_matrix("svd", a, False)
    u, s, vh = attempt(xp, "svd", xp.linalg.svd, wide(a), full_matrices=full)
    return u.astype(a.dtype), s.astype(a.dtype), vh.astype(a.dtype)


def svd_infer(a, *, full):
    check_matrix("svd", a, False)
    if a.shape is None:
        return Aval(None, a.dtype), Aval(None, a.dtype), Aval(None, a.dtype)
    m, n = a.shape[-2:]
    k = smaller(m, n)
    batch = a.shape[:-2]
    u, vh = (m, m if full else k), (n if full else k, n)
    return Aval((*batch, *u), a.dtype), Aval((*batch, k), a.dtype), Aval((*batch, *vh), a.dtype)


def svd_joint(g, y, a, *, needed, full):
    u, s, vh = y
    gu, gs, gvh = g
    if full and u.shape[-1] != vh.shape[-2]:
        u, vh, gu, gvh = determined(s, u, vh, gu, gvh)
    inner = None if gs is None else diag_embed(gs)
    outside = None
    if gu is not None or gvh is not None:
        gap = square(unsqueeze(s, -2)) - square(unsqueeze(s, -1))
        same = comparison.eq(gap, 0)
        factor = where(same, 0.0, 1 / where(same, 1.0, gap))
        if gu is not None:
            turn = product(u, gu, True, False)
            part = (turn - mT(turn)) * factor * unsqueeze(s, -2)
            inner = part if inner is None else inner + part
            rest = gu / unsqueeze(s, -2)
            outside = product(rest - product(u, product(u, rest, True, False)), vh)
        if gvh is not None:
            turn = product(vh, gvh, False, True)
            part = unsqueeze(s, -1) * (turn - mT(turn)) * factor
            inner = part if inner is None else inner + part
            rest = gvh / unsqueeze(s, -1)
            part = product(u, rest - product(product(rest, vh, False, True), vh))
            outside = part if outside is None else outside + part
    y = product(product(u, inner), vh)
    return (y if outside is None else y + outside,)


def determined(s, u, vh, gu, gvh):
    """The vectors that have a singular value, and their gradients, without the others."""
    k = size_of(s, -1)
    u = narrow(u, -1, 0, k)
    vh = narrow(vh, -2, 0, k)
    return u, vh, None if gu is None else narrow(gu, -1, 0, k), None if gvh is None else narrow(gvh, -2, 0, k)


svd_p = declare("svd", svd_kernel, svd_infer, joint=svd_joint, reads={"y"}, multiple=True, promote=to_float)


# ----- pseudo-inverse; singular values up to max(atol, rtol * the largest) count as zero
def pinv_kernel(xp, a, *, atol, rtol, symmetric):
    check_matrix("pinv", a, symmetric)
    m = wide(a)
    if symmetric:  # one triangle is looked at
        m = xp.tril(m) + xp.tril(m, -1).swapaxes(-1, -2)
    u, s, vh = attempt(xp, "pinv", xp.linalg.svd, m, full_matrices=False)
    if s.shape[-1] == 0:
        return xp.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), dtype=a.dtype)
    counts = s > xp.maximum(rtol * xp.max(s, axis=-1, keepdims=True), atol)
    inverse = xp.where(counts, 1 / xp.where(counts, s, xp.ones_like(s)), xp.zeros_like(s))
    return xp.matmul(vh.swapaxes(-1, -2) * inverse[..., None, :], u.swapaxes(-1, -2)).astype(a.dtype)


def pinv_infer(a, *, atol, rtol, symmetric):
    check_matrix("pinv", a, symmetric)
    return Aval(None if a.shape is None else (*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)


def pinv_vjp(g, y, a, *, atol, rtol, symmetric):
    # Golub and Pereyra (1973); the rank is taken as fixed
    gt = mT(g)
    first = -product(product(y, g, True, False), y, False, True)
    rows = gt - product(a, product(y, gt))
    columns = gt - product(product(gt, y), a)
    return first + product(rows, product(y, y, False, True)) + product(product(y, y, True, False), columns)


pinv_p = declare("pinv", pinv_kernel, pinv_infer, vjps=(pinv_vjp,), reads=({"y", 0},), promote=to_float, shapes=False)


def triangle(a, upper, unitriangular):
    """The triangle of `a` that counts, with ones on its diagonal where asked for."""
    if not unitriangular:
        return triu(a) if upper else tril(a)
    strict = triu(a, 1) if upper else tril(a, -1)
    return strict + diag_embed(flat(diagonal(a, 0, -2, -1)) + 1)
