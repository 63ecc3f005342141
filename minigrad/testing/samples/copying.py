"""Samples of copies and casts, and of in-place writes as functions of what was there."""

import numpy as np

from minigrad.core.primitive import REGISTRY
from minigrad.dynamic.views import FrozenParams
from minigrad.testing.domains import POSITIVE, REAL, WIDE
from minigrad.testing.samples import ALL_DTYPES, NUMBERS, Case, elementwise_row, no_samples, row
from minigrad.testing.strategies import arrays, one_of, permutations, shapes, whole_numbers


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
    """A write through two views of x: its axes in another order, and of the first one every second place."""
    x = draw(arrays(shapes(min_rank=1)))
    order = draw(permutations(x.ndim))
    part = draw(one_of((None, None, 2), (1, None, None), (None, None, -1), (None, None, None)))
    steps = ((REGISTRY["permute"], FrozenParams({"axes": order})),
             (REGISTRY["slice"], FrozenParams({"index": (part, ...)})))
    view = np.transpose(x, order)[slice(*part)]
    return Case((x, draw(arrays(part_of(draw, view.shape)))), {"steps": steps})


def write_view_reference(x, value, *, steps):
    """The same steps lead from the numbers of the places to the places that are written."""
    (_, permuted), (_, sliced) = steps
    places = np.arange(x.size).reshape(x.shape).transpose(permuted["axes"])[slice(*sliced["index"][0])]
    y = x.ravel().copy()
    for place, number in zip(places.ravel(), np.broadcast_to(value, places.shape).ravel(), strict=True):
        y[place] = number
    return y.reshape(x.shape)


elementwise_row("clone", WIDE, oracle="numpy.positive", dtypes=NUMBERS)
no_samples("transfer", "needs two devices; the tests of the devices apply it")
row("cast", cast_cases, oracle=cast_reference, smooth_cases=same_cast_cases, dtypes=NUMBERS)
row("overwrite", overwrite_cases, oracle=overwrite_reference)
row("write_view", write_view_cases, oracle=write_view_reference)
