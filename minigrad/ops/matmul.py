"""Products of matrices and vectors."""

import math

from minigrad.core.aval import Aval
from minigrad.core.dims import broadcast_shapes, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, ShapeError
from minigrad.ops.arithmetic import add, mul
from minigrad.ops.axes import normal_axis
from minigrad.ops.promotion import same_float
from minigrad.ops.reduction import sum as total
from minigrad.ops.shaping import permute, reshape, squeeze, unsqueeze

__all__ = ["addbmm", "addmm", "addmv", "addr", "baddbmm", "bilinear", "bmm", "chain_matmul", "dot", "ger", "inner",
           "linear", "matmul", "mm", "mv", "outer", "tensordot", "vdot"]


# ----- the product of the last two dimensions, each operand transposed first where the parameters say so
def matmul_kernel(xp, a, b, *, transpose_a, transpose_b):
    if transpose_a:
        a = a.swapaxes(-1, -2)
    if transpose_b:
        b = b.swapaxes(-1, -2)
    return xp.matmul(a, b)


def matmul_infer(a, b, *, transpose_a, transpose_b):
    if a.shape is None or b.shape is None:
        return Aval(None, a.dtype)
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise ShapeError(f"matmul: shapes {shape_text(a.shape)} and {shape_text(b.shape)} need two dimensions each")
    m, k = a.shape[-2:][::-1] if transpose_a else a.shape[-2:]
    other, n = b.shape[-2:][::-1] if transpose_b else b.shape[-2:]
    if not may_equal(k, other):
        raise ShapeError(f"matmul: shapes {shape_text(a.shape)} and {shape_text(b.shape)} do not fit:"
                         f" {'the first dimension' if transpose_a else 'the last dimension'} of the one ({k}) has to"
                         f" equal {'the last' if transpose_b else 'the second to last'} of the other ({other})")
    try:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError as error:
        raise ShapeError(f"matmul: the batch dimensions of shapes {shape_text(a.shape)} and {shape_text(b.shape)} do"
                         f" not broadcast: {error}") from None
    return Aval((*batch, m, n), a.dtype)


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
    """The product of operands with at least two dimensions, transposed first where asked for."""
    return bind(matmul_p, a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def matmul(input, other):
    """The product of matrices; of batches of them, which broadcast; a vector counts as a row left and a column right.

    Raises:
        ShapeError: the inner sizes differ, or an operand has no dimensions.
        DtypeError: the dtypes differ.
    """
    if input.ndim != 1 and other.ndim != 1 and input.ndim != 0 and other.ndim != 0:
        return bind(matmul_p, input, other, transpose_a=False, transpose_b=False)
    if input.ndim == 0 or other.ndim == 0:
        raise ShapeError(f"matmul: shapes {shape_text(input.shape)} and {shape_text(other.shape)}: both operands need"
                         " at least one dimension; use * to multiply by a number")
    check_inner("matmul", input.shape[-1], other.shape[0 if other.ndim == 1 else -2], input, other)
    a = unsqueeze(input, 0) if input.ndim == 1 else input
    b = unsqueeze(other, 1) if other.ndim == 1 else other
    y = product(a, b)
    if other.ndim == 1:
        y = squeeze(y, -1)
    return squeeze(y, -1 if other.ndim == 1 else -2) if input.ndim == 1 else y


def check_inner(name, k, other, a, b):
    if not may_equal(k, other):
        raise ShapeError(f"{name}: shapes {shape_text(a.shape)} and {shape_text(b.shape)} do not fit: the inner sizes"
                         f" {k} and {other} differ")


def with_rank(name, x, rank):
    """Refuse an operand of another rank."""
    if x.ndim is not None and x.ndim != rank:
        raise ShapeError(f"{name}: expected {rank} dimensions, got shape {shape_text(x.shape)}")
    return x


def mm(input, mat2):
    """The product of two matrices."""
    return product(with_rank("mm", input, 2), with_rank("mm", mat2, 2))


def bmm(input, mat2):
    """The products of two batches of matrices (b, m, k) and (b, k, n)."""
    with_rank("bmm", input, 3)
    with_rank("bmm", mat2, 3)
    if not may_equal(input.shape[0], mat2.shape[0]):
        raise ShapeError(f"bmm: the batch sizes of {shape_text(input.shape)} and {shape_text(mat2.shape)} differ")
    return product(input, mat2)


def mv(input, vec):
    """The product of a matrix and a vector."""
    return matmul(with_rank("mv", input, 2), with_rank("mv", vec, 1))


def dot(input, tensor):
    """The sum of products of two vectors."""
    with_rank("dot", input, 1)
    with_rank("dot", tensor, 1)
    return matmul(input, tensor)


vdot = dot


def inner(input, other):
    """The sums of products over the last dimensions of both."""
    if input.ndim == 0 or other.ndim == 0:
        return mul(input, other)
    return tensordot(input, other, ([-1], [-1]))


def outer(input, vec2):
    """All products of an element of one vector and one of the other."""
    return mul(unsqueeze(with_rank("outer", input, 1), 1), with_rank("outer", vec2, 1))


ger = outer


def linear(input, weight, bias=None):
    """input @ weight.T + bias, for input (..., in), weight (out, in) or (in,), bias (out,)."""
    if weight.ndim == 1:
        y = matmul(input, weight)
    elif input.ndim == 1:
        y = squeeze(product(unsqueeze(input, 0), weight, False, True), 0)
    else:
        y = bind(matmul_p, input, weight, transpose_a=False, transpose_b=True)
    return y if bias is None else add(y, bias)


def bilinear(input1, input2, weight, bias=None):
    """x1 @ weight[k] @ x2 for each k: input1 (..., a), input2 (..., b), weight (out, a, b)."""
    left = tensordot(input1, weight, ([-1], [1]))
    y = total(mul(left, unsqueeze(input2, -2)), -1)
    return y if bias is None else add(y, bias)


def scaled(x, factor):
    return x if factor == 1 else mul(x, factor)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """beta * input + alpha * mat1 @ mat2."""
    return combined(input, mm(mat1, mat2), beta, alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1):
    """beta * input + alpha * mat @ vec."""
    return combined(input, mv(mat, vec), beta, alpha)


def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """beta * input + alpha * outer(vec1, vec2)."""
    return combined(input, outer(vec1, vec2), beta, alpha)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * batch1 @ batch2."""
    return combined(input, bmm(batch1, batch2), beta, alpha)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * the sum over the batch of batch1 @ batch2."""
    return combined(input, total(bmm(batch1, batch2), 0), beta, alpha)


def combined(x, y, beta, alpha):
    """beta * x + alpha * y, where beta 0 leaves x out, NaN and all."""
    return scaled(y, alpha) if beta == 0 else add(scaled(x, beta), scaled(y, alpha))


def chain_matmul(*matrices):
    """The product of several matrices, in the order that takes the fewest multiplications."""
    if len(matrices) == 1 and isinstance(matrices[0], list | tuple):
        matrices = tuple(matrices[0])
    if len(matrices) < 2:
        return matrices[0]
    first, last = matrices[0], matrices[-1]
    chain = list(matrices)
    if first.ndim == 1:
        chain[0] = unsqueeze(first, 0)
    if last.ndim == 1:
        chain[-1] = unsqueeze(last, 1)
    y = multiplied(chain, 0, len(chain) - 1, best_splits([m.shape for m in chain]))
    if last.ndim == 1:
        y = squeeze(y, -1)
    return squeeze(y, 0) if first.ndim == 1 else y


def best_splits(shapes):
    """{(i, j): where to split the product of matrices i to j} for the fewest multiplications."""
    count = len(shapes)
    sizes = [shapes[0][0], *[shape[1] for shape in shapes]]
    cost = {(i, i): 0 for i in range(count)}
    split = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j] = math.inf
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if c < cost[i, j]:
                    cost[i, j], split[i, j] = c, k
    return split


def multiplied(chain, i, j, split):
    if i == j:
        return chain[i]
    k = split[i, j]
    return mm(multiplied(chain, i, k, split), multiplied(chain, k + 1, j, split))


def tensordot(a, b, dims=2):
    """The sums of products over some dimensions of both.

    Args:
        dims: how many of the last of `a` and the first of `b`, or two lists of dimensions.
    """
    if isinstance(dims, int):
        if dims < 0:
            raise AxisError(f"tensordot: dims must not be negative, got {dims}")
        if dims > min(a.ndim, b.ndim):
            raise ShapeError(f"tensordot: {dims} dimensions of shapes {shape_text(a.shape)}, {shape_text(b.shape)}")
        axes_a, axes_b = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        axes_a, axes_b = dims
        axes_a = [normal_axis("tensordot", a, d) for d in ([axes_a] if isinstance(axes_a, int) else axes_a)]
        axes_b = [normal_axis("tensordot", b, d) for d in ([axes_b] if isinstance(axes_b, int) else axes_b)]
    for i, j in zip(axes_a, axes_b, strict=True):
        check_inner("tensordot", a.shape[i], b.shape[j], a, b)
    free_a = [d for d in range(a.ndim) if d not in axes_a]
    free_b = [d for d in range(b.ndim) if d not in axes_b]
    rows = math.prod([a.shape[d] for d in free_a])
    columns = math.prod([b.shape[d] for d in free_b])
    common = math.prod([a.shape[d] for d in axes_a])
    left = reshape(permute(a, (*free_a, *axes_a)), (rows, common))
    right = reshape(permute(b, (*axes_b, *free_b)), (common, columns))
    return reshape(product(left, right), (*[a.shape[d] for d in free_a], *[b.shape[d] for d in free_b]))
