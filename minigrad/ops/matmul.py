"""Matrix products."""

from minigrad.core.aval import Aval
from minigrad.core.dims import broadcast_shapes
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.ops.promotion import same_float


def matmul_kernel(xp, a, b, *, transpose_a, transpose_b):
    if transpose_a:
        a = xp.swapaxes(a, -1, -2)
    if transpose_b:
        b = xp.swapaxes(b, -1, -2)
    return xp.matmul(a, b)


def matmul_infer(a, b, *, transpose_a, transpose_b):
    m = a.shape[-1] if transpose_a else a.shape[-2]
    n = b.shape[-2] if transpose_b else b.shape[-1]
    return Aval((*broadcast_shapes(a.shape[:-2], b.shape[:-2]), m, n), a.dtype)


def matmul_vjp_a(g, y, a, b, *, transpose_a, transpose_b):
    if transpose_a:
        return product(b, g, transpose_b, True)
    return product(g, b, False, not transpose_b)


def matmul_vjp_b(g, y, a, b, *, transpose_a, transpose_b):
    if transpose_b:
        return product(g, a, True, transpose_a)
    return product(a, g, not transpose_a, False)


matmul_p = declare("matmul", matmul_kernel, matmul_infer, vjps=(matmul_vjp_a, matmul_vjp_b), reads=({1}, {0}),
                   promote=same_float)


def product(a, b, transpose_a=False, transpose_b=False):
    return bind(matmul_p, a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def matmul(input, other):  # noqa: A002
    """The matrix product."""
    return bind(matmul_p, input, other, transpose_a=False, transpose_b=False)
