"""Special functions that array libraries lack, in terms of those that they have: results never depend on what else is
installed, and are the same on every device.

Each takes the namespace `xp` and an array of any float dtype, computes in float64 and returns the array's dtype.
"""

import math

import numpy as np

LOG_SQRT_2PI = 0.9189385332046727418


def in_double(xp, x):
    """`x` as float64."""
    return x.astype(np.float64)


def horner(x, coefficients):
    """The polynomial with these coefficients, constant first."""
    result = x * 0 + coefficients[-1]
    for c in coefficients[-2::-1]:
        result = result * x + c
    return result


# ----- the error function (rational forms of Sun's fdlibm: one for each interval)
SMALL_P = (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
           -5.77027029648944159157e-03, -2.37630166566501626084e-05)
SMALL_Q = (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
           1.32494738004321644526e-04, -3.96022827877536812320e-06)
NEAR_ONE = 8.45062911510467529297e-01
MIDDLE_P = (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
            3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
            -2.16637559486879084300e-03)
MIDDLE_Q = (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
            1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02)
FAR_P = (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
         -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
         -8.12874355063065934246e+01, -9.81432934416914548592e+00)
FAR_Q = (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
         6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
         6.57024977031928170135e+00, -6.04244152148580987438e-02)
TAIL_P = (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
          -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
          -4.83519191608651397019e+02)
TAIL_Q = (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
          3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
          -2.24409524465858183362e+01)


def erf(xp, x):
    """The error function."""
    z = in_double(xp, x)
    a = xp.absolute(z)
    inner = erf_inner(z)
    outer = xp.where(a < 1.25, NEAR_ONE + erf_middle(a), 1 - erfc_tail(xp, a))
    y = xp.where(a < 0.84375, inner, xp.copysign(outer, z))
    return xp.where(xp.isnan(z), z, y).astype(x.dtype)


def erfc(xp, x):
    """1 - erf(x), without cancellation for large x."""
    z = in_double(xp, x)
    a = xp.absolute(z)
    middle = erf_middle(a)
    tail = erfc_tail(xp, a)
    positive = xp.where(a < 1.25, 1 - NEAR_ONE - middle, tail)
    negative = xp.where(a < 1.25, 1 + NEAR_ONE + middle, 2 - tail)
    small = xp.where(z < 0.25, 1 - erf_inner(z), 0.5 - (z - 0.5 + (erf_inner(z) - z)))
    y = xp.where(a < 0.84375, small, xp.where(z > 0, positive, negative))
    return xp.where(xp.isnan(z), z, y).astype(x.dtype)


def erf_inner(z):
    """erf for |z| < 0.84375."""
    s = z * z
    return z + z * (horner(s, SMALL_P) / horner(s, SMALL_Q))


def erf_middle(a):
    """erf - NEAR_ONE for 0.84375 <= a < 1.25."""
    s = a - 1
    return horner(s, MIDDLE_P) / horner(s, MIDDLE_Q)


def erfc_tail(xp, a):
    """erfc for a >= 1.25."""
    a = xp.minimum(xp.maximum(a, 1.25), 30.0)
    s = 1 / (a * a)
    ratio = xp.where(a < 1 / 0.35, horner(s, FAR_P) / horner(s, FAR_Q), horner(s, TAIL_P) / horner(s, TAIL_Q))
    # e ** (-a * a) with the square split in two parts, so that its rounding does not show in the exponent
    high = a.astype(np.float32).astype(np.float64)
    return xp.exp(-high * high - 0.5625) * xp.exp((high - a) * (high + a) + ratio) / a


def erfinv(xp, x):
    """The inverse of erf: a closed start, and Newton steps on erfc where that is small."""
    z = in_double(xp, x)
    a = xp.absolute(z)
    inside = xp.minimum(a, 1 - 2.0 ** -53)
    # Winitzki's approximation
    log_term = xp.log1p(-inside * inside)
    first = 2 / (math.pi * 0.147) + log_term / 2
    y = xp.sqrt(xp.sqrt(first * first - log_term / 0.147) - first)
    for _ in range(3):
        error = xp.where(inside < 0.5, erf(xp, y) - inside, (1 - inside) - erfc(xp, y))
        step = error * (math.sqrt(math.pi) / 2) * xp.exp(y * y)
        y = y - step / (1 + y * step)
    y = xp.where(a < 1, xp.copysign(y, z), xp.where(a == 1, xp.copysign(math.inf, z), math.nan))
    return xp.where(z == 0, z, y).astype(x.dtype)


# ----- the gamma function: upwards by recurrence, then Stirling's series
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
LARGE = 12.0


def lgamma(xp, x):
    """log |gamma(x)|."""
    z = in_double(xp, x)
    reflected = z < 0.5
    p = xp.where(reflected, 1 - z, z)
    y = lgamma_positive(xp, p)
    part = xp.absolute(z - xp.round(z))
    mirrored = math.log(math.pi) - xp.log(xp.sin(math.pi * part)) - y
    y = xp.where(reflected, mirrored, y)
    y = xp.where(reflected & (z == xp.floor(z)), math.inf, y)
    return xp.where(xp.isinf(z), math.inf, xp.where(xp.isnan(z), z, y)).astype(x.dtype)


def lgamma_positive(xp, p):
    """lgamma for p >= 0.5; between 0.5 and 2.5 by the Taylor series at 1 and 2, which is exact at its zeros."""
    shift = p * 0
    q = p
    for _ in range(int(LARGE)):
        below = q < LARGE
        shift = shift + xp.where(below, xp.log(xp.where(below, q, 1.0)), 0.0)
        q = xp.where(below, q + 1, q)
    s = 1 / (q * q)
    asymptotic = (q - 0.5) * xp.log(q) - q + LOG_SQRT_2PI + horner(s, STIRLING) / q - shift
    t = xp.where(p < 1.5, p - 1, p - 2)
    series = lgamma_near_one(t)
    near_two = series + xp.log1p(xp.where(p < 1.5, 0.0, t))
    near = xp.absolute(t) <= 0.3
    return xp.where(near, xp.where(p < 1.5, series, near_two), asymptotic)


# zeta(n) / n for n from 2: the coefficients of log gamma(1 + t), with alternating signs
ZETA_OVER_N = (0.8224670334241132, 0.40068563438653143, 0.27058080842778454, 0.20738555102867398, 0.1695571769974082,
               0.1440498967688461, 0.12550966952474304, 0.11133426586956469, 0.1000994575127818, 0.09095401714582904,
               0.08335384054610900, 0.07693251641135220, 0.07143294629536134, 0.06666870588242047, 0.06250095514121304,
               0.05882397865868458, 0.05555576762740361, 0.05263167937961666, 0.05000004769810169, 0.04761907032889650)
EULER = 0.57721566490153286061


def lgamma_near_one(t):
    """log gamma(1 + t) for |t| <= 0.3."""
    result = t * 0
    for index in range(len(ZETA_OVER_N) - 1, -1, -1):
        sign = 1 if index % 2 == 0 else -1
        result = result * t + sign * ZETA_OVER_N[index]
    return t * (t * result - EULER)


def digamma(xp, x):
    """The derivative of lgamma."""
    z = in_double(xp, x)
    reflected = z < 0.5
    p = xp.where(reflected, 1 - z, z)
    y = p * 0
    for _ in range(int(LARGE)):
        below = p < LARGE
        y = y - xp.where(below, 1 / p, 0.0)
        p = xp.where(below, p + 1, p)
    s = 1 / (p * p)
    y = y + xp.log(p) - 0.5 / p - s * horner(s, DIGAMMA)
    part = z - xp.round(z)
    y = xp.where(reflected, y - math.pi / xp.tan(math.pi * part), y)
    pole = (z == xp.floor(z)) & (z <= 0)
    y = xp.where(pole, xp.where(z == 0, xp.copysign(math.inf, -z), math.nan), y)
    return xp.where(z == math.inf, math.inf, xp.where(z == -math.inf, math.nan, y)).astype(x.dtype)


def polygamma(xp, n, x):
    """The n-th derivative of digamma, n >= 1: (-1)^(n+1) n! times the sum of (x + k)^-(n+1)."""
    z = in_double(xp, x)
    if n == 1:
        reflected = z < 0.5
        p = xp.where(reflected, 1 - z, z)
        y = hurwitz(xp, 2, p)
        sine = xp.sin(math.pi * (z - xp.round(z)))
        y = xp.where(reflected, (math.pi / sine) ** 2 - y, y)
    else:
        y = hurwitz(xp, n + 1, z)
    sign = 1 if n % 2 else -1
    y = sign * math.factorial(n) * y
    pole = (z == xp.floor(z)) & (z <= 0)
    return xp.where(pole, math.inf if n % 2 else math.nan, y).astype(x.dtype)


def hurwitz(xp, s, p):
    """The sum of (p + k) ** -s over k >= 0, by a few terms and the Euler-Maclaurin tail."""
    y = p * 0
    q = p
    for _ in range(2 * int(LARGE)):
        below = q < LARGE
        y = y + xp.where(below, q ** -float(s), 0.0)
        q = xp.where(below, q + 1, q)
    y = y + q ** (1.0 - s) / (s - 1) + 0.5 * q ** -float(s)
    factor = float(s)
    for index, b in enumerate(BERNOULLI):
        k = 2 * (index + 1)
        y = y + b / math.factorial(k) * factor * q ** (1.0 - s - k)
        factor = factor * (s + k - 1) * (s + k)
    return y
