"""Exponentials, logarithms, powers, and the functions made of them that have to be stable."""

from minigrad.backends import selecting
from minigrad.core.dispatch import bind
from minigrad.core.dtypes import float64, is_scalar, scalar_dtype
from minigrad.errors import DtypeError
from minigrad.ops import comparison
from minigrad.ops.arithmetic import abs as absolute, reciprocal_p, sqrt_p, square_p
from minigrad.ops.casting import cast
from minigrad.ops.elementwise import as_arrays, elementwise, flat
from minigrad.ops.promotion import to_float, to_number
from minigrad.ops.selection import clamp, where

__all__ = ["exp", "exp2", "expm1", "float_power", "log", "log1p", "log2", "log10", "logaddexp", "logaddexp2", "logit",
           "logsigmoid", "pow", "sigmoid", "softplus", "xlog1py", "xlogy"]

LN2 = 0.6931471805599453
LN10 = 2.302585092994046
# beyond this the sigmoid is 1, in float64 too
STEEP = 40.0


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
    return g * share(a, b, 1)


def logaddexp_vjp_b(g, y, a, b):
    return g * share(b, a, 1)


def logaddexp2_kernel(xp, a, b):
    return xp.logaddexp2(a, b)


def logaddexp2_vjp_a(g, y, a, b):
    return g * share(a, b, LN2)


def logaddexp2_vjp_b(g, y, a, b):
    return g * share(b, a, LN2)


def share(a, b, scale):
    """e ** (scale a) / (e ** (scale a) + e ** (scale b)); +inf shares evenly with +inf, -inf has no share of -inf."""
    level = comparison.logical_and(comparison.eq(a, b), comparison.isinf(a))
    part = sigmoid(where(level, 0.0, a - b) * scale)
    return where(comparison.logical_and(level, comparison.lt(a, 0)), 0.0, part)


logaddexp_p = elementwise("logaddexp", logaddexp_kernel, (logaddexp_vjp_a, logaddexp_vjp_b), ({0, 1}, {0, 1}),
                          promote=to_float)
logaddexp2_p = elementwise("logaddexp2", logaddexp2_kernel, (logaddexp2_vjp_a, logaddexp2_vjp_b), ({0, 1}, {0, 1}),
                           promote=to_float)


# ----- sigmoid and what belongs to it: e ** -|x| never overflows
def sigmoid_kernel(xp, x):
    e = xp.exp(-xp.absolute(x))
    y = xp.maximum(e, (x >= 0).astype(e.dtype))  # e for negative x, 1 for others
    y /= 1 + e
    return y


def sigmoid_vjp(g, y, x):
    return g * (y * (1 - y))


def logsigmoid_kernel(xp, x):
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.absolute(x)))


def logsigmoid_vjp(g, y, x):
    return g * sigmoid(-x)


def softplus_kernel(xp, x, *, beta, threshold):
    scaled = x if beta == 1 else x * beta
    y = selecting.positive_part(xp, scaled) + xp.log1p(xp.exp(-xp.absolute(scaled)))
    return selecting.chosen(xp, scaled > threshold, x, y if beta == 1 else y / beta)


def softplus_vjp(g, y, x, *, beta, threshold):
    scaled = x if beta == 1 else x * beta
    slope = sigmoid(scaled)
    if threshold < STEEP:
        slope = where(comparison.gt(scaled, threshold), 1.0, slope)
    return g * slope


def logit_kernel(xp, x):
    return xp.log(x / (1 - x))


def logit_vjp(g, y, x):
    return g / (x * (1 - x))


sigmoid_p = elementwise("sigmoid", sigmoid_kernel, (sigmoid_vjp,), ({"y"},), promote=to_float)
logsigmoid_p = elementwise("logsigmoid", logsigmoid_kernel, (logsigmoid_vjp,), ({0},), promote=to_float)
softplus_p = elementwise("softplus", softplus_kernel, (softplus_vjp,), ({0},), promote=to_float)
logit_p = elementwise("logit", logit_kernel, (logit_vjp,), ({0},), promote=to_float)


# ----- powers
def pow_kernel(xp, a, b):
    if is_scalar(b):
        if a.dtype.kind == "f":
            return float_power_by_number(xp, a, b)
        return xp.power(a, b)
    if b.dtype.kind in "iu" and getattr(a, "dtype", b.dtype).kind != "f":
        return integer_power(xp, a, b)
    return xp.power(a, b)


def float_power_by_number(xp, a, exponent):
    """a ** exponent for floats; the exponents that occur most without the slow general function."""
    if exponent == 3:
        return a * a * a
    if exponent == 4:
        return xp.square(a * a)
    if exponent == -2:
        return xp.reciprocal(a * a)
    if exponent == -0.5:
        return xp.reciprocal(xp.sqrt(a))
    return xp.power(a, exponent)


def integer_power(xp, a, b):
    """a ** b for integers, rounded towards zero where b is negative."""
    a, b = as_arrays(xp, (a, b))
    y = xp.power(a, xp.maximum(b, 0))
    if b.dtype.kind == "u":
        return y
    ones = xp.where(a == 1, 1, xp.where(a == -1, 1 - 2 * (b & 1), 0))
    return xp.where(b < 0, ones, y).astype(y.dtype)


def pow_vjp_a(g, y, a, b):
    # b * a ** (b - 1), which is 0 for b = 0 whatever a is
    if is_scalar(b):
        return flat(g) if b == 0 else g * (pow(a, b - 1) * b)
    constant = comparison.logical_and(comparison.eq(b, 0), comparison.logical_not(comparison.gt(absolute(a), 0)))
    return g * (b * pow(where(constant, 1.0, a), b - 1))


def pow_vjp_b(g, y, a, b):
    # y * log(a), with the limit 0 at a = 0 for b >= 0
    if is_scalar(a) and a != 0:
        return g * (y * log(a))
    constant = comparison.logical_and(comparison.eq(a, 0), comparison.ge(b, 0))
    return where(constant, 0.0, g * (y * log(a if is_scalar(a) else where(constant, 1.0, a))))


def xlogy_kernel(xp, a, b):
    a, b = as_arrays(xp, (a, b))
    return xp.where((a == 0) & ~xp.isnan(b), 0, a * xp.log(b))


def xlogy_vjp_a(g, y, a, b):
    constant = comparison.logical_and(comparison.eq(a, 0), comparison.le(b, 0))
    return where(constant, 0.0, g * log(b if is_scalar(b) else where(constant, 1.0, b)))


def xlogy_vjp_b(g, y, a, b):
    return g * (a / b)


def xlog1py_kernel(xp, a, b):
    a, b = as_arrays(xp, (a, b))
    return xp.where((a == 0) & ~xp.isnan(b), 0, a * xp.log1p(b))


def xlog1py_vjp_a(g, y, a, b):
    constant = comparison.logical_and(comparison.eq(a, 0), comparison.le(b, -1))
    return where(constant, 0.0, g * log1p(b if is_scalar(b) else where(constant, 0.0, b)))


def xlog1py_vjp_b(g, y, a, b):
    return g * (a / (b + 1))


pow_p = elementwise("pow", pow_kernel, (pow_vjp_a, pow_vjp_b), ({0, 1}, {"y", 0, 1}), promote=to_number)
xlogy_p = elementwise("xlogy", xlogy_kernel, (xlogy_vjp_a, xlogy_vjp_b), ({0, 1}, {0, 1}), promote=to_float)
xlog1py_p = elementwise("xlog1py", xlog1py_kernel, (xlog1py_vjp_a, xlog1py_vjp_b), ({0, 1}, {0, 1}), promote=to_float)


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
    return bind(softplus_p, input, beta=beta, threshold=threshold)


def logit(input, eps=None):
    """log(input / (1 - input)), the inverse of sigmoid; `eps` keeps the input within [eps, 1 - eps]."""
    if eps is not None:
        input = clamp(input, eps, 1 - eps)
    return bind(logit_p, input)


def xlogy(input, other):
    """input * log(other), and 0 where input is 0 (NaN stays NaN)."""
    return bind(xlogy_p, input, other)


def xlog1py(input, other):
    """input * log(1 + other), and 0 where input is 0 (NaN stays NaN). PyTorch: torch.special.xlog1py."""
    return bind(xlog1py_p, input, other)


def pow(input, exponent):
    """input ** exponent, elementwise with broadcasting.

    The derivatives at 0 are the limits: 0 for exponents above 1, infinite for those below; where the exponent is 0
    the derivative is 0. Integers stay integers: 2 ** -1 is 0, as in integer division.

    Raises:
        DtypeError: an integer tensor to the power of a negative Python number, which is never an integer.
    """
    if is_scalar(exponent) and not is_scalar(input):
        if input.dtype.kind == "f":
            if exponent == 2:
                return bind(square_p, input)
            if exponent == 0.5:
                return bind(sqrt_p, input)
            if exponent == -1:
                return bind(reciprocal_p, input)
        elif exponent < 0 and scalar_dtype(exponent).kind == "i":
            raise DtypeError(f"pow: integers ({input.dtype}) cannot be raised to the negative power {exponent}; write"
                             f" {float(exponent)}, or make floats of them first")
    return bind(pow_p, input, exponent)


def float_power(input, exponent):
    """input ** exponent in float64."""
    return pow(in_double(input), in_double(exponent))


def in_double(x):
    return float(x) if is_scalar(x) else cast(x, float64)
