"""Samples of reductions."""

import numpy as np

from minigrad.testing.domains import BOOLEANS, REAL, interval
from minigrad.testing.samples import ALL_DTYPES, NUMBERS, Case, elementwise_row, row
from minigrad.testing.strategies import arrays, axes, axis_sets, distinct_arrays, one_of, shapes


def reduced_cases(draw):
    """Any array, any axes."""
    x = draw(arrays(domain=REAL, rough=True))
    return Case((x,), {"axes": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))})


def filled_cases(draw):
    """As `reduced_cases`, without empty arrays and without ties."""
    x = draw(distinct_arrays(shapes(min_size=1)))
    return Case((x,), {"axes": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))})


def logic_cases(draw):
    x = draw(arrays(domain=draw(one_of(BOOLEANS, REAL)), rough=True))
    return Case((x,), {"axes": draw(axis_sets(x.ndim)), "keepdim": draw(one_of(False, True))})


def row_cases(draw):
    """Any array with at least one axis, and one of its axes; zeros among the elements."""
    x = draw(arrays(shapes(min_rank=1), domain=REAL, rough=True))
    return Case((x,), {"axis": draw(axes(x.ndim)), "keepdim": draw(one_of(False, True))})


def position_cases(draw):
    x = draw(arrays(shapes(min_size=1), domain=draw(one_of(REAL, interval(-1.0, 1.0))), rough=True))
    axis = draw(axes(x.ndim)) if x.ndim and draw(one_of(True, True, False)) else None
    return Case((x,), {"axis": axis, "keepdim": draw(one_of(False, True))})


def sum_reference(x, *, axes, keepdim):
    return np.add.reduce(np.asarray(x), axis=axes, keepdims=keepdim)


def count_reference(x, *, axes):
    return np.add.reduce(np.ones(x.shape, np.int64), axis=axes).max(initial=0) if x.size else counted(x.shape, axes)


def counted(shape, axes):
    return np.asarray(np.prod([shape[axis] for axis in range(len(shape)) if axes is None or axis in axes], dtype=int))


def count_cases(draw):
    x = draw(arrays())
    return Case((x,), {"axes": draw(axis_sets(x.ndim))})


def prod_reference(x, *, axis, keepdim):
    y = np.ones_like(np.take(x, [0], axis) if x.shape[axis] else np.sum(x, axis, keepdims=True))
    for i in range(x.shape[axis]):
        y = y * np.take(x, [i], axis)
    return y if keepdim else np.squeeze(y, axis)


def amax_reference(x, *, axes, keepdim):
    return np.max(x, axis=axes, keepdims=keepdim)


def amin_reference(x, *, axes, keepdim):
    return np.min(x, axis=axes, keepdims=keepdim)


def argmax_reference(x, *, axis, keepdim):
    return first_position(x, axis, keepdim, np.max)


def argmin_reference(x, *, axis, keepdim):
    return first_position(x, axis, keepdim, np.min)


def first_position(x, axis, keepdim, extreme):
    """The first position of the extreme element, by comparing all elements with it."""
    rows = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    found = np.apply_along_axis(first_equal, -1, rows, extreme)
    if axis is None:
        return found.reshape((1,) * x.ndim if keepdim else ())
    return np.expand_dims(found, axis) if keepdim else found


def first_equal(values, extreme):
    return int(np.flatnonzero(values == extreme(values))[0])


def all_reference(x, *, axes, keepdim):
    return np.sum(x == 0, axis=axes, keepdims=keepdim) == 0


def any_reference(x, *, axes, keepdim):
    return np.sum(x != 0, axis=axes, keepdims=keepdim) > 0


def shares_cases(draw):
    x = draw(arrays(shapes(min_size=1), domain=interval(-1.0, 1.0), rough=True))
    axes = draw(axis_sets(x.ndim))
    return Case((x, np.asarray(np.max(x, axis=axes, keepdims=True))), {"axes": axes})


def shares_reference(x, chosen, *, axes):
    hits = (x == chosen).astype(np.float64)
    return hits / np.sum(hits, axis=axes, keepdims=True)


row("sum", reduced_cases, oracle=sum_reference, dtypes=NUMBERS)
row("count_elements", count_cases, oracle=count_reference, dtypes=ALL_DTYPES)
row("prod", row_cases, oracle=prod_reference, dtypes=NUMBERS)
row("amax", filled_cases, oracle=amax_reference, dtypes=ALL_DTYPES)
row("amin", filled_cases, oracle=amin_reference, dtypes=ALL_DTYPES)
row("even_shares", shares_cases, oracle=shares_reference)
row("argmax", position_cases, oracle=argmax_reference, dtypes=ALL_DTYPES)
row("argmin", position_cases, oracle=argmin_reference, dtypes=ALL_DTYPES)
row("all", logic_cases, oracle=all_reference, dtypes=ALL_DTYPES)
row("any", logic_cases, oracle=any_reference, dtypes=ALL_DTYPES)
elementwise_row("root", interval(0.1, 3.0), oracle="numpy.sqrt")
