"""Sums, extremes, statistics and running totals. The first argument is a device array, never a list; `axis` is known on
the host; there is no `where` and no `initial`; a full reduction gives a 0-d array.
"""

import numpy as np

from minigrad.backends.double._memory import (
    check_dtype,
    device_array,
    fresh,
    fresh_all,
    host_value,
    quiet,
    raw_array,
    raw_operand,
    raw_optional,
    refuse,
    wrap,
)

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "average", "bincount", "corrcoef", "count_nonzero", "cov",
    "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diff", "digitize", "gradient", "histogram", "interp",
    "max", "mean", "median", "min", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean",
    "nanmedian", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "percentile", "prod", "ptp", "quantile", "std",
    "sum", "trace", "trapezoid", "var",
]

QUANTILE_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


# ---- those that are methods too


def sum(a, axis=None, dtype=None, out=None, keepdims=False):
    return device_array("sum", "a", a).sum(axis, dtype, out, keepdims)


def prod(a, axis=None, dtype=None, out=None, keepdims=False):
    return device_array("prod", "a", a).prod(axis, dtype, out, keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    return device_array("mean", "a", a).mean(axis, dtype, out, keepdims)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return device_array("var", "a", a).var(axis, dtype, out, ddof, keepdims)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return device_array("std", "a", a).std(axis, dtype, out, ddof, keepdims)


def max(a, axis=None, out=None, keepdims=False):
    return device_array("max", "a", a).max(axis, out, keepdims)


def min(a, axis=None, out=None, keepdims=False):
    return device_array("min", "a", a).min(axis, out, keepdims)


amax = max
amin = min


def ptp(a, axis=None, out=None, keepdims=False):
    return device_array("ptp", "a", a).ptp(axis, out, keepdims)


def argmax(a, axis=None, dtype=None, out=None, keepdims=False):
    return device_array("argmax", "a", a).argmax(axis, out, dtype, keepdims)


def argmin(a, axis=None, dtype=None, out=None, keepdims=False):
    return device_array("argmin", "a", a).argmin(axis, out, dtype, keepdims)


def all(a, axis=None, out=None, keepdims=False):
    return device_array("all", "a", a).all(axis, out, keepdims)


def any(a, axis=None, out=None, keepdims=False):
    return device_array("any", "a", a).any(axis, out, keepdims)


def cumsum(a, axis=None, dtype=None, out=None):
    return device_array("cumsum", "a", a).cumsum(axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    return device_array("cumprod", "a", a).cumprod(axis, dtype, out)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return device_array("trace", "a", a).trace(offset, axis1, axis2, dtype, out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return cumulative(cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return cumulative(cumprod, 1, x, axis, dtype, out, include_initial)


def cumulative(function, start, x, axis, dtype, out, include_initial):
    """A running total along an axis, which only 1-d arrays may leave out, after `start` where that is asked for."""
    raw = raw_array(function.__name__, "x", x)
    if axis is None:
        if raw.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    total = function(wrap(np.atleast_1d(raw)), axis, dtype)._data
    if include_initial:
        axis = np.lib.array_utils.normalize_axis_index(axis, total.ndim)
        shape = (*total.shape[:axis], 1, *total.shape[axis + 1:])
        total = np.concatenate([np.full(shape, start, total.dtype), total], axis)
    if out is None:
        return fresh(total)
    np.copyto(raw_array(function.__name__, "out", out), total)
    return out


# ---- those that pass over NaN


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return without_nan(np.nansum, a, out, axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    return without_nan(np.nanprod, a, out, axis=axis, dtype=dtype, keepdims=keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    return without_nan(np.nanmean, a, out, axis=axis, dtype=dtype, keepdims=keepdims)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return without_nan(np.nanvar, a, out, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return without_nan(np.nanstd, a, out, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)


def nanmax(a, axis=None, out=None, keepdims=False):
    return without_nan(np.nanmax, a, out, axis=axis, keepdims=keepdims)


def nanmin(a, axis=None, out=None, keepdims=False):
    return without_nan(np.nanmin, a, out, axis=axis, keepdims=keepdims)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return without_nan(np.nanmedian, a, out, axis=axis, keepdims=keepdims)


def nancumsum(a, axis=None, dtype=None, out=None):
    return without_nan(np.nancumsum, a, out, axis=axis, dtype=dtype)


def nancumprod(a, axis=None, dtype=None, out=None):
    return without_nan(np.nancumprod, a, out, axis=axis, dtype=dtype)


def nanargmax(a, axis=None, dtype=None, out=None, keepdims=False):
    """The place of the largest number; a row of NaN only gives a place out of range, where NumPy raises."""
    return place_without_nan(np.nanargmax, a, axis, dtype, out, keepdims)


def nanargmin(a, axis=None, dtype=None, out=None, keepdims=False):
    return place_without_nan(np.nanargmin, a, axis, dtype, out, keepdims)


def without_nan(function, a, out, **parameters):
    """Run one of NumPy's nan-functions without its warnings."""
    raw = raw_array(function.__name__, "a", a)
    host_value(function.__name__, "axis", parameters["axis"])
    if parameters.get("dtype") is not None:
        parameters["dtype"] = check_dtype(parameters["dtype"])
    raw_out = raw_optional(function.__name__, "out", out)
    with quiet():
        result = function(raw, out=raw_out, **parameters)
    return fresh(result) if out is None else out


def place_without_nan(function, a, axis, dtype, out, keepdims):
    """argmax or argmin over the numbers only, -1 for rows that have none."""
    raw = raw_array(function.__name__, "a", a)
    missing = np.isnan(raw)
    empty = missing.all(axis=axis, keepdims=keepdims)
    places = function(np.where(missing & missing.all(axis=axis, keepdims=True), raw.dtype.type(0), raw), axis=axis,
                      keepdims=keepdims)
    result = fresh(np.where(empty, -1, places))
    result = result if dtype is None else result.astype(dtype)
    if out is None:
        return result
    out[...] = result
    return out


# ---- order statistics


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """As NumPy's; with `overwrite_input` the values of `a` are gone afterwards."""
    raw = raw_array("median", "a", a)
    with quiet():
        result = np.median(raw, axis=host_value("median", "axis", axis), keepdims=keepdims)
    return statistic("median", result, out)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
             interpolation=None):
    return order_statistic(np.quantile, a, q, axis, out, method if interpolation is None else interpolation, keepdims)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
               interpolation=None):
    return order_statistic(np.percentile, a, q, axis, out, method if interpolation is None else interpolation,
                           keepdims)


def order_statistic(function, a, q, axis, out, method, keepdims):
    """Quantiles with the five methods that CuPy has; `q` is a number, a list of them, or a device array."""
    if method not in QUANTILE_METHODS:
        raise ValueError(f"{function.__name__}: unexpected interpolation method {method!r}; CuPy has "
                         f"{', '.join(QUANTILE_METHODS)}")
    raw = raw_array(function.__name__, "a", a)
    wanted = np.asarray(q) if isinstance(q, (list, tuple)) else raw_operand(function.__name__, "q", q)
    with quiet():
        result = function(raw, wanted, axis=host_value(function.__name__, "axis", axis), method=method,
                          keepdims=keepdims)
    return statistic(function.__name__, result, out)


def statistic(name, result, out):
    """`result` as a new device array, or written into `out`."""
    if out is None:
        return fresh(result)
    np.copyto(raw_array(name, "out", out), result, casting="same_kind")
    return out


# ---- averages, counts and histograms


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    raw = raw_array("average", "a", a)
    with quiet():
        result = np.average(raw, axis=axis, weights=raw_optional("average", "weights", weights), returned=returned,
                            keepdims=keepdims)
    return fresh_all(result) if returned else fresh(result)


def cov(a, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    raw = raw_array("cov", "a", a)
    with quiet():
        return fresh(np.cov(raw, raw_optional("cov", "y", y), rowvar, bias, ddof,
                            raw_optional("cov", "fweights", fweights), raw_optional("cov", "aweights", aweights),
                            dtype=dtype))


def corrcoef(a, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
    if bias is not None or ddof is not None:
        raise NotImplementedError("corrcoef: bias and ddof have no effect; leave them out")
    raw = raw_array("corrcoef", "a", a)
    with quiet():
        return fresh(np.corrcoef(raw, raw_optional("corrcoef", "y", y), rowvar, dtype=dtype))


def count_nonzero(a, axis=None):
    return fresh(np.count_nonzero(raw_array("count_nonzero", "a", a), axis=axis))


def bincount(x, weights=None, minlength=None):
    """How often each number is in the 1-d int array `x`; the sum of its `weights` where they are given."""
    raw = raw_array("bincount", "x", x)
    if raw.dtype.kind == "f":
        raise TypeError("bincount: x must be int array")
    counts = np.bincount(raw, raw_optional("bincount", "weights", weights),
                         0 if minlength is None else int(host_value("bincount", "minlength", minlength)))
    return fresh(counts)


def histogram(x, bins=10, range=None, density=False, weights=None):
    """Counts and edges; `bins` is an int or a device array of edges, as names of rules do not exist in CuPy."""
    raw = raw_array("histogram", "x", x)
    if isinstance(bins, (str, list, tuple, np.ndarray)):
        refuse("histogram", "bins", bins, "an int or a device array")
    edges = raw_operand("histogram", "bins", bins)
    return fresh_all(np.histogram(raw, edges, range, density, raw_optional("histogram", "weights", weights)))


def digitize(x, bins, right=False):
    return fresh(np.digitize(raw_array("digitize", "x", x), raw_array("digitize", "bins", bins), right))


# ---- differences and integrals


def diff(a, n=1, axis=-1, prepend=None, append=None):
    raw = raw_array("diff", "a", a)
    ends = {}
    if prepend is not None:
        ends["prepend"] = raw_operand("diff", "prepend", prepend)
    if append is not None:
        ends["append"] = raw_operand("diff", "append", append)
    return a if n == 0 else fresh(np.diff(raw, n, axis, **ends))


def gradient(f, *varargs, axis=None, edge_order=1):
    raw = raw_array("gradient", "f", f)
    spacing = [raw_operand("gradient", "each spacing", item) for item in varargs]
    result = np.gradient(raw, *spacing, axis=axis, edge_order=edge_order)
    return fresh(result) if isinstance(result, np.ndarray) else [fresh(part) for part in result]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    return fresh(np.trapezoid(raw_array("trapezoid", "y", y), raw_optional("trapezoid", "x", x), dx, axis))


def interp(x, xp, fp, left=None, right=None, period=None):
    points = [raw_array("interp", name, value) for name, value in (("x", x), ("xp", xp), ("fp", fp))]
    return fresh(np.interp(*points, left, right, period))
