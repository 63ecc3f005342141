"""Reductions: sum, mean, product, extremes, logic, logsumexp, norms."""

import math
from typing import NamedTuple

from minigrad.config import default_dtype
from minigrad.core.aval import Aval
from minigrad.core.dims import known_product, shape_text
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, int64, uint8
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, ShapeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import abs as absolute, sqrt, square
from minigrad.ops.axes import normal_axes, normal_axis, reduced_shape
from minigrad.ops.broadcasting import broadcast_like, size_of
from minigrad.ops.casting import cast
from minigrad.ops.exponential import exp, pow as power
from minigrad.ops.selection import maximum, minimum, where
from minigrad.ops.shaping import reshape, squeeze, unsqueeze

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "dist", "logsumexp", "max", "mean", "min",
           "nanmean", "nansum", "norm", "prod", "sum", "vector_norm"]


def restored(g, x, axes, keepdim):
    """`g`, of the shape of a reduction's result, broadcast back to the shape of `x`."""
    return broadcast_like(with_axes(g, axes, keepdim), x)


def with_axes(y, axes, keepdim):
    """The result of a reduction with its axes as sizes 1, so that it broadcasts against the operand."""
    if axes is not None and not keepdim:
        for axis in axes:
            y = unsqueeze(y, axis)
    return y


# ----- sum
def sum_kernel(xp, x, *, axes, keepdim):
    return xp.sum(x, axis=axes, keepdims=keepdim, dtype=int64 if x.dtype.kind in "biu" else x.dtype)


def sum_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), int64 if x.dtype.kind in "biu" else x.dtype)


def sum_vjp(g, y, x, *, axes, keepdim):
    return restored(g, x, axes, keepdim)


sum_p = declare("sum", sum_kernel, sum_infer, vjps=(sum_vjp,), reads=((),))


# ----- product: the derivative is the product of all others, exact where elements are zero
def prod_kernel(xp, x, *, axis, keepdim):
    return xp.prod(x, axis=axis, keepdims=keepdim, dtype=int64 if x.dtype.kind in "biu" else x.dtype)


def prod_infer(x, *, axis, keepdim):
    return Aval(reduced_shape(x.shape, (axis,), keepdim), int64 if x.dtype.kind in "biu" else x.dtype)


def prod_vjp(g, y, x, *, axis, keepdim):
    return restored(g, x, (axis,), keepdim) * product_of_others(x, axis)


def product_of_others(x, axis):
    """For each element the product of the others along `axis`: running products from both ends."""
    from minigrad.ops.scans import cumprod_exclusive

    return cumprod_exclusive(x, axis, False) * cumprod_exclusive(x, axis, True)


prod_p = declare("prod", prod_kernel, prod_infer, vjps=(prod_vjp,), reads=({0},))


# ----- extremes: equal ones share the gradient
def amax_kernel(xp, x, *, axes, keepdim):
    return xp.max(x, axis=axes, keepdims=keepdim)


def amin_kernel(xp, x, *, axes, keepdim):
    return xp.min(x, axis=axes, keepdims=keepdim)


def extreme_infer(x, *, axes, keepdim):
    for axis in range(len(x.shape or ())) if axes is None else axes:
        if x.shape is not None and x.shape[axis] == 0:
            raise ShapeError(f"the largest or smallest of nothing is not defined: dimension {axis} of shape"
                             f" {shape_text(x.shape)} is empty")
    return Aval(reduced_shape(x.shape, axes, keepdim), x.dtype)


def extreme_vjp(g, y, x, *, axes, keepdim):
    hit = cast(comparison.eq(x, broadcast_like(with_axes(y, axes, keepdim), x)), g.dtype)
    share = with_axes(g, axes, keepdim) / bind(sum_p, hit, axes=axes, keepdim=axes is not None)
    return broadcast_like(share, x) * hit


amax_p = declare("amax", amax_kernel, extreme_infer, vjps=(extreme_vjp,), reads=({"y", 0},))
amin_p = declare("amin", amin_kernel, extreme_infer, vjps=(extreme_vjp,), reads=({"y", 0},))


# ----- positions
def argmax_kernel(xp, x, *, axis, keepdim):
    y = xp.argmax(x, axis=axis)
    return y if not keepdim else xp.expand_dims(y, axis)


def argmin_kernel(xp, x, *, axis, keepdim):
    y = xp.argmin(x, axis=axis)
    return y if not keepdim else xp.expand_dims(y, axis)


def position_infer(x, *, axis, keepdim):
    extreme_infer(x, axes=None if axis is None else (axis,), keepdim=keepdim)
    return Aval(reduced_shape(x.shape, None if axis is None else (axis,), keepdim), int64)


argmax_p = declare("argmax", argmax_kernel, position_infer)
argmin_p = declare("argmin", argmin_kernel, position_infer)


# ----- logic
def all_kernel(xp, x, *, axes, keepdim):
    return xp.all(x, axis=axes, keepdims=keepdim)


def any_kernel(xp, x, *, axes, keepdim):
    return xp.any(x, axis=axes, keepdims=keepdim)


def logic_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), bool_)


all_p = declare("all", all_kernel, logic_infer)
any_p = declare("any", any_kernel, logic_infer)


# ----- logsumexp
def logsumexp_kernel(xp, x, *, axes, keepdim):
    if x.size == 0:
        return xp.log(xp.sum(x, axis=axes, keepdims=keepdim, dtype=x.dtype))
    top = xp.max(x, axis=axes, keepdims=True)
    shift = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    total = xp.log(xp.sum(xp.exp(x - shift), axis=axes, keepdims=True, dtype=x.dtype)) + shift
    if keepdim:
        return total
    return total.reshape(reduced_shape(x.shape, axes, False))


def logsumexp_infer(x, *, axes, keepdim):
    return Aval(reduced_shape(x.shape, axes, keepdim), x.dtype)


def logsumexp_vjp(g, y, x, *, axes, keepdim):
    total = broadcast_like(with_axes(y, axes, keepdim), x)
    # rows of -inf have no weights, and an infinite element has all of them
    same = comparison.logical_and(comparison.eq(x, total), comparison.isinf(x))
    weight = exp(where(same, 0.0, x - total))
    weight = where(comparison.logical_and(same, comparison.lt(x, 0)), 0.0, weight)
    return restored(g, x, axes, keepdim) * weight


logsumexp_p = declare("logsumexp", logsumexp_kernel, logsumexp_infer, vjps=(logsumexp_vjp,), reads=({"y", 0},))


class Extreme(NamedTuple):
    """Values along a dimension, and where they are. PyTorch: torch.return_types.max."""

    values: object
    indices: object


def sum(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A001, A002  PyTorch's names
    """The sum over `dim` (an int, a tuple, or None for all); integers and bools give int64.

    Raises:
        AxisError: `dim` is out of range or named twice.
    """
    if dtype is not None:
        input = cast(input, dtype)  # noqa: A001
    return bind(sum_p, input, axes=normal_axes("sum", input, dim), keepdim=keepdim)


def count_of(x, axes):
    """The number of elements that a reduction over `axes` takes in: an int, or a 0-d node where sizes are unknown."""
    if axes is None:
        axes = range(len(x.shape))
    sizes, unknown = known_product([x.shape[axis] for axis in axes])
    if not unknown:
        return sizes
    count = sizes
    for axis in axes:
        if x.shape[axis] in unknown:
            count = count * size_of(x, axis)
    return count


def mean(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The mean over `dim`; NaN where there is nothing to average. Floats only, unless `dtype` says what to cast to."""
    if dtype is not None:
        input = cast(input, dtype)  # noqa: A001
    if input.dtype.kind != "f":
        raise DtypeError(f"mean is defined for floats, not for {input.dtype}; pass dtype=, for example float32")
    axes = normal_axes("mean", input, dim)
    return bind(sum_p, input, axes=axes, keepdim=keepdim) / count_of(input, axes)


def nansum(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The sum over `dim`, in which NaN counts as 0."""
    return sum(where(comparison.isnan(input), 0.0, input) if input.dtype.kind == "f" else input, dim, keepdim,
               dtype=dtype)


def nanmean(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The mean over `dim` of what is not NaN."""
    count = sum(comparison.logical_not(comparison.isnan(input)), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / count


def prod(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The product over dimension `dim` (None: of all elements); integers give int64."""
    if dtype is not None:
        input = cast(input, dtype)  # noqa: A001
    if dim is None:
        return bind(prod_p, reshape(input, (-1,)), axis=0, keepdim=False)
    if input.ndim == 0:
        normal_axis("prod", input, dim)
        return bind(prod_p, reshape(input, (1,)), axis=0, keepdim=False)
    return bind(prod_p, input, axis=normal_axis("prod", input, dim), keepdim=keepdim)


def amax(input, dim=(), keepdim=False):  # noqa: A002
    """The largest over `dim` (all when it is empty); equal ones share the gradient evenly.

    Raises:
        ShapeError: there is nothing to take the largest of.
    """
    return bind(amax_p, input, axes=normal_axes("amax", input, dim if dim != () else None), keepdim=keepdim)


def amin(input, dim=(), keepdim=False):  # noqa: A002
    """The smallest over `dim` (all when it is empty); equal ones share the gradient evenly."""
    return bind(amin_p, input, axes=normal_axes("amin", input, dim if dim != () else None), keepdim=keepdim)


def max(input, dim=None, keepdim=False, *, other=None):  # noqa: A001, A002
    """The largest element (equal ones share the gradient); with `dim`, (values, indices) along it, the first of equal
    ones; with a tensor in place of `dim`, the larger of both, elementwise.
    """
    return extreme("max", amax_p, argmax, maximum, input, dim, keepdim, other)


def min(input, dim=None, keepdim=False, *, other=None):  # noqa: A001, A002
    """The smallest element (equal ones share the gradient); with `dim`, (values, indices) along it, the first of equal
    ones; with a tensor in place of `dim`, the smaller of both, elementwise.
    """
    return extreme("min", amin_p, argmin, minimum, input, dim, keepdim, other)


def extreme(name, full, position, pair, x, dim, keepdim, other):
    """`max` and `min` in their three forms."""
    from minigrad.ops.scatter import take_along_dim

    if other is not None or dim is not None and hasattr(dim, "dtype"):
        return pair(x, dim if other is None else other)
    if dim is None:
        return bind(full, x, axes=None, keepdim=False)
    if x.ndim == 0:
        normal_axis(name, x, dim)
        return Extreme(x * 1, position(x))
    axis = normal_axis(name, x, dim)
    indices = position(x, axis, True)
    values = take_along_dim(x, indices, axis)
    if keepdim:
        return Extreme(values, indices)
    return Extreme(squeeze(values, axis), squeeze(indices, axis))


def argmax(input, dim=None, keepdim=False):  # noqa: A002
    """The index of the largest, the first of equal ones; without `dim` in the flattened tensor. int64."""
    return bind(argmax_p, input, axis=None if dim is None else position_axis("argmax", input, dim), keepdim=keepdim)


def argmin(input, dim=None, keepdim=False):  # noqa: A002
    """The index of the smallest, the first of equal ones; without `dim` in the flattened tensor. int64."""
    return bind(argmin_p, input, axis=None if dim is None else position_axis("argmin", input, dim), keepdim=keepdim)


def position_axis(name, x, dim):
    axis = normal_axis(name, x, dim)
    return None if x.ndim == 0 else axis


def all(input, dim=None, keepdim=False):  # noqa: A001, A002
    """Are all elements non-zero, over `dim`; True where there are none."""
    y = bind(all_p, input, axes=normal_axes("all", input, dim), keepdim=keepdim)
    return cast(y, uint8) if input.dtype == uint8 else y


def any(input, dim=None, keepdim=False):  # noqa: A001, A002
    """Is any element non-zero, over `dim`; False where there are none."""
    y = bind(any_p, input, axes=normal_axes("any", input, dim), keepdim=keepdim)
    return cast(y, uint8) if input.dtype == uint8 else y


def count_nonzero(input, dim=None):  # noqa: A002
    """How many elements are not zero, over `dim`; int64."""
    return sum(comparison.ne(input, 0), dim)


def logsumexp(input, dim, keepdim=False):  # noqa: A002
    """log(sum(exp(input))) over `dim`, without overflow; -inf with gradient 0 where all are -inf."""
    if input.dtype.kind != "f":
        input = cast(input, default_dtype())  # noqa: A001
    return bind(logsumexp_p, input, axes=normal_axes("logsumexp", input, dim), keepdim=keepdim)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The `ord`-norm of the elements over `dim`; the derivative at 0 is 0. PyTorch: torch.linalg.vector_norm."""
    if dtype is not None:
        x = cast(x, dtype)
    if x.dtype.kind != "f":
        raise DtypeError(f"vector_norm is defined for floats, not for {x.dtype}")
    if ord == 2:
        total = sum(square(x), dim, keepdim)
        safe = where(comparison.eq(total, 0), 1.0, total)
        return where(comparison.eq(total, 0), 0.0, sqrt(safe))
    if ord == 1:
        return sum(absolute(x), dim, keepdim)
    if ord == 0:
        return sum(cast(comparison.ne(x, 0), x.dtype), dim, keepdim)
    if ord == math.inf:
        return amax(absolute(x), () if dim is None else dim, keepdim)
    if ord == -math.inf:
        return amin(absolute(x), () if dim is None else dim, keepdim)
    total = sum(power(absolute(x), ord), dim, keepdim)
    safe = where(comparison.eq(total, 0), 1.0, total)
    return where(comparison.eq(total, 0), 0.0, power(safe, 1.0 / ord))


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """The `p`-norm of the elements over `dim`. PyTorch: torch.norm."""
    if p == "nuc":
        from minigrad.ops.linalg import matrix_norm

        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


def dist(input, other, p=2):  # noqa: A002
    """The `p`-norm of input - other."""
    return vector_norm(input - other, p)
