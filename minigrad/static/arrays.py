"""Shapes, joining, slicing and gathering under TensorFlow 1.x's names."""

import numpy as np

from minigrad.core.dtypes import as_dtype, int32
from minigrad.errors import ShapeError
from minigrad.graph import Node, default_graph
from minigrad.graph.sources import shape_of_p
from minigrad.ops import diagonals, indexing, joining, padding, selection, shaping, sorting
from minigrad.ops.casting import cast
from minigrad.ops.comparison import eq, ne
from minigrad.static.conversion import operands
from minigrad.static.maths import reduce_prod, reduce_sum, sizes_of
from minigrad.static.naming import named, tensor, tensors


def shape(input, name=None, out_type=int32):
    """The shape as a vector of ints, known when the graph runs."""
    x = tensor(input)
    if x.aval.is_known:
        return default_graph().constant(np.array(x.shape), dtype=out_type, name=name or "Shape")
    return x.graph.innermost().apply(shape_of_p, (x,), {"dtype": as_dtype(out_type)}, name or "Shape")


def size(input, name=None, out_type=int32):
    """The number of elements."""
    x = tensor(input)
    if x.aval.is_known:
        return default_graph().constant(int(np.prod(x.shape)), dtype=out_type, name=name or "Size")
    return reduce_prod(shape(x, out_type=out_type), name=name or "Size")


def rank(input, name=None):
    """The number of dimensions, as a constant."""
    return default_graph().constant(tensor(input).ndim, dtype=int32, name=name or "Rank")


def reshape(tensor_, shape, name=None):
    """The same elements in another shape; one size may be -1, sizes may be tensors."""
    x = tensor(tensor_)
    return named(name, "Reshape", shaping.reshape, x, tuple(sizes_of(shape)))


def transpose(a, perm=None, name="transpose"):
    """The dimensions in the order `perm`, by default reversed."""
    a = tensor(a)
    perm = tuple(range(a.ndim))[::-1] if perm is None else tuple(perm)
    return named(name, "transpose", shaping.permute, a, perm)


def expand_dims(input, axis=None, name=None, dim=None):
    """A dimension of size 1 more, at `axis`."""
    return named(name, "ExpandDims", shaping.unsqueeze, tensor(input), dim if axis is None else axis)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Without dimensions of size 1: all of them, or those in `axis`, which have to be of size 1."""
    x = tensor(input)
    axis = squeeze_dims if axis is None else axis
    if axis is None:
        return named(name, "Squeeze", shaping.squeeze, x)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in axes:
        if isinstance(x.shape[a], int) and x.shape[a] != 1:
            raise ShapeError(f"squeeze: dimension {a} of {x!r} has size {x.shape[a]}, not 1")
    return named(name, "Squeeze", shaping.squeeze, x, axes)


def concat(values, axis, name="concat"):
    """The tensors joined along an existing axis."""
    return named(name, "concat", joining.cat, tensors(values), axis)


def stack(values, axis=0, name="stack"):
    """The tensors joined along a new axis."""
    return named(name, "stack", joining.stack, tensors(values), axis)


def unstack(value, num=None, axis=0, name="unstack"):
    """The tensors that `value` consists of along `axis`."""
    return list(named(name, "unstack", joining.unbind, tensor(value), axis))


def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """`value` in pieces along `axis`: a number of equal ones, or pieces of the given sizes."""
    x = tensor(value)
    sizes = num_or_size_splits
    if isinstance(sizes, int):
        if not isinstance(x.shape[axis], int) or x.shape[axis] % sizes:
            raise ShapeError(f"split: dimension {axis} of {x!r} cannot be split into {sizes} equal pieces")
        sizes = x.shape[axis] // sizes
    return list(named(name, "split", joining.split, x, sizes if isinstance(sizes, int) else list(sizes), axis))


def tile(input, multiples, name=None):
    """`input` repeated `multiples[i]` times along dimension i."""
    return named(name, "Tile", joining.tile, tensor(input), tuple(sizes_of(multiples)))


def pad(tensor_, paddings, mode="CONSTANT", name=None, constant_values=0):
    """`paddings[i]` = (before, after) elements more along dimension i; mode CONSTANT, REFLECT or SYMMETRIC."""
    pairs = tuple([(int(before), int(after)) for before, after in paddings])
    return named(name, "Pad", padding.pad_axes, tensor(tensor_), pairs, mode.lower(), constant_values)


def reverse(tensor_, axis, name=None):
    """The order along the axes in `axis` reversed."""
    return named(name, "Reverse", padding.flip, tensor(tensor_), tuple(axis) if not isinstance(axis, int) else (axis,))


def slice_(input_, begin, size, name=None):
    """The part that starts at `begin` and has `size`; -1 reaches to the end. TensorFlow: tf.slice."""
    index = tuple([slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True)])
    return named(name, "Slice", indexing.getitem, tensor(input_), index)


def strided_slice(input_, begin, end, strides=None, name=None):
    """The part from `begin` to `end` in steps of `strides`."""
    strides = strides or [1] * len(begin)
    index = tuple([slice(b, e, s) for b, e, s in zip(begin, end, strides, strict=True)])
    return named(name, "StridedSlice", indexing.getitem, tensor(input_), index)


def gather(params, indices, validate_indices=None, name=None, axis=0):
    """The slices of `params` along `axis` that `indices` name, in the shape of `indices`."""
    params, indices = tensor(params), tensor(indices)
    return named(name, "GatherV2", _gathered, params, indices, axis)


def _gathered(params, indices, axis):
    return indexing.getitem(params, (slice(None),) * (axis % params.ndim) + (indices,))


def one_hot(indices, depth, on_value=1.0, off_value=0.0, axis=-1, dtype=None, name=None):
    """A new last axis of size `depth` with `on_value` at the index and `off_value` elsewhere."""
    dtype = as_dtype(dtype or "float32")
    return named(name, "one_hot", _one_hot, tensor(indices), depth, on_value, off_value, axis, dtype)


def _one_hot(indices, depth, on_value, off_value, axis, dtype):
    classes = indices.graph.innermost().constant(np.arange(depth), dtype=indices.dtype)
    hit = eq(shaping.unsqueeze(indices, -1), classes)
    on, off = [indices.graph.innermost().constant(v, dtype=dtype) for v in (on_value, off_value)]
    hot = selection.where(hit, on, off)
    return hot if axis == -1 else shaping.movedim(hot, -1, axis)


def where(condition, x=None, y=None, name=None):
    """Elements of `x` where the condition holds and of `y` elsewhere; without them, the indices where it holds."""
    condition = tensor(condition)
    if x is None and y is None:
        return named(name, "Where", indexing.argwhere, condition)
    x, y = operands("where", x, y, weak=False)
    if condition.ndim == 1 and x.ndim is not None and x.ndim > 1:
        condition = shaping.reshape(condition, (-1, *[1] * (x.ndim - 1)))
    return named(name, "Select", selection.where, condition, x, y)


def boolean_mask(tensor_, mask, name="boolean_mask", axis=0):
    """The rows of `tensor_` where the mask holds."""
    return named(name, "boolean_mask", indexing.getitem, tensor(tensor_), tensor(mask))


def invert_permutation(x, name=None):
    """The permutation that undoes `x`."""
    return named(name, "InvertPermutation", _argsorted, tensor(x))


def _argsorted(x):
    return cast(sorting.argsort(x), x.dtype)


def matrix_band_part(input, num_lower, num_upper, name=None):
    """Zero outside of the band: `num_lower` diagonals below the main one and `num_upper` above; negative keeps all."""
    return named(name, "MatrixBandPart", _banded, tensor(input), num_lower, num_upper)


def _banded(x, lower, upper):
    if lower >= 0:
        x = diagonals.triu(x, -lower)
    return diagonals.tril(x, upper) if upper >= 0 else x


def broadcast_to(input, shape, name=None):
    """`input` broadcast to a shape."""
    return named(name, "BroadcastTo", shaping.expand, tensor(input), tuple(sizes_of(shape)))


def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """The rows of `params` that `ids` name. TensorFlow: tf.nn.embedding_lookup."""
    return gather(params, ids, name=name or "embedding_lookup")


def count_nonzero(input_tensor, axis=None, keepdims=False, dtype="int64", name=None):
    """How many elements are not zero, over `axis`."""
    return reduce_sum(cast(ne(tensor(input_tensor), 0), as_dtype(dtype)), axis, keepdims, name or "count_nonzero")


def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """Sums of the rows of `data` with the same id, for ids from 0 up to `num_segments`."""
    data, ids = tensor(data), tensor(segment_ids)
    start = data.graph.innermost().constant(np.zeros((num_segments, *data.shape[1:])), dtype=data.dtype)
    return named(name, "UnsortedSegmentSum", indexing.index_add, start, 0, ids, data)


def is_tensor(x):
    """True for tensors and variables."""
    return isinstance(x, Node)
