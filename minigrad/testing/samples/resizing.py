"""Samples of resampling and of the causal mask."""

import math

import numpy as np

from minigrad.testing.domains import REAL
from minigrad.testing.samples import Case, row
from minigrad.testing.strategies import arrays, one_of, shapes

SIZES = "the size of the axis decides that of the result"


def settings(draw):
    """(old size, new size, parameters)."""
    old = draw(one_of(1, 2, 3, 4))
    size, factor = draw(one_of((1, None), (2, None), (3, None), (7, None), (None, 2.0), (None, 1.7)))
    mode = draw(one_of("nearest", "nearest-exact", "linear", "cubic"))
    params = {"size": size, "factor": factor, "scale_by": draw(one_of(None, factor)), "mode": mode,
              "align_corners": mode in ("linear", "cubic") and draw(one_of(False, True))}
    return old, size or math.floor(old * factor), params


def shape_around(draw, size):
    """(shape, axis) with `size` along the axis."""
    lead, rest = draw(one_of((), (2,), (0,))), draw(one_of((), (2,)))
    return (*lead, size, *rest), len(lead)


def resample_cases(draw):
    old, _, params = settings(draw)
    shape, axis = shape_around(draw, old)
    return Case((draw(arrays(shape, REAL)),), {"axis": axis, **params})


def adjoint_cases(draw):
    old, new, params = settings(draw)
    shape, axis = shape_around(draw, new)
    g = draw(arrays(shape, REAL))
    if draw(one_of(False, False, True)):
        return Case((g, np.asarray(old)), {"axis": axis, "old": None, **params})
    return Case((g,), {"axis": axis, "old": old, **params})


def cubic(d, a=-0.75):
    """The weight of an element at distance d."""
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * (d**3 - 5 * d**2 + 8 * d - 4) if d < 2 else 0.0


def matrix(old, new, scale_by, mode, align_corners):
    """The weights of resampling as a matrix (new, old)."""
    scale = 1 / scale_by if scale_by else old / new
    a = np.zeros((new, old))
    for i in range(new):
        if mode == "nearest":
            a[i, min(math.floor(i * scale), old - 1)] = 1
        elif mode == "nearest-exact":
            a[i, min(math.floor((i + 0.5) * scale), old - 1)] = 1
        else:
            source = i * (old - 1) / max(new - 1, 1) if align_corners else (i + 0.5) * scale - 0.5
            if mode == "linear":
                source = max(source, 0)
            low = math.floor(source)
            for j in range(low - 1, low + 3):
                weight = max(1 - abs(source - j), 0) if mode == "linear" else cubic(source - j)
                a[i, min(max(j, 0), old - 1)] += weight
    return a


def resample_reference(x, *, axis, size, factor, **params):
    old = x.shape[axis]
    a = matrix(old, size or math.floor(old * factor), **params)
    return np.moveaxis(np.tensordot(a, x, ([1], [axis])), 0, axis)


def adjoint_reference(g, *sizes, axis, old, size, factor, **params):
    a = matrix(int(sizes[0]) if sizes else old, g.shape[axis], **params)
    return np.moveaxis(np.tensordot(a, g, ([0], [axis])), 0, axis)


def mask_cases(draw):
    return Case((draw(arrays(draw(shapes(min_rank=2)), REAL)),))


def mask_reference(scores):
    rows, columns = scores.shape[-2:]
    return np.array([[j <= i for j in range(columns)] for i in range(rows)], bool).reshape(rows, columns)


row("resample", resample_cases, oracle=resample_reference)
row("resample_adjoint", adjoint_cases, oracle=adjoint_reference, open_sizes=SIZES)
row("causal_mask", mask_cases, oracle=mask_reference)
