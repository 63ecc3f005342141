"""The logarithm of the gamma function and its derivatives on vectors; see special.py.

Small arguments are moved by the recurrence into an interval where a polynomial fits, large ones take Stirling's
series, negative ones the reflection formula (there, near the zeros, only the absolute error is small).
"""

import math

import numpy as np

from minigrad.backends.selecting import chosen
from minigrad.backends.special_polynomials import horner

# where Stirling's series is exact enough
LARGE = 8
HALF_LOG_TWO_PI = 0.9189385332046727418
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400, 43867 / 244188)
# lgamma(2 + t) / t for |t| <= 0.5
NEAR_TWO = (0.42278433509846713, 0.3224670334241132, -0.06735230105319809, 0.02058080842778463, -0.007385551028674025,
            0.0028905103307344045, -0.0011927539116998527, 0.0005096695250241955, -0.00022315475858818615,
            9.94575066878814e-05, -4.4926233820610826e-05, 2.0507291996563825e-05, -9.439526202058818e-06,
            4.374223481082048e-06, -2.0389077825677104e-06, 9.584207048594987e-07, -4.508168225446838e-07,
            2.0193835401136915e-07, -9.558178101635195e-08, 6.472569840064724e-08, -3.085985478390577e-08)


def lgamma(xp, x):
    z = x.astype(np.float64)
    reflected = z < 0
    p = chosen(xp, reflected, 1 - z, z)
    y = chosen(xp, p < LARGE, lgamma_small(xp, xp.minimum(p, LARGE)), lgamma_large(xp, xp.maximum(p, LARGE)))
    # gamma(z) gamma(1 - z) = pi / sin(pi z)
    sine = xp.sin(math.pi * xp.absolute(z - xp.round(z)))
    y = chosen(xp, reflected, math.log(math.pi) - xp.log(sine) - y, y)
    return chosen(xp, xp.isinf(z) | (reflected & (sine == 0)), math.inf, y).astype(x.dtype)


def lgamma_small(xp, p):
    """lgamma for 0 <= p <= LARGE: a polynomial in t, and the logarithm of the factors that lead to 2 + t."""
    low, near_one = p < 0.5, (p >= 0.5) & (p < 1.5)
    t = chosen(xp, low, p, chosen(xp, near_one, p - 1, p - 2))
    product = chosen(xp, low, p * (1 + p), 1.0)
    for _ in range(LARGE - 2):
        above = t > 0.5
        product = chosen(xp, above, product * (t + 1), product)
        t = chosen(xp, above, t - 1, t)
    logarithm = chosen(xp, near_one, xp.log1p(chosen(xp, near_one, t, 0.0)), xp.log(product))
    return t * horner(t, NEAR_TWO) + chosen(xp, p < 1.5, -logarithm, logarithm)


def lgamma_large(xp, p):
    """lgamma for p >= LARGE, by Stirling's series."""
    s = 1 / (p * p)
    return (p - 0.5) * (xp.log(p) - 1) + (HALF_LOG_TWO_PI - 0.5) + horner(s, STIRLING) / p


# ----- digamma
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160, 43867 / 14364)
# its positive zero, in two parts, and digamma(x) / (x - zero) around 1.5 for 1 <= x <= 2
ZERO_HIGH, ZERO_LOW = 1.4616321449683622, 9.549995429965697e-17
NEAR_ZERO = (0.9510558760318328, -0.4236274212814606, 0.24054248424078697, -0.14840492305388092, 0.09498872445289039,
             -0.06192213327548831, 0.040760833940846085, -0.026975796659787055, 0.017907248317313294,
             -0.011908220105959716, 0.007927021796868154, -0.005279937255532708, 0.003518106563802472,
             -0.0023454947398380833, 0.0015633696313653504, -0.0010364584817312839, 0.0006909255761282986,
             -0.00048595039220036254, 0.00032395945401345196, -0.00014480643368061614, 9.653646261410062e-05,
             -0.0001782188548855923, 0.00011881232908510335)


def digamma(xp, x):
    z = x.astype(np.float64)
    reflected = z < 0
    p = chosen(xp, reflected, 1 - z, z)
    y = chosen(xp, p < LARGE, digamma_small(xp, xp.minimum(p, LARGE)), digamma_large(xp, xp.maximum(p, LARGE)))
    # digamma(1 - z) - digamma(z) = pi / tan(pi z)
    part = z - xp.round(z)
    y = chosen(xp, reflected, y - math.pi / xp.tan(math.pi * part), y)
    y = chosen(xp, reflected & (part == 0), math.nan, y)
    y = chosen(xp, z == 0, xp.copysign(math.inf, -z), y)
    return chosen(xp, z == math.inf, math.inf, y).astype(x.dtype)


def digamma_small(xp, p):
    """digamma for 0 < p <= LARGE."""
    y = chosen(xp, p < 1, -1 / p, 0.0)
    q = chosen(xp, p < 1, p + 1, p)
    for _ in range(LARGE - 1):
        above = q > 2
        q = chosen(xp, above, q - 1, q)
        y = chosen(xp, above, y + 1 / q, y)
    return ((q - ZERO_HIGH) - ZERO_LOW) * horner(q - 1.5, NEAR_ZERO) + y


def digamma_large(xp, p):
    """digamma for p >= LARGE, by its asymptotic series."""
    s = 1 / (p * p)
    return xp.log(p) - 0.5 / p - s * horner(s, DIGAMMA)


# ----- polygamma
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


class Polygamma:
    """The function of vectors that is the n-th derivative of digamma, n >= 1."""

    def __init__(self, n):
        self.n = n

    def __call__(self, xp, x):
        n = self.n
        z = x.astype(np.float64)
        reflected = z < 0
        p = chosen(xp, reflected, 1 - z, z)
        y = hurwitz(xp, n + 1, p) * math.factorial(n)
        # digamma(1 - z) - digamma(z) = pi / tan(pi z), n times differentiated
        part = z - xp.round(z)
        cotangent = 1 / xp.tan(math.pi * part)
        mirrored = horner(cotangent, cotangent_derivative(n)) * math.pi ** (n + 1)
        y = chosen(xp, reflected, -y - mirrored if n % 2 == 0 else -mirrored - y, y if n % 2 else -y)
        pole = (part == 0) & (z <= 0)
        return chosen(xp, pole, math.inf if n % 2 else -math.inf, y).astype(x.dtype)


def hurwitz(xp, s, p):
    """The sum of (p + k) ** -s over k >= 0 for p >= 0: some terms, and the Euler-Maclaurin tail."""
    q = p
    y = xp.zeros_like(p)
    enough = 8 + s
    for _ in range(enough):
        below = q < enough
        y = y + chosen(xp, below, q ** -float(s), 0.0)
        q = chosen(xp, below, q + 1, q)
    power = q ** (1.0 - s)
    y = y + power / (s - 1) + 0.5 * power / q
    factor = float(s)
    for index, b in enumerate(BERNOULLI):
        k = 2 * (index + 1)
        power = power / q if index == 0 else power
        power = power / q if index == 0 else power / (q * q)
        y = y + b / math.factorial(k) * factor * power
        factor = factor * (s + k - 1) * (s + k)
    return y


def cotangent_derivative(n):
    """Coefficients of the polynomial in cot(t) that is the n-th derivative of cot(t), constant first."""
    polynomial = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(polynomial)][1:]
        # the derivative of cot is -1 - cot^2
        polynomial = [-a - b for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    return [float(c) for c in polynomial]
