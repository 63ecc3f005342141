"""Special functions that array libraries lack, in terms of those that they have: results never depend on what else is
installed, and are the same on every device.

Each takes the namespace `xp` and an array of any float dtype and returns an array of that dtype. float64 is computed
to about 2 units in the last place, and narrower dtypes as well as they can hold. On the CPU the work is done in blocks
that stay in the cache, because a formula takes many passes over its operand.
"""

import numpy as np

from minigrad.backends import special_bessel, special_erf, special_gamma

# elements in a block: its temporaries stay in the cache, and the calls of Python are few beside them
BLOCK = 1 << 14


def in_blocks(function, xp, x):
    """function(xp, x) for a function of vectors, in blocks on the CPU."""
    flat = x.reshape(-1)
    if xp is not np or flat.size <= BLOCK:
        return function(xp, flat).reshape(x.shape)
    y = np.empty_like(flat)
    for start in range(0, flat.size, BLOCK):
        y[start:start + BLOCK] = function(xp, flat[start:start + BLOCK])
    return y.reshape(x.shape)


def erf(xp, x):
    """The error function: 2 / sqrt(pi) times the integral of e ** -t**2 from 0 to x."""
    return in_blocks(special_erf.erf, xp, x)


def erfc(xp, x):
    """1 - erf(x), without cancellation for large x."""
    return in_blocks(special_erf.erfc, xp, x)


def erfinv(xp, x):
    """The inverse of erf: infinite at -1 and 1, NaN beyond."""
    return in_blocks(special_erf.erfinv, xp, x)


def ndtr(xp, x):
    """The standard normal distribution function, without cancellation for small x."""
    return in_blocks(special_erf.ndtr, xp, x)


def log_ndtr(xp, x):
    """The logarithm of `ndtr`, finite where that underflows."""
    return in_blocks(special_erf.log_ndtr, xp, x)


def normal_hazard(xp, x):
    """The derivative of `log_ndtr`: the standard normal density over its distribution function."""
    return in_blocks(special_erf.normal_hazard, xp, x)


def lgamma(xp, x):
    """log |gamma(x)|, infinite at 0, -1, -2, ..."""
    return in_blocks(special_gamma.lgamma, xp, x)


def polygamma(xp, n, x):
    """The n-th derivative of digamma, itself the derivative of lgamma; n from 0."""
    if n == 0:
        return in_blocks(special_gamma.digamma, xp, x)
    return in_blocks(special_gamma.Polygamma(n), xp, x)


def spherical_bessel(xp, n, x):
    """The spherical Bessel function of the first kind and order n; order 0 is sin(x) / x."""
    return in_blocks(special_bessel.SphericalBessel(n), xp, x)
