"""Order: sort, topk, unique, searchsorted, and the places of non-zero elements.

Sorting is stable, NaN counts as the largest number, and values get their gradient through the indices (`gather`).
"""

import operator
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, int32, int64, is_scalar, result_dtype, uint8
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops.axes import normal_axis
from minigrad.ops.broadcasting import size_of
from minigrad.ops.casting import cast
from minigrad.ops.comparison import eq, logical_not
from minigrad.ops.indexing import index_p
from minigrad.ops.joining import unbind
from minigrad.ops.places import size_of_shape
from minigrad.ops.scatter import at_least_vector, gather_p
from minigrad.ops.selection import clamp_max
from minigrad.ops.shaping import known_rank, ravel, reshape_as

__all__ = ["argsort", "argwhere", "bucketize", "isin", "msort", "nonzero", "searchsorted", "sort", "topk", "unique",
           "unique_consecutive"]


class Ordered(NamedTuple):
    """Values in order and where they stood, the result of `sort` and `topk`."""

    values: Any
    indices: Any


# ----- argsort
def argsort_kernel(xp, x, *, axis, descending):
    if x.dtype == bool_:
        x = x.astype(uint8)
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable").astype(int64)
    # from the other end, so that equal elements keep their order
    order = xp.argsort(xp.flip(x, axis), axis=axis, kind="stable").astype(int64)
    return x.shape[axis] - 1 - xp.flip(order, axis)


def argsort_infer(x, *, axis, descending):
    return Aval(x.shape, int64)


# ----- topk: the first k places of a stable sort
def topk_kernel(xp, x, *, k, axis, largest):
    size = x.shape[axis]
    if k > size:
        raise too_few(k, axis, x.shape)
    if xp is np and size >= 256 and 0 < 8 * k <= size:
        return topk_by_threshold(x, k, axis, largest)
    key = [slice(None)] * x.ndim
    key[axis] = slice(0, k)
    return argsort_kernel(xp, x, axis=axis, descending=largest)[tuple(key)]


def topk_by_threshold(x, k, axis, largest):
    """Of many elements, those beyond the k-th value and as many equal to it as there is room for, then sorted."""
    rows = np.moveaxis(x, axis, -1)
    at = rows.shape[-1] - k if largest else k - 1
    threshold = np.partition(rows, at, axis=-1)[..., at:at + 1]
    is_nan, at_nan = rows != rows, threshold != threshold
    if largest:
        beyond = (rows > threshold) | (is_nan & ~at_nan)
    else:
        beyond = (rows < threshold) | (at_nan & ~is_nan)
    equal = (rows == threshold) | (is_nan & at_nan)
    room = k - np.add.reduce(beyond, axis=-1, keepdims=True, dtype=int64)
    chosen = beyond | (equal & (np.cumsum(equal, axis=-1) <= room))
    places = np.nonzero(chosen)[-1].reshape((*rows.shape[:-1], k))
    order = argsort_kernel(np, np.take_along_axis(rows, places, -1), axis=-1, descending=largest)
    return np.moveaxis(np.take_along_axis(places, order, -1), -1, axis)


def topk_infer(x, *, k, axis, largest):
    if x.shape is None:
        return Aval(None, int64)
    size = x.shape[axis]
    if size.__class__ is int and k > size:
        raise too_few(k, axis, x.shape)
    return Aval((*x.shape[:axis], k, *x.shape[axis + 1:]), int64)


def too_few(k, axis, shape):
    return ShapeError(f"topk: {k} elements were asked for, but dimension {axis} of shape {shape_text(shape)} has"
                      f" {shape[axis]}")


# ----- unique: values, which of them each element is, and how often each occurs
def unique_kernel(xp, x, *, axis):
    values, inverse, count = xp.unique(x, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    inverse = inverse.reshape(x.shape if axis is None else (-1,))
    return values, inverse.astype(int64), count.astype(int64)


def unique_infer(x, *, axis):
    found = Dim()
    if x.shape is None or axis is None:
        values = Aval((found,) if axis is None else None, x.dtype)
        return values, Aval(x.shape if axis is None else (Dim(),), int64), Aval((found,), int64)
    values = Aval((*x.shape[:axis], found, *x.shape[axis + 1:]), x.dtype)
    return values, Aval((x.shape[axis],), int64), Aval((found,), int64)


def unique_consecutive_kernel(xp, x, *, axis):
    rows = x.reshape(x.size, 1) if axis is None else rows_of(xp.moveaxis(x, axis, 0))
    starts = xp.ones((rows.shape[0],), dtype=bool_)
    starts[1:] = xp.any(rows[1:] != rows[:-1], axis=1)
    at = xp.nonzero(starts)[0]
    values = xp.take(x.reshape(-1) if axis is None else x, at, axis=axis or 0)
    inverse = xp.cumsum(starts.astype(int64)) - 1
    ends = xp.concatenate([at[1:], xp.full((1,), rows.shape[0], dtype=at.dtype)]) if at.size else at
    return values, inverse.reshape(x.shape) if axis is None else inverse, (ends - at).astype(int64)


def rows_of(x):
    """`x` as a matrix, its first axis kept."""
    return x.reshape(x.shape[0], size_of_shape(x.shape[1:]))


# ----- searchsorted: in rows of `sequence`, or in the one that it is
def searchsorted_kernel(xp, sequence, x, *, right):
    side = "right" if right else "left"
    if sequence.ndim == 1:
        return xp.searchsorted(sequence, xp.asarray(x), side=side).astype(int64)
    count = size_of_shape(sequence.shape[:-1])
    rows, xs = sequence.reshape(count, sequence.shape[-1]), x.reshape(count, x.shape[-1])
    y = xp.empty(xs.shape, dtype=int64)
    for i in range(count):
        y[i] = xp.searchsorted(rows[i], xs[i], side=side)
    return y.reshape(x.shape)


def searchsorted_infer(sequence, x, *, right):
    shape = () if is_scalar(x) else x.shape
    if sequence.shape is None or shape is None or len(sequence.shape) == 1:
        return Aval(shape, int64)
    fits = len(shape) == len(sequence.shape)
    if not fits or not all([may_equal(a, b) for a, b in zip(shape[:-1], sequence.shape[:-1], strict=True)]):
        raise ShapeError(f"searchsorted: values of shape {shape_text(shape)} do not fit sequences of shape"
                         f" {shape_text(sequence.shape)}: all dimensions but the last must be equal")
    return Aval(shape, int64)


# ----- places of non-zero elements, one a row
def nonzero_kernel(xp, x):
    return xp.argwhere(x).astype(int64)


def nonzero_infer(x):
    return Aval((Dim(), Dim() if x.shape is None else len(x.shape)), int64)


argsort_p = declare("argsort", argsort_kernel, argsort_infer)
topk_p = declare("topk", topk_kernel, topk_infer)
unique_p = declare("unique", unique_kernel, unique_infer, multiple=True)
unique_consecutive_p = declare("unique_consecutive", unique_consecutive_kernel, unique_infer, multiple=True)
searchsorted_p = declare("searchsorted", searchsorted_kernel, searchsorted_infer)
nonzero_p = declare("nonzero", nonzero_kernel, nonzero_infer)


# ----- sort
def sort(input, dim=-1, descending=False, stable=False):
    """(values, indices) of the elements in order along `dim`; always stable. PyTorch: torch.sort."""
    axis = normal_axis("sort", input, dim)
    return ordered(input, bind(argsort_p, at_least_vector(input), axis=axis, descending=bool(descending)), axis)


def ordered(x, indices, axis):
    """The values of `x` at `indices`, none of which occurs twice, and the indices."""
    values = bind(gather_p, at_least_vector(x), indices, axis=axis, unique=True)
    if x.ndim == 0:
        return Ordered(reshape_as(values, x), reshape_as(indices, x))
    return Ordered(values, indices)


def argsort(input, dim=-1, descending=False, stable=False):
    """The indices that put `input` in order along `dim`. PyTorch: torch.argsort."""
    axis = normal_axis("argsort", input, dim)
    return reshape_as(bind(argsort_p, at_least_vector(input), axis=axis, descending=bool(descending)), input)


def msort(input):
    """The elements in order along the first dimension."""
    return sort(input, 0).values


def topk(input, k, dim=-1, largest=True, sorted=True):
    """(values, indices) of the `k` largest (or smallest) elements along `dim`, in order; of equal ones the first.

    PyTorch: torch.topk.

    Raises:
        ShapeError: there are fewer than `k` elements.
    """
    axis = normal_axis("topk", input, dim)
    k = operator.index(k)
    x = at_least_vector(input)
    if k < 0:
        raise ShapeError(f"topk: k must not be negative, got {k}")
    return ordered(input, bind(topk_p, x, k=k, axis=axis, largest=bool(largest)), axis)


# ----- unique
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements (or, with `dim`, slices) in order. PyTorch: torch.unique.

    Returns the values alone, or a tuple with the inverse (which value each element is) and the counts as asked for.
    Every NaN is a value of its own. Nothing carries gradients.
    """
    axis = None if dim is None else normal_axis("unique", input, dim)
    return asked_for(bind(unique_p, input, axis=axis), return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """As `unique`, but only runs of equal neighbours are made one, in the order they come."""
    axis = None if dim is None else normal_axis("unique_consecutive", input, dim)
    return asked_for(bind(unique_consecutive_p, input, axis=axis), return_inverse, return_counts)


def asked_for(found, inverse, counts):
    """The values, with inverse and counts where these are wanted."""
    wanted = [found[0]]
    if inverse:
        wanted.append(found[1])
    if counts:
        wanted.append(found[2])
    return tuple(wanted) if len(wanted) > 1 else wanted[0]


# ----- places in an ordered sequence
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """For each value, the place before which it would be put into the ordered sequence. PyTorch: torch.searchsorted.

    Args:
        sorted_sequence: a vector, or as many as there are rows of `input`.
        right: behind equal elements (also ``side="right"``); else before them.
        sorter: the order of an unordered sequence, as `argsort` gives it.
    """
    if side not in (None, "left", "right"):
        raise DtypeError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
    if right and side == "left":
        raise DtypeError("searchsorted: side='left' contradicts right=True")
    if sorter is not None:
        sorted_sequence = bind(gather_p, sorted_sequence, sorter, axis=known_rank("searchsorted", sorter) - 1,
                               unique=True)
    if not is_scalar(input) and input.dtype != sorted_sequence.dtype:
        dtype = result_dtype([input, sorted_sequence])
        input, sorted_sequence = cast(input, dtype), cast(sorted_sequence, dtype)
    places = bind(searchsorted_p, sorted_sequence, input, right=right or side == "right")
    return cast(places, int32) if out_int32 else places


def bucketize(input, boundaries, *, out_int32=False, right=False):
    """The bucket of each value between ordered boundaries. PyTorch: torch.bucketize."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Is each of `elements` among `test_elements`? PyTorch: torch.isin. NaN is never found."""
    if is_scalar(test_elements):
        found = eq(elements, test_elements)
    elif test_elements.shape is not None and 0 in test_elements.shape:
        found = logical_not(eq(elements, elements) | (elements != elements))
    else:
        ordered_tests = sort(ravel(test_elements)).values
        places = clamp_max(searchsorted(ordered_tests, elements), size_of(ordered_tests, 0) - 1)
        found = eq(bind(index_p, ordered_tests, places, axes=(0,), bounds="wrap"), elements)
    return logical_not(found) if invert else found


# ----- non-zero elements
def nonzero(input, *, as_tuple=False):
    """The places of the elements that are not zero: one a row, or a tuple of index vectors, one for each dimension.

    The host waits for a GPU here, because the values decide the size. PyTorch: torch.nonzero.
    """
    if as_tuple:
        return unbind(bind(nonzero_p, at_least_vector(input)), 1)
    return bind(nonzero_p, input)


def argwhere(input):
    """The places of the elements that are not zero, one a row."""
    return bind(nonzero_p, input)
