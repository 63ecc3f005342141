"""Matrix factorizations and what solves linear systems, on batches of matrices, with their gradients.

The rules follow Giles, "An extended collection of matrix derivative results" (2008), and Townsend, "Differentiating the
singular value decomposition" (2016).
"""

from minigrad.core.aval import Aval
from minigrad.core.dims import may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import square
from minigrad.ops.diagonals import diag_embed, diagonal, tril, triu
from minigrad.ops.matmul import product
from minigrad.ops.promotion import same_float, to_float
from minigrad.ops.selection import where
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


# ----- inverse
def inv_kernel(xp, a):
    return xp.linalg.inv(wide(a)).astype(a.dtype)


def inv_infer(a):
    check_matrix("inv", a)
    return Aval(a.shape, a.dtype)


def inv_vjp(g, y, a):
    return -product(product(y, g, True, False), y, False, True)


inv_p = declare("inv", inv_kernel, inv_infer, vjps=(inv_vjp,), reads=({"y"},), promote=to_float)


# ----- the solution of a @ x = b
def solve_kernel(xp, a, b):
    return xp.linalg.solve(wide(a), wide(b)).astype(b.dtype)


def solve_infer(a, b):
    check_matrix("solve", a)
    check_matrix("solve", b, False)
    if a.shape is None or b.shape is None:
        return Aval(None, b.dtype)
    if not may_equal(a.shape[-1], b.shape[-2]):
        raise ShapeError(f"solve: matrix of shape {shape_text(a.shape)} and right-hand side of shape"
                         f" {shape_text(b.shape)} do not fit")
    batch = a.shape[:-2] if len(a.shape) >= len(b.shape) else b.shape[:-2]
    return Aval((*batch, *b.shape[-2:]), b.dtype)


def solve_vjp_a(g, y, a, b):
    return -product(solve_matrix(mT(a), g), y, False, True)


def solve_vjp_b(g, y, a, b):
    return solve_matrix(mT(a), g)


solve_p = declare("solve", solve_kernel, solve_infer, vjps=(solve_vjp_a, solve_vjp_b), reads=({"y", 0}, {0}),
                  promote=same_float)


def solve_matrix(a, b):
    """x with a @ x = b, for matrices b."""
    return bind(solve_p, a, b)


# ----- determinant
def slogdet_kernel(xp, a):
    sign, log = xp.linalg.slogdet(wide(a))
    return xp.asarray(sign).astype(a.dtype), xp.asarray(log).astype(a.dtype)


def slogdet_infer(a):
    check_matrix("slogdet", a)
    shape = None if a.shape is None else a.shape[:-2]
    return Aval(shape, a.dtype), Aval(shape, a.dtype)


def slogdet_joint(g, y, a, *, needed):
    if g[1] is None:
        return (None,)
    return (unsqueeze(unsqueeze(g[1], -1), -1) * mT(bind(inv_p, a)),)


slogdet_p = declare("slogdet", slogdet_kernel, slogdet_infer, joint=slogdet_joint, reads={0}, multiple=True,
                    promote=to_float)


def det_kernel(xp, a):
    return xp.linalg.det(wide(a)).astype(a.dtype)


def det_infer(a):
    check_matrix("det", a)
    return Aval(None if a.shape is None else a.shape[:-2], a.dtype)


def det_vjp(g, y, a):
    return unsqueeze(unsqueeze(g * y, -1), -1) * mT(bind(inv_p, a))


det_p = declare("det", det_kernel, det_infer, vjps=(det_vjp,), reads=({"y", 0},), promote=to_float)


# ----- Cholesky
def cholesky_kernel(xp, a):
    return xp.linalg.cholesky(wide(a)).astype(a.dtype)


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
                     promote=to_float)


# ----- QR, reduced
def qr_kernel(xp, a):
    q, r = xp.linalg.qr(wide(a))
    return q.astype(a.dtype), r.astype(a.dtype)


def qr_infer(a):
    check_matrix("qr", a, False)
    m, n = a.shape[-2:]
    k = min(m, n) if isinstance(m, int) and isinstance(n, int) else n
    return Aval((*a.shape[:-2], m, k), a.dtype), Aval((*a.shape[:-2], k, n), a.dtype)


def qr_joint(g, y, a, *, needed):
    q, r = y
    if q.shape[-1] != r.shape[-1]:
        raise ShapeError("the gradient of qr needs at least as many rows as columns")
    gq, gr = g
    m = product(r, gr, False, True) if gr is not None else None
    if gq is not None:
        part = product(gq, q, True, False)
        m = -part if m is None else m - part
    m = tril(m) + mT(tril(m, -1))
    right = product(q, m) if gq is None else gq + product(q, m)
    return (mT(solve_matrix(r, mT(right))),)


qr_p = declare("qr", qr_kernel, qr_infer, joint=qr_joint, reads={"y"}, multiple=True, promote=to_float)


# ----- eigenvalues of symmetric matrices
def eigh_kernel(xp, a):
    w, v = xp.linalg.eigh(wide(a))
    return w.astype(a.dtype), v.astype(a.dtype)


def eigh_infer(a):
    check_matrix("eigh", a)
    return Aval(None if a.shape is None else a.shape[:-1], a.dtype), Aval(a.shape, a.dtype)


def eigh_joint(g, y, a, *, needed):
    w, v = y
    gw, gv = g
    inner = None if gw is None else diag_embed(gw)
    if gv is not None:
        gap = unsqueeze(w, -2) - unsqueeze(w, -1)
        same = comparison.eq(gap, 0)
        part = where(same, 0.0, product(v, gv, True, False) / where(same, 1.0, gap))
        inner = part if inner is None else inner + part
    full = product(product(v, inner), v, False, True)
    return ((full + mT(full)) * 0.5,)


eigh_p = declare("eigh", eigh_kernel, eigh_infer, joint=eigh_joint, reads={"y"}, multiple=True, promote=to_float)


# ----- singular values, reduced
def svd_kernel(xp, a):
    u, s, vh = xp.linalg.svd(wide(a), full_matrices=False)
    return u.astype(a.dtype), s.astype(a.dtype), vh.astype(a.dtype)


def svd_infer(a):
    check_matrix("svd", a, False)
    m, n = a.shape[-2:]
    k = min(m, n) if isinstance(m, int) and isinstance(n, int) else n
    batch = a.shape[:-2]
    return Aval((*batch, m, k), a.dtype), Aval((*batch, k), a.dtype), Aval((*batch, k, n), a.dtype)


def svd_joint(g, y, a, *, needed):
    u, s, vh = y
    gu, gs, gvh = g
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
    full = product(product(u, inner), vh)
    return (full if outside is None else full + outside,)


svd_p = declare("svd", svd_kernel, svd_infer, joint=svd_joint, reads={"y"}, multiple=True, promote=to_float)


def svd_full_kernel(xp, a):
    u, s, vh = xp.linalg.svd(wide(a), full_matrices=True)
    return u.astype(a.dtype), s.astype(a.dtype), vh.astype(a.dtype)


def svd_full_infer(a):
    _, s, _ = svd_infer(a)
    batch = a.shape[:-2]
    m, n = a.shape[-2:]
    return Aval((*batch, m, m), a.dtype), s, Aval((*batch, n, n), a.dtype)


svd_full_p = declare("svd_full", svd_full_kernel, svd_full_infer, multiple=True, promote=to_float)


# ----- pseudo-inverse
def pinv_kernel(xp, a, *, rcond):
    m = wide(a)
    u, s, vh = xp.linalg.svd(m, full_matrices=False)
    if s.shape[-1] == 0:
        return xp.zeros(a.shape[:-2] + a.shape[:-3:-1], dtype=a.dtype)
    bound = rcond * xp.max(s, axis=-1, keepdims=True)
    inverse = xp.where(s > bound, 1 / xp.where(s > bound, s, xp.ones_like(s)), xp.zeros_like(s))
    return xp.matmul(vh.swapaxes(-1, -2) * xp.expand_dims(inverse, -2), u.swapaxes(-1, -2)).astype(a.dtype)


def pinv_infer(a, *, rcond):
    check_matrix("pinv", a, False)
    return Aval(None if a.shape is None else (*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)


def pinv_vjp(g, y, a, *, rcond):
    gt = mT(g)
    first = -product(product(y, g, True, False), y, False, True)
    rows = gt - product(a, product(y, gt))
    columns = gt - product(product(gt, y), a)
    return first + product(rows, product(y, y, False, True)) + product(product(y, y, True, False), columns)


pinv_p = declare("pinv", pinv_kernel, pinv_infer, vjps=(pinv_vjp,), reads=({"y", 0},), promote=to_float)


def triangle(a, upper, unitriangular):
    """The triangle of `a` that counts, with ones on its diagonal where asked for."""
    if not unitriangular:
        return triu(a) if upper else tril(a)
    strict = triu(a, 1) if upper else tril(a, -1)
    return strict + diag_embed(diagonal(a, 0, -2, -1) * 0 + 1)
