"""Special functions: erf, gamma and their relatives. The numeric forms are in backends/special.

PyTorch: torch.special, and torch itself for the commonest.
"""

import math
from operator import index

from minigrad.backends import special
from minigrad.core.dispatch import bind
from minigrad.errors import InvalidArgumentError
from minigrad.ops.elementwise import elementwise
from minigrad.ops.exponential import exp, log
from minigrad.ops.promotion import to_float

__all__ = ["digamma", "entr", "erf", "erfc", "erfinv", "gammaln", "lgamma", "log_ndtr", "ndtr", "polygamma", "psi",
           "spherical_bessel"]

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)
ONE_OVER_SQRT_TWO_PI = 1 / math.sqrt(2 * math.pi)


# ----- the error function and the normal distribution
def erf_kernel(xp, x):
    return special.erf(xp, x)


def erf_vjp(g, y, x):
    return g * (exp(-(x * x)) * TWO_OVER_SQRT_PI)


def erfc_kernel(xp, x):
    return special.erfc(xp, x)


def erfc_vjp(g, y, x):
    return g * (exp(-(x * x)) * -TWO_OVER_SQRT_PI)


def erfinv_kernel(xp, x):
    return special.erfinv(xp, x)


def erfinv_vjp(g, y, x):
    return g * (exp(y * y) / TWO_OVER_SQRT_PI)


def ndtr_kernel(xp, x):
    return special.ndtr(xp, x)


def ndtr_vjp(g, y, x):
    return g * (exp(x * x * -0.5) * ONE_OVER_SQRT_TWO_PI)


def log_ndtr_kernel(xp, x):
    return special.log_ndtr(xp, x)


def log_ndtr_vjp(g, y, x):
    return g * bind(normal_hazard_p, x)


def normal_hazard_kernel(xp, x):
    return special.normal_hazard(xp, x)


def normal_hazard_vjp(g, y, x):
    return -g * (y * (x + y))


erf_p = elementwise("erf", erf_kernel, (erf_vjp,), ({0},), promote=to_float)
erfc_p = elementwise("erfc", erfc_kernel, (erfc_vjp,), ({0},), promote=to_float)
erfinv_p = elementwise("erfinv", erfinv_kernel, (erfinv_vjp,), ({"y"},), promote=to_float)
ndtr_p = elementwise("ndtr", ndtr_kernel, (ndtr_vjp,), ({0},), promote=to_float)
log_ndtr_p = elementwise("log_ndtr", log_ndtr_kernel, (log_ndtr_vjp,), ({0},), promote=to_float)
normal_hazard_p = elementwise("normal_hazard", normal_hazard_kernel, (normal_hazard_vjp,), ({"y", 0},),
                              promote=to_float)


# ----- the gamma function
def lgamma_kernel(xp, x):
    return special.lgamma(xp, x)


def lgamma_vjp(g, y, x):
    return g * digamma(x)


def polygamma_kernel(xp, x, *, n):
    return special.polygamma(xp, n, x)


def polygamma_vjp(g, y, x, *, n):
    return g * polygamma(n + 1, x)


lgamma_p = elementwise("lgamma", lgamma_kernel, (lgamma_vjp,), ({0},), promote=to_float)
polygamma_p = elementwise("polygamma", polygamma_kernel, (polygamma_vjp,), ({0},), promote=to_float)


# ----- entropy
def entr_kernel(xp, x):
    return xp.where(x == 0, 0, xp.where(x < 0, -math.inf, -x * xp.log(x)))


def entr_vjp(g, y, x):
    return g * (-log(x) - 1)


entr_p = elementwise("entr", entr_kernel, (entr_vjp,), ({0},), promote=to_float)


# ----- sin(x) / x and its derivatives
def spherical_bessel_kernel(xp, x, *, n):
    return special.spherical_bessel(xp, n, x)


def spherical_bessel_vjp(g, y, x, *, n):
    if n == 0:
        return -g * spherical_bessel(1, x)
    return g * ((spherical_bessel(n - 1, x) * n - spherical_bessel(n + 1, x) * (n + 1)) / (2 * n + 1))


spherical_bessel_p = elementwise("spherical_bessel", spherical_bessel_kernel, (spherical_bessel_vjp,), ({0},),
                                 promote=to_float)


def erf(input):
    """The error function, elementwise: 2 / sqrt(pi) times the integral of e ** -t**2 from 0 to input."""
    return bind(erf_p, input)


def erfc(input):
    """1 - erf(input), elementwise, exact where that is tiny."""
    return bind(erfc_p, input)


def erfinv(input):
    """The inverse of erf, elementwise; infinite at -1 and 1, NaN outside."""
    return bind(erfinv_p, input)


def ndtr(input):
    """The probability that a standard normal number is at most `input`, elementwise; exact where that is tiny."""
    return bind(ndtr_p, input)


def log_ndtr(input):
    """log(ndtr(input)), elementwise, without underflow."""
    return bind(log_ndtr_p, input)


def lgamma(input):
    """log |gamma(input)|, elementwise."""
    return bind(lgamma_p, input)


gammaln = lgamma


def digamma(input):
    """The derivative of lgamma, elementwise; NaN at -1, -2, ..."""
    return bind(polygamma_p, input, n=0)


psi = digamma


def polygamma(n, input):
    """The n-th derivative of digamma, elementwise.

    Raises:
        InvalidArgumentError: `n` is negative, or beyond 150, where the results leave the range of floats.
    """
    n = index(n)
    if not 0 <= n <= 150:
        raise InvalidArgumentError(f"polygamma: n must be from 0 to 150, not {n}")
    return bind(polygamma_p, input, n=n)


def entr(input):
    """-input * log(input), elementwise: 0 at 0, -inf below. PyTorch: torch.special.entr."""
    return bind(entr_p, input)


def spherical_bessel(n, input):
    """The spherical Bessel function of the first kind and order n, elementwise; order 0 is sin(input) / input."""
    return bind(spherical_bessel_p, input, n=n)
