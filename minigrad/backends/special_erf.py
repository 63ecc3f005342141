"""The error function and its relatives on vectors; see special.py.

For float64 erf and erfc take rational functions, one for each interval (the coefficients of Sun's fdlibm, s_erf.c);
narrower dtypes take one rational function for erf and one polynomial for erfc, fitted for float32. GELU is made of the
latter, which is computed in float32 therefore.
"""

import math

import numpy as np

from minigrad.backends.selecting import chosen
from minigrad.backends.special_polynomials import horner

SQRT_HALF = math.sqrt(0.5)
SQRT_TWO_OVER_PI = math.sqrt(2 / math.pi)
TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)

# ----- erf(x) = x + x P(x^2) / Q(x^2) for |x| < 0.84375
SMALL_P = (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
           -5.77027029648944159157e-03, -2.37630166566501626084e-05)
SMALL_Q = (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
           1.32494738004321644526e-04, -3.96022827877536812320e-06)
# erf(x) = NEAR_ONE + P(x - 1) / Q(x - 1) for x < 1.25
NEAR_ONE = 8.45062911510467529297e-01
MIDDLE_P = (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
            3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
            -2.16637559486879084300e-03)
MIDDLE_Q = (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
            1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02)
# erfc(x) = e^(-x^2 - 0.5625 + P(1 / x^2) / Q(1 / x^2)) / x for x < 1 / 0.35, and beyond
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

# ----- float32: erf(x) = x P(x^2) / Q(x^2) for |x| < 3.92, beyond which it is 1
NARROW_P = (1.1283791459831576, 0.1905567676511255, 0.05276474802392961, 0.0037710480089804366,
            0.0002848252484338062, 2.0465243669559134e-06)
NARROW_Q = (1.0, 0.502209274182413, 0.11416774122229335, 0.014980189248522794, 0.0011635215604555444,
            3.805194296784405e-05)
# erfc(x) e^(x^2) (1 + 2 x) = P((x - 2) / (x + 2)) for x >= 0
NARROW_TAIL = (1.2769783934588659, -0.09276398086561852, -0.16603142486102632, 0.16405534705440372,
               -0.05420430086745219, -0.00805987724779805, 0.008631688755744514, 0.0013135287113267245,
               -0.0012299350593324807, -0.00040058312106353104)


def erf(xp, x):
    if x.dtype != np.float64:
        return erf_narrow(xp, x).astype(x.dtype)
    a = xp.minimum(xp.absolute(x), 6.0)
    y = chosen(xp, a < 1.25, NEAR_ONE + erf_middle(a), 1 - gaussian(xp, a, 1.0) * erfcx_far(xp, a))
    return chosen(xp, a < 0.84375, erf_small(x), xp.copysign(y, x))


def erf_narrow(xp, x):
    """erf as exact as float32 can hold it."""
    z = xp.minimum(xp.maximum(x.astype(np.float64), -3.92), 3.92)
    s = z * z
    z *= horner(s, NARROW_P)
    z /= horner(s, NARROW_Q)
    return xp.minimum(xp.maximum(z, -1.0), 1.0)


def erfc(xp, x):
    if x.dtype != np.float64:
        tail = tail_narrow(xp, xp.absolute(x.astype(np.float32)), 1.0)
        return chosen(xp, x < 0, 2 - tail, tail).astype(x.dtype)
    a = xp.minimum(xp.absolute(x), 30.0)
    middle = erf_middle(a)
    tail = gaussian(xp, a, 1.0) * erfcx_far(xp, a)
    near = a < 1.25
    positive = chosen(xp, near, 1 - NEAR_ONE - middle, tail)
    negative = chosen(xp, near, 1 + NEAR_ONE + middle, 2 - tail)
    return chosen(xp, a < 0.84375, erfc_small(xp, x), chosen(xp, x > 0, positive, negative))


def erf_small(x):
    """erf for |x| < 0.84375."""
    s = x * x
    return x + x * (horner(s, SMALL_P) / horner(s, SMALL_Q))


def erfc_small(xp, x):
    """erfc for |x| < 0.84375; above 0.25 in a form whose parts are exact."""
    rest = erf_small(x) - x
    return chosen(xp, x < 0.25, 1 - (x + rest), 0.5 - (x - 0.5 + rest))


def erf_middle(a):
    """erf - NEAR_ONE for 0.84375 <= a < 1.25."""
    s = a - 1
    return horner(s, MIDDLE_P) / horner(s, MIDDLE_Q)


def erfcx_far(xp, a):
    """erfc(a) e ** a**2 for a >= 1.25."""
    a = xp.maximum(a, 1.25)
    s = 1 / (a * a)
    ratio = chosen(xp, a < 1 / 0.35, horner(s, FAR_P) / horner(s, FAR_Q), horner(s, TAIL_P) / horner(s, TAIL_Q))
    return xp.exp(ratio - 0.5625) / a


def erfcx(xp, a):
    """erfc(a) e ** a**2 for a >= 0, float64."""
    bounded = xp.minimum(a, 2.0)
    near = chosen(xp, a < 0.84375, erfc_small(xp, bounded), 1 - NEAR_ONE - erf_middle(bounded))
    return chosen(xp, a < 1.25, near * xp.exp(bounded * bounded), erfcx_far(xp, a))


def gaussian(xp, a, factor):
    """e ** (-a * a * factor) for a factor of 1 or 0.5.

    The square is taken in two parts, of which the first is exact: rounded, it would show in the result's last digits.
    """
    shift = 4097.0 if a.dtype == np.float32 else 134217729.0
    high = a * shift
    high -= high - a
    low = (high - a) * (high + a)
    high *= high
    return xp.exp(high * -factor) * xp.exp(low * factor)


def tail_narrow(xp, a, factor):
    """erfc(a sqrt(factor)) for a >= 0 in float32; `factor` is 1 or 0.5."""
    a = xp.minimum(a, 15.0)
    result = gaussian(xp, a, factor)
    if factor != 1:
        a = a * math.sqrt(factor)
    result *= horner((a - 2) / (a + 2), NARROW_TAIL)
    result /= 1 + 2 * a
    return result


# ----- the normal distribution
def ndtr(xp, x):
    if x.dtype != np.float64:
        tail = tail_narrow(xp, xp.absolute(x.astype(np.float32)), 0.5) * 0.5
        return chosen(xp, x < 0, tail, 1 - tail).astype(x.dtype)
    tail = ndtr_tail(xp, xp.absolute(x))
    return chosen(xp, x < 0, tail, 1 - tail)


def ndtr_tail(xp, a):
    """The probability beyond a >= 0, float64."""
    a = xp.minimum(a, 40.0)
    return gaussian(xp, a, 0.5) * erfcx(xp, a * SQRT_HALF) * 0.5


def log_ndtr(xp, x):
    z = x.astype(np.float64)
    a = xp.absolute(z)
    low = xp.log(erfcx(xp, a * SQRT_HALF) * 0.5) - z * z * 0.5
    return chosen(xp, z < -1, low, xp.log1p(-chosen(xp, z < 0, 1 - ndtr_tail(xp, a), ndtr_tail(xp, a)))).astype(x.dtype)


def normal_hazard(xp, x):
    z = x.astype(np.float64)
    a = xp.absolute(z)
    high = gaussian(xp, xp.minimum(a, 40.0), 0.5) * (SQRT_TWO_OVER_PI / 2) / (1 - ndtr_tail(xp, a))
    return chosen(xp, z < 0, SQRT_TWO_OVER_PI / erfcx(xp, a * SQRT_HALF), high).astype(x.dtype)


# ----- the inverse, from the normal quantile (rational functions of Wichura 1988, algorithm AS 241)
CENTRE_P = (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
            4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3)
CENTRE_Q = (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
            3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3)
OUTER_P = (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
           1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4)
OUTER_Q = (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
           1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)
EDGE_P = (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
          2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7)
EDGE_Q = (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
          7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15)


def erfinv(xp, x):
    z = x.astype(np.float64)
    a = xp.absolute(z)
    q = a * 0.5
    s = 0.180625 - q * q
    centre = q * (horner(s, CENTRE_P) / horner(s, CENTRE_Q))
    rest = xp.maximum(1 - a, 2.0 ** -53)
    r = xp.sqrt(-xp.log(rest * 0.5))
    outer, edge = r - 1.6, r - 5
    tail = chosen(xp, r <= 5, horner(outer, OUTER_P) / horner(outer, OUTER_Q),
                    horner(edge, EDGE_P) / horner(edge, EDGE_Q))
    y = chosen(xp, a <= 0.85, centre, tail) * SQRT_HALF
    if x.dtype == np.float64:
        # one step of Newton's method for the last digits; erfc where its value is exact enough to tell
        error = chosen(xp, a < 0.5, erf(xp, y) - a, rest - erfc(xp, y))
        y = y - error * xp.exp(y * y) / TWO_OVER_SQRT_PI
    y = chosen(xp, a < 1, y, xp.where(a == 1, math.inf, math.nan))
    return xp.copysign(y, z).astype(x.dtype)
