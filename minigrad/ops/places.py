"""Places in an array, for the kernels and shape rules of indexing and scattering: from index arrays to shapes, ranges
and positions in flat memory order.

Index arrays stand at `axes` of the indexed array: an integer array at one axis, a bool mask at as many as it has
itself. As in NumPy, the axes of the (broadcast) index take the place of the indexed ones if these are adjacent, and
come first otherwise.
"""

from minigrad.backends import backend_of
from minigrad.core.dims import Dim, broadcast_shapes, may_equal, shape_text
from minigrad.core.dtypes import bool_, float16, float32, int64
from minigrad.errors import DtypeError, TensorIndexError

__all__ = []

# all operands but the first: what rules read that look at the index arrays, however many there are
OPERANDS = frozenset(range(1, 65))


# ----- shapes
def size_of_shape(shape):
    """The number of elements of a known shape."""
    size = 1
    for n in shape:
        size *= n
    return size


def index_layout(name, shape, axes, arrays):
    """(shape of the broadcast index, the axes that it replaces, its first axis in the result).

    Raises:
        DtypeError: an index is neither of integers nor bool.
        TensorIndexError: a mask does not fit, the indices do not broadcast, or there are more of them than axes.
    """
    replaced, shapes = [], []
    for axis, a in zip(axes, arrays, strict=True):
        if a.dtype == bool_:
            covered = range(axis, axis + len(a.shape))
            check_mask(name, shape, covered, a.shape)
            replaced.extend(covered)
            shapes.append((Dim(),))
        elif a.dtype.kind in "iu":
            replaced.append(axis)
            shapes.append(a.shape)
        else:
            raise DtypeError(f"{name}: an index must be of integers or bool, not {a.dtype}")
    if replaced[-1] >= len(shape):
        raise TensorIndexError(f"{name}: too many indices: shape {shape_text(shape)} has {len(shape)} axes")
    try:
        common = broadcast_shapes(*shapes)
    except ValueError:
        texts = ", ".join([shape_text(s) for s in shapes])
        raise TensorIndexError(f"{name}: index arrays of shapes {texts} do not broadcast to one shape") from None
    return common, replaced, replaced[0] if are_adjacent(replaced) else 0


def check_mask(name, shape, covered, mask_shape):
    for axis, size in zip(covered, mask_shape, strict=True):
        if axis >= len(shape) or not may_equal(size, shape[axis]):
            raise TensorIndexError(f"{name}: a mask of shape {shape_text(mask_shape)} does not fit axes {covered[0]} to"
                                   f" {covered[-1]} of shape {shape_text(shape)}")


def are_adjacent(axes):
    """True for axes i, i + 1, i + 2, ..."""
    return axes[-1] - axes[0] == len(axes) - 1


def indexed_shape(name, shape, axes, arrays):
    """The shape of an array of `shape` indexed by `arrays` at `axes`; None when a rank is unknown."""
    if shape is None or any([a.shape is None for a in arrays]):
        return None
    common, replaced, first = index_layout(name, shape, axes, arrays)
    rest = [size for axis, size in enumerate(shape) if axis not in replaced]
    return (*rest[:first], *common, *rest[first:])


# ----- ranges
def check_range(name, index, size, axis, bounds):
    """Raise TensorIndexError unless the integers `index` are places on an axis of `size`.

    Looks at the smallest and the largest one; for an array on a GPU the host waits for them.

    Args:
        bounds: "wrap": negative ones count from the end; "strict": they are refused.
    """
    if index.size == 0:
        return
    low, high = int(index.min()), int(index.max())
    lowest = -size if bounds == "wrap" else 0
    if low < lowest or high >= size:
        wrong = low if low < lowest else high
        raise TensorIndexError(f"{name}: index {wrong} is out of range for axis {axis} of size {size}; expected"
                               f" {lowest} to {size - 1}")


# ----- positions
def integer_index(xp, name, shape, axes, arrays, bounds):
    """Masks and integers as (axes, arrays of non-negative integers), one for each indexed axis.

    Args:
        bounds: "wrap" or "strict" (see `check_range`), or "sure" where they were checked before.
    """
    all_axes, result = [], []
    for axis, a in zip(axes, arrays, strict=True):
        a = xp.asarray(a)
        if a.dtype == bool_:
            all_axes.extend(range(axis, axis + a.ndim))
            result.extend(xp.nonzero(a))
            continue
        if bounds != "sure":
            check_range(name, a, shape[axis], axis, bounds)
        a = a.astype(int64)
        if bounds != "strict":
            a = xp.where(a < 0, a + shape[axis], a)
        all_axes.append(axis)
        result.append(a)
    return all_axes, result


def flat_places(xp, shape, axes, arrays):
    """The positions, in row-major order, of ``x[arrays at axes]`` in an `x` of `shape`, in the result's shape.

    `axes` and `arrays` as `integer_index` gives them.
    """
    rank = max([a.ndim for a in arrays])
    first = axes[0] if are_adjacent(axes) else 0
    rest = [axis for axis in range(len(shape)) if axis not in axes]
    places = 0
    for axis, a in zip(axes, arrays, strict=True):
        places = places + a * size_of_shape(shape[axis + 1:])
    places = places.reshape(places.shape + (1,) * (len(rest) - first))
    result_rank = rank + len(rest)
    for i, axis in enumerate(rest):
        at = i if i < first else i + rank
        along = xp.arange(shape[axis], dtype=int64) * size_of_shape(shape[axis + 1:])
        places = places + along.reshape((-1,) + (1,) * (result_rank - at - 1))
    return places


def zeros_with_added(xp, count, places, values):
    """A vector of `count` zeros with `values` added at flat `places`, both vectors; half precision adds in float32.

    Adding to flat memory at a flat index is several times faster than adding rows.
    """
    y = xp.zeros((count,), dtype=float32 if values.dtype == float16 else values.dtype)
    backend_of(y).add_at(y, places, values.astype(y.dtype, copy=False))
    return y.astype(values.dtype, copy=False)


def last_of_each(xp, places, count):
    """For each of `places`, numbers below `count`: is it the last one with its number?"""
    flat = places.reshape(-1)
    order = xp.arange(flat.size, dtype=int64)
    last = xp.full((count,), -1, dtype=int64)
    xp.maximum.at(last, flat, order)
    return (last[flat] == order).reshape(places.shape)
