"""Samples of statistics."""

import numpy as np

from minigrad.testing.domains import REAL, interval, whole
from minigrad.testing.samples import ALL_DTYPES, Case, row
from minigrad.testing.strategies import arrays, axes, axis_sets, distinct_arrays, one_of, shapes

TIED = interval(-1.0, 1.0)


def var_cases(draw):
    """Two elements at least in each row, so that no correction leaves nothing to divide by."""
    x = draw(arrays(shapes(min_rank=1, min_size=2), REAL))
    return Case((x,), {"axes": draw(axis_sets(x.ndim)), "correction": draw(one_of(0, 1, -1, 0.5)),
                       "keepdim": draw(one_of(False, True))})


def deviations_cases(draw):
    case = var_cases(draw)
    return Case(case.args, {"axes": case.params["axes"], "correction": case.params["correction"]})


def var_reference(x, *, axes, correction, keepdim):
    d = x - np.mean(x, axis=axes, keepdims=True)
    return np.sum(d * d, axis=axes, keepdims=keepdim) / (x.size / np.mean(x, axis=axes).size - correction)


def deviations_reference(x, *, axes, correction):
    rows = np.mean(x, axis=axes, keepdims=True)
    return 2 * (x - rows) / (x.size / rows.size - correction)


def median_cases(draw):
    x = draw(arrays(shapes(min_size=1), TIED, rough=True))
    x = np.where(x == -1, np.nan, x)
    return Case((x,), {"ignore_nan": draw(one_of(False, True))})


def smooth_median_cases(draw):
    return Case((draw(distinct_arrays(shapes(min_size=1))),), {"ignore_nan": draw(one_of(False, True))})


def median_reference(x, *, ignore_nan):
    values = sorted(x[~np.isnan(x)].tolist())
    if not values or (not ignore_nan and len(values) < x.size):
        return np.nan
    return values[(len(values) - 1) // 2]


def median_index_cases(draw):
    x = draw(arrays(shapes(min_rank=1, min_size=1), TIED, rough=True))
    x = np.where(x == -1, np.nan, x) if draw(one_of(False, True)) else x
    return Case((x,), {"axis": draw(axes(x.ndim)), "ignore_nan": draw(one_of(False, True))})


def median_index_reference(x, *, axis, ignore_nan):
    found = np.apply_along_axis(first_median, axis, x, ignore_nan)
    return np.expand_dims(found, axis)


def first_median(values, ignore_nan):
    value = median_reference(values, ignore_nan=ignore_nan)
    return int(np.flatnonzero(np.isnan(values) if np.isnan(value) else values == value)[0])


def mode_cases(draw):
    x = draw(arrays(shapes(min_rank=1, min_size=1), TIED, rough=True))
    return Case((x,), {"axis": draw(axes(x.ndim))})


def mode_index_reference(x, *, axis):
    return np.expand_dims(np.apply_along_axis(last_of_mode, axis, x), axis)


def last_of_mode(values):
    kinds, counts = np.unique(values, return_counts=True)
    return int(np.flatnonzero(values == kinds[np.argmax(counts)])[-1])


def histc_cases(draw):
    x = draw(arrays(shapes(), interval(-2.0, 2.0)))
    low, high = draw(one_of((0, 0), (-1, 1), (-2.5, 2.5)))
    return Case((x,), {"bins": draw(one_of(1, 3, 10)), "low": low, "high": high})


def histc_reference(x, *, bins, low, high):
    if low == high:
        low, high = (x.min(), x.max()) if x.size else (-1, 1)
    if low == high:
        low, high = low - 1, high + 1
    return np.histogram(x, bins, (low, high))[0].astype(np.float64)


def bincount_cases(draw):
    x = draw(arrays(shapes(min_rank=1, max_rank=1), whole(0, 5)))
    weights = (draw(arrays(x.shape, REAL)),) if draw(one_of(False, True)) else ()
    return Case((x, *weights), {"minlength": draw(one_of(0, 3, 8))})


def bincount_reference(x, weights=None, *, minlength):
    y = np.zeros(max(minlength, x.max(initial=-1) + 1), np.int64 if weights is None else np.float64)
    np.add.at(y, x, 1 if weights is None else weights)
    return y


row("var", var_cases, oracle=var_reference)
row("deviations", deviations_cases, oracle=deviations_reference)
row("median", median_cases, smooth_cases=smooth_median_cases, oracle=median_reference)
row("median_index", median_index_cases, oracle=median_index_reference)
row("mode_index", mode_cases, oracle=mode_index_reference, dtypes=ALL_DTYPES)
row("histc", histc_cases, oracle=histc_reference, dtypes=("float64",))
row("bincount", bincount_cases, oracle=bincount_reference, open_sizes="the largest number decides how many there are",
    dtypes=("float64", "float32"))
