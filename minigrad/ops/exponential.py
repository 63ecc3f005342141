"""Exponentials, logarithms, powers, and the functions made of them that have to be stable."""

import numbers

from minigrad.config import default_dtype
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import category, float64, is_scalar, result_dtype
from minigrad.ops import comparison
from minigrad.ops.arithmetic import reciprocal, sqrt, square
from minigrad.ops.casting import cast
from minigrad.ops.elementwise import elementwise
from minigrad.ops.promotion import to_common, to_float
from minigrad.ops.selection import clamp, where

__all__ = [
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logit",
    "logsigmoid",
    "pow",
    "sigmoid",
    "softplus",
    "xlogy",
]

LN2 = 0.6931471805599453
LN10 = 2.302585092994046


# ----- exponentials
def exp_kernel(xp, x):
    return xp.exp(x)


def exp_vjp(g, y, x):
    return g * y


def exp2_kernel(xp, x):
    return xp.exp2(x)


def exp2_vjp(g, y, x):
    return g * y * LN2


def expm1_kernel(xp, x):
    return xp.expm1(x)


def expm1_vjp(g, y, x):
    return g * (y + 1)


exp_p = elementwise("exp", exp_kernel, (exp_vjp,), ({"y"},), promote=to_float)
exp2_p = elementwise("exp2", exp2_kernel, (exp2_vjp,), ({"y"},), promote=to_float)
expm1_p = elementwise("expm1", expm1_kernel, (expm1_vjp,), ({"y"},), promote=to_float)


# ----- logarithms
def log_kernel(xp, x):
    return xp.log(x)


def log_vjp(g, y, x):
    return g / x


def log2_kernel(xp, x):
    return xp.log2(x)


def log2_vjp(g, y, x):
    return g / (x * LN2)


def log10_kernel(xp, x):
    return xp.log10(x)


def log10_vjp(g, y, x):
    return g / (x * LN10)


def log1p_kernel(xp, x):
    return xp.log1p(x)


def log1p_vjp(g, y, x):
    return g / (x + 1)


log_p = elementwise("log", log_kernel, (log_vjp,), ({0},), promote=to_float)
log2_p = elementwise("log2", log2_kernel, (log2_vjp,), ({0},), promote=to_float)
log10_p = elementwise("log10", log10_kernel, (log10_vjp,), ({0},), promote=to_float)
log1p_p = elementwise("log1p", log1p_kernel, (log1p_vjp,), ({0},), promote=to_float)


def logaddexp_kernel(xp, a, b):
    return xp.logaddexp(a, b)


def logaddexp_vjp_a(g, y, a, b):
    return g * share(a, b, exp)


def logaddexp_vjp_b(g, y, a, b):
    return g * share(b, a, exp)


def logaddexp2_kernel(xp, a, b):
    return xp.logaddexp2(a, b)


def logaddexp2_vjp_a(g, y, a, b):
    return g * share(a, b, exp2)


def logaddexp2_vjp_b(g, y, a, b):
    return g * share(b, a, exp2)


def share(a, b, power):
    """power(a) / (power(a) + power(b)) as power-sigmoid of the difference, which two equal infinities halve."""
    equal_infinities = comparison.logical_and(comparison.eq(a, b), comparison.isinf(a))
    difference = where(equal_infinities, 0.0, a - b)
    return reciprocal(power(-difference) + 1)


logaddexp_p = elementwise("logaddexp", logaddexp_kernel, (logaddexp_vjp_a, logaddexp_vjp_b), ({0, 1}, {0, 1}),
                          promote=to_float)
logaddexp2_p = elementwise("logaddexp2", logaddexp2_kernel, (logaddexp2_vjp_a, logaddexp2_vjp_b), ({0, 1}, {0, 1}),
                           promote=to_float)


# ----- sigmoid and what belongs to it
def sigmoid_kernel(xp, x):
    # e ** -|x| never overflows; each sign takes the form that keeps its small results exact
    e = xp.exp(-xp.absolute(x))
    return xp.where(x >= 0, 1 / (1 + e), e / (1 + e))


def sigmoid_vjp(g, y, x):
    return g * (y * sigmoid(-x))


def logsigmoid_kernel(xp, x):
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.absolute(x)))


def logsigmoid_vjp(g, y, x):
    return g * sigmoid(-x)


def softplus_kernel(xp, x):
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.absolute(x)))


def softplus_vjp(g, y, x):
    return g * sigmoid(x)


sigmoid_p = elementwise("sigmoid", sigmoid_kernel, (sigmoid_vjp,), ({"y", 0},), promote=to_float)
logsigmoid_p = elementwise("logsigmoid", logsigmoid_kernel, (logsigmoid_vjp,), ({0},), promote=to_float)
softplus_p = elementwise("softplus", softplus_kernel, (softplus_vjp,), ({0},), promote=to_float)


# ----- powers
def pow_kernel(xp, a, b):
    return xp.power(a, b)


def pow_vjp_a(g, y, a, b):
    # b * a ** (b - 1), with the limit 0 where b is 0: 0 * inf would be NaN at a = 0. Only there, because the
    # derivative by b of this is not 0 elsewhere
    nonzero = comparison.logical_or(comparison.lt(a, 0), comparison.gt(a, 0))
    flat = comparison.logical_and(comparison.eq(b, 0), comparison.logical_not(nonzero))
    return g * where(flat, 0.0, b * pow(where(flat, 1.0, a), b - 1))


def pow_vjp_b(g, y, a, b):
    # y * log(a), with the limit 0 at a = 0 for b >= 0
    if is_scalar(a):  # a number has no dtype: of where(flat, 1.0, a) it would be the default one
        return g * (y * log(a)) if a != 0 else g * where(comparison.ge(b, 0), 0.0, -y)
    flat = comparison.logical_and(comparison.eq(a, 0), comparison.ge(b, 0))
    return g * where(flat, 0.0, y * log(where(flat, 1.0, a)))


def xlogy_kernel(xp, a, b):
    dtype = result_dtype([a, b])  # the logarithm of a number would be a float64, which is not weak
    a, b = xp.asarray(a, dtype=dtype), xp.asarray(b, dtype=dtype)
    y = a * xp.log(b)
    return xp.where(xp.logical_and(a == 0, xp.logical_not(xp.isnan(b))), xp.zeros_like(y), y)


def xlogy_vjp_a(g, y, a, b):
    if is_scalar(b):  # a number has no dtype: of where(flat, 1.0, b) it would be the default one
        slope = g * log(b)
        return where(comparison.eq(a, 0), g * 0.0, slope) if b <= 0 else slope
    flat = comparison.logical_and(comparison.eq(a, 0), comparison.le(b, 0))
    return g * where(flat, 0.0, log(where(flat, 1.0, b)))


def xlogy_vjp_b(g, y, a, b):
    return g * (a / b)


pow_p = elementwise("pow", pow_kernel, (pow_vjp_a, pow_vjp_b), ({0, 1}, {"y", 0, 1}), promote=to_common)
xlogy_p = elementwise("xlogy", xlogy_kernel, (xlogy_vjp_a, xlogy_vjp_b), ({0, 1}, {0, 1}), promote=to_float)


def exp(input):
    """e ** input, elementwise."""
    return bind(exp_p, input)


def exp2(input):
    """2 ** input, elementwise."""
    return bind(exp2_p, input)


def expm1(input):
    """e ** input - 1, elementwise, exact near 0."""
    return bind(expm1_p, input)


def log(input):
    """The natural logarithm, elementwise; -inf at 0, NaN below."""
    return bind(log_p, input)


def log2(input):
    """The logarithm to base 2, elementwise."""
    return bind(log2_p, input)


def log10(input):
    """The logarithm to base 10, elementwise."""
    return bind(log10_p, input)


def log1p(input):
    """log(1 + input), elementwise, exact near 0."""
    return bind(log1p_p, input)


def logaddexp(input, other):
    """log(e ** input + e ** other) without overflow."""
    return bind(logaddexp_p, input, other)


def logaddexp2(input, other):
    """log2(2 ** input + 2 ** other) without overflow."""
    return bind(logaddexp2_p, input, other)


def sigmoid(input):
    """1 / (1 + e ** -input), elementwise, without overflow."""
    return bind(sigmoid_p, input)


def logsigmoid(input):
    """log(sigmoid(input)), elementwise, without overflow."""
    return bind(logsigmoid_p, input)


def softplus(input, beta=1, threshold=20):
    """log(1 + e ** (beta * input)) / beta, elementwise; linear where beta * input is above `threshold`."""
    scaled = input if beta == 1 else input * beta
    y = bind(softplus_p, scaled)
    y = y if beta == 1 else y / beta
    return where(comparison.gt(scaled, threshold), input, y)


def logit(input, eps=None):
    """log(input / (1 - input)), the inverse of sigmoid; `eps` keeps the input within [eps, 1 - eps]."""
    if eps is not None:
        input = clamp(input, eps, 1 - eps)
    return log(input / (1 - input))


def xlogy(input, other):
    """input * log(other), and 0 where input is 0 (NaN stays NaN)."""
    return bind(xlogy_p, input, other)


def pow(input, exponent):
    """input ** exponent, elementwise with broadcasting.

    The derivatives at 0 are the limits: 0 for exponents from 1 up, infinite for smaller ones. Integers stay integers
    and refuse negative numbers as exponents.
    """
    if isinstance(exponent, numbers.Real) and not is_scalar(input) and input.dtype.kind == "f":
        if exponent == 2:
            return square(input)
        if exponent == 0.5:
            return sqrt(input)
        if exponent == -1:
            return reciprocal(input)
        if exponent == 1:
            return input * 1
    return bind(pow_p, *powers(input, exponent))


def powers(base, exponent):
    """Both operands of a power, floats where one of them is a float."""
    dtype = result_dtype([base, exponent])
    if category(dtype) == 2:
        return base, exponent
    if isinstance(exponent, numbers.Integral) and exponent < 0:
        return (cast(base, default_dtype()) if not is_scalar(base) else float(base)), exponent
    return base, exponent


def float_power(input, exponent):
    """input ** exponent in float64."""
    return pow(double(input), double(exponent))


def double(x):
    return float(x) if is_scalar(x) else cast(x, float64)
