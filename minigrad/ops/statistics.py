"""Statistics: variance, median, mode, quantiles, covariance, histograms."""

from minigrad.core.aval import Aval
from minigrad.core.dims import Dim
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float64, int64, is_scalar
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import sqrt
from minigrad.ops.axes import normal_axes, normal_axis, reduced_shape
from minigrad.ops.broadcasting import size_of
from minigrad.ops.casting import cast
from minigrad.ops.copying import clone
from minigrad.ops.diagonals import diagonal
from minigrad.ops.joining import stack, unbind
from minigrad.ops.matmul import matmul
from minigrad.ops.reduction import (
    Extreme,
    chosen,
    even_shares_p,
    extreme_aval,
    mean,
    restored,
    root_p,
    sum as total,
    widened,
)
from minigrad.ops.rounding import ceil, floor, round as rounded
from minigrad.ops.scatter import gather_p
from minigrad.ops.selection import clamp, clamp_min, where
from minigrad.ops.shaping import movedim, ravel, reshape, squeeze, transpose, unsqueeze
from minigrad.ops.sorting import argsort

__all__ = ["bincount", "corrcoef", "cov", "histc", "kthvalue", "median", "mode", "nanmedian", "nanquantile",
           "quantile", "std", "std_mean", "var", "var_mean"]


# ----- variance
def count_in(shape, axes):
    """The number of elements that a reduction of `shape` over `axes` takes in."""
    count = 1
    for axis in range(len(shape)) if axes is None else axes:
        count *= shape[axis]
    return count


def centred(xp, x, axes):
    """(x minus its mean over `axes`, the number of elements in each mean)."""
    count = count_in(x.shape, axes)
    if count == 0:
        return x - xp.add.reduce(x, axis=axes, keepdims=True), count
    return x - xp.add.reduce(x, axis=axes, keepdims=True) / count, count


def var_kernel(xp, x, *, axes, correction, keepdim):
    d, count = centred(xp, widened(x), axes)
    d *= d
    degrees = max(count - correction, 0)
    y = xp.true_divide(xp.add.reduce(d, axis=axes, keepdims=keepdim), degrees)
    return y.astype(x.dtype)


def var_infer(x, *, axes, correction, keepdim):
    check_float("var", x)
    return Aval(reduced_shape(x.shape, axes, keepdim), x.dtype)


def check_float(name, x):
    if x.dtype.kind != "f":
        raise DtypeError(f"{name} is defined for floats, not for {x.dtype}; cast it first, for example to float32")


def var_vjp(g, y, x, *, axes, correction, keepdim):
    return restored(g, x, axes, keepdim) * bind(deviations_p, x, axes=axes, correction=correction)


var_p = declare("var", var_kernel, var_infer, vjps=(var_vjp,), reads=({0},))


# ----- 2 (x - mean) / (n - correction), the derivative of the variance: a symmetric linear function of x
def deviations_kernel(xp, x, *, axes, correction):
    d, count = centred(xp, widened(x), axes)
    degrees = max(count - correction, 0)
    d *= 2 / degrees if degrees else float("inf")
    return d if d.dtype == x.dtype else d.astype(x.dtype)


def deviations_infer(x, *, axes, correction):
    reduced_shape(x.shape, axes, True)
    return Aval(x.shape, x.dtype)


def deviations_vjp(g, y, x, *, axes, correction):
    return bind(deviations_p, g, axes=axes, correction=correction)


deviations_p = declare("deviations", deviations_kernel, deviations_infer, vjps=(deviations_vjp,), reads=((),))


# ----- median: the middle element, the lower one of two; NaN wins unless it is ignored
def middle(xp, x, axis, ignore_nan):
    """The median along `axis`, which stays as size 1."""
    ordered = xp.sort(x, axis=axis)
    size = x.shape[axis]
    if x.dtype.kind != "f":
        return xp.take(ordered, xp.asarray([(size - 1) // 2]), axis=axis)
    numbers = xp.add.reduce(xp.logical_not(xp.isnan(x)), axis=axis, keepdims=True, dtype=int64)
    place = xp.maximum((numbers - 1) // 2, 0)
    if not ignore_nan:
        place = xp.where(xp.equal(numbers, size), place, size - 1)  # NaN stands at the end
    return xp.take_along_axis(ordered, place, axis=axis)


def median_kernel(xp, x, *, ignore_nan):
    if x.size == 0 and x.dtype.kind == "f":
        return xp.full((), float("nan"), dtype=x.dtype)
    return middle(xp, x.reshape(-1), 0, ignore_nan).reshape(())


def median_infer(x, *, ignore_nan):
    if x.dtype.kind != "f" and x.shape is not None and 0 in x.shape:
        extreme_aval("median", x, None, False)
    return Aval((), x.dtype)


def median_vjp(g, y, x, *, ignore_nan):
    return g * bind(even_shares_p, x, y, axes=None)


median_p = declare("median", median_kernel, median_infer, vjps=(median_vjp,), reads=({"y", 0},))


def median_index_kernel(xp, x, *, axis, ignore_nan):
    value = middle(xp, x, axis, ignore_nan)
    hits = xp.equal(x, value)
    if x.dtype.kind == "f":
        hits = xp.logical_or(hits, xp.logical_and(xp.isnan(x), xp.isnan(value)))
    return xp.argmax(hits, axis=axis, keepdims=True)


def median_index_infer(x, *, axis, ignore_nan):
    return Aval(extreme_aval("median", x, (axis,), True).shape, int64)


median_index_p = declare("median_index", median_index_kernel, median_index_infer)


# ----- mode: the element that is met most often, the smallest of several, at its last place
def mode_index_kernel(xp, x, *, axis):
    moved = xp.moveaxis(x, axis, -1)
    size = moved.shape[-1]
    rows = moved.reshape(-1, size)
    if rows.shape[0] == 0:
        return xp.zeros(reduced_shape(x.shape, (axis,), True), dtype=int64)
    order = xp.argsort(rows, axis=-1, kind="stable")
    ordered = xp.take_along_axis(rows, order, axis=-1)
    starts = xp.ones(rows.shape, dtype=bool)
    starts[:, 1:] = xp.not_equal(ordered[:, 1:], ordered[:, :-1])
    runs = xp.cumsum(starts.reshape(-1), dtype=int64) - 1  # each run of equal elements gets a number
    lengths = xp.bincount(runs)[runs].reshape(rows.shape)
    first = xp.argmax(lengths, axis=-1, keepdims=True)
    last = first + xp.take_along_axis(lengths, first, axis=-1) - 1
    found = xp.take_along_axis(order, last, axis=-1)
    return xp.moveaxis(found.reshape((*moved.shape[:-1], 1)), -1, axis)


def mode_index_infer(x, *, axis):
    return Aval(extreme_aval("mode", x, (axis,), True).shape, int64)


mode_index_p = declare("mode_index", mode_index_kernel, mode_index_infer)


# ----- counts
def histc_kernel(xp, x, *, bins, low, high):
    x = x.reshape(-1)
    if low == high and x.size:
        low, high = float(x.min()), float(x.max())
    if low == high:
        low, high = low - 1, high + 1
    inside = x[xp.logical_and(x >= low, x <= high)]
    places = xp.floor((inside.astype(float64) - low) * (bins / (high - low))).astype(int64)
    return xp.bincount(xp.minimum(places, bins - 1), minlength=bins).astype(x.dtype)


def histc_infer(x, *, bins, low, high):
    check_float("histc", x)
    return Aval((bins,), x.dtype)


histc_p = declare("histc", histc_kernel, histc_infer)


def bincount_kernel(xp, x, *weights, minlength):
    if not weights:
        return xp.bincount(x, minlength=minlength).astype(int64)
    y = xp.bincount(x, weights=weights[0].astype(float64), minlength=minlength)
    return y.astype(weights[0].dtype) if weights[0].dtype.kind == "f" else y


def bincount_infer(x, *weights, minlength):
    if x.dtype.kind not in "iu" or x.ndim not in (None, 1):
        raise DtypeError(f"bincount: expected a vector of integers that are not negative, not {x}")
    if not weights:
        return Aval((Dim(),), int64)
    return Aval((Dim(),), weights[0].dtype if weights[0].dtype.kind == "f" else float64)


bincount_p = declare("bincount", bincount_kernel, bincount_infer)


# ----- what users call
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The variance over `dim`: the sum of squared deviations over (count - correction).

    Args:
        unbiased: True is correction 1 (the default), False is correction 0; may stand in place of `dim`.

    Raises:
        DtypeError: not a float tensor.
    """
    axes, correction = spread_parameters("var", input, dim, unbiased, correction)
    return bind(var_p, input, axes=axes, correction=correction, keepdim=keepdim)


def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The standard deviation over `dim`, the square root of `var`; where all are equal, the derivative is 0."""
    return bind(root_p, var(input, dim, unbiased, keepdim, correction=correction))


def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(`var`, `mean`) over `dim`."""
    variance = var(input, dim, unbiased, keepdim, correction=correction)
    return variance, mean(input, None if isinstance(dim, bool) else dim, keepdim)


def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(`std`, `mean`) over `dim`."""
    deviation = std(input, dim, unbiased, keepdim, correction=correction)
    return deviation, mean(input, None if isinstance(dim, bool) else dim, keepdim)


def spread_parameters(name, x, dim, unbiased, correction):
    """(axes, correction) from the arguments of `var` in their several forms."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 0 if unbiased is False else 1
    elif unbiased is not None:
        raise DtypeError(f"{name}: give either unbiased or correction, not both")
    check_float(name, x)
    return normal_axes(name, x, dim), correction


def median(input, dim=None, keepdim=False):
    """The middle element, the lower one of two; NaN if there is one. Equal ones share the gradient.

    With `dim`: (values, indices) along it, the first of equal ones.

    Raises:
        ShapeError: `dim` is empty.
    """
    return middle_element("median", input, dim, keepdim, False)


def nanmedian(input, dim=None, keepdim=False):
    """As `median`, of what is not NaN."""
    return middle_element("nanmedian", input, dim, keepdim, True)


def middle_element(name, x, dim, keepdim, ignore_nan):
    if dim is None:
        return bind(median_p, x, ignore_nan=ignore_nan)
    return row_element(name, median_index_p, x, dim, keepdim, {"ignore_nan": ignore_nan})


def mode(input, dim=-1, keepdim=False):
    """(values, indices) along `dim` of the element met most often: the smallest of several, at its last place.

    Raises:
        ShapeError: `dim` is empty.
    """
    return row_element("mode", mode_index_p, input, dim, keepdim, {})


def row_element(name, prim, x, dim, keepdim, params):
    """An Extreme: in each row along `dim` the element whose index `prim` gives."""
    axis = normal_axis(name, x, dim)
    if x.ndim == 0:
        return Extreme(clone(x), reshape(bind(prim, reshape(x, (1,)), axis=0, **params), ()))
    return chosen(x, axis, bind(prim, x, axis=axis, **params), keepdim)


def kthvalue(input, k, dim=-1, keepdim=False):
    """(values, indices) along `dim` of the `k`-th smallest element, counted from 1.

    Raises:
        ShapeError: there are fewer than `k` elements, or `k` is below 1.
    """
    axis = normal_axis("kthvalue", input, dim)
    size = 1 if input.ndim == 0 else size_of(input, axis)
    if k < 1 or (isinstance(size, int) and k > size):
        raise ShapeError(f"kthvalue: k={k} is out of range for dimension {dim}, which has {size} elements")
    order = argsort(input, axis, stable=True)
    if input.ndim == 0:
        return Extreme(clone(input), order)
    return chosen(input, axis, order[(*[slice(None)] * axis, slice(k - 1, k))], keepdim)


INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The `q`-quantile along `dim` (None: of all elements): the element at place q * (n - 1) of the sorted row.

    Args:
        q: a number from 0 to 1, or a vector of them, which become the first dimension of the result.
        interpolation: what is between two elements: "linear", "lower", "higher", "midpoint" or "nearest".

    A row with NaN gives NaN.

    Raises:
        ShapeError: the row is empty, or `q` has too many dimensions.
        DtypeError: not a float tensor, or an unknown interpolation.
    """
    return quantiles("quantile", input, q, dim, keepdim, interpolation, False)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """As `quantile`, of what is not NaN."""
    return quantiles("nanquantile", input, q, dim, keepdim, interpolation, True)


def quantiles(name, x, q, dim, keepdim, interpolation, ignore_nan):
    check_float(name, x)
    if interpolation not in INTERPOLATIONS:
        raise DtypeError(f"{name}: interpolation must be one of {', '.join(INTERPOLATIONS)}, not {interpolation!r}")
    if is_scalar(q) and not 0 <= q <= 1:
        raise ShapeError(f"{name}: q must be between 0 and 1, not {q}")
    axis = None if dim is None else normal_axis(name, x, dim)
    row = ravel(x) if dim is None or x.ndim == 0 else movedim(x, axis, -1)
    if row.shape is not None and row.shape[-1] == 0:
        raise ShapeError(f"{name}: there is no quantile of nothing; the shape is {x.shape}")
    nans = total(comparison.isnan(row), -1, True)
    last = size_of(row, -1) - 1
    last = cast(last - nans if ignore_nan else last + nans * 0, x.dtype)
    ordered = bind(gather_p, row, argsort(row, -1, stable=True), axis=row.ndim - 1, unique=True)
    many = not is_scalar(q) and (isinstance(q, (list, tuple)) or q.ndim > 0)
    results = []
    for one in (q if isinstance(q, (list, tuple)) else unbind(q)) if many else [q]:
        place = last * one
        if not ignore_nan:
            place = where(comparison.gt(nans, 0), last, place)  # NaN stands at the end
        results.append(with_reduced_axis(element_at(ordered, place, interpolation), x, axis, keepdim))
    return stack(results, 0) if many else results[0]


def element_at(ordered, place, interpolation):
    """The elements of sorted rows at fractional places (..., 1)."""
    place = clamp_min(place, 0.0)
    if interpolation == "lower":
        return taken(ordered, floor(place))
    if interpolation == "higher":
        return taken(ordered, ceil(place))
    if interpolation == "nearest":
        return taken(ordered, rounded(place))
    below, above = taken(ordered, floor(place)), taken(ordered, ceil(place))
    return below + (above - below) * (0.5 if interpolation == "midpoint" else place - floor(place))


def taken(ordered, place):
    return bind(gather_p, ordered, cast(place, int64), axis=ordered.ndim - 1, unique=True)


def with_reduced_axis(y, x, axis, keepdim):
    """A row result (..., 1) in the shape of a reduction of `x` along `axis` (None: all)."""
    if axis is None or x.ndim == 0:
        return reshape(y, (1,) * x.ndim if keepdim else ())
    return movedim(y, -1, axis) if keepdim else squeeze(y, -1)


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables (rows) from observations (columns); of one variable, its variance.

    Args:
        fweights: how often each observation counts, integers.
        aweights: the importance of each observation.

    Raises:
        ShapeError: more than two dimensions.
    """
    if input.ndim is not None and input.ndim > 2:
        raise ShapeError(f"cov: expected at most two dimensions (variables, observations), not shape {input.shape}")
    x = reshape(input, (1, -1)) if input.ndim is not None and input.ndim < 2 else input
    weights = [w for w in (fweights, aweights) if w is not None]
    if not weights:
        d = x - mean(x, 1, True)
        size = size_of(x, 1)
        size = size if isinstance(size, int) else cast(size, float64)
        y = matmul(d, transpose(d, 0, 1)) / clamped(size - correction)
    else:
        w = cast(weights[0], x.dtype) if len(weights) == 1 else cast(fweights, x.dtype) * cast(aweights, x.dtype)
        whole = total(w)
        d = x - total(x * w, 1, True) / whole
        if aweights is None or correction == 0:
            degrees = whole - correction
        else:
            degrees = whole - total(w * cast(aweights, x.dtype)) / whole * correction
        y = matmul(d * w, transpose(d, 0, 1)) / clamped(degrees)
    return y if input.ndim == 2 else reshape(y, ())


def clamped(degrees):
    """Degrees of freedom, at least 0."""
    return max(degrees, 0) if isinstance(degrees, (int, float)) else clamp_min(degrees, 0)


def corrcoef(input):
    """The matrix of Pearson's correlation coefficients of variables (rows) from observations (columns)."""
    c = cov(input)
    if c.ndim == 0:
        return c / c
    spread = sqrt(diagonal(c))
    return clamp(c / unsqueeze(spread, 1) / unsqueeze(spread, 0), -1.0, 1.0)


def histc(input, bins=100, min=0, max=0):
    """How many elements are in each of `bins` equal intervals from `min` to `max` (both 0: of the data). No gradient.

    Raises:
        DtypeError: not a float tensor.
    """
    if bins < 1 or min > max:
        raise ShapeError(f"histc: expected bins of at least 1 and min <= max, not bins={bins}, min={min}, max={max}")
    return bind(histc_p, input, bins=bins, low=min, high=max)


def bincount(input, weights=None, minlength=0):
    """How often (or with which summed weight) each integer from 0 up is met. No gradient.

    Raises:
        DtypeError: not a vector of integers.
    """
    if weights is None:
        return bind(bincount_p, input, minlength=minlength)
    return bind(bincount_p, input, weights, minlength=minlength)
