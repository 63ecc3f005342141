"""Methods of Tensors and graph Nodes that work element by element: one explicit line each."""

from minigrad.ops import (
    activations,
    arithmetic,
    comparison,
    exponential,
    rounding,
    selection,
    special_functions,
    trigonometry,
)
from minigrad.ops.operators import Operators


class NumberMethods(Operators):
    """Elementwise operations as methods; each is described at the function of the same name."""

    __slots__ = ()

    # ----- arithmetic
    def abs(self):
        return arithmetic.abs(self)

    def absolute(self):
        return arithmetic.absolute(self)

    def add(self, other, *, alpha=None):
        return arithmetic.add(self, other, alpha=alpha)

    def addcdiv(self, tensor1, tensor2, *, value=1):
        return arithmetic.addcdiv(self, tensor1, tensor2, value=value)

    def addcmul(self, tensor1, tensor2, *, value=1):
        return arithmetic.addcmul(self, tensor1, tensor2, value=value)

    def copysign(self, other):
        return arithmetic.copysign(self, other)

    def div(self, other, *, rounding_mode=None):
        return arithmetic.div(self, other, rounding_mode=rounding_mode)

    def divide(self, other, *, rounding_mode=None):
        return arithmetic.divide(self, other, rounding_mode=rounding_mode)

    def floor_divide(self, other):
        return arithmetic.floor_divide(self, other)

    def fmod(self, other):
        return arithmetic.fmod(self, other)

    def gcd(self, other):
        return arithmetic.gcd(self, other)

    def heaviside(self, values):
        return arithmetic.heaviside(self, values)

    def hypot(self, other):
        return arithmetic.hypot(self, other)

    def lcm(self, other):
        return arithmetic.lcm(self, other)

    def lerp(self, end, weight):
        return arithmetic.lerp(self, end, weight)

    def mul(self, other):
        return arithmetic.mul(self, other)

    def multiply(self, other):
        return arithmetic.multiply(self, other)

    def neg(self):
        return arithmetic.neg(self)

    def negative(self):
        return arithmetic.negative(self)

    def positive(self):
        return arithmetic.positive(self)

    def reciprocal(self):
        return arithmetic.reciprocal(self)

    def remainder(self, other):
        return arithmetic.remainder(self, other)

    def rsqrt(self):
        return arithmetic.rsqrt(self)

    def sgn(self):
        return arithmetic.sgn(self)

    def sign(self):
        return arithmetic.sign(self)

    def sqrt(self):
        return arithmetic.sqrt(self)

    def square(self):
        return arithmetic.square(self)

    def sub(self, other, *, alpha=None):
        return arithmetic.sub(self, other, alpha=alpha)

    def subtract(self, other, *, alpha=None):
        return arithmetic.subtract(self, other, alpha=alpha)

    def true_divide(self, other, *, rounding_mode=None):
        return arithmetic.true_divide(self, other, rounding_mode=rounding_mode)

    # ----- exponential
    def exp(self):
        return exponential.exp(self)

    def exp2(self):
        return exponential.exp2(self)

    def expm1(self):
        return exponential.expm1(self)

    def float_power(self, exponent):
        return exponential.float_power(self, exponent)

    def log(self):
        return exponential.log(self)

    def log1p(self):
        return exponential.log1p(self)

    def log2(self):
        return exponential.log2(self)

    def log10(self):
        return exponential.log10(self)

    def logaddexp(self, other):
        return exponential.logaddexp(self, other)

    def logaddexp2(self, other):
        return exponential.logaddexp2(self, other)

    def logit(self, eps=None):
        return exponential.logit(self, eps)

    def pow(self, exponent):
        return exponential.pow(self, exponent)

    def sigmoid(self):
        return exponential.sigmoid(self)

    def xlogy(self, other):
        return exponential.xlogy(self, other)

    # ----- trigonometry
    def acos(self):
        return trigonometry.acos(self)

    def acosh(self):
        return trigonometry.acosh(self)

    def arccos(self):
        return trigonometry.arccos(self)

    def arccosh(self):
        return trigonometry.arccosh(self)

    def arcsin(self):
        return trigonometry.arcsin(self)

    def arcsinh(self):
        return trigonometry.arcsinh(self)

    def arctan(self):
        return trigonometry.arctan(self)

    def arctan2(self, other):
        return trigonometry.arctan2(self, other)

    def arctanh(self):
        return trigonometry.arctanh(self)

    def asin(self):
        return trigonometry.asin(self)

    def asinh(self):
        return trigonometry.asinh(self)

    def atan(self):
        return trigonometry.atan(self)

    def atan2(self, other):
        return trigonometry.atan2(self, other)

    def atanh(self):
        return trigonometry.atanh(self)

    def cos(self):
        return trigonometry.cos(self)

    def cosh(self):
        return trigonometry.cosh(self)

    def deg2rad(self):
        return trigonometry.deg2rad(self)

    def rad2deg(self):
        return trigonometry.rad2deg(self)

    def sin(self):
        return trigonometry.sin(self)

    def sinc(self):
        return trigonometry.sinc(self)

    def sinh(self):
        return trigonometry.sinh(self)

    def tan(self):
        return trigonometry.tan(self)

    def tanh(self):
        return trigonometry.tanh(self)

    # ----- comparison
    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return comparison.allclose(self, other, rtol, atol, equal_nan)

    def bitwise_and(self, other):
        return comparison.bitwise_and(self, other)

    def bitwise_left_shift(self, other):
        return comparison.bitwise_left_shift(self, other)

    def bitwise_not(self):
        return comparison.bitwise_not(self)

    def bitwise_or(self, other):
        return comparison.bitwise_or(self, other)

    def bitwise_right_shift(self, other):
        return comparison.bitwise_right_shift(self, other)

    def bitwise_xor(self, other):
        return comparison.bitwise_xor(self, other)

    def eq(self, other):
        return comparison.eq(self, other)

    def equal(self, other):
        return comparison.equal(self, other)

    def ge(self, other):
        return comparison.ge(self, other)

    def greater(self, other):
        return comparison.greater(self, other)

    def greater_equal(self, other):
        return comparison.greater_equal(self, other)

    def gt(self, other):
        return comparison.gt(self, other)

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return comparison.isclose(self, other, rtol, atol, equal_nan)

    def isfinite(self):
        return comparison.isfinite(self)

    def isinf(self):
        return comparison.isinf(self)

    def isnan(self):
        return comparison.isnan(self)

    def isneginf(self):
        return comparison.isneginf(self)

    def isposinf(self):
        return comparison.isposinf(self)

    def le(self, other):
        return comparison.le(self, other)

    def less(self, other):
        return comparison.less(self, other)

    def less_equal(self, other):
        return comparison.less_equal(self, other)

    def logical_and(self, other):
        return comparison.logical_and(self, other)

    def logical_not(self):
        return comparison.logical_not(self)

    def logical_or(self, other):
        return comparison.logical_or(self, other)

    def logical_xor(self, other):
        return comparison.logical_xor(self, other)

    def lt(self, other):
        return comparison.lt(self, other)

    def ne(self, other):
        return comparison.ne(self, other)

    def not_equal(self, other):
        return comparison.not_equal(self, other)

    def signbit(self):
        return comparison.signbit(self)

    # ----- rounding
    def ceil(self):
        return rounding.ceil(self)

    def fix(self):
        return rounding.fix(self)

    def floor(self):
        return rounding.floor(self)

    def frac(self):
        return rounding.frac(self)

    def round(self, *, decimals=0):
        return rounding.round(self, decimals=decimals)

    def trunc(self):
        return rounding.trunc(self)

    # ----- selection
    def clamp(self, min=None, max=None):
        return selection.clamp(self, min, max)

    def clamp_max(self, max):
        return selection.clamp_max(self, max)

    def clamp_min(self, min):
        return selection.clamp_min(self, min)

    def clip(self, min=None, max=None):
        return selection.clip(self, min, max)

    def fmax(self, other):
        return selection.fmax(self, other)

    def fmin(self, other):
        return selection.fmin(self, other)

    def maximum(self, other):
        return selection.maximum(self, other)

    def minimum(self, other):
        return selection.minimum(self, other)

    def nan_to_num(self, nan=0.0, posinf=None, neginf=None):
        return selection.nan_to_num(self, nan, posinf, neginf)

    def where(self, condition, other):
        return selection.where(condition, self, other)

    # ----- activations
    def hardshrink(self, lambd=0.5):
        return activations.hardshrink(self, lambd)

    def prelu(self, weight):
        return activations.prelu(self, weight)

    def relu(self):
        return activations.relu(self)

    # ----- special functions
    def digamma(self):
        return special_functions.digamma(self)

    def erf(self):
        return special_functions.erf(self)

    def erfc(self):
        return special_functions.erfc(self)

    def erfinv(self):
        return special_functions.erfinv(self)

    def lgamma(self):
        return special_functions.lgamma(self)

    def polygamma(self, n):
        return special_functions.polygamma(n, self)
