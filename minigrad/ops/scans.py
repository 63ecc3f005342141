"""Running sums, products and extremes along a dimension; differences, and integrals of sampled functions."""

import numbers

from minigrad.core.aval import Aval
from minigrad.core.dims import shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float16, float32, int64
from minigrad.core.primitive import declare
from minigrad.errors import ShapeError
from minigrad.ops import comparison
from minigrad.ops.axes import normal_axes, normal_axis, reduced_shape
from minigrad.ops.casting import cast
from minigrad.ops.indexing import getitem
from minigrad.ops.joining import cat
from minigrad.ops.promotion import to_float
from minigrad.ops.recurrences import cumprod_exclusive, recurrence
from minigrad.ops.reduction import Extreme, sum as total, summed_dtype, widened
from minigrad.ops.scatter import gather_p
from minigrad.ops.shaping import reshape, unsqueeze
from minigrad.ops.softmax import exp_difference_p

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "diff", "gradient", "logcumsumexp",
           "trapezoid", "trapz"]


def scanned_aval(x, axis, dtype):
    """The Aval of a scan: the operand's shape."""
    reduced_shape(x.shape, (axis,), True)
    return Aval(x.shape, dtype)


# ----- sum: the gradient is the running sum from the other end
def cumsum_kernel(xp, x, *, axis, reverse):
    dtype = float32 if x.dtype == float16 else summed_dtype(x.dtype)
    if reverse:
        y = xp.flip(xp.cumsum(xp.flip(x, axis), axis=axis, dtype=dtype), axis)
    else:
        y = xp.cumsum(x, axis=axis, dtype=dtype)
    return y.astype(float16) if x.dtype == float16 else y


def cumsum_infer(x, *, axis, reverse):
    return scanned_aval(x, axis, summed_dtype(x.dtype))


def cumsum_vjp(g, y, x, *, axis, reverse):
    return bind(cumsum_p, g, axis=axis, reverse=not reverse)


cumsum_p = declare("cumsum", cumsum_kernel, cumsum_infer, vjps=(cumsum_vjp,), reads=((),))


# ----- product
def cumprod_kernel(xp, x, *, axis):
    if x.dtype == float16:
        return xp.cumprod(x, axis=axis, dtype=float32).astype(float16)
    return xp.cumprod(x, axis=axis, dtype=summed_dtype(x.dtype))


def cumprod_infer(x, *, axis):
    return scanned_aval(x, axis, summed_dtype(x.dtype))


def cumprod_vjp(g, y, x, *, axis):
    # y(i) = x(i) * (product before i): the part through x(i) itself, and the part through what stands before
    return cumprod_exclusive(x, axis) * (g + recurrence(g * x, x, axis, reverse=True))


cumprod_p = declare("cumprod", cumprod_kernel, cumprod_infer, vjps=(cumprod_vjp,), reads=({0},))


# ----- log of the running sums of exponentials
def logcumsumexp_kernel(xp, x, *, axis):
    moved = xp.moveaxis(widened(x), axis, 0)
    y = xp.empty_like(moved)
    if moved.shape[0]:
        y[0] = moved[0]
        for i in range(1, moved.shape[0]):
            high, low = xp.maximum(y[i - 1], moved[i]), xp.minimum(y[i - 1], moved[i])
            y[i] = high + xp.log1p(xp.exp(xp.where(xp.equal(high, low), 0, low - high)))
    return xp.moveaxis(y, 0, axis).astype(x.dtype)


def logcumsumexp_infer(x, *, axis):
    return scanned_aval(x, axis, x.dtype)


def logcumsumexp_vjp(g, y, x, *, axis):
    # the sum over i >= k of g(i) * e ** (x(k) - y(i)), where y never falls: taken as e ** (x(k) - y(k)) times a running
    # sum from the end in which each step fades by e ** (y(k) - y(k+1)), every factor is at most 1
    following = cat([along(y, axis, slice(1, None)), along(y, axis, slice(-1, None))], axis)
    fading = bind(exp_difference_p, y, following)
    return bind(exp_difference_p, x, y) * (g + fading * recurrence(g, fading, axis, reverse=True))


logcumsumexp_p = declare("logcumsumexp", logcumsumexp_kernel, logcumsumexp_infer, vjps=(logcumsumexp_vjp,),
                         reads=({"y", 0},), promote=to_float)


# ----- where the extremes so far are: of equal ones the last
def cummax_indices_kernel(xp, x, *, axis):
    return running_extreme(xp, x, axis, xp.greater_equal)


def cummin_indices_kernel(xp, x, *, axis):
    return running_extreme(xp, x, axis, xp.less_equal)


def running_extreme(xp, x, axis, wins):
    """The index of the extreme so far along `axis`, NaN counting as more extreme than any number."""
    x = xp.moveaxis(x, axis, 0)
    indices = xp.zeros(x.shape, dtype=int64)
    if x.shape[0]:
        best = x[0]
        for i in range(1, x.shape[0]):
            better = wins(x[i], best)
            if x.dtype.kind == "f":
                better = xp.logical_or(better, xp.isnan(x[i]))
            best = xp.where(better, x[i], best)
            indices[i] = xp.where(better, i, indices[i - 1])
    return xp.moveaxis(indices, 0, axis)


def running_extreme_infer(x, *, axis):
    return scanned_aval(x, axis, int64)


cummax_p = declare("cummax_indices", cummax_indices_kernel, running_extreme_infer)
cummin_p = declare("cummin_indices", cummin_indices_kernel, running_extreme_infer)


def cumsum(input, dim, *, dtype=None):
    """Running sums along `dim`; integers and bools give int64."""
    x, axis = scanned("cumsum", input, dim, dtype)
    y = bind(cumsum_p, x, axis=axis, reverse=False)
    return reshape(y, ()) if input.ndim == 0 else y


def cumprod(input, dim, *, dtype=None):
    """Running products along `dim`; integers give int64. The gradient is exact where elements are zero."""
    x, axis = scanned("cumprod", input, dim, dtype)
    y = bind(cumprod_p, x, axis=axis)
    return reshape(y, ()) if input.ndim == 0 else y


def logcumsumexp(input, dim):
    """log of the running sums of e ** input along `dim`, without overflow."""
    x, axis = scanned("logcumsumexp", input, dim, None)
    y = bind(logcumsumexp_p, x, axis=axis)
    return reshape(y, ()) if input.ndim == 0 else y


def scanned(name, x, dim, dtype):
    """(x in its dtype, the axis of a scan); a value without dimensions becomes a row of one."""
    if dtype is not None:
        x = cast(x, dtype)
    axis = normal_axis(name, x, dim)
    return (reshape(x, (1,)) if x.ndim == 0 else x), axis


def cummax(input, dim):
    """(values, indices) of the largest so far along `dim`; of equal ones the last."""
    x, axis = scanned("cummax", input, dim, None)
    return at_places(input, x, bind(cummax_p, x, axis=axis), axis)


def cummin(input, dim):
    """(values, indices) of the smallest so far along `dim`; of equal ones the last."""
    x, axis = scanned("cummin", input, dim, None)
    return at_places(input, x, bind(cummin_p, x, axis=axis), axis)


def at_places(input, x, indices, axis):
    """An Extreme: the elements of `x` at `indices` along `axis`, in the shape of `input`."""
    values = bind(gather_p, x, indices, axis=axis, unique=False)
    if input.ndim == 0:
        return Extreme(reshape(values, ()), reshape(indices, ()))
    return Extreme(values, indices)


# ----- differences and integrals
def along(x, axis, part):
    """The slice `part` of `x` along `axis`, the other axes whole."""
    return getitem(x, (*[slice(None)] * axis, part))


def steps(x, axis):
    """Each element minus the one before it; for bools, whether they differ."""
    later, earlier = along(x, axis, slice(1, None)), along(x, axis, slice(None, -1))
    return comparison.ne(later, earlier) if x.dtype.kind == "b" else later - earlier


def needs_axis(name, x, dim):
    """`dim` as a number from 0 up; a value without dimensions has no neighbours.

    Raises:
        ShapeError: `x` has no dimensions.
    """
    if x.ndim == 0:
        raise ShapeError(f"{name}: expected at least one dimension, but the tensor has shape ()")
    return normal_axis(name, x, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    """The `n`-th differences along `dim`, of `input` with `prepend` and `append` joined to its ends.

    Raises:
        ShapeError: a tensor without dimensions, or n below 0.
    """
    axis = needs_axis("diff", input, dim)
    if n < 0:
        raise ShapeError(f"diff: n must be at least 0, not {n}")
    parts = [part for part in (prepend, input, append) if part is not None]
    x = input if len(parts) == 1 else cat(parts, axis)
    for _ in range(n):
        x = steps(x, axis)
    return x


def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integral of samples `y` along `dim` by the trapezoidal rule.

    Args:
        x: where the samples are: a vector, or a tensor that broadcasts against `y`.
        dx: the distance between samples in place of `x`; 1 if neither is given.

    Raises:
        ShapeError: `y` has no dimensions, or both `x` and `dx` are given.
    """
    areas, axis = trapezia("trapezoid", y, x, dx, dim)
    return total(areas, axis)


trapz = trapezoid


def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integral from the first sample to each later one: `trapezoid` of each beginning."""
    areas, axis = trapezia("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, axis)


def trapezia(name, y, x, dx, dim):
    """(the areas between neighbours, the axis)."""
    axis = needs_axis(name, y, dim)
    if x is not None and dx is not None:
        raise ShapeError(f"{name}: give either x or dx, not both")
    heights = (along(y, axis, slice(1, None)) + along(y, axis, slice(None, -1))) / 2
    if x is None:
        return (heights if dx is None else heights * dx), axis
    if x.ndim == 1:
        widths = steps(x, 0)
        for _ in range(y.ndim - 1 - axis):
            widths = unsqueeze(widths, -1)
    else:
        widths = steps(x, axis - y.ndim + x.ndim)
    return heights * widths, axis


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """Numerical derivatives along each of `dim` (default all), as a list. PyTorch: torch.gradient.

    Inner points by second-order central differences, the ends by one-sided ones of order `edge_order`, 1 or 2.

    Args:
        spacing: a number, a sequence of a number for each dimension, or of a vector of coordinates for each.

    Raises:
        ShapeError: too few points, or the wrong number of spacings.
    """
    axes = normal_axes("gradient", input, dim)
    if axes is None:
        axes = tuple(range(input.ndim))
    elif dim is not None and not isinstance(dim, int):
        axes = tuple([normal_axis("gradient", input, d) for d in dim])
    spacings = [spacing] * len(axes) if isinstance(spacing, numbers.Real) else list(spacing)
    if len(spacings) != len(axes):
        raise ShapeError(f"gradient: {len(spacings)} spacings for {len(axes)} dimensions")
    if edge_order not in (1, 2):
        raise ShapeError(f"gradient: edge_order must be 1 or 2, not {edge_order}")
    return [derivative(input, axis, h, edge_order) for axis, h in zip(axes, spacings, strict=True)]


def derivative(x, axis, spacing, edge_order):
    """The numerical derivative of `x` along `axis`."""
    size = x.shape[axis]
    if isinstance(size, int) and size < edge_order + 1:
        raise ShapeError(f"gradient: edge_order {edge_order} needs at least {edge_order + 1} points, but dimension"
                         f" {axis} of shape {shape_text(x.shape)} has {size}")
    slopes = steps(x, axis)
    if isinstance(spacing, numbers.Real):
        slopes = slopes / spacing
        share = first = last = 0.5
    else:
        widths = steps(spacing, 0)
        for _ in range(x.ndim - 1 - axis):
            widths = unsqueeze(widths, -1)
        slopes = slopes / widths
        left, right = along(widths, 0, slice(None, -1)), along(widths, 0, slice(1, None))
        share = right / (left + right)
        first, last = 1 - along(share, 0, slice(0, 1)), along(share, 0, slice(-1, None))
    inner = along(slopes, axis, slice(None, -1)) * share + along(slopes, axis, slice(1, None)) * (1 - share)
    start, end = along(slopes, axis, slice(0, 1)), along(slopes, axis, slice(-1, None))
    if edge_order == 2:
        start = start + (start - along(slopes, axis, slice(1, 2))) * first
        end = end + (end - along(slopes, axis, slice(-2, -1))) * last
    return cat([start, inner, end], axis)
