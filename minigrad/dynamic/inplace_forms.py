"""In-place forms of operations that have one: the operation on the old value, written over it (see `writing`)."""

from minigrad.dynamic.writing import before_write, write
from minigrad.ops import (
    activations,
    arithmetic,
    comparison,
    diagonals,
    exponential,
    indexing,
    rounding,
    scans,
    selection,
    special_functions,
    trigonometry,
)
from minigrad.ops.matmul import addbmm, addmm, addmv, addr, baddbmm
from minigrad.ops.scatter import index_reduce, masked_fill, masked_scatter, scatter, scatter_add, scatter_reduce


class InplaceForms:
    """Each is described at the function whose name has no underscore."""

    __slots__ = ()

    # ----- arithmetic
    def abs_(self):
        return write(self, arithmetic.abs(before_write(self)), "abs_")

    def absolute_(self):
        return write(self, arithmetic.absolute(before_write(self)), "absolute_")

    def addcdiv_(self, tensor1, tensor2, *, value=1):
        result = arithmetic.addcdiv(before_write(self, tensor1, tensor2, value), tensor1, tensor2, value=value)
        return write(self, result, "addcdiv_")

    def addcmul_(self, tensor1, tensor2, *, value=1):
        result = arithmetic.addcmul(before_write(self, tensor1, tensor2, value), tensor1, tensor2, value=value)
        return write(self, result, "addcmul_")

    def copysign_(self, other):
        return write(self, arithmetic.copysign(before_write(self, other), other), "copysign_")

    def floor_divide_(self, other):
        return write(self, arithmetic.floor_divide(before_write(self, other), other), "floor_divide_")

    def fmod_(self, other):
        return write(self, arithmetic.fmod(before_write(self, other), other), "fmod_")

    def gcd_(self, other):
        return write(self, arithmetic.gcd(before_write(self, other), other), "gcd_")

    def heaviside_(self, values):
        return write(self, arithmetic.heaviside(before_write(self, values), values), "heaviside_")

    def hypot_(self, other):
        return write(self, arithmetic.hypot(before_write(self, other), other), "hypot_")

    def lcm_(self, other):
        return write(self, arithmetic.lcm(before_write(self, other), other), "lcm_")

    def lerp_(self, end, weight):
        return write(self, arithmetic.lerp(before_write(self, end, weight), end, weight), "lerp_")

    def reciprocal_(self):
        return write(self, arithmetic.reciprocal(before_write(self)), "reciprocal_")

    def remainder_(self, other):
        return write(self, arithmetic.remainder(before_write(self, other), other), "remainder_")

    def rsqrt_(self):
        return write(self, arithmetic.rsqrt(before_write(self)), "rsqrt_")

    def sgn_(self):
        return write(self, arithmetic.sgn(before_write(self)), "sgn_")

    def sign_(self):
        return write(self, arithmetic.sign(before_write(self)), "sign_")

    def sqrt_(self):
        return write(self, arithmetic.sqrt(before_write(self)), "sqrt_")

    def square_(self):
        return write(self, arithmetic.square(before_write(self)), "square_")

    # ----- exponential
    def exp_(self):
        return write(self, exponential.exp(before_write(self)), "exp_")

    def exp2_(self):
        return write(self, exponential.exp2(before_write(self)), "exp2_")

    def expm1_(self):
        return write(self, exponential.expm1(before_write(self)), "expm1_")

    def float_power_(self, exponent):
        return write(self, exponential.float_power(before_write(self, exponent), exponent), "float_power_")

    def log_(self):
        return write(self, exponential.log(before_write(self)), "log_")

    def log1p_(self):
        return write(self, exponential.log1p(before_write(self)), "log1p_")

    def log2_(self):
        return write(self, exponential.log2(before_write(self)), "log2_")

    def log10_(self):
        return write(self, exponential.log10(before_write(self)), "log10_")

    def logit_(self, eps=None):
        return write(self, exponential.logit(before_write(self), eps), "logit_")

    def pow_(self, exponent):
        return write(self, exponential.pow(before_write(self, exponent), exponent), "pow_")

    def sigmoid_(self):
        return write(self, exponential.sigmoid(before_write(self)), "sigmoid_")

    def xlogy_(self, other):
        return write(self, exponential.xlogy(before_write(self, other), other), "xlogy_")

    # ----- trigonometry
    def acos_(self):
        return write(self, trigonometry.acos(before_write(self)), "acos_")

    def acosh_(self):
        return write(self, trigonometry.acosh(before_write(self)), "acosh_")

    def arccos_(self):
        return write(self, trigonometry.arccos(before_write(self)), "arccos_")

    def arccosh_(self):
        return write(self, trigonometry.arccosh(before_write(self)), "arccosh_")

    def arcsin_(self):
        return write(self, trigonometry.arcsin(before_write(self)), "arcsin_")

    def arcsinh_(self):
        return write(self, trigonometry.arcsinh(before_write(self)), "arcsinh_")

    def arctan_(self):
        return write(self, trigonometry.arctan(before_write(self)), "arctan_")

    def arctan2_(self, other):
        return write(self, trigonometry.arctan2(before_write(self, other), other), "arctan2_")

    def arctanh_(self):
        return write(self, trigonometry.arctanh(before_write(self)), "arctanh_")

    def asin_(self):
        return write(self, trigonometry.asin(before_write(self)), "asin_")

    def asinh_(self):
        return write(self, trigonometry.asinh(before_write(self)), "asinh_")

    def atan_(self):
        return write(self, trigonometry.atan(before_write(self)), "atan_")

    def atan2_(self, other):
        return write(self, trigonometry.atan2(before_write(self, other), other), "atan2_")

    def atanh_(self):
        return write(self, trigonometry.atanh(before_write(self)), "atanh_")

    def cos_(self):
        return write(self, trigonometry.cos(before_write(self)), "cos_")

    def cosh_(self):
        return write(self, trigonometry.cosh(before_write(self)), "cosh_")

    def deg2rad_(self):
        return write(self, trigonometry.deg2rad(before_write(self)), "deg2rad_")

    def rad2deg_(self):
        return write(self, trigonometry.rad2deg(before_write(self)), "rad2deg_")

    def sin_(self):
        return write(self, trigonometry.sin(before_write(self)), "sin_")

    def sinc_(self):
        return write(self, trigonometry.sinc(before_write(self)), "sinc_")

    def sinh_(self):
        return write(self, trigonometry.sinh(before_write(self)), "sinh_")

    def tan_(self):
        return write(self, trigonometry.tan(before_write(self)), "tan_")

    def tanh_(self):
        return write(self, trigonometry.tanh(before_write(self)), "tanh_")

    # ----- comparison
    def bitwise_and_(self, other):
        return write(self, comparison.bitwise_and(before_write(self, other), other), "bitwise_and_")

    def bitwise_left_shift_(self, other):
        return write(self, comparison.bitwise_left_shift(before_write(self, other), other), "bitwise_left_shift_")

    def bitwise_not_(self):
        return write(self, comparison.bitwise_not(before_write(self)), "bitwise_not_")

    def bitwise_or_(self, other):
        return write(self, comparison.bitwise_or(before_write(self, other), other), "bitwise_or_")

    def bitwise_right_shift_(self, other):
        return write(self, comparison.bitwise_right_shift(before_write(self, other), other), "bitwise_right_shift_")

    def bitwise_xor_(self, other):
        return write(self, comparison.bitwise_xor(before_write(self, other), other), "bitwise_xor_")

    def eq_(self, other):
        return write(self, comparison.eq(before_write(self, other), other), "eq_")

    def ge_(self, other):
        return write(self, comparison.ge(before_write(self, other), other), "ge_")

    def greater_(self, other):
        return write(self, comparison.greater(before_write(self, other), other), "greater_")

    def greater_equal_(self, other):
        return write(self, comparison.greater_equal(before_write(self, other), other), "greater_equal_")

    def gt_(self, other):
        return write(self, comparison.gt(before_write(self, other), other), "gt_")

    def le_(self, other):
        return write(self, comparison.le(before_write(self, other), other), "le_")

    def less_(self, other):
        return write(self, comparison.less(before_write(self, other), other), "less_")

    def less_equal_(self, other):
        return write(self, comparison.less_equal(before_write(self, other), other), "less_equal_")

    def logical_and_(self, other):
        return write(self, comparison.logical_and(before_write(self, other), other), "logical_and_")

    def logical_not_(self):
        return write(self, comparison.logical_not(before_write(self)), "logical_not_")

    def logical_or_(self, other):
        return write(self, comparison.logical_or(before_write(self, other), other), "logical_or_")

    def logical_xor_(self, other):
        return write(self, comparison.logical_xor(before_write(self, other), other), "logical_xor_")

    def lt_(self, other):
        return write(self, comparison.lt(before_write(self, other), other), "lt_")

    def ne_(self, other):
        return write(self, comparison.ne(before_write(self, other), other), "ne_")

    def not_equal_(self, other):
        return write(self, comparison.not_equal(before_write(self, other), other), "not_equal_")

    # ----- rounding
    def ceil_(self):
        return write(self, rounding.ceil(before_write(self)), "ceil_")

    def fix_(self):
        return write(self, rounding.fix(before_write(self)), "fix_")

    def floor_(self):
        return write(self, rounding.floor(before_write(self)), "floor_")

    def frac_(self):
        return write(self, rounding.frac(before_write(self)), "frac_")

    def round_(self, *, decimals=0):
        return write(self, rounding.round(before_write(self), decimals=decimals), "round_")

    def trunc_(self):
        return write(self, rounding.trunc(before_write(self)), "trunc_")

    # ----- selection
    def clamp_(self, min=None, max=None):
        return write(self, selection.clamp(before_write(self, min, max), min, max), "clamp_")

    def clamp_max_(self, max):
        return write(self, selection.clamp_max(before_write(self, max), max), "clamp_max_")

    def clamp_min_(self, min):
        return write(self, selection.clamp_min(before_write(self, min), min), "clamp_min_")

    def clip_(self, min=None, max=None):
        return write(self, selection.clip(before_write(self, min, max), min, max), "clip_")

    def nan_to_num_(self, nan=0.0, posinf=None, neginf=None):
        return write(self, selection.nan_to_num(before_write(self), nan, posinf, neginf), "nan_to_num_")

    # ----- activations
    def relu_(self):
        return write(self, activations.relu(before_write(self)), "relu_")

    # ----- special functions
    def digamma_(self):
        return write(self, special_functions.digamma(before_write(self)), "digamma_")

    def erf_(self):
        return write(self, special_functions.erf(before_write(self)), "erf_")

    def erfc_(self):
        return write(self, special_functions.erfc(before_write(self)), "erfc_")

    def erfinv_(self):
        return write(self, special_functions.erfinv(before_write(self)), "erfinv_")

    def lgamma_(self):
        return write(self, special_functions.lgamma(before_write(self)), "lgamma_")

    def polygamma_(self, n):
        return write(self, special_functions.polygamma(n, before_write(self)), "polygamma_")

    # ----- scans
    def cumprod_(self, dim, *, dtype=None):
        return write(self, scans.cumprod(before_write(self), dim, dtype=dtype), "cumprod_")

    def cumsum_(self, dim, *, dtype=None):
        return write(self, scans.cumsum(before_write(self), dim, dtype=dtype), "cumsum_")

    # ----- indexing
    def index_add_(self, dim, index, source, *, alpha=1):
        result = indexing.index_add(before_write(self, source), dim, index, source, alpha=alpha)
        return write(self, result, "index_add_")

    def index_copy_(self, dim, index, source):
        return write(self, indexing.index_copy(before_write(self, source), dim, index, source), "index_copy_")

    def index_fill_(self, dim, index, value):
        return write(self, indexing.index_fill(before_write(self, value), dim, index, value), "index_fill_")

    def index_put_(self, indices, values, accumulate=False):
        return write(self, indexing.index_put(before_write(self, values), indices, values, accumulate), "index_put_")

    def put_(self, index, source, accumulate=False):
        return write(self, indexing.put(before_write(self, source), index, source, accumulate), "put_")

    # ----- scatter
    def index_reduce_(self, dim, index, source, reduce, *, include_self=True):
        result = index_reduce(before_write(self, source), dim, index, source, reduce, include_self=include_self)
        return write(self, result, "index_reduce_")

    def masked_fill_(self, mask, value):
        return write(self, masked_fill(before_write(self, value), mask, value), "masked_fill_")

    def masked_scatter_(self, mask, source):
        return write(self, masked_scatter(before_write(self, source), mask, source), "masked_scatter_")

    def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
        result = scatter(before_write(self, src, value), dim, index, src, value=value, reduce=reduce)
        return write(self, result, "scatter_")

    def scatter_add_(self, dim, index, src):
        return write(self, scatter_add(before_write(self, src), dim, index, src), "scatter_add_")

    def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
        result = scatter_reduce(before_write(self, src), dim, index, src, reduce, include_self=include_self)
        return write(self, result, "scatter_reduce_")

    # ----- diagonals
    def tril_(self, diagonal=0):
        return write(self, diagonals.tril(before_write(self), diagonal), "tril_")

    def triu_(self, diagonal=0):
        return write(self, diagonals.triu(before_write(self), diagonal), "triu_")

    # ----- matmul
    def addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
        result = addbmm(before_write(self, batch1, batch2), batch1, batch2, beta=beta, alpha=alpha)
        return write(self, result, "addbmm_")

    def addmm_(self, mat1, mat2, *, beta=1, alpha=1):
        return write(self, addmm(before_write(self, mat1, mat2), mat1, mat2, beta=beta, alpha=alpha), "addmm_")

    def addmv_(self, mat, vec, *, beta=1, alpha=1):
        return write(self, addmv(before_write(self, mat, vec), mat, vec, beta=beta, alpha=alpha), "addmv_")

    def addr_(self, vec1, vec2, *, beta=1, alpha=1):
        return write(self, addr(before_write(self, vec1, vec2), vec1, vec2, beta=beta, alpha=alpha), "addr_")

    def baddbmm_(self, batch1, batch2, *, beta=1, alpha=1):
        result = baddbmm(before_write(self, batch1, batch2), batch1, batch2, beta=beta, alpha=alpha)
        return write(self, result, "baddbmm_")
