"""NumPy's functions on Tensors.

A ufunc that has a counterpart here is that counterpart: ``np.exp(x)`` is ``minigrad.exp(x)``, tracked and all, and
``array * x`` is a Tensor. Other functions of NumPy get the values, as arrays, of untracked tensors, and refuse tracked
ones, whose gradient would be lost.
"""

import numpy as np

from minigrad.errors import DtypeError, TrackedError
from minigrad.ops import arithmetic, comparison, exponential, rounding, selection, trigonometry
from minigrad.ops.matmul import matmul

COUNTERPARTS = {
    np.absolute: arithmetic.abs, np.add: arithmetic.add, np.divide: arithmetic.div, np.fmod: arithmetic.fmod,
    np.floor_divide: arithmetic.floor_divide, np.hypot: arithmetic.hypot, np.multiply: arithmetic.mul,
    np.negative: arithmetic.neg, np.positive: arithmetic.positive, np.reciprocal: arithmetic.reciprocal,
    np.remainder: arithmetic.remainder, np.sign: arithmetic.sign, np.sqrt: arithmetic.sqrt,
    np.square: arithmetic.square, np.subtract: arithmetic.sub, np.matmul: matmul,
    np.exp: exponential.exp, np.exp2: exponential.exp2, np.expm1: exponential.expm1,
    np.float_power: exponential.float_power, np.log: exponential.log, np.log10: exponential.log10,
    np.log1p: exponential.log1p, np.log2: exponential.log2, np.logaddexp: exponential.logaddexp,
    np.logaddexp2: exponential.logaddexp2, np.power: exponential.pow,
    np.arccos: trigonometry.acos, np.arccosh: trigonometry.acosh, np.arcsin: trigonometry.asin,
    np.arcsinh: trigonometry.asinh, np.arctan: trigonometry.atan, np.arctan2: trigonometry.atan2,
    np.arctanh: trigonometry.atanh, np.cos: trigonometry.cos, np.cosh: trigonometry.cosh,
    np.deg2rad: trigonometry.deg2rad, np.rad2deg: trigonometry.rad2deg, np.radians: trigonometry.deg2rad,
    np.degrees: trigonometry.rad2deg, np.sin: trigonometry.sin, np.sinh: trigonometry.sinh, np.tan: trigonometry.tan,
    np.tanh: trigonometry.tanh,
    np.ceil: rounding.ceil, np.floor: rounding.floor, np.rint: rounding.round, np.trunc: rounding.trunc,
    np.fmax: selection.fmax, np.fmin: selection.fmin, np.maximum: selection.maximum, np.minimum: selection.minimum,
    np.bitwise_and: comparison.bitwise_and, np.bitwise_or: comparison.bitwise_or,
    np.bitwise_xor: comparison.bitwise_xor, np.equal: comparison.eq, np.greater: comparison.gt,
    np.greater_equal: comparison.ge, np.invert: comparison.bitwise_not, np.isfinite: comparison.isfinite,
    np.isinf: comparison.isinf, np.isnan: comparison.isnan, np.left_shift: comparison.bitwise_left_shift,
    np.less: comparison.lt, np.less_equal: comparison.le, np.logical_and: comparison.logical_and,
    np.logical_not: comparison.logical_not, np.logical_or: comparison.logical_or,
    np.logical_xor: comparison.logical_xor, np.not_equal: comparison.ne,
    np.right_shift: comparison.bitwise_right_shift, np.signbit: comparison.signbit,
}


class NumpyProtocols:
    """What NumPy calls when one of its functions or an array's operator meets a Tensor."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        counterpart = COUNTERPARTS.get(ufunc)
        if counterpart is not None and method == "__call__" and not options:
            return counterpart(*inputs)
        for target in options.get("out", ()):
            if hasattr(target, "record"):
                raise DtypeError(f"np.{ufunc.__name__}: a Tensor cannot be NumPy's out; write it with the in-place"
                                 " method, or with copy_()")
        return getattr(ufunc, method)(*as_arrays(ufunc.__name__, inputs), **options)

    def __array_function__(self, function, types, args, kwargs):
        name = function.__name__
        return function(*as_arrays(name, args), **dict(zip(kwargs, as_arrays(name, kwargs.values()), strict=True)))


def as_arrays(name, args):
    """`args` with arrays in place of the Tensors among them (also in lists and tuples)."""
    result = []
    for a in args:
        if hasattr(a, "record"):
            if a.record is not None:
                raise TrackedError(f"np.{name} on a tensor that requires grad would lose its gradient: use minigrad's"
                                   f" own function, or np.{name} on x.detach(). To fill an array of results, use"
                                   " minigrad.stack")
            a = a.numpy()
        elif isinstance(a, (list, tuple)) and not hasattr(a, "_fields"):
            a = type(a)(as_arrays(name, a))
        result.append(a)
    return result
