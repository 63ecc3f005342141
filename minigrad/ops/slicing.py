"""Slices: basic indices (ints, slices, None, Ellipsis), their gradients, and writing at them.

A basic index is a hashable parameter: a tuple of ints, None (a new axis), Ellipsis, and ``(start, stop, step)`` for a
slice; "?" in the place of a number stands for the next size operand, which only the running graph knows.
"""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim, is_known, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError, TensorIndexError
from minigrad.ops.places import OPERANDS
from minigrad.ops.shaping import AT_RUN_TIME

__all__ = []

WHOLE = (None, None, None)  # the slice `:`


# ----- a basic index
def slice_key(index, sizes=()):
    """The index as the array libraries take it; the Ellipsis makes them return a view, 0-d too."""
    if sizes:
        index = filled_index(index, [int(size) for size in sizes])
    key = []
    for item in index:
        key.append(slice(*item) if item.__class__ is tuple else item)
    if ... not in key:
        key.append(...)
    return tuple(key)


def filled_index(index, sizes):
    """`index` with each "?" replaced by the next of `sizes`."""
    remaining = iter(sizes)
    result = []
    for item in index:
        if item.__class__ is tuple:
            result.append(tuple([next(remaining) if part == AT_RUN_TIME else part for part in item]))
        else:
            result.append(next(remaining) if item == AT_RUN_TIME else item)
    return tuple(result)


def slice_kernel(xp, x, *, index):
    return x[slice_key(index)]


def slice_infer(x, *, index):
    return Aval(sliced_shape(x.shape, index), x.dtype)


def slice_vjp(g, y, x, *, index):
    return unslice(g, x, index)


def slice_by_sizes_kernel(xp, x, *sizes, index):
    return x[slice_key(index, sizes)]


def slice_by_sizes_infer(x, *sizes, index):
    return Aval(sliced_shape(x.shape, known_index(index, sizes)), x.dtype)


def slice_by_sizes_vjp(g, y, x, *sizes, index):
    if is_known(x.shape):
        return bind(unslice_by_sizes_p, g, *sizes, index=index, shape=x.shape)
    return bind(unslice_by_sizes_p, g, *sizes, x, index=index, shape=None)


def known_index(index, sizes):
    """`index` with what is known of its size operands."""
    return filled_index(index, [size if isinstance(size, int) else Dim() for size in sizes])


def sliced_shape(shape, index):
    """The shape of ``x[index]`` for a basic index.

    Raises:
        TensorIndexError: an int is out of range, or there are more parts than axes.
    """
    if shape is None:
        return None
    used = len([item for item in index if item is not None and item is not ...])
    if used > len(shape):
        raise TensorIndexError(f"too many indices: shape {shape_text(shape)} has {len(shape)} axes, the index names"
                               f" {used}")
    result = []
    axis = 0
    for item in index:
        if item is None:
            result.append(1)
        elif item is ...:
            rest = len(shape) - used
            result.extend(shape[axis:axis + rest])
            axis += rest
        else:
            if item.__class__ is tuple:
                result.append(sliced_size(shape[axis], item))
            elif item.__class__ is int and shape[axis].__class__ is not Dim:
                size = shape[axis]
                if not -size <= item < size:
                    raise TensorIndexError(f"index {item} is out of range for axis {axis} of size {size}, of shape"
                                           f" {shape_text(shape)}")
            axis += 1
    return (*result, *shape[axis:])


def sliced_size(size, item):
    """The size that a slice leaves of an axis."""
    start, stop, step = item
    if step == 0:
        raise TensorIndexError("a slice cannot have step 0")
    if start is None and stop is None and step in (None, 1, -1):
        return size
    if Dim in (size.__class__, start.__class__, stop.__class__, step.__class__):
        return Dim()
    return len(range(*slice(start, stop, step).indices(size)))


# ----- zeros with values at a basic index: the gradient of slicing; `like` has the shape where it is not known yet
def unslice_kernel(xp, g, *like, index, shape):
    y = xp.zeros(like[0].shape if shape is None else shape, dtype=g.dtype)
    y[slice_key(index)] = g
    return y


def unslice_infer(g, *like, index, shape):
    shape = like[0].shape if shape is None else shape
    check_fits("unslice", g, sliced_shape(shape, index))
    return Aval(shape, g.dtype)


def unslice_vjp(h, y, g, *like, index, shape):
    return bind(slice_p, h, index=index)


def unslice_by_sizes_kernel(xp, g, *sizes, index, shape):
    if shape is None:
        *sizes, like = sizes
        shape = like.shape
    y = xp.zeros(shape, dtype=g.dtype)
    y[slice_key(index, sizes)] = g
    return y


def unslice_by_sizes_infer(g, *sizes, index, shape):
    if shape is None:
        *sizes, like = sizes
        shape = like.shape
    check_fits("unslice", g, sliced_shape(shape, known_index(index, sizes)))
    return Aval(shape, g.dtype)


def unslice_by_sizes_vjp(h, y, g, *sizes, index, shape):
    return bind(slice_by_sizes_p, h, *(sizes[:-1] if shape is None else sizes), index=index)


def unslice(g, like, index):
    """Zeros of the shape of `like` with `g` at a basic index."""
    if is_known(like.shape):
        return bind(unslice_p, g, index=index, shape=like.shape)
    return bind(unslice_p, g, like, index=index, shape=None)


# ----- writing at a basic index
def slice_put_kernel(xp, x, value, *, index):
    y = x.copy()
    y[slice_key(index)] = value
    return y


def slice_put_infer(x, value, *, index):
    check_fits("assigning at an index", value, sliced_shape(x.shape, index))
    return Aval(x.shape, x.dtype)


def slice_put_vjp_x(g, y, x, value, *, index):
    return bind(slice_put_p, g, 0.0, index=index)


def slice_put_vjp_value(g, y, x, value, *, index):
    return bind(slice_p, g, index=index)


def check_fits(name, value, target):
    """Raise ShapeError unless `value` broadcasts to the shape `target` of the places that it is for."""
    shape = getattr(value, "shape", ())
    if target is None or shape is None:
        return
    while len(shape) > len(target) and shape[0] == 1:
        shape = shape[1:]
    fits = len(shape) <= len(target)
    for size, wanted in zip(shape[::-1], target[::-1], strict=False):
        fits = fits and (size == 1 or size == wanted or Dim in (size.__class__, wanted.__class__))
    if not fits:
        raise ShapeError(f"{name}: a value of shape {shape_text(value.shape)} does not broadcast to shape"
                         f" {shape_text(target)}")


slice_p = declare("slice", slice_kernel, slice_infer, vjps=(slice_vjp,), reads=((),), views=True)
slice_by_sizes_p = declare("slice_by_sizes", slice_by_sizes_kernel, slice_by_sizes_infer, vjps=(slice_by_sizes_vjp,),
                           reads=(OPERANDS,), views=True)
unslice_p = declare("unslice", unslice_kernel, unslice_infer, vjps=(unslice_vjp,), reads=((),))
unslice_by_sizes_p = declare("unslice_by_sizes", unslice_by_sizes_kernel, unslice_by_sizes_infer,
                             vjps=(unslice_by_sizes_vjp,), reads=(OPERANDS,))
slice_put_p = declare("slice_put", slice_put_kernel, slice_put_infer, vjps=(slice_put_vjp_x, slice_put_vjp_value),
                      reads=((), ()))
