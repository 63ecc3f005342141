"""Comparison, logic, bits: results without a gradient."""

from minigrad.core.dispatch import bind
from minigrad.core.dtypes import result_dtype
from minigrad.ops.elementwise import comparison, elementwise
from minigrad.ops.promotion import to_bool, to_integer, to_whole

__all__ = ["allclose", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
           "bitwise_xor", "eq", "equal", "ge", "greater", "greater_equal", "gt", "isclose", "isfinite", "isinf",
           "isnan", "isneginf", "isposinf", "le", "less", "less_equal", "logical_and", "logical_not", "logical_or",
           "logical_xor", "lt", "ne", "not_equal", "signbit"]


def eq_kernel(xp, a, b):
    return xp.equal(a, b)


def ne_kernel(xp, a, b):
    return xp.not_equal(a, b)


def lt_kernel(xp, a, b):
    return xp.less(a, b)


def le_kernel(xp, a, b):
    return xp.less_equal(a, b)


def gt_kernel(xp, a, b):
    return xp.greater(a, b)


def ge_kernel(xp, a, b):
    return xp.greater_equal(a, b)


def isnan_kernel(xp, x):
    return xp.isnan(x)


def isinf_kernel(xp, x):
    return xp.isinf(x)


def isfinite_kernel(xp, x):
    return xp.isfinite(x)


def signbit_kernel(xp, x):
    return xp.signbit(x) if x.dtype.kind == "f" else xp.less(x, 0)


def logical_and_kernel(xp, a, b):
    return xp.logical_and(a, b)


def logical_or_kernel(xp, a, b):
    return xp.logical_or(a, b)


def logical_xor_kernel(xp, a, b):
    return xp.logical_xor(a, b)


def logical_not_kernel(xp, x):
    return xp.logical_not(x)


def bitwise_and_kernel(xp, a, b):
    return xp.bitwise_and(a, b)


def bitwise_or_kernel(xp, a, b):
    return xp.bitwise_or(a, b)


def bitwise_xor_kernel(xp, a, b):
    return xp.bitwise_xor(a, b)


def bitwise_not_kernel(xp, x):
    return xp.invert(x)


def bitwise_left_shift_kernel(xp, a, b):
    return xp.left_shift(a, b)


def bitwise_right_shift_kernel(xp, a, b):
    return xp.right_shift(a, b)


eq_p = comparison("eq", eq_kernel)
ne_p = comparison("ne", ne_kernel)
lt_p = comparison("lt", lt_kernel)
le_p = comparison("le", le_kernel)
gt_p = comparison("gt", gt_kernel)
ge_p = comparison("ge", ge_kernel)
isnan_p = comparison("isnan", isnan_kernel)
isinf_p = comparison("isinf", isinf_kernel)
isfinite_p = comparison("isfinite", isfinite_kernel)
signbit_p = comparison("signbit", signbit_kernel)
logical_and_p = comparison("logical_and", logical_and_kernel, to_bool)
logical_or_p = comparison("logical_or", logical_or_kernel, to_bool)
logical_xor_p = comparison("logical_xor", logical_xor_kernel, to_bool)
logical_not_p = comparison("logical_not", logical_not_kernel, to_bool)
bitwise_and_p = elementwise("bitwise_and", bitwise_and_kernel, promote=to_integer)
bitwise_or_p = elementwise("bitwise_or", bitwise_or_kernel, promote=to_integer)
bitwise_xor_p = elementwise("bitwise_xor", bitwise_xor_kernel, promote=to_integer)
bitwise_not_p = elementwise("bitwise_not", bitwise_not_kernel, promote=to_integer)
bitwise_left_shift_p = elementwise("bitwise_left_shift", bitwise_left_shift_kernel, promote=to_whole)
bitwise_right_shift_p = elementwise("bitwise_right_shift", bitwise_right_shift_kernel, promote=to_whole)


def eq(input, other):
    """input == other, elementwise with broadcasting; bool."""
    return bind(eq_p, input, other)


def ne(input, other):
    """input != other, elementwise with broadcasting; bool."""
    return bind(ne_p, input, other)


def lt(input, other):
    """input < other, elementwise with broadcasting; bool."""
    return bind(lt_p, input, other)


def le(input, other):
    """input <= other, elementwise with broadcasting; bool."""
    return bind(le_p, input, other)


def gt(input, other):
    """input > other, elementwise with broadcasting; bool."""
    return bind(gt_p, input, other)


def ge(input, other):
    """input >= other, elementwise with broadcasting; bool."""
    return bind(ge_p, input, other)


not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge


def isnan(input):
    """Is it NaN, elementwise."""
    return bind(isnan_p, input)


def isinf(input):
    """Is it infinite, elementwise."""
    return bind(isinf_p, input)


def isfinite(input):
    """Is it neither NaN nor infinite, elementwise."""
    return bind(isfinite_p, input)


def isposinf(input):
    """Is it +inf, elementwise."""
    return eq(input, float("inf"))


def isneginf(input):
    """Is it -inf, elementwise."""
    return eq(input, float("-inf"))


def signbit(input):
    """Is the sign bit set, elementwise: true for -0.0 too."""
    return bind(signbit_p, input)


def logical_and(input, other):
    """Both are non-zero, elementwise with broadcasting."""
    return bind(logical_and_p, input, other)


def logical_or(input, other):
    """One of them is non-zero, elementwise with broadcasting."""
    return bind(logical_or_p, input, other)


def logical_xor(input, other):
    """Exactly one of them is non-zero, elementwise with broadcasting."""
    return bind(logical_xor_p, input, other)


def logical_not(input):
    """It is zero, elementwise."""
    return bind(logical_not_p, input)


def bitwise_and(input, other):
    """The bits that are set in both; integers and bools."""
    return bind(bitwise_and_p, input, other)


def bitwise_or(input, other):
    """The bits that are set in one of them; integers and bools."""
    return bind(bitwise_or_p, input, other)


def bitwise_xor(input, other):
    """The bits that are set in exactly one of them; integers and bools."""
    return bind(bitwise_xor_p, input, other)


def bitwise_not(input):
    """Every bit turned over; `not` for bools."""
    return bind(bitwise_not_p, input)


def bitwise_left_shift(input, other):
    """input * 2 ** other, for integers."""
    return bind(bitwise_left_shift_p, input, other)


def bitwise_right_shift(input, other):
    """input // 2 ** other, for integers."""
    return bind(bitwise_right_shift_p, input, other)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|input - other| <= atol + rtol * |other|, elementwise; infinities are close to themselves only."""
    from minigrad.ops import arithmetic

    close = eq(input, other)
    if result_dtype([input, other]).kind == "b":
        return close
    difference = arithmetic.abs(arithmetic.sub(input, other))
    bound = arithmetic.add(arithmetic.mul(arithmetic.abs(other), rtol), atol)
    close = logical_or(close, logical_and(le(difference, bound), isfinite(difference)))
    if equal_nan:
        close = logical_or(close, logical_and(isnan(input), isnan(other)))
    return close


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True when all elements are close (see `isclose`); a Python bool."""
    from minigrad.ops.reduction import all as every

    return bool(every(isclose(input, other, rtol, atol, equal_nan)))


def equal(input, other):
    """True when shapes and all elements are equal; a Python bool."""
    from minigrad.ops.reduction import all as every

    return input.shape == other.shape and bool(every(eq(input, other)))
