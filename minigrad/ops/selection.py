"""Choosing between values: where, maximum and minimum, clamp, and what stands in for NaN and infinities."""

from minigrad.backends import selecting
from minigrad.core.aval import Aval
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import bool_, category, is_scalar, result_dtype, scalar_dtype
from minigrad.core.primitive import declare
from minigrad.errors import DtypeError, InvalidArgumentError
from minigrad.ops import comparison
from minigrad.ops.elementwise import common_shape, elementwise
from minigrad.ops.promotion import branches_to_common

__all__ = ["clamp", "clamp_max", "clamp_min", "clip", "fmax", "fmin", "maximum", "minimum", "nan_to_num", "where"]


# ----- where
def where_kernel(xp, condition, a, b):
    if is_scalar(condition):
        condition = xp.asarray(condition)
    if condition.dtype.kind != "b":
        raise TypeError(f"the condition must be bool, not {condition.dtype}")
    if is_scalar(a) and is_scalar(b):
        a = xp.asarray(a, dtype=result_dtype([a, b]))
    return selecting.chosen(xp, condition, a, b)


def where_infer(condition, a, b):
    if not isinstance(condition, bool) and getattr(condition, "dtype", None) != bool_:
        kind = condition.dtype if hasattr(condition, "dtype") else type(condition).__name__
        raise DtypeError(f"where: the condition must be bool, not {kind}; write where(c != 0, a, b)")
    return Aval(common_shape("where", [condition, a, b]), result_dtype([a, b]))


def where_vjp_a(g, y, condition, a, b):
    return where(condition, g, 0.0)


def where_vjp_b(g, y, condition, a, b):
    return where(condition, 0.0, g)


where_p = declare("where", where_kernel, where_infer, vjps=(None, where_vjp_a, where_vjp_b), reads=((), {0}, {0}),
                  promote=branches_to_common, shapes=False)


# ----- maximum and minimum: equal operands share the gradient, beside NaN both get it
def maximum_kernel(xp, a, b):
    return xp.maximum(a, b)


def maximum_vjp_a(g, y, a, b):
    return where(comparison.eq(a, b), g * 0.5, where(comparison.lt(a, b), 0.0, g))


def maximum_vjp_b(g, y, a, b):
    return where(comparison.eq(a, b), g * 0.5, where(comparison.gt(a, b), 0.0, g))


def minimum_kernel(xp, a, b):
    return xp.minimum(a, b)


def minimum_vjp_a(g, y, a, b):
    return where(comparison.eq(a, b), g * 0.5, where(comparison.gt(a, b), 0.0, g))


def minimum_vjp_b(g, y, a, b):
    return where(comparison.eq(a, b), g * 0.5, where(comparison.lt(a, b), 0.0, g))


maximum_p = elementwise("maximum", maximum_kernel, (maximum_vjp_a, maximum_vjp_b), ({0, 1}, {0, 1}))
minimum_p = elementwise("minimum", minimum_kernel, (minimum_vjp_a, minimum_vjp_b), ({0, 1}, {0, 1}))


# ----- fmax and fmin: a number wins over NaN, and the first operand over its equal
def fmax_kernel(xp, a, b):
    return xp.fmax(a, b)


def fmax_vjp_a(g, y, a, b):
    return where(comparison.logical_or(comparison.ge(a, b), comparison.isnan(b)), g, 0.0)


def fmax_vjp_b(g, y, a, b):
    return where(comparison.logical_or(comparison.ge(a, b), comparison.isnan(b)), 0.0, g)


def fmin_kernel(xp, a, b):
    return xp.fmin(a, b)


def fmin_vjp_a(g, y, a, b):
    return where(comparison.logical_or(comparison.le(a, b), comparison.isnan(b)), g, 0.0)


def fmin_vjp_b(g, y, a, b):
    return where(comparison.logical_or(comparison.le(a, b), comparison.isnan(b)), 0.0, g)


fmax_p = elementwise("fmax", fmax_kernel, (fmax_vjp_a, fmax_vjp_b), ({0, 1}, {0, 1}))
fmin_p = elementwise("fmin", fmin_kernel, (fmin_vjp_a, fmin_vjp_b), ({0, 1}, {0, 1}))


# ----- clamp: the gradient passes at both edges
def clamp_min_kernel(xp, x, low):
    return xp.maximum(x, low)


def clamp_min_vjp_x(g, y, x, low):
    return where(comparison.ge(x, low), g, 0.0)


def clamp_min_vjp_low(g, y, x, low):
    return where(comparison.lt(x, low), g, 0.0)


def clamp_max_kernel(xp, x, high):
    return xp.minimum(x, high)


def clamp_max_vjp_x(g, y, x, high):
    return where(comparison.le(x, high), g, 0.0)


def clamp_max_vjp_high(g, y, x, high):
    return where(comparison.gt(x, high), g, 0.0)


def clamp_kernel(xp, x, low, high):
    return xp.minimum(xp.maximum(x, low), high)


def clamp_vjp_x(g, y, x, low, high):
    inside = comparison.logical_and(comparison.ge(x, low), comparison.le(x, high))
    return where(inside, g, 0.0)


def clamp_vjp_low(g, y, x, low, high):
    below = comparison.logical_and(comparison.lt(x, low), comparison.lt(low, high))
    return where(below, g, 0.0)


def clamp_vjp_high(g, y, x, low, high):
    above = comparison.logical_or(comparison.gt(x, high), comparison.gt(low, high))
    return where(above, g, 0.0)


clamp_min_p = elementwise("clamp_min", clamp_min_kernel, (clamp_min_vjp_x, clamp_min_vjp_low), ({0, 1}, {0, 1}))
clamp_max_p = elementwise("clamp_max", clamp_max_kernel, (clamp_max_vjp_x, clamp_max_vjp_high), ({0, 1}, {0, 1}))
clamp_p = elementwise("clamp", clamp_kernel, (clamp_vjp_x, clamp_vjp_low, clamp_vjp_high),
                      ({0, 1, 2}, {0, 1, 2}, {0, 1, 2}))


# ----- replacing what is not finite
def nan_to_num_kernel(xp, x, *, nan, posinf, neginf):
    return xp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def nan_to_num_vjp(g, y, x, *, nan, posinf, neginf):
    return where(comparison.isfinite(x), g, 0.0)


nan_to_num_p = elementwise("nan_to_num", nan_to_num_kernel, (nan_to_num_vjp,), ({0},))


def where(condition, input, other):
    """`input` where the condition holds and `other` elsewhere, with broadcasting.

    Both branches are computed, and a NaN or infinite derivative of the branch that is not taken gives NaN by 0·inf:
    make the argument safe first, ``where(c, f(where(c, x, 1.0)), other)``, or branch with `cond`.

    Raises:
        DtypeError: the condition is not bool.
    """
    return bind(where_p, condition, input, other)


def maximum(input, other):
    """The larger of both, elementwise with broadcasting; NaN wins, and equal operands share the gradient evenly."""
    return bind(maximum_p, input, other)


def minimum(input, other):
    """The smaller of both, elementwise with broadcasting; NaN wins, and equal operands share the gradient evenly."""
    return bind(minimum_p, input, other)


def fmax(input, other):
    """The larger of both; a number wins over NaN, the gradient goes to the first of equal operands."""
    return bind(fmax_p, input, other)


def fmin(input, other):
    """The smaller of both; a number wins over NaN, the gradient goes to the first of equal operands."""
    return bind(fmin_p, input, other)


def clamp(input, min=None, max=None):
    """`input` kept between `min` and `max`, numbers or tensors; where they cross, `max` wins.

    The gradient passes to `input` at both edges. PyTorch: torch.clamp.

    Raises:
        InvalidArgumentError: neither bound is given.
    """
    if min is None and max is None:
        raise InvalidArgumentError("clamp: at least one of min and max must be given")
    if max is None:
        return bind(clamp_min_p, input, min)
    if min is None:
        return bind(clamp_max_p, input, max)
    return bind(clamp_p, input, min, max)


def clip(input, min=None, max=None):
    """Another name of `clamp`."""
    return clamp(input, min, max)


def clamp_min(input, min):
    """`input` kept at or above `min`."""
    return bind(clamp_min_p, input, min)


def clamp_max(input, max):
    """`input` kept at or below `max`."""
    return bind(clamp_max_p, input, max)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """`input` with NaN and infinities replaced; None stands for the dtype's largest and smallest number."""
    if category(scalar_dtype(input) if is_scalar(input) else input.dtype) < 2:
        return input
    return bind(nan_to_num_p, input, nan=nan, posinf=posinf, neginf=neginf)
