"""Rows looked up by number: embedding and one_hot."""

import operator

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, is_known, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import int64
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError, TensorIndexError
from minigrad.ops.casting import cast
from minigrad.ops.comparison import eq
from minigrad.ops.indexing import getitem, index_p, index_tensor, unindex
from minigrad.ops.places import check_range
from minigrad.ops.selection import where
from minigrad.ops.shaping import is_node, unsqueeze

__all__ = ["embedding", "one_hot"]


# ----- embedding: rows of a matrix; the gradient leaves out the row of `padding`
def embedding_kernel(xp, weight, index, *, padding, scale):
    index = xp.asarray(index)
    check_range("embedding", index, weight.shape[0], 0, "strict")
    return xp.take(weight, index, axis=0)


def embedding_infer(weight, index, *, padding, scale):
    if index.dtype.kind not in "iu":
        raise DtypeError(f"embedding: the input must hold row numbers, integers, not {index.dtype}")
    if weight.shape is not None and len(weight.shape) != 2:
        raise ShapeError(f"embedding: the weight must be a matrix, not of shape {shape_text(weight.shape)}")
    if index.shape is None:
        return Aval(None, weight.dtype)
    width = Dim() if weight.shape is None else weight.shape[1]
    return Aval((*index.shape, width), weight.dtype)


def embedding_vjp(g, y, weight, index, *, padding, scale):
    if padding is not None:
        g = where(unsqueeze(eq(index, padding), -1), 0.0, g)
    if scale:  # by how often a row was looked up
        rows = Aval(weight.shape[:1], g.dtype) if is_known(weight.shape) else getitem(weight, (slice(None), 0))
        count = unindex(cast(eq(index, index), g.dtype), rows, (index,), (0,), "sure")
        g = g / unsqueeze(bind(index_p, count, index, axes=(0,), bounds="sure"), -1)
    return unindex(g, weight, (index,), (0,), "sure")


embedding_p = declare("embedding", embedding_kernel, embedding_infer, vjps=(embedding_vjp, None), reads=({1}, ()))


# ----- one_hot
def one_hot_kernel(xp, index, *, classes):
    check_range("one_hot", index, classes, -1, "strict")
    return (index[..., None] == xp.arange(classes, dtype=int64)).astype(int64)


def one_hot_infer(index, *, classes):
    return Aval(None if index.shape is None else (*index.shape, classes), int64)


one_hot_p = declare("one_hot", one_hot_kernel, one_hot_infer)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of `weight` whose numbers are in `input`. PyTorch: torch.nn.functional.embedding.

    Args:
        input: integers of any shape.
        weight: (number of rows, width).
        padding_idx: the number of a row that gets no gradient (negative: from the end).
        max_norm, norm_type: not supported, because looking up would change the weight.
        scale_grad_by_freq: divide the gradient of a row by how often it was looked up.
        sparse: accepted; gradients are dense.

    Raises:
        TensorIndexError: a number is out of range (negative ones too); on a GPU the host waits to know.
    """
    if max_norm is not None:
        raise DtypeError("embedding: max_norm is not supported; normalise the weight with renorm before the lookup")
    if padding_idx is not None:
        rows = weight.shape[0]
        padding_idx = operator.index(padding_idx)
        if rows.__class__ is int:
            if not -rows <= padding_idx < rows:
                raise TensorIndexError(f"embedding: padding_idx {padding_idx} is out of range for {rows} rows")
            padding_idx %= rows
    return bind(embedding_p, weight, index_tensor(input), padding=padding_idx, scale=bool(scale_grad_by_freq))


def one_hot(tensor, num_classes=-1):
    """Rows of zeros with a one at the place that `tensor` names: int64 of shape (*tensor.shape, num_classes).

    PyTorch: torch.nn.functional.one_hot.

    Args:
        num_classes: -1 takes one more than the largest number, which has to be there (no graph Node).

    Raises:
        TensorIndexError: a number is negative or not below `num_classes`.
    """
    tensor = index_tensor(tensor)
    if tensor.dtype.kind not in "iu":
        raise DtypeError(f"one_hot: expected integers, not {tensor.dtype}")
    if num_classes == -1:
        if is_node(tensor):
            raise ShapeError("one_hot: num_classes must be given in a graph, where the numbers are not known yet")
        array = getattr(tensor, "array", tensor)
        if array.size == 0:
            raise ShapeError("one_hot: num_classes must be given for an empty tensor")
        num_classes = int(array.max()) + 1
    return bind(one_hot_p, tensor, classes=operator.index(num_classes))
