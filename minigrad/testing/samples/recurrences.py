"""Samples of running products and linear recurrences."""

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, axes, one_of, shapes


def product_cases(draw):
    x = draw(arrays(shapes(min_rank=1), REAL, rough=True))
    return Case((x,), {"axis": draw(axes(x.ndim)), "reverse": draw(one_of(False, True))})


def recurrence_cases(draw):
    shape = draw(shapes(min_rank=1))
    g, a = draw(arrays(shape, REAL)), draw(arrays(shape, REAL, rough=True))
    return Case((g, a), {"axis": draw(axes(len(shape))), "reverse": draw(one_of(False, True))})


def cumprod_exclusive_reference(x, *, axis, reverse):
    y = np.ones_like(x)
    for i in range(x.shape[axis]):
        others = range(i + 1, x.shape[axis]) if reverse else range(i)
        y[(slice(None),) * axis + (i,)] = np.prod(np.take(x, list(others), axis), axis=axis)
    return y


def recurrence_reference(g, a, *, axis, reverse):
    """By the definition: a sum over all other places."""
    g, a = np.moveaxis(g, axis, 0), np.moveaxis(a, axis, 0)
    h = np.zeros_like(g)
    for i in range(len(g)):
        for j in range(i + 1, len(g)) if reverse else range(i):
            h[i] += g[j] * np.prod(a[min(i, j) + 1:max(i, j)], axis=0)
    return np.moveaxis(h, 0, axis)


row("cumprod_exclusive", product_cases, oracle=cumprod_exclusive_reference)
row("recurrence", recurrence_cases, oracle=recurrence_reference)
