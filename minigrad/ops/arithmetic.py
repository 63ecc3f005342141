"""Arithmetic: + - * / and their relatives, absolute value and sign, roots, remainders."""

from minigrad.core.dispatch import bind
from minigrad.errors import DtypeError
from minigrad.ops import promotion
from minigrad.ops.elementwise import elementwise

__all__ = ["abs", "absolute", "add", "addcdiv", "addcmul", "div", "divide", "floor_divide", "fmod", "hypot", "lerp",
           "mul", "multiply", "neg", "negative", "positive", "reciprocal", "remainder", "rsqrt", "rsub", "sgn", "sign",
           "sqrt", "square", "sub", "subtract", "true_divide"]


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


# ----- absolute value and sign
def abs_kernel(xp, x):
    return xp.absolute(x)


def abs_vjp(g, y, x):
    return g * sign(x)


def sign_kernel(xp, x):
    return xp.sign(x)


def sign_vjp(g, y, x):
    return g * 0


def hypot_kernel(xp, a, b):
    return xp.hypot(a, b)


def hypot_vjp_a(g, y, a, b):
    return g * (a / y)


def hypot_vjp_b(g, y, a, b):
    return g * (b / y)


abs_p = elementwise("abs", abs_kernel, (abs_vjp,), ({0},))
sign_p = elementwise("sign", sign_kernel, (sign_vjp,), ((),), promote=promotion.to_number)
hypot_p = elementwise("hypot", hypot_kernel, (hypot_vjp_a, hypot_vjp_b), ({"y", 0}, {"y", 1}),
                      promote=promotion.to_float)


# ----- quotients rounded, and remainders
def floor_divide_kernel(xp, a, b):
    return xp.floor_divide(a, b)


def flat_vjp(g, y, a, b):
    return g * 0


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
    return -g * ((a - y) / b)


floor_divide_p = elementwise("floor_divide", floor_divide_kernel, (flat_vjp, flat_vjp), ((), ()),
                             promote=promotion.to_number)
remainder_p = elementwise("remainder", remainder_kernel, (remainder_vjp_a, remainder_vjp_b), ((), {0, 1}),
                          promote=promotion.to_number)
fmod_p = elementwise("fmod", fmod_kernel, (fmod_vjp_a, fmod_vjp_b), ((), {"y", 0, 1}), promote=promotion.to_number)


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
        return floor_divide(a, b)
    if rounding_mode != "trunc":
        raise DtypeError(f'div: rounding_mode must be None, "floor" or "trunc", not {rounding_mode!r}')
    from minigrad.ops.rounding import trunc

    if getattr(a, "dtype", None) is not None and a.dtype.kind in "iu" and getattr(b, "dtype", a.dtype).kind in "iu":
        return bind(floor_divide_p, bind(sub_p, a, bind(fmod_p, a, b)), b)
    return trunc(bind(div_p, a, b))


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


def hypot(input, other):
    """sqrt(input ** 2 + other ** 2) without overflow on the way."""
    return bind(hypot_p, input, other)


def addcmul(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 * tensor2."""
    product = mul(tensor1, tensor2)
    return add(input, product if value == 1 else mul(product, value))


def addcdiv(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 / tensor2."""
    quotient = div(tensor1, tensor2)
    return add(input, quotient if value == 1 else mul(quotient, value))


def lerp(input, end, weight):
    """input + weight * (end - input): linear interpolation."""
    return add(input, mul(weight, sub(end, input)))
