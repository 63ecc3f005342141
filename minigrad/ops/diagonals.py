"""Diagonals and triangles of matrices."""

import operator

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, is_known, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import AxisError, ShapeError
from minigrad.ops.axes import normal_axis
from minigrad.ops.comparison import eq, logical_or, ne
from minigrad.ops.indexing import stored
from minigrad.ops.joining import cat
from minigrad.ops.padding import pad
from minigrad.ops.reduction import sum as reduce_sum
from minigrad.ops.selection import where
from minigrad.ops.shaping import atleast_2d, known_rank, new_axis, ravel

__all__ = ["block_diag", "diag", "diag_embed", "diagflat", "diagonal", "diagonal_scatter", "trace", "tril",
           "triu"]


# ----- a diagonal of two axes, put last
def diagonal_kernel(xp, x, *, offset, axes):
    first, second = axes
    rows, columns = x.shape[first], x.shape[second]
    size = diagonal_size(rows, columns, offset)
    key = [slice(None)] * x.ndim
    if size:
        key[first] = slice(max(-offset, 0), None)
        key[second] = slice(max(offset, 0), None)
    x = x[tuple(key)]
    shape = [n for axis, n in enumerate(x.shape) if axis not in axes]
    strides = [step for axis, step in enumerate(x.strides) if axis not in axes]
    # not xp.diagonal, whose result NumPy makes read-only
    return xp.lib.stride_tricks.as_strided(x, (*shape, size), (*strides, x.strides[first] + x.strides[second]))


def diagonal_size(rows, columns, offset):
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


def diagonal_infer(x, *, offset, axes):
    if x.shape is None:
        return Aval(None, x.dtype)
    rows, columns = x.shape[axes[0]], x.shape[axes[1]]
    if rows is columns and offset == 0:
        size = rows
    elif Dim in (rows.__class__, columns.__class__):
        size = Dim()
    else:
        size = diagonal_size(rows, columns, offset)
    return Aval((*[n for axis, n in enumerate(x.shape) if axis not in axes], size), x.dtype)


def diagonal_vjp(g, y, x, *, offset, axes):
    return undiagonal(g, x, offset, axes)


# ----- zeros with a diagonal: the gradient of taking it
def undiagonal_kernel(xp, g, *like, offset, axes, shape):
    y = xp.zeros(like[0].shape if shape is None else shape, dtype=g.dtype)
    diagonal_kernel(xp, y, offset=offset, axes=axes)[...] = g
    return y


def undiagonal_infer(g, *like, offset, axes, shape):
    shape = like[0].shape if shape is None else shape
    target = diagonal_infer(Aval(shape, g.dtype), offset=offset, axes=axes).shape
    if is_known(target) and is_known(g.shape) and g.shape != target:
        raise ShapeError(f"diagonal_scatter: values of shape {shape_text(g.shape)} for a diagonal of shape"
                         f" {shape_text(target)}")
    return Aval(shape, g.dtype)


def undiagonal_vjp(h, y, g, *like, offset, axes, shape):
    return bind(diagonal_p, h, offset=offset, axes=axes)


def undiagonal(g, like, offset, axes):
    """Zeros of the shape of `like` with `g` on a diagonal."""
    if is_known(like.shape):
        return bind(undiagonal_p, g, offset=offset, axes=axes, shape=like.shape)
    return bind(undiagonal_p, g, like, offset=offset, axes=axes, shape=None)


# ----- matrices from their diagonals
def diag_embed_kernel(xp, x, *, offset, axes):
    return undiagonal_kernel(xp, x, offset=offset, axes=axes, shape=embedded_shape(x.shape, offset, axes))


def diag_embed_infer(x, *, offset, axes):
    if x.shape is None:
        return Aval(None, x.dtype)
    return Aval(embedded_shape(x.shape, offset, axes), x.dtype)


def embedded_shape(shape, offset, axes):
    size = shape[-1]
    if offset:
        size = Dim() if size.__class__ is Dim else size + abs(offset)
    result = list(shape[:-1])
    for axis in sorted(axes):
        result.insert(axis, size)
    return tuple(result)


def diag_embed_vjp(g, y, x, *, offset, axes):
    return bind(diagonal_p, g, offset=offset, axes=axes)


# ----- triangles
def tril_kernel(xp, x, *, offset):
    return xp.tril(x, offset)


def triu_kernel(xp, x, *, offset):
    return xp.triu(x, offset)


def triangle_infer(x, *, offset):
    if x.shape is not None and len(x.shape) < 2:
        raise ShapeError(f"tril, triu: expected a matrix or a batch of them, got shape {shape_text(x.shape)}")
    return Aval(x.shape, x.dtype)


def tril_vjp(g, y, x, *, offset):
    return bind(tril_p, g, offset=offset)


def triu_vjp(g, y, x, *, offset):
    return bind(triu_p, g, offset=offset)


diagonal_p = declare("diagonal", diagonal_kernel, diagonal_infer, vjps=(diagonal_vjp,), reads=((),), views=True)
undiagonal_p = declare("undiagonal", undiagonal_kernel, undiagonal_infer, vjps=(undiagonal_vjp,), reads=((),))
diag_embed_p = declare("diag_embed", diag_embed_kernel, diag_embed_infer, vjps=(diag_embed_vjp,), reads=((),))
tril_p = declare("tril", tril_kernel, triangle_infer, vjps=(tril_vjp,), reads=((),), shapes=False)
triu_p = declare("triu", triu_kernel, triangle_infer, vjps=(triu_vjp,), reads=((),), shapes=False)


def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions, as the last dimension of a view. PyTorch: torch.diagonal.

    Args:
        offset: above (positive) or below the main diagonal.
    """
    return bind(diagonal_p, input, offset=operator.index(offset), axes=two_axes("diagonal", input, dim1, dim2))


def two_axes(name, x, dim1, dim2):
    """Two different dimensions of `x` as non-negative ints."""
    axes = normal_axis(name, x, dim1), normal_axis(name, x, dim2)
    if axes[0] == axes[1] or x.ndim in (0, 1):
        raise AxisError(f"{name}: two different dimensions are needed, got {dim1} and {dim2} for shape"
                        f" {shape_text(x.shape)}")
    return axes


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """`input` with `src` on a diagonal. PyTorch: torch.diagonal_scatter."""
    axes = two_axes("diagonal_scatter", input, dim1, dim2)
    src = stored(input, src)
    everywhere = logical_or(eq(src, src), ne(src, src))  # true for NaN too
    on_diagonal = undiagonal(everywhere, input, offset, axes)
    return where(on_diagonal, undiagonal(src, input, offset, axes), input)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last dimension of `input` on a diagonal and zeros elsewhere. PyTorch: torch.diag_embed."""
    if known_rank("diag_embed", input) == 0:
        raise ShapeError("diag_embed: expected at least 1 dimension")
    axes = new_axis("diag_embed", input, dim1), new_axis("diag_embed", input, dim2)
    if axes[0] == axes[1]:
        raise AxisError(f"diag_embed: two different dimensions are needed, got {dim1} and {dim2}")
    return bind(diag_embed_p, input, offset=operator.index(offset), axes=axes)


def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal. PyTorch: torch.diag."""
    rank = known_rank("diag", input)
    if rank == 1:
        return diag_embed(input, diagonal)
    if rank == 2:
        return bind(diagonal_p, input, offset=operator.index(diagonal), axes=(0, 1))
    raise ShapeError(f"diag: expected a vector or a matrix, got shape {shape_text(input.shape)}; use diagonal or"
                     " diag_embed for batches")


def diagflat(input, offset=0):
    """The matrix with all elements of `input` on its diagonal. PyTorch: torch.diagflat."""
    return diag_embed(ravel(input), offset)


def trace(input):
    """The sum of a matrix's diagonal."""
    if known_rank("trace", input) != 2:
        raise ShapeError(f"trace: expected a matrix, got shape {shape_text(input.shape)}")
    return reduce_sum(diagonal(input))


def tril(input, diagonal=0):
    """The lower triangle of the last two dimensions, zeros elsewhere. PyTorch: torch.tril."""
    if input.shape is not None and len(input.shape) < 2:
        raise ShapeError(f"tril: expected a matrix or a batch of them, got shape {shape_text(input.shape)}")
    return bind(tril_p, input, offset=operator.index(diagonal))


def triu(input, diagonal=0):
    """The upper triangle of the last two dimensions, zeros elsewhere. PyTorch: torch.triu."""
    if input.shape is not None and len(input.shape) < 2:
        raise ShapeError(f"triu: expected a matrix or a batch of them, got shape {shape_text(input.shape)}")
    return bind(triu_p, input, offset=operator.index(diagonal))


def block_diag(*tensors):
    """The matrices along the diagonal of one matrix of zeros; vectors count as rows. PyTorch: torch.block_diag."""
    if not tensors:
        raise ShapeError("block_diag: expected at least one tensor")
    blocks = []
    for x in tensors:
        if known_rank("block_diag", x) > 2:
            raise ShapeError(f"block_diag: expected at most 2 dimensions, got shape {shape_text(x.shape)}")
        x = atleast_2d(x)
        if x.shape[1].__class__ is Dim:
            raise ShapeError("block_diag: the number of columns must be known")
        blocks.append(x)
    total = sum([x.shape[1] for x in blocks])
    rows = []
    start = 0
    for x in blocks:
        rows.append(pad(x, (start, total - start - x.shape[1])))
        start += x.shape[1]
    return cat(rows, 0)
