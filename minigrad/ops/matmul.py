"""Products of matrices and vectors.

Two primitives: `matmul` takes operands with at least two dimensions, whose leading ones broadcast; `matmul_rows` takes
any number of rows (..., k) and one matrix, and multiplies them all at once. Both can transpose an operand on the way,
so that neither a layer nor a gradient ever makes a transposed matrix.
"""

import math

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, broadcast_shapes, is_known, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, DtypeError, ShapeError
from minigrad.ops.arithmetic import add, mul
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import size_of
from minigrad.ops.promotion import same_float
from minigrad.ops.reduction import sum as total
from minigrad.ops.shaping import movedim, permute, reshape, squeeze, unsqueeze

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
    for x in (a, b):
        if x.shape is not None and len(x.shape) < 2:
            raise ShapeError(f"matmul: shapes {shape_text(a.shape)} and {shape_text(b.shape)} need two dimensions each")
    if a.shape is None or b.shape is None:
        return Aval(None, a.dtype)
    m, k = a.shape[-2:][::-1] if transpose_a else a.shape[-2:]
    other, n = b.shape[-2:][::-1] if transpose_b else b.shape[-2:]
    if not may_equal(k, other):
        raise ShapeError(f"matmul: shapes {shape_text(a.shape)} and {shape_text(b.shape)} do not fit:"
                         f" {'the second to last' if transpose_a else 'the last'} size of the one ({k}) has to equal"
                         f" {'the last' if transpose_b else 'the second to last'} of the other ({other})")
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


# ----- rows (..., k) times one matrix (k, n), or (n, k) where it is transposed first
def matmul_rows_kernel(xp, x, w, *, transpose_w):
    if transpose_w:
        w = w.swapaxes(0, 1)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return xp.matmul(rows, w).reshape(*x.shape[:-1], w.shape[1])


def matmul_rows_infer(x, w, *, transpose_w):
    if w.shape is not None and len(w.shape) != 2:
        raise ShapeError(f"matmul: expected a matrix for rows of shape {shape_text(x.shape)}, got shape"
                         f" {shape_text(w.shape)}")
    if x.shape is None:
        return Aval(None, x.dtype)
    if len(x.shape) == 0:
        raise ShapeError(f"matmul: an operand without dimensions has no rows to multiply by {shape_text(w.shape)}")
    if w.shape is None:
        return Aval((*x.shape[:-1], Dim()), x.dtype)
    k, n = w.shape[::-1] if transpose_w else w.shape
    if not may_equal(x.shape[-1], k):
        raise ShapeError(f"matmul: shapes {shape_text(x.shape)} and {shape_text(w.shape)} do not fit: the last size of"
                         f" the one ({x.shape[-1]}) has to equal the {'last' if transpose_w else 'first'} of the other"
                         f" ({k})")
    return Aval((*x.shape[:-1], n), x.dtype)


def matmul_rows_vjp_x(g, y, x, w, *, transpose_w):
    return bind(matmul_rows_p, g, w, transpose_w=not transpose_w)


def matmul_rows_vjp_w(g, y, x, w, *, transpose_w):
    a, b = (g, x) if transpose_w else (x, g)
    return product(as_rows(a), as_rows(b), True, False)


def as_rows(x):
    """`x` as a matrix of all its rows."""
    shape = x.shape
    if is_known(shape):
        return reshape(x, (math.prod(shape[:-1]), shape[-1]))
    if shape is None or (isinstance(shape[-1], int) and shape[-1] > 0):
        return reshape(x, (-1, size_of(x, -1)))
    return reshape(x, (size_product([size_of(x, axis) for axis in range(len(shape) - 1)]), size_of(x, -1)))


matmul_p = declare("matmul", matmul_kernel, matmul_infer, vjps=(matmul_vjp_a, matmul_vjp_b), reads=({1}, {0}),
                   promote=same_float, shapes=False)
matmul_rows_p = declare("matmul_rows", matmul_rows_kernel, matmul_rows_infer,
                        vjps=(matmul_rows_vjp_x, matmul_rows_vjp_w), reads=({1}, {0}), promote=same_float, shapes=False)


def product(a, b, transpose_a=False, transpose_b=False):
    """The product of operands with at least two dimensions, transposed first where asked for."""
    return bind(matmul_p, a, b, transpose_a=transpose_a, transpose_b=transpose_b)


# ----- the products that users call
def matmul(input, other):
    """The product of matrices, or of batches of them, which broadcast. PyTorch: torch.matmul; what ``@`` does.

    A vector counts as a row on the left and as a column on the right, and its dimension is missing in the result.
    Both operands need the same dtype; bools are combined by "or" of "and"s, as in NumPy.

    Raises:
        ShapeError: the inner sizes differ, or an operand has no dimensions.
        DtypeError: the dtypes differ.
    """
    try:
        rank, other_rank = input.ndim, other.ndim
    except AttributeError:
        raise not_arrays("matmul", input, other) from None
    if rank == 1 or other_rank == 1 or rank == 0 or other_rank == 0:
        return vector_product(input, other)
    if other_rank == 2 and rank is not None and rank > 2:
        return bind(matmul_rows_p, input, other, transpose_w=False)
    return bind(matmul_p, input, other, transpose_a=False, transpose_b=False)


def vector_product(a, b):
    """`matmul` where one of the operands has one dimension (or none, which is refused)."""
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeError(f"matmul: shapes {shape_text(a.shape)} and {shape_text(b.shape)}: both operands need at least"
                         " one dimension; use * to multiply by a number")
    if a.shape is not None and b.shape is not None:
        check_inner("matmul", a.shape[-1], b.shape[0 if b.ndim == 1 else -2], a, b)
    y = matmul(unsqueeze(a, 0) if a.ndim == 1 else a, unsqueeze(b, 1) if b.ndim == 1 else b)
    if b.ndim == 1:
        y = squeeze(y, -1)
        return squeeze(y, -1) if a.ndim == 1 else y
    return squeeze(y, -2)


def not_arrays(name, *operands):
    """The error for operands that are neither arrays nor tensors."""
    kinds = " and ".join([type(x).__name__ for x in operands])
    return DtypeError(f"{name}: expected arrays or tensors, got {kinds}; make a tensor of it first (tensor(...))")


def check_inner(name, k, other, a, b):
    """Refuse inner sizes that differ."""
    if not may_equal(k, other):
        raise ShapeError(f"{name}: shapes {shape_text(a.shape)} and {shape_text(b.shape)} do not fit: the inner sizes"
                         f" {k} and {other} differ")


def with_rank(name, x, rank):
    """`x`, refused where its rank is another."""
    if getattr(x, "ndim", -1) != rank and (not hasattr(x, "ndim") or x.ndim is not None):
        if not hasattr(x, "ndim"):
            raise not_arrays(name, x)
        raise ShapeError(f"{name}: expected {rank} dimension{'s' if rank > 1 else ''}, got shape"
                         f" {shape_text(x.shape)}")
    return x


def mm(input, mat2):
    """The product of two matrices."""
    return product(with_rank("mm", input, 2), with_rank("mm", mat2, 2))


def bmm(input, mat2):
    """The products of two batches of matrices (b, m, k) and (b, k, n)."""
    with_rank("bmm", input, 3)
    with_rank("bmm", mat2, 3)
    if input.shape is not None and mat2.shape is not None and not may_equal(input.shape[0], mat2.shape[0]):
        raise ShapeError(f"bmm: the batch sizes of {shape_text(input.shape)} and {shape_text(mat2.shape)} differ;"
                         " matmul broadcasts them where one is 1")
    return product(input, mat2)


def mv(input, vec):
    """The product of a matrix and a vector."""
    return matmul(with_rank("mv", input, 2), with_rank("mv", vec, 1))


def dot(input, tensor):
    """The sum of products of two vectors."""
    return matmul(with_rank("dot", input, 1), with_rank("dot", tensor, 1))


vdot = dot


def outer(input, vec2):
    """All products of an element of one vector and one of the other."""
    return mul(unsqueeze(with_rank("outer", input, 1), 1), with_rank("outer", vec2, 1))


ger = outer


def linear(input, weight, bias=None):
    """input @ weight.T + bias, for input (..., in), weight (out, in) or (in,), bias (out,) or a number.

    PyTorch: torch.nn.functional.linear.

    Raises:
        ShapeError: the last size of the input is not that of the weight.
        DtypeError: the dtypes differ.
    """
    rank = input.ndim
    if rank == 2 and weight.ndim == 2:
        y = bind(matmul_p, input, weight, transpose_a=False, transpose_b=True)
    elif weight.ndim == 1:
        y = matmul(input, weight)
    elif weight.ndim == 2 or weight.ndim is None:
        y = bind(matmul_rows_p, input, weight, transpose_w=True)
    else:
        raise ShapeError(f"linear: expected a weight of one or two dimensions, got shape {shape_text(weight.shape)}")
    if bias is None:
        return y
    if getattr(bias, "dtype", y.dtype) != y.dtype:
        raise DtypeError(f"linear: the bias is {bias.dtype}, input and weight are {y.dtype}; cast one of them")
    return add(y, bias)


def bilinear(input1, input2, weight, bias=None):
    """x1 @ weight[k] @ x2 for each k: input1 (..., a), input2 (..., b), weight (out, a, b).

    PyTorch: torch.nn.functional.bilinear.
    """
    with_rank("bilinear", weight, 3)
    left = tensordot(input1, weight, ([-1], [1]))
    y = squeeze(matmul(left, unsqueeze(input2, -1)), -1)
    return y if bias is None else add(y, bias)


# ----- a sum of a tensor and a product, each scaled
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
    y = y if alpha == 1 else mul(y, alpha)
    if beta == 0:
        return y
    return add(x if beta == 1 else mul(x, beta), y)


# ----- chains of products
UNKNOWN_SIZE = 256  # what a size that only the running graph knows counts as in the choice of an order


def chain_matmul(*matrices):
    """The product of several matrices, in the order that takes the fewest multiplications.

    The first and the last may be vectors. PyTorch: torch.chain_matmul, torch.linalg.multi_dot.
    """
    if len(matrices) == 1 and isinstance(matrices[0], list | tuple):
        matrices = tuple(matrices[0])
    if not matrices:
        raise ShapeError("chain_matmul: expected at least one matrix")
    chain = list(matrices)
    if len(chain) == 1:
        return chain[0]
    first, last = chain[0], chain[-1]
    if first.ndim == 1:
        chain[0] = unsqueeze(first, 0)
    if last.ndim == 1:
        chain[-1] = unsqueeze(last, 1)
    for i, x in enumerate(chain):
        with_rank("chain_matmul", x, 2)
        if i:
            check_inner("chain_matmul", chain[i - 1].shape[1], x.shape[0], chain[i - 1], x)
    y = multiplied(chain, 0, len(chain) - 1, best_splits([x.shape for x in chain]))
    if last.ndim == 1:
        y = squeeze(y, -1)
    return squeeze(y, 0) if first.ndim == 1 else y


def best_splits(shapes):
    """{(i, j): where to split the product of matrices i to j} for the fewest multiplications."""
    count = len(shapes)
    sizes = [shapes[0][0], *[shape[1] for shape in shapes]]
    sizes = [UNKNOWN_SIZE if isinstance(size, Dim) else size for size in sizes]
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
    """The product of matrices i to j of the chain."""
    if i == j:
        return chain[i]
    k = split[i, j]
    return mm(multiplied(chain, i, k, split), multiplied(chain, k + 1, j, split))


# ----- products over any dimensions
def inner(input, other):
    """The sums of products over the last dimensions of both; the product where one has none."""
    if input.ndim == 0 or other.ndim == 0:
        return mul(input, other)
    return tensordot(input, other, ([-1], [-1]))


def tensordot(a, b, dims=2):
    """The sums of products over some dimensions of both. PyTorch: torch.tensordot.

    Args:
        dims: how many of the last of `a` and the first of `b`, or two lists of dimensions.

    Raises:
        ShapeError: the sizes of two dimensions that are summed together differ, or a rank is unknown.
    """
    if a.ndim is None or b.ndim is None:
        raise ShapeError("tensordot: the rank of an operand is unknown; give it a shape first (set_shape, reshape)")
    axes_a, axes_b = contracted_axes(a, b, dims)
    free_a = [d for d in range(a.ndim) if d not in axes_a]
    free_b = [d for d in range(b.ndim) if d not in axes_b]
    if len(axes_a) == 1 and b.ndim == 2:
        rows = a if axes_a[0] == a.ndim - 1 else movedim(a, axes_a[0], -1)
        return bind(matmul_rows_p, rows, b, transpose_w=axes_b[0] == 1)
    sizes_a = [size_of(a, d) for d in free_a]
    sizes_b = [size_of(b, d) for d in free_b]
    common = size_product([common_size(a, i, b, j) for i, j in zip(axes_a, axes_b, strict=True)])
    left = reshape(permute(a, (*free_a, *axes_a)), (size_product(sizes_a), common))
    right = reshape(permute(b, (*axes_b, *free_b)), (common, size_product(sizes_b)))
    return reshape(product(left, right), (*sizes_a, *sizes_b))


def contracted_axes(a, b, dims):
    """The dimensions of `a` and of `b` that are summed together, as two lists of numbers from 0 up."""
    if isinstance(dims, int):
        if dims < 0:
            raise AxisError(f"tensordot: dims must not be negative, got {dims}")
        if dims > min(a.ndim, b.ndim):
            raise ShapeError(f"tensordot: {dims} dimensions cannot be summed over in shapes {shape_text(a.shape)} and"
                             f" {shape_text(b.shape)}")
        axes_a, axes_b = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        axes_a, axes_b = dims
        axes_a = [normal_axis("tensordot", a, d) for d in ([axes_a] if isinstance(axes_a, int) else axes_a)]
        axes_b = [normal_axis("tensordot", b, d) for d in ([axes_b] if isinstance(axes_b, int) else axes_b)]
        if len(axes_a) != len(axes_b):
            raise AxisError(f"tensordot: {len(axes_a)} dimensions of the one and {len(axes_b)} of the other were given")
        if len(set(axes_a)) < len(axes_a) or len(set(axes_b)) < len(axes_b):
            raise AxisError(f"tensordot: a dimension is named twice in {dims}")
    for i, j in zip(axes_a, axes_b, strict=True):
        check_inner("tensordot", a.shape[i], b.shape[j], a, b)
    return axes_a, axes_b


def common_size(a, i, b, j):
    """The size of dimension i of `a` and j of `b`, which is the same: an int where one of them is known."""
    return size_of(b, j) if a.shape[i].__class__ is Dim else size_of(a, i)


def size_product(sizes):
    """The product of sizes: an int, or a graph node where one of them is known only to the running graph."""
    known, result = 1, None
    for size in sizes:
        if isinstance(size, int):
            known *= size
        else:
            result = size if result is None else result * size
    return known if result is None else result if known == 1 else result * known
