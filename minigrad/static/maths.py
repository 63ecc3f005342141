"""Arithmetic, comparisons and reductions under TensorFlow 1.x's names."""

import numpy as np

from minigrad.core.dtypes import as_dtype, float32, int32, int64
from minigrad.errors import DtypeError, ShapeError
from minigrad.graph import Node, default_graph
from minigrad.graph.sources import constant_p, fill_p
from minigrad.ops import (
    arithmetic,
    casting,
    comparison,
    exponential,
    reduction,
    rounding,
    scans,
    selection,
    special_functions,
    trigonometry,
)
from minigrad.ops.broadcasting import broadcast_like
from minigrad.ops.einsum import einsum as contract
from minigrad.ops.joining import cat
from minigrad.ops.matmul import product, tensordot as dot_over
from minigrad.ops.padding import flip
from minigrad.ops.softmax import logsumexp
from minigrad.static.conversion import as_constant_array, operands
from minigrad.static.naming import graph_of, named, tensor, tensors


# ----- arithmetic
def add(x, y, name=None):
    """x + y, elementwise with broadcasting."""
    return named(name, "Add", arithmetic.add, *operands("add", x, y))


def subtract(x, y, name=None):
    """x - y, elementwise with broadcasting."""
    return named(name, "Sub", arithmetic.sub, *operands("subtract", x, y))


def multiply(x, y, name=None):
    """x * y, elementwise with broadcasting."""
    return named(name, "Mul", arithmetic.mul, *operands("multiply", x, y))


def divide(x, y, name=None):
    """x / y, elementwise with broadcasting; true division."""
    return named(name, "truediv", arithmetic.div, *operands("divide", x, y))


truediv = div = realdiv = divide


def floordiv(x, y, name=None):
    """x // y, elementwise, rounded down."""
    return named(name, "floordiv", arithmetic.floor_divide, *operands("floordiv", x, y))


def mod(x, y, name=None):
    """x % y, elementwise, with the sign of y."""
    return named(name, "FloorMod", arithmetic.remainder, *operands("mod", x, y))


floormod = mod


def negative(x, name=None):
    """-x, elementwise."""
    return named(name, "Neg", arithmetic.neg, tensor(x))


def add_n(inputs, name=None):
    """The sum of tensors of one shape, elementwise."""
    return named(name, "AddN", _sum_of, tensors(inputs))


def _sum_of(xs):
    total = xs[0]
    for x in xs[1:]:
        total = arithmetic.add(total, x)
    return total


accumulate_n = add_n


def pow(x, y, name=None):
    """x ** y, elementwise with broadcasting."""
    return named(name, "Pow", exponential.pow, *operands("pow", x, y))


def square(x, name=None):
    """x * x, elementwise."""
    return named(name, "Square", arithmetic.square, tensor(x))


def squared_difference(x, y, name=None):
    """(x - y) ** 2, elementwise with broadcasting."""
    x, y = operands("squared_difference", x, y)
    return named(name, "SquaredDifference", arithmetic.square, arithmetic.sub(x, y))


def sqrt(x, name=None):
    """The square root, elementwise."""
    return named(name, "Sqrt", arithmetic.sqrt, tensor(x))


def rsqrt(x, name=None):
    """1 / sqrt(x), elementwise."""
    return named(name, "Rsqrt", arithmetic.rsqrt, tensor(x))


def reciprocal(x, name=None):
    """1 / x, elementwise."""
    return named(name, "Reciprocal", arithmetic.reciprocal, tensor(x))


def abs(x, name=None):
    """|x|, elementwise."""
    return named(name, "Abs", arithmetic.abs, tensor(x))


def sign(x, name=None):
    """-1, 0 or 1, elementwise."""
    return named(name, "Sign", arithmetic.sign, tensor(x))


def exp(x, name=None):
    """e ** x, elementwise."""
    return named(name, "Exp", exponential.exp, tensor(x))


def expm1(x, name=None):
    """e ** x - 1, elementwise and exact near 0."""
    return named(name, "Expm1", exponential.expm1, tensor(x))


def log(x, name=None):
    """The natural logarithm, elementwise."""
    return named(name, "Log", exponential.log, tensor(x))


def log1p(x, name=None):
    """log(1 + x), elementwise and exact near 0."""
    return named(name, "Log1p", exponential.log1p, tensor(x))


def sigmoid(x, name=None):
    """1 / (1 + e ** -x), elementwise."""
    return named(name, "Sigmoid", exponential.sigmoid, tensor(x))


def log_sigmoid(x, name=None):
    """log(sigmoid(x)), elementwise."""
    return named(name, "LogSigmoid", exponential.logsigmoid, tensor(x))


def sin(x, name=None):
    """Sine, elementwise."""
    return named(name, "Sin", trigonometry.sin, tensor(x))


def cos(x, name=None):
    """Cosine, elementwise."""
    return named(name, "Cos", trigonometry.cos, tensor(x))


def tan(x, name=None):
    """Tangent, elementwise."""
    return named(name, "Tan", trigonometry.tan, tensor(x))


def asin(x, name=None):
    """Inverse sine, elementwise."""
    return named(name, "Asin", trigonometry.asin, tensor(x))


def acos(x, name=None):
    """Inverse cosine, elementwise."""
    return named(name, "Acos", trigonometry.acos, tensor(x))


def atan(x, name=None):
    """Inverse tangent, elementwise."""
    return named(name, "Atan", trigonometry.atan, tensor(x))


def atan2(y, x, name=None):
    """The angle of the point (x, y), elementwise."""
    return named(name, "Atan2", trigonometry.atan2, *operands("atan2", y, x))


def sinh(x, name=None):
    """Hyperbolic sine, elementwise."""
    return named(name, "Sinh", trigonometry.sinh, tensor(x))


def cosh(x, name=None):
    """Hyperbolic cosine, elementwise."""
    return named(name, "Cosh", trigonometry.cosh, tensor(x))


def tanh(x, name=None):
    """Hyperbolic tangent, elementwise."""
    return named(name, "Tanh", trigonometry.tanh, tensor(x))


def erf(x, name=None):
    """The error function, elementwise."""
    return named(name, "Erf", special_functions.erf, tensor(x))


def lgamma(x, name=None):
    """The logarithm of |gamma(x)|, elementwise."""
    return named(name, "Lgamma", special_functions.lgamma, tensor(x))


def digamma(x, name=None):
    """The derivative of lgamma, elementwise."""
    return named(name, "Digamma", special_functions.digamma, tensor(x))


def floor(x, name=None):
    """Rounded down, elementwise."""
    return named(name, "Floor", rounding.floor, tensor(x))


def ceil(x, name=None):
    """Rounded up, elementwise."""
    return named(name, "Ceil", rounding.ceil, tensor(x))


def round(x, name=None):
    """Rounded to the nearest integer, halves to even, elementwise."""
    return named(name, "Round", rounding.round, tensor(x))


def maximum(x, y, name=None):
    """The larger of both, elementwise."""
    return named(name, "Maximum", selection.maximum, *operands("maximum", x, y))


def minimum(x, y, name=None):
    """The smaller of both, elementwise."""
    return named(name, "Minimum", selection.minimum, *operands("minimum", x, y))


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """`t` kept between two bounds, elementwise."""
    return named(name, "clip_by_value", selection.clamp, tensor(t), clip_value_min, clip_value_max)


def cast(x, dtype, name=None):
    """`x` in another dtype."""
    return named(name, "Cast", casting.cast, tensor(x), as_dtype(dtype))


def to_float(x, name="ToFloat"):
    """`x` as float32."""
    return cast(x, float32, name)


def to_int32(x, name="ToInt32"):
    """`x` as int32."""
    return cast(x, int32, name)


def to_int64(x, name="ToInt64"):
    """`x` as int64."""
    return cast(x, int64, name)


# ----- comparison and logic
def equal(x, y, name=None):
    """x == y, elementwise with broadcasting."""
    return named(name, "Equal", comparison.eq, *operands("equal", x, y))


def not_equal(x, y, name=None):
    """x != y, elementwise with broadcasting."""
    return named(name, "NotEqual", comparison.ne, *operands("not_equal", x, y))


def less(x, y, name=None):
    """x < y, elementwise with broadcasting."""
    return named(name, "Less", comparison.lt, *operands("less", x, y))


def less_equal(x, y, name=None):
    """x <= y, elementwise with broadcasting."""
    return named(name, "LessEqual", comparison.le, *operands("less_equal", x, y))


def greater(x, y, name=None):
    """x > y, elementwise with broadcasting."""
    return named(name, "Greater", comparison.gt, *operands("greater", x, y))


def greater_equal(x, y, name=None):
    """x >= y, elementwise with broadcasting."""
    return named(name, "GreaterEqual", comparison.ge, *operands("greater_equal", x, y))


def logical_and(x, y, name=None):
    """x and y, elementwise."""
    return named(name, "LogicalAnd", comparison.logical_and, tensor(x), tensor(y))


def logical_or(x, y, name=None):
    """x or y, elementwise."""
    return named(name, "LogicalOr", comparison.logical_or, tensor(x), tensor(y))


def logical_xor(x, y, name="LogicalXor"):
    """Exactly one of x and y, elementwise."""
    return named(name, "LogicalXor", comparison.logical_xor, tensor(x), tensor(y))


def logical_not(x, name=None):
    """not x, elementwise."""
    return named(name, "LogicalNot", comparison.logical_not, tensor(x))


def is_nan(x, name=None):
    """Is it NaN, elementwise."""
    return named(name, "IsNan", comparison.isnan, tensor(x))


def is_inf(x, name=None):
    """Is it infinite, elementwise."""
    return named(name, "IsInf", comparison.isinf, tensor(x))


def is_finite(x, name=None):
    """Is it a finite number, elementwise."""
    return named(name, "IsFinite", comparison.isfinite, tensor(x))


# ----- products
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """The matrix product of the last two dimensions, with those of `a` or `b` swapped first where asked for."""
    a, b = tensors([a, b])
    if a.dtype != b.dtype:
        raise DtypeError(f"matmul: the operands {a!r} and {b!r} have different dtypes; cast one of them")
    return named(name, "MatMul", product, a, b, transpose_a or adjoint_a, transpose_b or adjoint_b)


def tensordot(a, b, axes, name=None):
    """The sum of products over `axes`: a number of trailing and leading axes, or two lists of axes."""
    a, b = tensors([a, b])
    return named(name, "Tensordot", dot_over, a, b, dims=axes)


def einsum(equation, *inputs, name=None):
    """Sums of products in Einstein's notation."""
    return named(name, "einsum", contract, equation, *tensors(inputs))


# ----- reductions
def reduce_sum(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """The sum over `axis` (an int, a list, or None for all); an integer keeps its dtype."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "Sum", _summed, x, axis, keep)


def _summed(x, axis, keep):
    return casting.cast(reduction.sum(x, axis, keep), x.dtype)


def reduce_mean(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """The mean over `axis`."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "Mean", reduction.mean, x, axis, keep)


def reduce_prod(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """The product over `axis`."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "Prod", _multiplied, x, axis, keep)


def _multiplied(x, axis, keep):
    if axis is None:
        result = reduction.prod(x)
        return casting.cast(result if not keep else result.reshape((1,) * x.ndim), x.dtype)
    for a in sorted([a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))], reverse=True):
        x = reduction.prod(x, a, keep, dtype=x.dtype)
    return x


def reduce_max(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """The largest over `axis`; equal ones share the gradient."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "Max", reduction.amax, x, () if axis is None else axis, keep)


def reduce_min(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """The smallest over `axis`; equal ones share the gradient."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "Min", reduction.amin, x, () if axis is None else axis, keep)


def reduce_any(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """Is any of them true, over `axis`."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "Any", reduction.any, x, axis, keep)


def reduce_all(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """Are all of them true, over `axis`."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    return named(name, "All", reduction.all, x, axis, keep)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None, reduction_indices=None, keep_dims=None):
    """log(sum(exp(x))) over `axis`, without overflow."""
    x, axis, keep = reduced(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    axis = tuple(range(x.ndim)) if axis is None else axis
    return named(name, "LogSumExp", logsumexp, x, axis, keep)


def reduced(x, axis, keepdims, reduction_indices, keep_dims):
    """(tensor, axes as a tuple or None, keepdims) from the arguments of a reduction, old names included."""
    axis = reduction_indices if axis is None else axis
    if isinstance(axis, list):
        axis = tuple(axis)
    return tensor(x), axis, keepdims if keep_dims is None else keep_dims


def argmax(input, axis=None, name=None, dimension=None, output_type=int64):
    """The index of the largest along `axis` (default 0), the first of equal ones."""
    axis = dimension if axis is None else axis
    return named(name, "ArgMax", _index_of, reduction.argmax, tensor(input), axis or 0, output_type)


def argmin(input, axis=None, name=None, dimension=None, output_type=int64):
    """The index of the smallest along `axis` (default 0), the first of equal ones."""
    axis = dimension if axis is None else axis
    return named(name, "ArgMin", _index_of, reduction.argmin, tensor(input), axis or 0, output_type)


arg_max, arg_min = argmax, argmin


def _index_of(function, x, axis, dtype):
    return casting.cast(function(x, axis), as_dtype(dtype))


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running sums along `axis`; `exclusive` leaves the element itself out, `reverse` runs from the end."""
    return named(name, "Cumsum", _running, scans.cumsum, 0, tensor(x), axis, exclusive, reverse)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running products along `axis`; `exclusive` leaves the element itself out, `reverse` runs from the end."""
    return named(name, "Cumprod", _running, scans.cumprod, 1, tensor(x), axis, exclusive, reverse)


def _running(function, start, x, axis, exclusive, reverse):
    if reverse:
        x = flip(x, (axis,))
    if exclusive:
        size = x.shape[axis]
        index = [slice(None)] * x.ndim
        index[axis] = slice(0, 1)
        first = arithmetic.add(arithmetic.mul(x[tuple(index)], 0), start)
        index[axis] = slice(0, size - 1)
        x = cat([first, x[tuple(index)]], axis)
    y = function(x, axis, dtype=x.dtype)
    return flip(y, (axis,)) if reverse else y


# ----- constants by shape
def zeros(shape, dtype=float32, name=None):
    """Zeros of a known shape, or of one that tensors give."""
    return filled(shape, 0, dtype, name or "zeros")


def ones(shape, dtype=float32, name=None):
    """Ones of a known shape, or of one that tensors give."""
    return filled(shape, 1, dtype, name or "ones")


def fill(dims, value, name=None):
    """A tensor of shape `dims` with `value` everywhere."""
    return named(name, "Fill", _filled, tensor(value), sizes_of(dims))


def filled(shape, number, dtype, name):
    graph = graph_of([shape])
    value = graph.constant(number, dtype=as_dtype(dtype), name=f"{name}/Const")
    return named(name, name, _filled, value, sizes_of(shape))


def _filled(value, sizes):
    return value.graph.innermost().apply(fill_p, (value, *sizes), {})


def sizes_of(shape):
    """A shape given as a list, an int or a tensor, as a list of ints and tensors."""
    if isinstance(shape, Node):
        if shape.operation.prim is constant_p:
            return [int(size) for size in shape.operation.params["value"].ravel()]
        if shape.shape is None or not isinstance(shape.shape[0], int):
            raise ShapeError(f"the shape {shape!r} has an unknown length, so the rank would be unknown")
        return [shape[i] for i in range(shape.shape[0])]
    return [shape] if isinstance(shape, int) else list(shape)


def zeros_like(tensor_, dtype=None, name=None):
    """Zeros of a tensor's shape."""
    return like(tensor_, 0, dtype, name or "zeros_like")


def ones_like(tensor_, dtype=None, name=None):
    """Ones of a tensor's shape."""
    return like(tensor_, 1, dtype, name or "ones_like")


def like(x, number, dtype, name):
    x = tensor(x)
    dtype = x.dtype if dtype is None else as_dtype(dtype)
    value = x.graph.innermost().constant(number, dtype=dtype, name=f"{name}/Const")
    return named(name, name, broadcast_like, value, x)


def range_(start, limit=None, delta=1, dtype=None, name="range"):
    """Numbers from `start` (default 0) up to `limit`, which is left out. TensorFlow: tf.range."""
    if limit is None:
        start, limit = 0, start
    return default_graph().constant(as_constant_array(np.arange(start, limit, delta).tolist(), dtype), name=name)


def linspace(start, stop, num, name=None):
    """`num` numbers from `start` to `stop`, both included."""
    return default_graph().constant(np.linspace(start, stop, num).astype(float32), name=name or "LinSpace")


lin_space = linspace
