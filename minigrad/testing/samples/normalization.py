"""Samples of normalisations."""

import numpy as np

from minigrad.testing.domains import REAL, interval
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, axis_sets, distinct_arrays, one_of, shapes


def standardize_cases(draw):
    """Rows of at least two unequal elements."""
    x = draw(distinct_arrays(shapes(min_rank=1, min_size=2), gap=0.3))
    return Case((x,), {"axes": draw(axis_sets(x.ndim, none=False)), "eps": draw(one_of(1e-5, 0.1))})


def standardize_reference(x, *, axes, eps):
    average = np.mean(x, axis=axes, keepdims=True)
    variance = np.mean((x - average) ** 2, axis=axes, keepdims=True)
    return (x - average) / np.sqrt(variance + eps), average, variance


def rms_reference(x, *, axes, eps):
    square = np.mean(x**2, axis=axes, keepdims=True)
    return x / np.sqrt(square + eps), square


def slope_cases(draw):
    shape = draw(shapes(min_rank=1, min_size=1))
    axes = draw(axis_sets(len(shape), none=False))
    rows = tuple([1 if axis in axes else size for axis, size in enumerate(shape)])
    g, h, r = draw(arrays(shape, REAL)), draw(arrays(shape, REAL)), draw(arrays(rows, interval(0.5, 2.0)))
    return Case((g, h, r), {"axes": axes, "centre": draw(one_of(True, False))})


def slope_reference(g, h, r, *, axes, centre):
    y = g - h * np.mean(g * h, axis=axes, keepdims=True)
    return r * (y - np.mean(g, axis=axes, keepdims=True) if centre else y)


row("standardize", standardize_cases, oracle=standardize_reference, rtol=1e-10)
row("rms_scale", standardize_cases, oracle=rms_reference, rtol=1e-11)
row("standardize_slope", slope_cases, oracle=slope_reference)
