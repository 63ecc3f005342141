"""Samples of elementwise primitives: arithmetic, comparison, logic, exponentials, trigonometry, selection, rounding."""

import numpy as np

from minigrad.testing.domains import (
    BOOLEANS,
    EXTREMES,
    INTEGERS,
    POSITIVE,
    REAL,
    UNIT,
    WIDE,
    interval,
    whole,
)
from minigrad.testing.samples import ALL_DTYPES, FLOATS, NUMBERS, elementwise_row, operands_meet

# functions of a real number with NaN and infinities among the values, and a kink at zero
WIDE_NONZERO = interval(-3.0, 3.0, kinks=(0.0,), extremes=EXTREMES)
STEPS = interval(-2.5, 2.5, kinks=(-2.0, -1.0, 0.0, 1.0, 2.0), extremes=EXTREMES)
DIVISOR = interval(0.5, 3.0)


# ----- references
def rsqrt_reference(x):
    return 1 / np.sqrt(x)


def relu_reference(x):
    return np.where(np.isnan(x) | (x > 0), x, 0).astype(x.dtype)


def softplus_reference(x, *, beta, threshold):
    return np.where(x * beta > threshold, x, np.logaddexp(0.0, x * beta) / beta)


def softplus_bends(x, *, beta, threshold):
    return bool(np.any(np.abs(x * beta - threshold) < 0.05))


def hardtanh_reference(x, *, low, high):
    return np.clip(x, low, high)


def trunc_divide_reference(a, b):
    quotient = np.trunc(np.divide(a, b))
    whole_numbers = np.asarray(a).dtype.kind in "iu" and np.asarray(b).dtype.kind in "iu"
    return np.where(np.equal(b, 0), 0, quotient) if whole_numbers else quotient


def lerp_reference(a, b, w):
    return np.multiply(np.subtract(1, w), a) + np.multiply(w, b)


def polygamma_reference(x, *, n):
    from scipy.special import polygamma

    return polygamma(n, x)


def normal_hazard_reference(x):
    from scipy.special import log_ndtr

    return np.exp(-x * x / 2 - log_ndtr(x)) / np.sqrt(2 * np.pi)


def spherical_bessel_reference(x, *, n):
    from scipy.special import spherical_jn

    return np.sign(x) ** n * spherical_jn(n, np.abs(x))


def frac_reference(x):
    return np.modf(x)[0]


def leaky_relu_reference(x, *, slope):
    return np.where(x > 0, x, slope * x)


def elu_reference(x, *, alpha, scale, rate):
    return scale * np.where(x > 0, x, alpha * (np.exp(rate * x) - 1))


def clamp_reference(x, low, high):
    return np.minimum(np.maximum(x, low), high)


# ----- kinks that depend on two operands
def near_origin(a, b):
    return bool(np.any(np.hypot(a, b) < 0.1))


def near_branch_cut(a, b):
    """The angle jumps where a crosses 0 at negative b."""
    return near_origin(a, b) or bool(np.any(np.abs(np.broadcast_arrays(a, b)[0]) < 0.01))


def near_whole_quotient(a, b):
    quotient = np.divide(a, b)
    return bool(np.any(np.abs(quotient - np.round(quotient)) < 0.01))


def near_half(x, *, decimals):
    scaled = np.multiply(x, 10.0**decimals)
    return bool(np.any(np.abs(scaled - np.floor(scaled) - 0.5) < 0.01))


# ----- arithmetic
elementwise_row("add", WIDE, WIDE, oracle="numpy.add", dtypes=NUMBERS)
elementwise_row("sub", WIDE, WIDE, oracle="numpy.subtract", dtypes=NUMBERS)
elementwise_row("mul", WIDE, WIDE, oracle="numpy.multiply", dtypes=NUMBERS)
elementwise_row("div", WIDE, interval(0.5, 3.0, extremes=(0.0, *EXTREMES)), oracle="numpy.true_divide")
elementwise_row("neg", WIDE, oracle="numpy.negative", dtypes=NUMBERS)
elementwise_row("sqrt", interval(0.1, 4.0, extremes=(0.0, *EXTREMES)), oracle="numpy.sqrt")
elementwise_row("rsqrt", interval(0.2, 4.0, extremes=(0.0, *EXTREMES)), oracle=rsqrt_reference)
elementwise_row("square", WIDE, oracle="numpy.square", dtypes=NUMBERS)
elementwise_row("reciprocal", interval(0.3, 3.0, extremes=(0.0, *EXTREMES)), oracle="numpy.reciprocal")
elementwise_row("abs", WIDE_NONZERO, oracle="numpy.abs", dtypes=NUMBERS)
elementwise_row("sign", WIDE_NONZERO, oracle="numpy.sign", dtypes=NUMBERS)
elementwise_row("copysign", WIDE_NONZERO, WIDE_NONZERO, oracle="numpy.copysign")
elementwise_row("heaviside", WIDE_NONZERO, WIDE, oracle="numpy.heaviside", dtypes=NUMBERS)
elementwise_row("flat", WIDE, oracle="numpy.zeros_like", dtypes=NUMBERS)
elementwise_row("hypot", WIDE, WIDE, oracle="numpy.hypot", kinks=near_origin)
elementwise_row("floor_divide", REAL, DIVISOR, oracle="numpy.floor_divide", kinks=near_whole_quotient, dtypes=NUMBERS)
elementwise_row("trunc_divide", REAL, DIVISOR, oracle=trunc_divide_reference, kinks=near_whole_quotient, dtypes=NUMBERS)
elementwise_row("remainder", REAL, DIVISOR, oracle="numpy.remainder", kinks=near_whole_quotient, dtypes=NUMBERS)
elementwise_row("fmod", REAL, DIVISOR, oracle="numpy.fmod", kinks=near_whole_quotient, dtypes=NUMBERS)
elementwise_row("gcd", INTEGERS, INTEGERS, oracle="numpy.gcd", dtypes=("int64",))
elementwise_row("lcm", INTEGERS, INTEGERS, oracle="numpy.lcm", dtypes=("int64",))
elementwise_row("lerp", REAL, REAL, interval(-0.5, 1.5), oracle=lerp_reference)

# ----- exponentials and logarithms
elementwise_row("exp", WIDE, oracle="numpy.exp")
elementwise_row("exp2", WIDE, oracle="numpy.exp2")
elementwise_row("expm1", WIDE, oracle="numpy.expm1")
elementwise_row("log", interval(0.1, 3.0, extremes=(0.0, -1.0, *EXTREMES)), oracle="numpy.log")
elementwise_row("log2", interval(0.1, 3.0, extremes=(0.0, -1.0, *EXTREMES)), oracle="numpy.log2")
elementwise_row("log10", interval(0.1, 3.0, extremes=(0.0, -1.0, *EXTREMES)), oracle="numpy.log10")
elementwise_row("log1p", interval(-0.9, 3.0, extremes=(-1.0, -2.0, *EXTREMES)), oracle="numpy.log1p")
elementwise_row("logaddexp", WIDE, WIDE, oracle="numpy.logaddexp")
elementwise_row("logaddexp2", WIDE, WIDE, oracle="numpy.logaddexp2")
elementwise_row("sigmoid", interval(-5.0, 5.0, extremes=(1e8, -1e8, *EXTREMES)), oracle="scipy.special.expit")
elementwise_row("logsigmoid", interval(-5.0, 5.0, extremes=EXTREMES), oracle="scipy.special.log_expit")
elementwise_row("softplus", interval(-5.0, 5.0, extremes=EXTREMES), oracle=softplus_reference, kinks=softplus_bends,
                params={"beta": (1, 0.5, 2.0), "threshold": (20, 1.5, float("inf"))})
elementwise_row("logit", interval(0.02, 0.98, extremes=(0.0, 1.0, -1.0, 2.0, np.nan)), oracle="scipy.special.logit")
elementwise_row("xlog1py", REAL, interval(-0.8, 3.0), oracle="scipy.special.xlog1py")
elementwise_row("pow", POSITIVE, REAL, oracle="numpy.power")
elementwise_row("xlogy", REAL, POSITIVE, oracle="scipy.special.xlogy")

# ----- trigonometry
elementwise_row("sin", WIDE, oracle="numpy.sin")
elementwise_row("cos", WIDE, oracle="numpy.cos")
elementwise_row("tan", interval(-1.3, 1.3), oracle="numpy.tan")
elementwise_row("asin", interval(-0.95, 0.95, extremes=(1.0, -1.0, 2.0, np.nan)), oracle="numpy.arcsin")
elementwise_row("acos", interval(-0.95, 0.95, extremes=(1.0, -1.0, 2.0, np.nan)), oracle="numpy.arccos")
elementwise_row("atan", WIDE, oracle="numpy.arctan")
elementwise_row("atan2", WIDE, WIDE, oracle="numpy.arctan2", kinks=near_branch_cut)
elementwise_row("sinh", WIDE, oracle="numpy.sinh")
elementwise_row("cosh", WIDE, oracle="numpy.cosh")
elementwise_row("tanh", interval(-4.0, 4.0, extremes=EXTREMES), oracle="numpy.tanh")
elementwise_row("asinh", WIDE, oracle="numpy.arcsinh")
elementwise_row("acosh", interval(1.2, 4.0, extremes=(1.0, 0.0, np.nan, np.inf)), oracle="numpy.arccosh")
elementwise_row("atanh", interval(-0.9, 0.9, extremes=(1.0, -1.0, 2.0, np.nan)), oracle="numpy.arctanh")

# ----- special functions
elementwise_row("erf", WIDE, oracle="scipy.special.erf")
elementwise_row("erfc", WIDE, oracle="scipy.special.erfc")
elementwise_row("erfinv", UNIT, oracle="scipy.special.erfinv")
elementwise_row("lgamma", interval(0.3, 6.0), oracle="scipy.special.gammaln")
elementwise_row("polygamma", interval(0.5, 6.0), oracle=polygamma_reference, params={"n": (0, 1, 2, 3)})
elementwise_row("ndtr", WIDE, oracle="scipy.special.ndtr")
elementwise_row("log_ndtr", interval(-6.0, 4.0, extremes=(-1e4, np.nan, np.inf)), oracle="scipy.special.log_ndtr")
elementwise_row("normal_hazard", interval(-6.0, 4.0), oracle=normal_hazard_reference)
elementwise_row("entr", interval(0.1, 3.0, extremes=(0.0, -1.0, *EXTREMES)), oracle="scipy.special.entr")
elementwise_row("spherical_bessel", REAL, oracle=spherical_bessel_reference, params={"n": (0, 1, 2)})

# ----- rounding
elementwise_row("floor", STEPS, oracle="numpy.floor", dtypes=NUMBERS)
elementwise_row("ceil", STEPS, oracle="numpy.ceil", dtypes=NUMBERS)
elementwise_row("trunc", STEPS, oracle="numpy.trunc", dtypes=NUMBERS)
elementwise_row("frac", interval(-2.5, 2.5, kinks=(-2.0, -1.0, 0.0, 1.0, 2.0)), oracle=frac_reference)
elementwise_row("round", interval(-2.5, 2.5), oracle="numpy.round", params={"decimals": (0, 1)}, kinks=near_half,
                dtypes=("float64", "float32", "int64"))

# ----- choosing
elementwise_row("where", BOOLEANS, WIDE, WIDE, oracle="numpy.where", dtypes=NUMBERS)
elementwise_row("maximum", WIDE, WIDE, oracle="numpy.maximum", kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("minimum", WIDE, WIDE, oracle="numpy.minimum", kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("fmax", WIDE, WIDE, oracle="numpy.fmax", kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("fmin", WIDE, WIDE, oracle="numpy.fmin", kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("clamp_min", WIDE, REAL, oracle="numpy.maximum", kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("clamp_max", WIDE, REAL, oracle="numpy.minimum", kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("clamp", WIDE, REAL, REAL, oracle=clamp_reference, kinks=operands_meet, dtypes=NUMBERS)
elementwise_row("nan_to_num", WIDE, oracle="numpy.nan_to_num", params={
    "nan": (0.0, 1.5), "posinf": (None, 2.0), "neginf": (None, -2.0)})
elementwise_row("relu", WIDE_NONZERO, oracle=relu_reference, dtypes=NUMBERS)
elementwise_row("hardtanh", interval(-3.0, 7.0, kinks=(-1.0, 0.0, 2.0, 6.0), extremes=EXTREMES),
                oracle=hardtanh_reference, params={"low": (-1.0, 0), "high": (2.0, 6)})
elementwise_row("leaky_relu", WIDE_NONZERO, oracle=leaky_relu_reference, params={"slope": (0.01, 0.3)})
elementwise_row("elu", WIDE_NONZERO, oracle=elu_reference,
                params={"alpha": (1.0, 1.67), "scale": (1.0, 1.05), "rate": (1.0, 0.5)})

# ----- comparison and logic
for name, ufunc in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                    ("ge", "greater_equal")):
    elementwise_row(name, WIDE, WIDE, oracle=f"numpy.{ufunc}", dtypes=ALL_DTYPES)
for name in ("isnan", "isinf", "isfinite"):
    elementwise_row(name, WIDE, oracle=f"numpy.{name}", dtypes=ALL_DTYPES)
elementwise_row("signbit", WIDE, oracle="numpy.signbit", dtypes=(*FLOATS, "int64"))
for name in ("logical_and", "logical_or", "logical_xor"):
    elementwise_row(name, WIDE, WIDE, oracle=f"numpy.{name}", dtypes=ALL_DTYPES)
elementwise_row("logical_not", WIDE, oracle="numpy.logical_not", dtypes=ALL_DTYPES)
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    elementwise_row(name, INTEGERS, INTEGERS, oracle=f"numpy.{name}", dtypes=("int64",))
elementwise_row("bitwise_not", INTEGERS, oracle="numpy.bitwise_not", dtypes=("int64",))
elementwise_row("bitwise_left_shift", INTEGERS, whole(0, 8), oracle="numpy.left_shift", dtypes=("int64",))
elementwise_row("bitwise_right_shift", INTEGERS, whole(0, 8), oracle="numpy.right_shift", dtypes=("int64",))
