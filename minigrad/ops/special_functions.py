"""Special functions: erf, gamma and their relatives. The numeric forms are in backends/special."""

import math

from minigrad.backends import special
from minigrad.core.dispatch import bind
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import exp
from minigrad.ops.promotion import to_float

__all__ = ["digamma", "erf", "erfc", "erfinv", "lgamma", "polygamma"]

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


def erf_kernel(xp, x):
    return special.erf(xp, x)


def erf_vjp(g, y, x):
    return g * exp(-(x * x)) * TWO_OVER_SQRT_PI


def erfc_kernel(xp, x):
    return special.erfc(xp, x)


def erfc_vjp(g, y, x):
    return g * exp(-(x * x)) * -TWO_OVER_SQRT_PI


def erfinv_kernel(xp, x):
    return special.erfinv(xp, x)


def erfinv_vjp(g, y, x):
    return g * exp(y * y) / TWO_OVER_SQRT_PI


def lgamma_kernel(xp, x):
    return special.lgamma(xp, x)


def lgamma_vjp(g, y, x):
    return g * digamma(x)


def polygamma_kernel(xp, x, *, n):
    return special.digamma(xp, x) if n == 0 else special.polygamma(xp, n, x)


def polygamma_vjp(g, y, x, *, n):
    return g * polygamma(n + 1, x)


erf_p = elementwise("erf", erf_kernel, (erf_vjp,), ({0},), promote=to_float)
erfc_p = elementwise("erfc", erfc_kernel, (erfc_vjp,), ({0},), promote=to_float)
erfinv_p = elementwise("erfinv", erfinv_kernel, (erfinv_vjp,), ({"y"},), promote=to_float)
lgamma_p = elementwise("lgamma", lgamma_kernel, (lgamma_vjp,), ({0},), promote=to_float)
polygamma_p = elementwise("polygamma", polygamma_kernel, (polygamma_vjp,), ({0},), promote=to_float)


def erf(input):
    """The error function, elementwise: 2 / sqrt(pi) times the integral of e ** -t**2 from 0 to input."""
    return bind(erf_p, input)


def erfc(input):
    """1 - erf(input), elementwise, exact where that is tiny."""
    return bind(erfc_p, input)


def erfinv(input):
    """The inverse of erf, elementwise; infinite at -1 and 1, NaN outside."""
    return bind(erfinv_p, input)


def lgamma(input):
    """log |gamma(input)|, elementwise."""
    return bind(lgamma_p, input)


def digamma(input):
    """The derivative of lgamma, elementwise."""
    return bind(polygamma_p, input, n=0)


def polygamma(n, input):
    """The n-th derivative of digamma, elementwise."""
    return bind(polygamma_p, input, n=n)
