"""Trigonometric and hyperbolic functions and their inverses."""

import math

from minigrad.core.dispatch import bind
from minigrad.ops import comparison
from minigrad.ops.arithmetic import hypot, mul, rsqrt
from minigrad.ops.elementwise import elementwise
from minigrad.ops.promotion import to_float
from minigrad.ops.selection import where
from minigrad.ops.special_functions import spherical_bessel

__all__ = ["acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
           "atan", "atan2", "atanh", "cos", "cosh", "deg2rad", "rad2deg", "sin", "sinc", "sinh", "tan", "tanh"]


# ----- trigonometric
def sin_kernel(xp, x):
    return xp.sin(x)


def sin_vjp(g, y, x):
    return g * cos(x)


def cos_kernel(xp, x):
    return xp.cos(x)


def cos_vjp(g, y, x):
    return -g * sin(x)


def tan_kernel(xp, x):
    return xp.tan(x)


def tan_vjp(g, y, x):
    return g * (y * y + 1)


def asin_kernel(xp, x):
    return xp.arcsin(x)


def asin_vjp(g, y, x):
    return g * rsqrt((1 - x) * (1 + x))


def acos_kernel(xp, x):
    return xp.arccos(x)


def acos_vjp(g, y, x):
    return -g * rsqrt((1 - x) * (1 + x))


def atan_kernel(xp, x):
    return xp.arctan(x)


def atan_vjp(g, y, x):
    return g / (x * x + 1)


def atan2_kernel(xp, a, b):
    return xp.arctan2(a, b)


def atan2_vjp_a(g, y, a, b):
    length = distance(a, b)
    return g * (b / length / length)


def atan2_vjp_b(g, y, a, b):
    length = distance(a, b)
    return -g * (a / length / length)


def distance(a, b):
    """Of the point (a, b) from the origin, 1 at the origin itself, where the derivatives are set to 0."""
    length = hypot(a, b)  # the square of it could overflow
    return where(comparison.eq(length, 0), 1.0, length)


sin_p = elementwise("sin", sin_kernel, (sin_vjp,), ({0},), promote=to_float)
cos_p = elementwise("cos", cos_kernel, (cos_vjp,), ({0},), promote=to_float)
tan_p = elementwise("tan", tan_kernel, (tan_vjp,), ({"y"},), promote=to_float)
asin_p = elementwise("asin", asin_kernel, (asin_vjp,), ({0},), promote=to_float)
acos_p = elementwise("acos", acos_kernel, (acos_vjp,), ({0},), promote=to_float)
atan_p = elementwise("atan", atan_kernel, (atan_vjp,), ({0},), promote=to_float)
atan2_p = elementwise("atan2", atan2_kernel, (atan2_vjp_a, atan2_vjp_b), ({0, 1}, {0, 1}), promote=to_float)


# ----- hyperbolic
def sinh_kernel(xp, x):
    return xp.sinh(x)


def sinh_vjp(g, y, x):
    return g * cosh(x)


def cosh_kernel(xp, x):
    return xp.cosh(x)


def cosh_vjp(g, y, x):
    return g * sinh(x)


def tanh_kernel(xp, x):
    return xp.tanh(x)


def tanh_vjp(g, y, x):
    return g * (1 - y * y)


def asinh_kernel(xp, x):
    return xp.arcsinh(x)


def asinh_vjp(g, y, x):
    return g * rsqrt(x * x + 1)


def acosh_kernel(xp, x):
    return xp.arccosh(x)


def acosh_vjp(g, y, x):
    return g * rsqrt((x - 1) * (x + 1))


def atanh_kernel(xp, x):
    return xp.arctanh(x)


def atanh_vjp(g, y, x):
    return g / ((1 - x) * (1 + x))


sinh_p = elementwise("sinh", sinh_kernel, (sinh_vjp,), ({0},), promote=to_float)
cosh_p = elementwise("cosh", cosh_kernel, (cosh_vjp,), ({0},), promote=to_float)
tanh_p = elementwise("tanh", tanh_kernel, (tanh_vjp,), ({"y"},), promote=to_float)
asinh_p = elementwise("asinh", asinh_kernel, (asinh_vjp,), ({0},), promote=to_float)
acosh_p = elementwise("acosh", acosh_kernel, (acosh_vjp,), ({0},), promote=to_float)
atanh_p = elementwise("atanh", atanh_kernel, (atanh_vjp,), ({0},), promote=to_float)


def sin(input):
    """The sine of an angle in radians, elementwise."""
    return bind(sin_p, input)


def cos(input):
    """The cosine of an angle in radians, elementwise."""
    return bind(cos_p, input)


def tan(input):
    """The tangent of an angle in radians, elementwise."""
    return bind(tan_p, input)


def asin(input):
    """The angle whose sine it is, elementwise; NaN outside of [-1, 1]."""
    return bind(asin_p, input)


def acos(input):
    """The angle whose cosine it is, elementwise; NaN outside of [-1, 1]."""
    return bind(acos_p, input)


def atan(input):
    """The angle whose tangent it is, elementwise."""
    return bind(atan_p, input)


def atan2(input, other):
    """The angle of the point (other, input), elementwise with broadcasting, in [-pi, pi]; derivatives 0 at (0, 0)."""
    return bind(atan2_p, input, other)


def sinh(input):
    """The hyperbolic sine, elementwise."""
    return bind(sinh_p, input)


def cosh(input):
    """The hyperbolic cosine, elementwise."""
    return bind(cosh_p, input)


def tanh(input):
    """The hyperbolic tangent, elementwise."""
    return bind(tanh_p, input)


def asinh(input):
    """The inverse of sinh, elementwise."""
    return bind(asinh_p, input)


def acosh(input):
    """The inverse of cosh, elementwise; NaN below 1."""
    return bind(acosh_p, input)


def atanh(input):
    """The inverse of tanh, elementwise; NaN outside of [-1, 1]."""
    return bind(atanh_p, input)


arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh


def sinc(input):
    """sin(pi * input) / (pi * input), and 1 at 0, elementwise; the derivatives are exact near 0 too."""
    return spherical_bessel(0, mul(input, math.pi))


def deg2rad(input):
    """Degrees to radians."""
    return mul(input, math.pi / 180)


def rad2deg(input):
    """Radians to degrees."""
    return mul(input, 180 / math.pi)
