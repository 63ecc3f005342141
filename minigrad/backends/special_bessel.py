"""Spherical Bessel functions on vectors; see special.py.

They are what sin(x) / x turns into when it is differentiated, in a form that is exact at 0 too.
"""

import math

import numpy as np

from minigrad.backends.selecting import chosen
from minigrad.backends.special_polynomials import horner

SERIES_TERMS = 18


class SphericalBessel:
    """The function of vectors that is the spherical Bessel function of the first kind and order n."""

    def __init__(self, n):
        self.n = n

    def __call__(self, xp, x):
        z = x.astype(np.float64)
        edge = 0.8 * (self.n + 1)
        near = xp.absolute(z) < edge
        inner = series(self.n, chosen(xp, near, z, 0.0))
        outer = recurrence(xp, self.n, chosen(xp, near, edge, z))
        return chosen(xp, near, inner, outer).astype(x.dtype)


def series(n, z):
    """The power series at 0."""
    coefficient = 1.0 / math.prod(range(1, 2 * n + 2, 2))
    coefficients = []
    for k in range(SERIES_TERMS):
        coefficients.append(coefficient)
        coefficient = -coefficient / (2 * (k + 1) * (2 * (n + k + 1) + 1))
    result = horner(z * z, coefficients)
    for _ in range(n):
        result *= z
    return result


def recurrence(xp, n, z):
    """Upwards from the orders 0 and 1, for |z| that is not much smaller than n."""
    below, result = xp.cos(z) / z, xp.sin(z) / z
    for order in range(n):
        below, result = result, (2 * order + 1) / z * result - below
    return result
