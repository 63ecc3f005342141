"""Arithmetic: + - * / and their relatives, absolute value and sign, roots, remainders."""

from minigrad.core.dispatch import bind
from minigrad.errors import InvalidArgumentError
from minigrad.ops import comparison, promotion
from minigrad.ops.elementwise import as_arrays, elementwise, flat
from minigrad.ops.selection import where

__all__ = ["abs", "absolute", "add", "addcdiv", "addcmul", "copysign", "div", "divide", "floor_divide", "fmod", "gcd",
           "heaviside", "hypot", "lcm", "lerp", "mul", "multiply", "neg", "negative", "positive", "reciprocal",
           "remainder", "rsqrt", "rsub", "sgn", "sign", "sqrt", "square", "sub", "subtract", "true_divide"]


# ----- add, subtract, multiply, divide
def add_kernel(xp, a, b):
    return xp.add(a, b)


def add_vjp_a(g, y, a, b):
    return g


def add_vjp_b(g, y, a, b):
    return g


def sub_kernel(xp, a, b):
    return xp.subtract(a, b)


def sub_vjp_a(g, y, a, b):
    return g


def sub_vjp_b(g, y, a, b):
    return -g


def mul_kernel(xp, a, b):
    return xp.multiply(a, b)


def mul_vjp_a(g, y, a, b):
    return g * b


def mul_vjp_b(g, y, a, b):
    return g * a


def div_kernel(xp, a, b):
    return xp.true_divide(a, b)


def div_vjp_a(g, y, a, b):
    return g / b


def div_vjp_b(g, y, a, b):
    return -g * y / b


def neg_kernel(xp, x):
    return xp.negative(x)


def neg_vjp(g, y, x):
    return -g


add_p = elementwise("add", add_kernel, (add_vjp_a, add_vjp_b), ((), ()))
sub_p = elementwise("sub", sub_kernel, (sub_vjp_a, sub_vjp_b), ((), ()), promote=promotion.to_number)
mul_p = elementwise("mul", mul_kernel, (mul_vjp_a, mul_vjp_b), ({1}, {0}))
div_p = elementwise("div", div_kernel, (div_vjp_a, div_vjp_b), ({1}, {"y", 1}), promote=promotion.to_float)
neg_p = elementwise("neg", neg_kernel, (neg_vjp,), ((),), promote=promotion.to_number)


# ----- roots and squares
def sqrt_kernel(xp, x):
    return xp.sqrt(x)


def sqrt_vjp(g, y, x):
    return g * 0.5 / y


def rsqrt_kernel(xp, x):
    return xp.reciprocal(xp.sqrt(x))


def rsqrt_vjp(g, y, x):
    return g * y * y * y * -0.5


def square_kernel(xp, x):
    return xp.square(x)


def square_vjp(g, y, x):
    return g * x * 2


def reciprocal_kernel(xp, x):
    return xp.reciprocal(x)


def reciprocal_vjp(g, y, x):
    return -g * y * y


sqrt_p = elementwise("sqrt", sqrt_kernel, (sqrt_vjp,), ({"y"},), promote=promotion.to_float)
rsqrt_p = elementwise("rsqrt", rsqrt_kernel, (rsqrt_vjp,), ({"y"},), promote=promotion.to_float)
square_p = elementwise("square", square_kernel, (square_vjp,), ({0},))
reciprocal_p = elementwise("reciprocal", reciprocal_kernel, (reciprocal_vjp,), ({"y"},), promote=promotion.to_float)


# ----- absolute value, sign, length
def abs_kernel(xp, x):
    return xp.absolute(x)


def abs_vjp(g, y, x):
    return g * sign(x)


def sign_kernel(xp, x):
    return xp.sign(x) if x.dtype.kind != "b" else xp.array(x)


def sign_vjp(g, y, x):
    return flat(g)


def copysign_kernel(xp, a, b):
    return xp.copysign(a, b)


def copysign_vjp_a(g, y, a, b):
    slope = sign(a)
    return g * where(comparison.signbit(b), -slope, slope)


def copysign_vjp_b(g, y, a, b):
    return flat(g)


def heaviside_kernel(xp, a, b):
    a, b = as_arrays(xp, (a, b))
    step = xp.where(xp.isnan(a), a, (a > 0).astype(a.dtype))
    return xp.where(a == 0, b, step)


def heaviside_vjp_a(g, y, a, b):
    return flat(g)


def heaviside_vjp_b(g, y, a, b):
    return where(comparison.eq(a, 0), g, 0.0)


def hypot_kernel(xp, a, b):
    return xp.hypot(a, b)


def hypot_vjp_a(g, y, a, b):
    return g * (a / where(comparison.eq(y, 0), 1.0, y))


def hypot_vjp_b(g, y, a, b):
    return g * (b / where(comparison.eq(y, 0), 1.0, y))


abs_p = elementwise("abs", abs_kernel, (abs_vjp,), ({0},))
sign_p = elementwise("sign", sign_kernel, (sign_vjp,), ((),))
copysign_p = elementwise("copysign", copysign_kernel, (copysign_vjp_a, copysign_vjp_b), ({0, 1}, ()),
                         promote=promotion.to_float)
heaviside_p = elementwise("heaviside", heaviside_kernel, (heaviside_vjp_a, heaviside_vjp_b), ((), {0}),
                          promote=promotion.to_number)
hypot_p = elementwise("hypot", hypot_kernel, (hypot_vjp_a, hypot_vjp_b), ({"y", 0}, {"y", 1}),
                      promote=promotion.to_float)


# ----- quotients rounded, and remainders
def floor_divide_kernel(xp, a, b):
    return xp.floor_divide(a, b)


def trunc_divide_kernel(xp, a, b):
    a, b = as_arrays(xp, (a, b))
    return xp.trunc(xp.true_divide(a, b)) if a.dtype.kind == "f" else xp.floor_divide(a - xp.fmod(a, b), b)


def quotient_vjp(g, y, a, b):
    return flat(g)


def remainder_kernel(xp, a, b):
    return xp.remainder(a, b)


def remainder_vjp_a(g, y, a, b):
    return g


def remainder_vjp_b(g, y, a, b):
    return -g * floor_divide(a, b)


def fmod_kernel(xp, a, b):
    return xp.fmod(a, b)


def fmod_vjp_a(g, y, a, b):
    return g


def fmod_vjp_b(g, y, a, b):
    return -g * bind(trunc_divide_p, a, b)


floor_divide_p = elementwise("floor_divide", floor_divide_kernel, (quotient_vjp, quotient_vjp), ((), ()),
                             promote=promotion.to_number)
trunc_divide_p = elementwise("trunc_divide", trunc_divide_kernel, (quotient_vjp, quotient_vjp), ((), ()),
                             promote=promotion.to_number)
remainder_p = elementwise("remainder", remainder_kernel, (remainder_vjp_a, remainder_vjp_b), ((), {0, 1}),
                          promote=promotion.to_number)
fmod_p = elementwise("fmod", fmod_kernel, (fmod_vjp_a, fmod_vjp_b), ((), {0, 1}), promote=promotion.to_number)


# ----- common divisors and multiples of integers
def gcd_kernel(xp, a, b):
    return xp.gcd(a, b)


def lcm_kernel(xp, a, b):
    return xp.lcm(a, b)


gcd_p = elementwise("gcd", gcd_kernel, promote=promotion.to_whole)
lcm_p = elementwise("lcm", lcm_kernel, promote=promotion.to_whole)


# ----- linear interpolation
def lerp_kernel(xp, a, b, w):
    a, b, w = as_arrays(xp, (a, b, w))
    difference = b - a
    # from the nearer end, so that a weight of 1 gives b exactly
    return xp.where(xp.absolute(w) < 0.5, a + w * difference, b - difference * (1 - w))


def lerp_vjp_a(g, y, a, b, w):
    return g * (1 - w)


def lerp_vjp_b(g, y, a, b, w):
    return g * w


def lerp_vjp_w(g, y, a, b, w):
    return g * (b - a)


lerp_p = elementwise("lerp", lerp_kernel, (lerp_vjp_a, lerp_vjp_b, lerp_vjp_w), ({2}, {2}, {0, 1}),
                     promote=promotion.to_float)


def add(input, other, *, alpha=None):
    """input + other, elementwise with broadcasting; input + alpha * other where alpha is given."""
    if alpha is not None:
        other = bind(mul_p, other, alpha)
    return bind(add_p, input, other)


def sub(input, other, *, alpha=None):
    """input - other, elementwise with broadcasting; input - alpha * other where alpha is given."""
    if alpha is not None:
        other = bind(mul_p, other, alpha)
    return bind(sub_p, input, other)


def rsub(input, other, *, alpha=None):
    """other - input, elementwise with broadcasting."""
    return sub(other, input, alpha=alpha)


def mul(input, other):
    """input * other, elementwise with broadcasting."""
    return bind(mul_p, input, other)


def div(input, other, *, rounding_mode=None):
    """input / other, elementwise with broadcasting; integers give the default float dtype.

    Args:
        rounding_mode: "floor" rounds the quotient down, "trunc" towards zero (integers stay integers then).
    """
    if rounding_mode is not None:
        return rounded_quotient(input, other, rounding_mode)
    return bind(div_p, input, other)


def rounded_quotient(a, b, rounding_mode):
    """a / b rounded down ("floor") or towards zero ("trunc")."""
    if rounding_mode == "floor":
        return bind(floor_divide_p, a, b)
    if rounding_mode == "trunc":
        return bind(trunc_divide_p, a, b)
    raise InvalidArgumentError(f'div: rounding_mode must be None, "floor" or "trunc", not {rounding_mode!r}')


subtract, multiply, divide, true_divide = sub, mul, div, div


def neg(input):
    """-input, elementwise. Not for bool."""
    return bind(neg_p, input)


negative = neg


def positive(input):
    """+input: the same tensor."""
    return input


def floor_divide(input, other):
    """input / other rounded down, elementwise; integers stay integers, and x // 0 is 0 for them."""
    return bind(floor_divide_p, input, other)


def remainder(input, other):
    """input - other * floor(input / other), elementwise: it has the sign of `other`, as Python's %."""
    return bind(remainder_p, input, other)


def fmod(input, other):
    """input - other * trunc(input / other), elementwise: it has the sign of `input`, as C's fmod."""
    return bind(fmod_p, input, other)


def sqrt(input):
    """The square root, elementwise."""
    return bind(sqrt_p, input)


def rsqrt(input):
    """1 / sqrt(input), elementwise."""
    return bind(rsqrt_p, input)


def square(input):
    """input * input, elementwise."""
    return bind(square_p, input)


def reciprocal(input):
    """1 / input, elementwise."""
    return bind(reciprocal_p, input)


def abs(input):
    """|input|, elementwise; the derivative at 0 is 0."""
    return bind(abs_p, input)


absolute = abs


def sign(input):
    """-1, 0 or 1, elementwise; NaN stays NaN. The derivative is 0."""
    return bind(sign_p, input)


sgn = sign


def copysign(input, other):
    """|input| with the sign of `other`, elementwise; the sign of -0.0 counts."""
    return bind(copysign_p, input, other)


def heaviside(input, values):
    """0 where `input` is negative, 1 where it is positive, `values` where it is 0; NaN stays NaN."""
    return bind(heaviside_p, input, values)


def hypot(input, other):
    """sqrt(input ** 2 + other ** 2) without overflow on the way; the derivative where both are 0 is 0."""
    return bind(hypot_p, input, other)


def gcd(input, other):
    """The greatest common divisor of integers, elementwise; never negative, and gcd(0, 0) is 0."""
    return bind(gcd_p, input, other)


def lcm(input, other):
    """The least common multiple of integers, elementwise; never negative, and 0 where one of them is."""
    return bind(lcm_p, input, other)


def addcmul(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 * tensor2."""
    product = mul(tensor1, tensor2)
    return add(input, product if value == 1 else mul(product, value))


def addcdiv(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 / tensor2."""
    quotient = div(tensor1, tensor2)
    return add(input, quotient if value == 1 else mul(quotient, value))


def lerp(input, end, weight):
    """input + weight * (end - input): linear interpolation, and extrapolation for weights beyond [0, 1]."""
    return bind(lerp_p, input, end, weight)
