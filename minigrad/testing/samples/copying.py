"""Samples of copies and casts, and of in-place writes as functions of what was there."""

import numpy as np

from minigrad.core.primitive import REGISTRY
from minigrad.dynamic.views import FrozenParams
from minigrad.testing.domains import POSITIVE, REAL, WIDE
from minigrad.testing.samples import ALL_DTYPES, NUMBERS, Case, elementwise_row, no_samples, row
from minigrad.testing.strategies import arrays, axis_sets, one_of, permutations, shapes, whole_numbers


# ----- casts
def cast_cases(draw):
    dtype = draw(one_of(*ALL_DTYPES))
    # the cast of a negative number to an unsigned dtype is whatever the hardware gives
    x = draw(arrays(domain=POSITIVE if dtype == "uint8" else REAL, rough=True))
    return Case((x,), {"dtype": np.dtype(dtype)})


def same_cast_cases(draw):
    """Float64 only: finite differences see the steps of narrower dtypes."""
    return Case((draw(arrays()),), {"dtype": np.dtype(np.float64)})


def cast_reference(x, *, dtype):
    return np.array([value for value in x.ravel()]).reshape(x.shape).astype(dtype)


# ----- writing
def part_of(draw, shape):
    """A shape that broadcasts to `shape`."""
    kept = shape[draw(whole_numbers(0, len(shape))):]
    return tuple([draw(one_of(size, size, 1)) for size in kept])


def overwrite_cases(draw):
    x = draw(arrays())
    return Case((x, draw(arrays(part_of(draw, x.shape)))))


def overwrite_reference(x, value):
    return x * 0 + value


def write_view_cases(draw):
    """A write through one or two views of x: its axes in another order, some of them turned round."""
    x = draw(arrays(shapes(min_rank=1)))
    order = draw(permutations(x.ndim))
    steps = [(REGISTRY["permute"], FrozenParams({"axes": order}))]
    if draw(one_of(False, True)):
        steps.append((REGISTRY["flip"], FrozenParams({"axes": draw(axis_sets(x.ndim, none=False))})))
    value = draw(arrays(part_of(draw, tuple([x.shape[axis] for axis in order]))))
    return Case((x, value), {"steps": tuple(steps)})


def write_view_reference(x, value, *, steps):
    """The whole of x is written, so what it held does not matter; the value goes the way back."""
    order = steps[0][1]["axes"]
    y = np.broadcast_to(value, tuple([x.shape[axis] for axis in order]))
    if len(steps) > 1:
        y = np.flip(y, steps[1][1]["axes"])
    return np.transpose(y, np.argsort(order)).astype(x.dtype)


elementwise_row("clone", WIDE, oracle="numpy.positive", dtypes=NUMBERS)
no_samples("transfer", "needs two devices; the tests of the devices apply it")
row("cast", cast_cases, oracle=cast_reference, smooth_cases=same_cast_cases, dtypes=NUMBERS)
row("overwrite", overwrite_cases, oracle=overwrite_reference)
row("write_view", write_view_cases, oracle=write_view_reference)
