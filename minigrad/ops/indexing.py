"""Indexing: `x[index]`, and the writing of values at an index, out of place.

An index is taken apart into a basic part (ints, slices, None, Ellipsis), whose result is a view, and integer or bool
arrays, which are applied to that view. So an int never counts among the arrays, as in PyTorch and unlike in NumPy.
"""

import operator

import numpy as np

from minigrad.backends import backend_of
from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, is_known, may_equal, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, int64, is_scalar
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError, TensorIndexError
from minigrad.ops.arithmetic import floor_divide, remainder
from minigrad.ops.axes import normal_axis
from minigrad.ops.casting import cast
from minigrad.ops.places import (
    OPERANDS,
    check_range,
    flat_places,
    index_layout,
    indexed_shape,
    integer_index,
    last_of_each,
    size_of_shape,
    zeros_with_added,
)
from minigrad.ops.selection import where
from minigrad.ops.shaping import AT_RUN_TIME, as_sizes, is_node, ravel, reshape, reshape_as
from minigrad.ops.slicing import (
    WHOLE,
    check_fits,
    slice_by_sizes_p,
    slice_p,
    slice_put_p,
    unslice_by_sizes_p,
)

__all__ = ["getitem", "index_add", "index_copy", "index_fill", "index_put", "index_select", "narrow", "put", "select",
           "select_scatter", "setitem", "slice_scatter", "take", "unravel_index"]


# ----- integer and bool arrays as an index, at `axes` (see places.py); `bounds` says what to do about negative ones
def index_kernel(xp, x, *arrays, axes, bounds):
    arrays = [xp.asarray(a) for a in arrays]
    for axis, a in zip(axes, arrays, strict=True):
        # NumPy refuses what is out of range by itself
        if a.dtype != bool_ and bounds != "sure" and (bounds == "strict" or xp is not np):
            check_range("indexing", a, x.shape[axis], axis, bounds)
    if len(arrays) == 1 and arrays[0].dtype != bool_:
        return xp.take(x, arrays[0], axis=axes[0])
    return x[array_key(axes, arrays)]


def array_key(axes, arrays):
    """The index of arrays at `axes`, whole slices before and between them."""
    key = []
    next_axis = 0
    for axis, a in zip(axes, arrays, strict=True):
        key.extend([slice(None)] * (axis - next_axis))
        key.append(a)
        next_axis = axis + (a.ndim if a.dtype == bool_ else 1)
    return tuple(key)


def index_infer(x, *arrays, axes, bounds):
    return Aval(indexed_shape("indexing", x.shape, axes, arrays), x.dtype)


def index_vjp(g, y, x, *arrays, axes, bounds):
    return unindex(g, x, arrays, axes, "sure")


# ----- zeros with values added at places: the gradient of indexing with arrays
def unindex_kernel(xp, g, *arrays, axes, shape, bounds):
    arrays, shape = with_shape(arrays, shape)
    arrays = [xp.asarray(a) for a in arrays]
    if len(arrays) == 1 and arrays[0].dtype == bool_:
        y = xp.zeros(shape, dtype=g.dtype)
        y[array_key(axes, arrays)] = g  # a mask names no place twice
        return y
    g = xp.asarray(g)
    if bounds == "sure" and len(axes) == 1 and axes[0] == 0:
        width = size_of_shape(shape[1:])
        rows = arrays[0].astype(int64, copy=False).reshape(-1, 1)
        places = rows * width + xp.arange(width)  # negative ones count from the end here too
        g = xp.broadcast_to(g, arrays[0].shape + tuple(shape[1:]))
    else:
        places = flat_places(xp, shape, *integer_index(xp, "adding at an index", shape, axes, arrays, bounds))
        g = xp.broadcast_to(g, places.shape)
    return zeros_with_added(xp, size_of_shape(shape), places.reshape(-1), g.reshape(-1)).reshape(shape)


def with_shape(arrays, shape):
    """(index arrays, shape): the shape is that of the last operand where the parameter is None."""
    return (arrays, shape) if shape is not None else (arrays[:-1], arrays[-1].shape)


def unindex_infer(g, *arrays, axes, shape, bounds):
    arrays, shape = with_shape(arrays, shape)
    check_fits("adding at an index", g, indexed_shape("adding at an index", shape, axes, arrays))
    return Aval(shape, g.dtype)


def unindex_vjp(h, y, g, *arrays, axes, shape, bounds):
    arrays = arrays if shape is not None else arrays[:-1]
    return bind(index_p, h, *arrays, axes=axes, bounds="sure")


def unindex(g, like, arrays, axes, bounds):
    """Zeros of the shape of `like` with `g` added at places."""
    if is_known(like.shape):
        return bind(unindex_p, g, *arrays, axes=axes, shape=like.shape, bounds=bounds)
    return bind(unindex_p, g, *arrays, like, axes=axes, shape=None, bounds=bounds)


# ----- writing at places: of several writes to one place the last one stays, and gets the gradient
def index_put_kernel(xp, x, value, *arrays, axes, bounds):
    y = x.copy()
    arrays = [xp.asarray(a) for a in arrays]
    if len(arrays) == 1 and arrays[0].dtype == bool_:
        y[array_key(axes, arrays)] = value
        return y
    # at flat places: only writes along one axis are sure to happen in order
    places = flat_places(xp, x.shape, *integer_index(xp, "assigning at an index", x.shape, axes, arrays, bounds))
    if not is_scalar(value):
        value = xp.broadcast_to(without_leading_ones(xp.asarray(value), places.ndim), places.shape).reshape(-1)
    y = y.reshape(-1)
    backend_of(y).set_at(y, places.reshape(-1), value)
    return y.reshape(x.shape)


def without_leading_ones(value, rank):
    """`value` without axes of size 1 in front of those that an assignment needs."""
    while value.ndim > rank:
        value = value.reshape(value.shape[1:])
    return value


def index_put_infer(x, value, *arrays, axes, bounds):
    check_fits("assigning at an index", value, indexed_shape("assigning at an index", x.shape, axes, arrays))
    return Aval(x.shape, x.dtype)


def index_put_vjp_x(g, y, x, value, *arrays, axes, bounds):
    return bind(index_put_p, g, 0.0, *arrays, axes=axes, bounds="sure")


def index_put_vjp_value(g, y, x, value, *arrays, axes, bounds):
    taken = bind(index_p, g, *arrays, axes=axes, bounds="sure")
    if all([a.dtype == bool_ for a in arrays]):
        return taken
    if is_known(x.shape):
        return where(bind(last_writes_p, *arrays, axes=axes, shape=x.shape), taken, 0.0)
    return where(bind(last_writes_p, *arrays, x, axes=axes, shape=None), taken, 0.0)


def last_writes_kernel(xp, *arrays, axes, shape):
    """For each write at an index: is it the last one to its place? Broadcasts to the shape of what is written."""
    arrays, shape = with_shape(arrays, shape)
    *_, first = index_layout("last_writes", shape, axes, arrays)
    axes, arrays = integer_index(xp, "last_writes", shape, axes, arrays, "sure")
    sizes = [shape[axis] for axis in axes]
    places = flat_places(xp, sizes, list(range(len(sizes))), arrays)
    stays = last_of_each(xp, places, size_of_shape(sizes))
    return stays.reshape(stays.shape + (1,) * (len(shape) - len(axes) - first))


def last_writes_infer(*arrays, axes, shape):
    arrays, shape = with_shape(arrays, shape)
    if shape is None or any([a.shape is None for a in arrays]):
        return Aval(None, bool_)
    common, replaced, first = index_layout("last_writes", shape, axes, arrays)
    return Aval((*common, *[1] * (len(shape) - len(replaced) - first)), bool_)


index_p = declare("index", index_kernel, index_infer, vjps=(index_vjp,), reads=(OPERANDS,))
unindex_p = declare("unindex", unindex_kernel, unindex_infer, vjps=(unindex_vjp,), reads=(OPERANDS,))
index_put_p = declare("index_put", index_put_kernel, index_put_infer, vjps=(index_put_vjp_x, index_put_vjp_value),
                      reads=(OPERANDS - {1}, OPERANDS - {1}))
last_writes_p = declare("last_writes", last_writes_kernel, last_writes_infer)


# ----- an index as users write it
def take_apart(x, index):
    """(basic index, its size operands, index arrays, their axes in the basic part's result).

    Raises:
        TensorIndexError: something in the index cannot be one.
    """
    items, sizes, arrays, positions = [], [], [], []
    for part in index if index.__class__ is tuple else (index,):
        if part.__class__ is int or part is None or part is ...:
            items.append(part)
            continue
        if part.__class__ is slice:
            items.append(slice_item(part, sizes))
            continue
        part = index_operand(part)
        if part.__class__ is int:
            items.append(part)
        elif part.dtype == bool_:
            positions.append(len(items))
            if part.ndim == 0:  # a single bool keeps all (True) or nothing of a new axis
                items.append(None)
                arrays.append(reshape(part, (1,)))
            else:
                items.extend([WHOLE] * part.ndim)
                arrays.append(part)
        elif part.ndim == 0:  # only a graph node has come here with that
            items.append(AT_RUN_TIME)
            sizes.append(part)
        else:
            positions.append(len(items))
            items.append(WHOLE)
            arrays.append(part)
    if ... in items:
        positions = expand_ellipsis(x, items, positions)
    axes = []
    for position in positions:
        axes.append(len([item for item in items[:position] if item is None or item.__class__ is tuple]))
    while items and items[-1] == WHOLE:
        items.pop()
    return tuple(items), sizes, arrays, tuple(axes)


def slice_item(part, sizes):
    """A slice as (start, stop, step); Nodes in it are appended to `sizes`."""
    item = []
    for number in (part.start, part.stop, part.step):
        if number is None or number.__class__ is int:
            item.append(number)
        elif is_node(number):
            item.append(AT_RUN_TIME)
            sizes.append(number)
        else:
            try:
                item.append(operator.index(number))
            except TypeError as error:
                raise TensorIndexError(f"a slice is made of ints, not {type(number).__name__}: {error}") from None
    return tuple(item)


def index_operand(part):
    """Part of an index as an int or an operand: an integer or bool array, Tensor or Node."""
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if isinstance(part, (list, tuple, range)):
        part = np.asarray(part) if len(part) else np.zeros((0,), dtype=np.int64)
    dtype = getattr(part, "dtype", None)
    if dtype is None or dtype.kind not in "biu":
        if hasattr(part, "__index__") and dtype is None:
            return operator.index(part)
        what = type(part).__name__ if dtype is None else f"{dtype} {type(part).__name__}"
        raise TensorIndexError(f"an index is made of ints, slices, None, Ellipsis and tensors or lists of integers or"
                               f" bools; got a {what}")
    if part.ndim == 0 and dtype.kind != "b" and not is_node(part):
        return int(part)
    return part


def index_tensor(index):
    """An index of the functions that take one, as an operand: lists become arrays."""
    if hasattr(index, "dtype"):
        return index
    return np.asarray(index) if np.size(index) else np.zeros(np.shape(index), dtype=np.int64)


def expand_ellipsis(x, items, positions):
    """Replace the Ellipsis in `items` by whole slices where the rank is known; returns the moved `positions`."""
    at = items.index(...)
    if items.count(...) > 1:
        raise TensorIndexError("an index can have only one Ellipsis (...)")
    if x.ndim is None:
        if [p for p in positions if p > at]:
            raise ShapeError("indexing with arrays after an Ellipsis needs a known rank; give the operand a shape"
                             " first (set_shape, reshape)")
        return positions
    used = len([item for item in items if item is not None and item is not ...])
    count = max(x.ndim - used, 0)
    items[at:at + 1] = [WHOLE] * count
    return [p + count - 1 if p > at else p for p in positions]


def getitem(x, index):
    """``x[index]``: a view for ints, slices, None and Ellipsis; a copy where integer or bool arrays take part.

    Semantics are PyTorch's: ints are applied first, and arrays that are not adjacent put their axes in front. Here a
    slice may have a negative step, and uint8 arrays are integers. Ints, and bounds of slices, may be 0-d Nodes.

    Raises:
        TensorIndexError: an index is out of range or of a wrong type, or there are too many.
    """
    if index.__class__ is int:
        return bind(slice_p, x, index=(index,))
    basic, sizes, arrays, axes = take_apart(x, index)
    if sizes:
        x = bind(slice_by_sizes_p, x, *sizes, index=basic)
    elif basic or not arrays:
        x = bind(slice_p, x, index=basic)
    if arrays:
        return bind(index_p, x, *arrays, axes=axes, bounds="wrap")
    return x


def setitem(x, index, value):
    """`x` with `value`, broadcast, at `index`: what ``x[index] = value`` does, as a function.

    The value is cast to the dtype of `x`. Where the index names a place twice, the last write stays and only it gets
    gradient.

    Raises:
        TensorIndexError: an index is out of range or of a wrong type.
        ShapeError: the value does not broadcast to the shape of ``x[index]``.
    """
    value = stored(x, value)
    basic, sizes, arrays, axes = take_apart(x, index)
    part = x
    if arrays:
        if sizes:
            part = bind(slice_by_sizes_p, x, *sizes, index=basic)
        elif basic:
            part = bind(slice_p, x, index=basic)
        value = bind(index_put_p, part, value, *arrays, axes=axes, bounds="wrap")
        if part is x:
            return value
    if not sizes:
        return bind(slice_put_p, x, value, index=basic)
    if is_scalar(value):
        value = np.asarray(value, dtype=x.dtype)
    operands, shape = (sizes, x.shape) if is_known(x.shape) else ([*sizes, x], None)
    written = bind(unslice_by_sizes_p, np.ones((), dtype=bool_), *operands, index=basic, shape=shape)
    return where(written, bind(unslice_by_sizes_p, value, *operands, index=basic, shape=shape), x)


def stored(x, value):
    """`value` in the dtype of `x`; a scalar as it is."""
    if not is_scalar(value) and not hasattr(value, "dtype"):
        raise DtypeError(f"a {type(value).__name__} cannot be written into a tensor; expected a number or a tensor")
    if is_scalar(value) or value.dtype == x.dtype:
        return value
    return cast(value, x.dtype)


def index_put(input, indices, values, accumulate=False):
    """`input` with `values`, broadcast, written (or, with `accumulate`, added) at `indices`. PyTorch: torch.index_put.

    Args:
        indices: a tuple of integer or bool tensors, one for each of the first axes; None for a whole axis.

    Raises: as `setitem`.
    """
    index = tuple([slice(None) if part is None else part for part in indices])
    if not accumulate:
        return setitem(input, index, values)
    basic, _, arrays, axes = take_apart(input, index)
    if basic or not arrays:
        raise TensorIndexError("index_put: `indices` must be a tuple of integer or bool tensors")
    return input + added(input, stored(input, values), arrays, axes, "wrap")


def added(x, value, arrays, axes, bounds):
    """Zeros like `x` with `value` added at places."""
    if is_scalar(value):
        value = np.asarray(value, dtype=x.dtype)
    return unindex(value, x, arrays, axes, bounds)


# ----- one axis
def narrow(input, dim, start, length):
    """The slice ``start:start + length`` of axis `dim`, as a view. PyTorch: torch.narrow.

    `start` and `length` may be 0-d Nodes.

    Raises:
        TensorIndexError: the slice is not within the axis.
    """
    axis = normal_axis("narrow", input, dim)
    size = None if input.shape is None else input.shape[axis]
    if not is_node(start) and not is_node(length):
        start, length = operator.index(start), operator.index(length)
        if size.__class__ is int and start < 0:
            start += size
        if length < 0 or (size.__class__ is int and not 0 <= start <= size - length):
            raise TensorIndexError(f"narrow: {length} elements from {start} are not within axis {axis} of shape"
                                   f" {shape_text(input.shape)}")
    stop = start + length
    if stop.__class__ is int and start < 0 <= stop:
        stop = stop or None  # from the end of an unknown size
    return getitem(input, (*[slice(None)] * axis, slice(start, stop)))


def select(input, dim, index):
    """Element `index` of axis `dim`, which disappears; a view. PyTorch: torch.select."""
    axis = normal_axis("select", input, dim)
    if not is_node(index):
        index = operator.index(index)
    return getitem(input, (*[slice(None)] * axis, index))


def select_scatter(input, src, dim, index):
    """`input` with `src` in place of ``select(input, dim, index)``. PyTorch: torch.select_scatter."""
    axis = normal_axis("select_scatter", input, dim)
    return setitem(input, (*[slice(None)] * axis, index), src)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """`input` with `src` in place of the slice ``start:end:step`` of axis `dim`. PyTorch: torch.slice_scatter."""
    axis = normal_axis("slice_scatter", input, dim)
    return setitem(input, (*[slice(None)] * axis, slice(start, end, step)), src)


def axis_and_index(name, input, dim, index):
    """(input with at least one axis, axis, index with one axis) for the operations that take an index of one axis."""
    axis = normal_axis(name, input, dim)
    index = index_tensor(index)
    if index.dtype.kind not in "iu":
        raise DtypeError(f"{name}: the index must be of integers, not {index.dtype}")
    if index.ndim is not None and index.ndim > 1:
        raise ShapeError(f"{name}: the index must have one axis, not shape {shape_text(index.shape)}")
    if index.ndim == 0:
        index = reshape(index, (1,))
    return (reshape(input, (1,)) if input.ndim == 0 else input), axis, index


def slices_for(name, x, axis, index, source):
    """`source` in the dtype of `x`, if it has one slice along `axis` for each place of the index."""
    source = stored(x, source)
    if source.ndim == 0:
        source = reshape(source, (1,))
    if x.shape is not None and source.shape is not None:
        count = Dim() if index.shape is None else index.shape[0]
        expected = (*x.shape[:axis], count, *x.shape[axis + 1:])
        fits = len(expected) == len(source.shape)
        if not fits or not all([may_equal(a, b) for a, b in zip(expected, source.shape, strict=True)]):
            raise ShapeError(f"{name}: the source has shape {shape_text(source.shape)}; expected one slice for each"
                             f" place of the index, {shape_text(expected)}")
    return source


def index_select(input, dim, index):
    """The elements of axis `dim` at the places `index`, in that order. PyTorch: torch.index_select.

    Raises:
        TensorIndexError: a place is out of range (negative ones too).
    """
    x, axis, index = axis_and_index("index_select", input, dim, index)
    y = bind(index_p, x, index, axes=(axis,), bounds="strict")
    return reshape(y, ()) if input.ndim == 0 and y.shape == (1,) else y


def index_add(input, dim, index, source, *, alpha=1):
    """`input` with ``alpha * source`` added at the places `index` of axis `dim`. PyTorch: torch.index_add."""
    x, axis, index = axis_and_index("index_add", input, dim, index)
    source = slices_for("index_add", x, axis, index, source)
    if alpha != 1:
        source = source * alpha
    y = x + added(x, source, (index,), (axis,), "strict")
    return reshape_as(y, input)


def index_copy(input, dim, index, source):
    """`input` with `source` at the places `index` of axis `dim`; of several for one place the last stays."""
    x, axis, index = axis_and_index("index_copy", input, dim, index)
    source = slices_for("index_copy", x, axis, index, source)
    return reshape_as(bind(index_put_p, x, source, index, axes=(axis,), bounds="strict"), input)


def index_fill(input, dim, index, value):
    """`input` with the number (or 0-d tensor) `value` at the places `index` of axis `dim`."""
    x, axis, index = axis_and_index("index_fill", input, dim, index)
    if getattr(value, "ndim", 0) != 0:
        raise ShapeError(f"index_fill: the value must be one number, not of shape {shape_text(value.shape)}")
    return reshape_as(bind(index_put_p, x, stored(x, value), index, axes=(axis,), bounds="wrap"), input)


# ----- flat positions
def take(input, index):
    """The elements at `index` of the flattened `input`, in the shape of `index`. PyTorch: torch.take.

    Raises:
        TensorIndexError: an index is out of range.
    """
    return bind(index_p, ravel(input), index_tensor(index), axes=(0,), bounds="wrap")


def put(input, index, source, accumulate=False):
    """`input` with the elements of `source` written (or added) at `index` of the flattened input."""
    flat = ravel(input)
    index, source = ravel(index_tensor(index)), ravel(stored(input, source))
    if accumulate:
        y = flat + added(flat, source, (index,), (0,), "wrap")
    else:
        y = bind(index_put_p, flat, source, index, axes=(0,), bounds="wrap")
    return reshape_as(y, input)


def unravel_index(indices, shape):
    """Coordinates, one tensor a dimension, of flat positions in an array of `shape`. PyTorch: torch.unravel_index."""
    coordinates = []
    for size in reversed(as_sizes(shape)):
        coordinates.append(remainder(indices, size))
        indices = floor_divide(indices, size)
    return tuple(reversed(coordinates))
